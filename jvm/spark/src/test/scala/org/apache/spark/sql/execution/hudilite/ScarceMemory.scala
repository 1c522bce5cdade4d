package org.apache.spark.sql.execution.hudilite

import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.memory.{MemoryConsumer, MemoryMode, TaskMemoryManager}

/** Takes what memory a task may have, but for a few pages; nothing is allocated. */
final class ScarceMemory private (manager: TaskMemoryManager, taken: Long)
    extends MemoryConsumer(manager, SparkEnv.get.memoryManager.pageSizeBytes, MemoryMode.ON_HEAP) {

  acquireMemory(taken)

  override def spill(size: Long, trigger: MemoryConsumer): Long = 0L

  def free(): Unit = freeMemory(getUsed)
}

object ScarceMemory {

  def leave(pages: Int): ScarceMemory = {
    val memory = SparkEnv.get.memoryManager
    val manager = TaskContext.get().taskMemoryManager()
    new ScarceMemory(manager,
      memory.maxOnHeapStorageMemory - memory.storageMemoryUsed -
        manager.getMemoryConsumptionForThisTask - pages * memory.pageSizeBytes)
  }
}

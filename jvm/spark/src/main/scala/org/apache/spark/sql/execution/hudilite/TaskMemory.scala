package org.apache.spark.sql.execution.hudilite

import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.unsafe.map.BytesToBytesMap

/** Memory that Spark manages for the running task. Its manager is private to Spark's packages. */
object TaskMemory {

  /** An empty hash map, which may grow as far as the task is granted memory. */
  def newMap(entries: Int): BytesToBytesMap =
    new BytesToBytesMap(TaskContext.get().taskMemoryManager(), entries, SparkEnv.get.memoryManager.pageSizeBytes)
}

package io.hudilite.storage

import java.nio.ByteBuffer
import java.util.concurrent.CompletableFuture
import java.util.function.IntFunction
import java.util.{List => JList}

import org.apache.hadoop.fs.{FSDataInputStream, FSInputStream, FileRange}

import scala.collection.JavaConverters._

/** Reads of many ranges at once: from memory, or left to the file system, which may merge them and send them beside each
  * other.
  */
private[storage] abstract class VectoredReads extends FSInputStream {

  /** The stream that they are handed to. */
  protected def whole: FSDataInputStream

  /** Bytes from `position` on that are in memory already, `count` of them. */
  protected def inMemory(position: Long, count: Int): Option[Array[Byte]]

  override def minSeekForVectorReads(): Int = whole.minSeekForVectorReads()

  override def maxReadSizeForVectorReads(): Int = whole.maxReadSizeForVectorReads()

  override def readVectored(ranges: JList[_ <: FileRange], allocate: IntFunction[ByteBuffer]): Unit = {
    val found = ranges.asScala.toList.map(range => range -> inMemory(range.getOffset, range.getLength))
    if (found.exists(_._2.isEmpty)) whole.readVectored(ranges, allocate)
    else for ((range, bytes) <- found; content <- bytes) {
      val buffer = allocate.apply(content.length)
      buffer.put(content).flip()
      range.setData(CompletableFuture.completedFuture(buffer))
    }
  }
}

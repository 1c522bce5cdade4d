package io.hudilite.storage

import org.apache.hadoop.fs.{FSDataInputStream, FSInputStream}

/** Reads of many ranges at once, which the Hadoop of Spark 3.5 does not have. */
private[storage] abstract class VectoredReads extends FSInputStream {

  /** The stream that they are handed to. */
  protected def whole: FSDataInputStream

  /** Bytes from `position` on that are in memory already, `count` of them. */
  protected def inMemory(position: Long, count: Int): Option[Array[Byte]]
}

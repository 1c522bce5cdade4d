package io.hudilite.storage

import scala.collection.mutable

/** A storage that knows which of its files are open. */
final class OpenFiles(inner: Storage) extends ForwardingStorage(inner) {

  private val paths = mutable.Set.empty[String]

  def open: Set[String] = paths.toSet

  override def open(path: String): OpenFile = {
    val file = inner.open(path)
    paths += path
    new OpenFile {
      override def readFully(position: Long, target: Array[Byte]): Unit = file.readFully(position, target)
      override def close(): Unit = {
        paths -= path
        file.close()
      }
    }
  }

  override def open(path: String, length: Long): OpenFile = open(path)
}

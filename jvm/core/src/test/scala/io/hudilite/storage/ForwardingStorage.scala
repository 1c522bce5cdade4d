package io.hudilite.storage

import java.time.Clock

/** Hands every call on, for tests that change a few. */
abstract class ForwardingStorage(to: Storage) extends Storage {
  override def list(directories: Seq[String]): Map[String, Seq[FileInfo]] = to.list(directories)
  override def read(path: String): Option[Array[Byte]] = to.read(path)
  override def readAll(paths: Seq[String]): Map[String, Array[Byte]] = to.readAll(paths)
  override def readRange(path: String, offset: Long, length: Int): Array[Byte] = to.readRange(path, offset, length)
  override def open(path: String): OpenFile = to.open(path)
  override def createNew(path: String, content: Array[Byte]): Boolean = to.createNew(path, content)
  override def replace(path: String, content: Array[Byte]): Unit = to.replace(path, content)
  override def delete(path: String): Boolean = to.delete(path)
  override def deleteOwn(directory: String): Unit = to.deleteOwn(directory)
  override def deleteIfEmpty(directory: String): Unit = to.deleteIfEmpty(directory)
  override def exists(path: String): Boolean = to.exists(path)
  override def makeDirectory(path: String): Unit = to.makeDirectory(path)
  override def usesTemporaries(path: String): Boolean = to.usesTemporaries(path)
  override def place(path: String): Place = to.place(path)
  override def clock: Clock = to.clock
  override def caches: Caches = to.caches
}

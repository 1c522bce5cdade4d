package io.hudilite.storage

/** A storage that takes down what it is asked, each call as the requests of an object store would be.
  *
  * @param before
  *   is shown each call before it is passed on, on the thread that makes it: it may wait there, which holds a writer at
  *   one of its steps, or raise, which is a storage that fails
  */
final class CountingStorage(inner: Storage, before: StorageCall => Unit = _ => ()) extends Storage {

  private val log = new StorageCalls.Log

  /** Calls so far. */
  def calls: StorageCalls = log.taken

  /** Calls while `body` runs. */
  def during[T](body: => T): (T, StorageCalls) = {
    val earlier = calls.total
    val result = body
    (result, StorageCalls(calls.all.drop(earlier)))
  }

  private def asked[T](kind: String, path: String)(body: => T): T = {
    log.add(kind, path)
    before(StorageCall(kind, path))
    body
  }

  override def list(directories: Seq[String]): Map[String, Seq[FileInfo]] =
    directories.map(d => d -> asked("list", d)(inner.list(d))).toMap

  override def read(path: String): Option[Array[Byte]] = asked("get", path)(inner.read(path))

  override def readAll(paths: Seq[String]): Map[String, Array[Byte]] = paths.flatMap(p => read(p).map(p -> _)).toMap

  override def readRange(path: String, offset: Long, length: Int): Array[Byte] =
    asked("get", path)(inner.readRange(path, offset, length))

  override def open(path: String): OpenFile = {
    val opened = inner.open(path)
    new OpenFile {
      override def readFully(position: Long, target: Array[Byte]): Unit =
        asked("get", path)(opened.readFully(position, target))
      override def close(): Unit = opened.close()
    }
  }

  override def createNew(path: String, content: Array[Byte]): Boolean =
    asked("put", path)(inner.createNew(path, content))

  override def replace(path: String, content: Array[Byte]): Unit = asked("put", path)(inner.replace(path, content))

  override def delete(path: String): Boolean = asked("delete", path)(inner.delete(path))

  override def deleteOwn(directory: String): Unit = asked("delete", directory)(inner.deleteOwn(directory))

  override def exists(path: String): Boolean = asked("head", path)(inner.exists(path))

  override def makeDirectory(path: String): Unit = asked("mkdir", path)(inner.makeDirectory(path))

  override def caches: Caches = inner.caches
}

package io.hudilite.storage

import java.util.concurrent.atomic.AtomicInteger

/** A storage of which one call fails, or all from one on.
  *
  * @param failing
  *   true when the call of this number fails, counted from 1
  * @param failure
  *   made anew for each
  * @param afterEffect
  *   the call does what it is asked for first; else it does nothing
  */
final class FaultyStorage(to: Storage, failing: Int => Boolean, failure: () => Throwable, afterEffect: Boolean)
    extends ForwardingStorage(to) {

  private val counter = new AtomicInteger()

  /** Calls so far. */
  def calls: Int = counter.get

  private def faulty[T](call: => T): T = {
    val fails = failing(counter.incrementAndGet())
    if (!fails) call
    else {
      if (afterEffect) call
      throw failure()
    }
  }

  override def list(directories: Seq[String]): Map[String, Seq[FileInfo]] = faulty(to.list(directories))
  override def read(path: String): Option[Array[Byte]] = faulty(to.read(path))
  override def readAll(paths: Seq[String]): Map[String, Array[Byte]] = faulty(to.readAll(paths))
  override def createNew(path: String, content: Array[Byte]): Boolean = faulty(to.createNew(path, content))
  override def replace(path: String, content: Array[Byte]): Unit = faulty(to.replace(path, content))
  override def delete(path: String): Boolean = faulty(to.delete(path))
  override def deleteOwn(directory: String): Unit = faulty(to.deleteOwn(directory))
  override def deleteIfEmpty(directory: String): Unit = faulty(to.deleteIfEmpty(directory))
  override def exists(path: String): Boolean = faulty(to.exists(path))
  override def makeDirectory(path: String): Unit = faulty(to.makeDirectory(path))
}

object FaultyStorage {

  /** One of each kind of failure that a call may end in. */
  val Failures: Seq[(String, () => Throwable)] = Seq(
    "an IOException" -> (() => new java.io.IOException("connection lost")),
    "a RuntimeException" -> (() => new IllegalArgumentException("unchecked")),
    "an Error" -> (() => new OutOfMemoryError("no heap")),
    "an interrupt" -> (() => new InterruptedException("cancelled")))
}

package io.hudilite.storage

import java.io.Closeable

/** Elements that come out of an open file, which is closed when the last one has been taken or one cannot be had. */
private[hudilite] final class Closing[T](file: Closeable, elements: Iterator[T]) extends Iterator[T]
    with Closeable {

  private var isOpen = true

  override def hasNext: Boolean = isOpen && {
    val more = closingOnFailure(elements.hasNext)
    if (!more) close()
    more
  }

  override def next(): T =
    if (hasNext) closingOnFailure(elements.next()) else throw new NoSuchElementException("no more elements")

  private def closingOnFailure[A](body: => A): A =
    try body
    catch {
      case e: Throwable =>
        close()
        throw e
    }

  override def close(): Unit = if (isOpen) {
    isOpen = false
    file.close()
  }
}

private[hudilite] object Closing {

  /** Elements that `made` takes from the file; a failure to make them closes it, too. */
  def after[T](file: Closeable)(made: => Iterator[T]): Iterator[T] =
    try new Closing(file, made)
    catch {
      case e: Throwable =>
        file.close()
        throw e
    }

  /** Lets go of elements that are not all taken, and of the file where they come out of one. */
  def close(elements: Iterator[_]): Unit = elements match {
    case open: Closeable => open.close()
    case _ => ()
  }
}

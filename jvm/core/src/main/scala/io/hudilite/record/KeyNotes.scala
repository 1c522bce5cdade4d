package io.hudilite.record

import java.io.{DataInputStream, DataOutputStream, EOFException, InputStream, OutputStream}
import java.nio.charset.StandardCharsets.UTF_8

/** Writes changes of keys as bytes. Changes of one place after another take few of them. The stream stays open; notes of
  * several writers may follow each other in one file.
  */
final class KeyNotes(out: OutputStream) {

  import KeyNotes._

  private val data = new DataOutputStream(out)
  private var place: NotedPlace = _

  data.write(Begin)

  /** @param key
    *   in UTF-8
    */
  def add(key: Array[Byte], partition: String, fileId: Option[String], from: Option[String] = None): Unit = {
    if (place == null || place.partition != partition || place.fileId != fileId || place.from != from) {
      place = NotedPlace(partition, fileId, from)
      data.write(Place)
      Seq(partition, fileId.getOrElse(""), from.getOrElse("")).foreach(part => bytes(part.getBytes(UTF_8)))
    }
    data.write(Key)
    bytes(key)
  }

  def add(change: KeyChange): Unit = add(change.key.getBytes(UTF_8), change.partition, change.fileId, change.from)

  private def bytes(of: Array[Byte]): Unit = {
    data.writeInt(of.length)
    data.write(of)
  }
}

object KeyNotes {

  // A version of the form, which is never read by another release.
  private[hudilite] val Begin = 1
  private[hudilite] val Place = 2
  private[hudilite] val Key = 3
  private[hudilite] val Again = 4 // a place by its number since the beginning

  /** As `KeyChange`. */
  private final case class NotedPlace(partition: String, fileId: Option[String], from: Option[String])

  /** The changes in the order in which they were noted, one after the other. Notes that were cut off end in an
    * `IllegalArgumentException`.
    */
  def read(in: InputStream): Iterator[KeyChange] = new Reader(new DataInputStream(in))

  private final class Reader(in: DataInputStream) extends Iterator[KeyChange] {

    private var places = Vector.empty[NotedPlace]
    private var place = NotedPlace("", None, None)
    private var ahead: Option[KeyChange] = None
    private var isOpen = true

    override def hasNext: Boolean = {
      while (isOpen && ahead.isEmpty) step() // hot path
      ahead.isDefined
    }

    override def next(): KeyChange = {
      if (!hasNext) throw new NoSuchElementException("no more changes")
      val change = ahead.get
      ahead = None
      change
    }

    private def step(): Unit = in.read() match {
      case -1 => isOpen = false
      case Begin => places = Vector.empty
      case Place =>
        place = NotedPlace(text(), group(), group())
        places :+= place
      case Again => place = places(number())
      case Key => ahead = Some(KeyChange(text(), place.partition, place.fileId, place.from))
      case other => throw new IllegalArgumentException(s"notes of keys have the unknown mark $other")
    }

    private def group(): Option[String] = Some(text()).filter(_.nonEmpty)

    private def number(): Int = {
      val number = try in.readInt()
      catch { case e: EOFException => throw new IllegalArgumentException("notes of keys are cut off", e) }
      if (number < 0 || number >= places.size)
        throw new IllegalArgumentException(s"notes of keys have no place $number")
      number
    }

    private def text(): String =
      try {
        val bytes = new Array[Byte](in.readInt())
        in.readFully(bytes)
        new String(bytes, UTF_8)
      } catch { case e: EOFException => throw new IllegalArgumentException("notes of keys are cut off", e) }
  }
}

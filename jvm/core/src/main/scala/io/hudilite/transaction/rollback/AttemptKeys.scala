package io.hudilite.transaction.rollback

import io.hudilite.record.ChangeBuffer
import io.hudilite.upkeep.{KeySource, ToldKeys}

import scala.collection.mutable

/** How the tasks of a write tell the record keys that come to file groups and leave them.
  *
  * @param mostSent
  *   keys of a task that go with its answer; more of them go to notes
  * @param noteBytes
  *   bytes of a note, about
  * @param revives
  *   rows that replace others may be of keys that log files have deleted
  */
final case class KeyTelling(mostSent: Long = KeyTelling.MostSent, noteBytes: Int = KeyTelling.NoteBytes,
    revives: Boolean = false)

object KeyTelling {
  val MostSent = 20000L
  val NoteBytes: Int = 4 << 20
  private[rollback] val SentBytes: Int = 1 << 20

  /** Begin of the names of notes. */
  val Prefix = "KEYS-"
}

/** Record keys that one task attempt tells. They are bytes in one buffer; where more come than go with the answer of the
  * task it makes notes beside its markers, which only the answer of the attempt that counts names.
  *
  * @param telling
  *   `None` where nobody asks
  * @param token
  *   that no other attempt has
  */
final class AttemptKeys(files: AttemptFiles, telling: Option[KeyTelling], token: String) {

  private val buffer = new ChangeBuffer
  private val notes = mutable.ArrayBuffer.empty[KeySource]
  private val noteBytes = telling.fold(0)(_.noteBytes)

  val isOn: Boolean = telling.isDefined

  /** Number of a file group that keys come to, or of a partition that they leave. */
  def place(partition: String, fileId: Option[String], from: Option[String] = None): Int =
    if (isOn) buffer.place(partition, fileId, from) else -1

  // hot path
  /** A key came to a place, or left it. */
  def tell(place: Int, key: Array[Byte], offset: Int, length: Int): Unit = if (isOn) {
    buffer.add(place, key, offset, length)
    if (buffer.length >= noteBytes) note()
  }

  private def note(): Unit = {
    val count = buffer.count
    notes += ToldKeys.Noted(files.note(s"${KeyTelling.Prefix}$token-${notes.size}", buffer.take()), count)
  }

  /** The keys of the attempt, whose files are whole; `None` where nobody asks. */
  def told(): Option[ToldKeys] = telling.map { by =>
    if (buffer.count > 0 && (notes.nonEmpty || buffer.count > by.mostSent || buffer.length > KeyTelling.SentBytes))
      note()
    val count = buffer.count
    ToldKeys(notes.toList ++ (if (count > 0) Some(ToldKeys.Sent(buffer.take(), count)) else None))
  }
}

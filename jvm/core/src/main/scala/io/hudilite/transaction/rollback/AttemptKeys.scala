package io.hudilite.transaction.rollback

import io.hudilite.metadata.{KeyBuffer, KeyGroup, KeyNote, TaskKeys}

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
  val NoteBytes: Int = 8 << 20
  val SentBytes: Int = 1 << 20

  /** Begin of the names of notes. */
  val Prefix = "KEYS-"
}

/** Record keys that one task attempt tells (docs/format.md#record-index). They are bytes in one buffer; of more than go
  * with the answer of the task it makes notes beside its markers, which only the answer of the attempt that counts names.
  *
  * @param telling
  *   `None` where nobody asks
  * @param token
  *   that no other attempt has
  */
final class AttemptKeys(files: AttemptFiles, telling: Option[KeyTelling], token: String) {

  private val buffer = new KeyBuffer
  private val groups = mutable.LinkedHashMap.empty[KeyGroup, Int]
  private val notes = mutable.ArrayBuffer.empty[KeyNote]
  private val noteBytes = telling.fold(0)(_.noteBytes)

  val isOn: Boolean = telling.isDefined

  /** Number of a file group, for what follows. */
  def group(partition: String, fileId: String): Int =
    if (isOn) groups.getOrElseUpdate(KeyGroup(partition, fileId), groups.size) else -1

  /** A key came to a file group. */
  def came(group: Int, key: Array[Byte], offset: Int, length: Int): Unit =
    if (isOn) add(group, left = false, key, offset, length)

  /** A key left a file group. */
  def left(group: Int, key: Array[Byte], offset: Int, length: Int): Unit =
    if (isOn) add(group, left = true, key, offset, length)

  private def add(group: Int, left: Boolean, key: Array[Byte], offset: Int, length: Int): Unit = { // hot path
    buffer.add(group, left, key, offset, length)
    if (buffer.length >= noteBytes) note()
  }

  private def note(): Unit = {
    val count = buffer.count
    val content = buffer.take()
    val name = s"${KeyTelling.Prefix}$token-${notes.size}"
    files.note(name, content)
    notes += KeyNote(name, content.length.toLong, count)
  }

  /** The keys of the attempt, whose files are whole; `None` where nobody asks. */
  def told(): Option[TaskKeys] = telling.map { by =>
    if (buffer.length > 0 && (notes.nonEmpty || buffer.count > by.mostSent || buffer.length > KeyTelling.SentBytes))
      note()
    val count = buffer.count
    TaskKeys(groups.keys.toList, buffer.take(), count, notes.toList)
  }
}

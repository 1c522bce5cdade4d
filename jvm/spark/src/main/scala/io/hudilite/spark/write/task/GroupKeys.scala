package io.hudilite.spark.write.task

import io.hudilite.spark.row.TextBytes
import io.hudilite.spark.slice.rewrite.KeyOutcomes
import io.hudilite.transaction.rollback.AttemptKeys

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

/** Tells which record keys come to a file group and leave it, where somebody asks. */
private[spark] final class GroupKeys(keys: AttemptKeys, group: Int, outside: Int) {

  private val text = new TextBytes
  private var difference = 0L
  private var gone: UTF8String = _ // the last key that left, unless it came again

  def isOn: Boolean = keys.isOn

  /** Keys that have left, less those that came; `None` where nobody asks. */
  def taken: Option[Long] = if (keys.isOn) Some(difference) else None

  def came(key: UTF8String): Unit = if (keys.isOn) {
    if (gone != null && gone == key) gone = null
    difference -= 1
    text.take(key)
    keys.tell(group, text.array, text.offset, text.length)
  }

  /** A key leaves once, however many changes delete it one after the other. */
  def left(key: UTF8String): Unit = if (keys.isOn && !hasLeft(key)) {
    gone = key.copy()
    difference += 1
    text.take(key)
    keys.tell(outside, text.array, text.offset, text.length)
  }

  /** The last change of a key that was told is that this one left. */
  def hasLeft(key: UTF8String): Boolean = gone != null && gone == key
}

/** Tells of the log of a file slice which keys changes take out of the slice and bring back; changes come in the order of
  * their keys.
  *
  * @param mayBeGone
  *   a row that a lookup found in the base file may be deleted
  * @param compares
  *   a change may lose against the row that is there
  * @param made
  *   look at the row that is there
  */
private[task] final class LogKeys(keys: GroupKeys, mayBeGone: Boolean, compares: Boolean, made: => KeyOutcomes) {

  private lazy val outcomes = made
  private var asked: UTF8String = _ // the last key whose outcome is asked for

  def taken: Option[Long] = keys.taken

  /** The row of a key that is gone is back. */
  def came(key: UTF8String): Unit = keys.came(key)

  /** Deleted by its key alone. */
  def deleted(key: UTF8String): Unit =
    if (keys.isOn) if (mayBeGone || key == asked) ask(key, null, isDelete = true) else keys.left(key)

  /** A row that was found is updated, or deleted by a row that is marked as a delete. */
  def updated(key: UTF8String, row: InternalRow, isDelete: Boolean): Unit = if (keys.isOn) {
    if (mayBeGone || (isDelete && compares && !keys.hasLeft(key))) ask(key, row, isDelete)
    else if (isDelete) keys.left(key)
  }

  private def ask(key: UTF8String, row: InternalRow, isDelete: Boolean): Unit = {
    asked = key.copy()
    outcomes.add(key, row, isDelete)
  }

  /** No more changes follow. */
  def settle(): Unit = if (asked != null) outcomes.settle()
}

/** Tells of a file group whose base file meets changes in the order of their keys: a key came when the file did not have
  * it and has it now, and left when all of its rows have.
  *
  * @param isUnique
  *   no two rows of the old file have one key
  * @param isAt
  *   the next row of the old file has this key
  */
private[task] final class MergedKeys(keys: GroupKeys, isUnique: Boolean, isAt: UTF8String => Boolean) {

  private var current: UTF8String = _
  private var (stays, gone, added) = (false, false, false)

  /** The changes that follow are of this key; to be called before the old file is sought through for it. */
  def begin(key: UTF8String): Unit = if (keys.isOn && key != current) {
    finish()
    current = key.copy()
  }

  /** A row of the key stays, or has new values. */
  def stay(): Unit = stays = true

  def leave(): Unit = gone = true

  /** A row of the key comes in.
    *
    * @param isThere
    *   the next row of the old file has the key
    */
  def come(isThere: Boolean): Unit = {
    added = true
    if (isThere) stays = true
  }

  /** No more changes of the key follow. */
  def finish(): Unit = {
    if (added && !stays && !gone) keys.came(current)
    else if (gone && !added && !stays && (isUnique || !isAt(current))) keys.left(current)
    stays = false
    gone = false
    added = false
    current = null
  }
}

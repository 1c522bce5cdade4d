package io.hudilite.spark.write.task

import io.hudilite.spark.row.TextBytes
import io.hudilite.transaction.rollback.AttemptKeys

import org.apache.spark.unsafe.types.UTF8String

/** Tells which record keys come to a file group and leave it, where somebody asks. */
private[spark] final class GroupKeys(keys: AttemptKeys, group: Int, outside: Int) {

  private val text = new TextBytes
  private var difference = 0L

  def isOn: Boolean = keys.isOn

  /** Keys that have left, less those that came; `None` where nobody asks. */
  def taken: Option[Long] = if (keys.isOn) Some(difference) else None

  def came(key: UTF8String): Unit = if (keys.isOn) {
    difference -= 1
    text.take(key)
    keys.tell(group, text.array, text.offset, text.length)
  }

  def left(key: UTF8String): Unit = if (keys.isOn) {
    difference += 1
    text.take(key)
    keys.tell(outside, text.array, text.offset, text.length)
  }
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

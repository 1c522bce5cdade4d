package io.hudilite.spark.write.task

import io.hudilite.timeline.WriteStat

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

/** Takes the changes of one file group, or the rows of new ones. Rows and keys are read before a call returns. */
private[write] trait GroupWriter {

  def insert(key: UTF8String, row: InternalRow): Unit

  /** Replaces the row with this number in the base file of the group, and without a number all rows of the key: a lookup
    * has found some, and may tell so once for each of them.
    *
    * @param position
    *   number of the old row in its base file, see [[io.hudilite.log.RowPosition]]
    */
  def update(key: UTF8String, row: InternalRow, position: Long): Unit

  /** As `update`, by a new row: the log has deleted the one of its key, and all of its columns count. */
  def putBack(key: UTF8String, row: InternalRow, position: Long): Unit = update(key, row, position)

  /** Replaces all rows of the key, and inserts where there is none: nobody has looked. */
  def upsert(key: UTF8String, row: InternalRow): Unit

  /** Deletes what `update` replaces. */
  def delete(key: UTF8String, position: Long): Unit

  /** Deletes by a change that has ordering values of its own; false when the row in the table is newer and stays. */
  def remove(key: UTF8String, row: InternalRow, position: Long): Boolean

  /** Finishes the files. */
  def close(): Seq[WriteStat]

  /** Closes the file that is open, unfinished; the task deletes it. */
  def abort(): Unit
}

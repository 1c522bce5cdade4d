package io.hudilite.spark.write.task

import io.hudilite.filegroup.BaseFile
import io.hudilite.log.RowPosition
import io.hudilite.spark.basefile.encode.SizeChecks
import io.hudilite.spark.slice.rewrite.{BaseFileCursor, BaseMerge, RowVersion, WriterSink}
import io.hudilite.timeline.WriteStat

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

/** Merges changes into one base file: the next version of its file group, and new file groups when it overflows.
  *
  * Changes come in the order of their keys' bytes. Old rows that no change touches keep their commit time and sequence
  * number. A file that loses all rows is still written, empty: its file group would otherwise show its old version.
  */
private[write] final class MergeWriter(output: TaskOutput, file: BaseFile)
    extends GroupWriter with WriterSink {

  private val job = output.job
  private val old = output.old(file)
  private val writer = output.successor(old)
  private val merge = new BaseMerge(Some(old), writer, job.rule, job.comparedOrdinals, this, job.keyCheck(file))
  private val keys =
    new MergedKeys(output.keysOf(file.partition, file.fileId), old.uniqueKeys, merge.isAt)
  private val change = new RowVersion(job.dataSchema, job.comparedOrdinals, job.gaps)
  private lazy val overflow = new NewFileGroups(output, file.partition)
  private var inserts = 0L
  private var updates = 0L
  private var deletes = 0L
  private var full = false
  private val sizes = new SizeChecks
  private var changed: UTF8String = _ // the key of the present change
  private var repeated: UTF8String = _ // the last key that the old file was found to hold several times

  /** Adds a row whose key the table does not have; where it does, both rows stay. */
  override def insert(key: UTF8String, row: InternalRow): Unit =
    if (!job.isDelete(row)) {
      if (!full && (inserts == 0 || sizes.isDue(inserts, writer.takenBytes)))
        full = projectedBytes >= job.files.maxFileBytes
      if (full) overflow.insert(key, row)
      else {
        keys.begin(key)
        keys.come(merge.seek(key))
        changed = key
        merge.insert(row)
      }
    }

  /** Unless the merge mode keeps the old row. */
  override def update(key: UTF8String, row: InternalRow, position: Long): Unit =
    if (job.isDelete(row)) remove(key, row, position)
    else {
      keys.begin(key)
      val found = merge.seek(key)
      if (position >= 0) {
        changed = key
        merge.meetAt(key, position, change.moveTo(row))
      } else if (found) replaceAll(key, row)
      else if (key != repeated) throw new IllegalStateException(s"${file.name} has no row with the key $key")
    }

  override def upsert(key: UTF8String, row: InternalRow): Unit =
    if (job.isDelete(row)) remove(key, row, RowPosition.Unknown)
    else {
      keys.begin(key)
      if (merge.seek(key)) replaceAll(key, row) else insert(key, row)
    }

  private def replaceAll(key: UTF8String, row: InternalRow): Unit = {
    changed = key
    if (merge.meet(key, change.moveTo(row)) > 1) repeated = key.copy()
  }

  override def delete(key: UTF8String, position: Long): Unit = {
    remove(key, null, position)
    ()
  }

  /** Unless the merge mode keeps the old row; false when it does. */
  override def remove(key: UTF8String, row: InternalRow, position: Long): Boolean = {
    keys.begin(key)
    merge.seek(key)
    val newer = change.moveTo(row, isDelete = true)
    if (position < 0) merge.meet(key, newer) else merge.meetAt(key, position, newer)
    merge.kept == 0
  }

  override def kept(old: BaseFileCursor): Unit = keys.stay()

  override def replaced(old: BaseFileCursor, row: InternalRow): Unit = {
    writer.replace(changed, row)
    keys.stay()
    updates += 1
  }

  override def deleted(old: BaseFileCursor): Unit = {
    keys.leave()
    deletes += 1
  }

  override def inserted(row: InternalRow): Unit = {
    writer.write(changed, row)
    inserts += 1
  }

  /** Size of the new file if the old rows that are left were all that still came. */
  private def projectedBytes: Long =
    writer.bytesWritten + (if (old.rows == 0) 0L else (file.bytes.toDouble * merge.remaining / old.rows).toLong)

  override def close(): Seq[WriteStat] = {
    keys.finish()
    merge.keepRest()
    val count = writer.rows
    val size = writer.close()
    val stat = WriteStat(file.fileId, output.relativePath(writer), file.instant, file.partition, numWrites = count,
      numDeletes = deletes, numUpdateWrites = updates, numInserts = inserts, totalWriteBytes = size,
      fileSizeInBytes = size, prevBaseFile = Some(file.name))
    stat +: (if (full) overflow.close() else Nil)
  }

  override def abort(): Unit = {
    if (full) overflow.abort()
    try merge.close()
    finally writer.abort()
  }
}

package io.hudilite.spark.write.task

import io.hudilite.spark.basefile.encode.{BaseFileWriter, KeySummary, SizeChecks}
import io.hudilite.spark.row.CarriedSchema
import io.hudilite.timeline.WriteStat
import io.hudilite.transaction.rollback.Markers

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.mutable

/** Writes rows of one partition into new file groups, another one whenever a file has reached its maximum size. */
private[write] final class NewFileGroups(output: TaskOutput, partition: String) extends GroupWriter {

  private val job = output.job
  private val files = new RollingFiles(output, partition)

  override def insert(key: UTF8String, row: InternalRow): Unit = if (!job.isDelete(row)) files.write(key, row)

  /** There is no old row: an update is an insert, a delete has nothing to do. */
  override def update(key: UTF8String, row: InternalRow, position: Long): Unit = insert(key, row)
  override def upsert(key: UTF8String, row: InternalRow): Unit = insert(key, row)
  override def delete(key: UTF8String, position: Long): Unit = ()
  override def remove(key: UTF8String, row: InternalRow, position: Long): Boolean = true

  override def close(): Seq[WriteStat] = files.close()

  override def abort(): Unit = files.abort()
}

/** New file groups of one partition, another one whenever a file has reached its maximum size. */
private[spark] final class RollingFiles(output: TaskOutput, partition: String) {

  private val job = output.job
  private val finished = mutable.ArrayBuffer.empty[WriteStat]
  private var open: BaseFileWriter = _
  private var keys: GroupKeys = _
  private var sizes: SizeChecks = _

  /** Appends a row that this instant writes. */
  def write(key: UTF8String, row: InternalRow): Unit = {
    begin(key)
    open.write(key, row)
    keys.came(key)
    roll()
  }

  /** Appends a row of another file as it is; the columns are those of `CarriedSchema`. */
  def adopt(row: InternalRow): Unit = {
    val key = row.getUTF8String(CarriedSchema.KeyOrdinal)
    begin(key)
    open.adoptRow(row)
    keys.came(key)
    roll()
  }

  private def begin(key: UTF8String): Unit = if (open == null) {
    open = output.open(partition, output.newFileId(partition, key), Markers.Create, new KeySummary(job.bloom.create()))
    keys = output.keysOf(partition, open.fileId)
    sizes = new SizeChecks
  }

  private def roll(): Unit =
    if (sizes.isDue(open.rows, open.takenBytes) && open.bytesWritten >= job.files.maxFileBytes) finishFile()

  private def finishFile(): Unit = if (open != null) {
    finished += output.begun(open)
    open = null
  }

  /** Finishes the last file; one stat for each. */
  def close(): Seq[WriteStat] = {
    finishFile()
    finished.toList
  }

  def abort(): Unit = if (open != null) open.abort()
}

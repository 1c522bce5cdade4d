package io.hudilite.spark.write

import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.timeline.WriteStat
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

/** Changes of a file group that takes inserts: with the first insert its base file is rewritten, as Hudi does for a
  * group without log files; without any the changes are appended as log files.
  *
  * Which of the two it is shows only as the rows come, so changes before the first insert are held back.
  */
private[write] final class SmallGroupWriter(output: TaskOutput, slice: FileSlice, base: BaseFile) extends GroupWriter {

  private var held: Option[HeldChanges] = None
  private var decided: Option[GroupWriter] = None

  override def insert(key: UTF8String, row: InternalRow): Unit =
    if (!output.job.isDelete(row)) writer(new MergeWriter(output, base)).insert(key, row)

  override def update(key: UTF8String, row: InternalRow, position: Long): Unit =
    if (decided.isDefined) decided.get.update(key, row, position) else hold.update(key, row, position)

  override def delete(key: UTF8String, position: Long): Unit =
    if (decided.isDefined) decided.get.delete(key, position) else hold.delete(key, position)

  /** Always takes the row out: the old one is looked at only when all changes are known. */
  override def remove(key: UTF8String, row: InternalRow, position: Long): Boolean = {
    delete(key, position)
    true
  }

  private def hold: HeldChanges = held.getOrElse {
    val changes = new HeldChanges(output.job.dataSchema)
    held = Some(changes)
    changes
  }

  private def writer(create: => GroupWriter): GroupWriter = decided.getOrElse {
    val created = create
    decided = Some(created)
    held.foreach(_.replay(created))
    held = None
    created
  }

  override def close(): Seq[WriteStat] =
    if (decided.isEmpty && held.isEmpty) Nil else writer(new LogGroupWriter(output, slice)).close()

  override def abort(): Unit = {
    held.foreach(_.free())
    decided.foreach(_.abort())
  }
}

package io.hudilite.spark.write.task

import io.hudilite.error.UnsupportedTable
import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.spark.basefile.read.RepeatedKeys
import io.hudilite.stats.FileStatistics
import io.hudilite.timeline.WriteStat

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

/** Changes of a file group whose base file may be rewritten, as Hudi does for a group without log files; otherwise the
  * changes are appended as log files and inserts begin a file group of their own, which takes the inserts of later
  * writes. It is rewritten
  *   - when there are many inserts, compared with the rows that the group has;
  *   - when a key changes that the base file has more than once: a log says of its rows only that one of them changes, and
  *     readers take the first.
  *
  * Which of the two it is shows only when all rows have come, so they are held back.
  */
private[write] final class SmallGroupWriter(output: TaskOutput, slice: FileSlice, base: BaseFile,
    repeated: RepeatedKeys) extends GroupWriter {

  private val job = output.job
  private val inLog = job.logs.exists(_.takesInserts)
  private var held: Option[HeldChanges] = None
  private var open: Seq[GroupWriter] = Nil
  private var changesRepeated = false

  override def insert(key: UTF8String, row: InternalRow): Unit = if (!job.isDelete(row)) hold.insert(key, row)

  override def update(key: UTF8String, row: InternalRow, position: Long): Unit = {
    look(key)
    hold.update(key, row, position)
  }

  override def putBack(key: UTF8String, row: InternalRow, position: Long): Unit = {
    look(key)
    hold.putBack(key, row, position)
  }

  override def upsert(key: UTF8String, row: InternalRow): Unit = {
    look(key)
    hold.upsert(key, row)
  }

  override def delete(key: UTF8String, position: Long): Unit = {
    look(key)
    hold.delete(key, position)
  }

  private def look(key: UTF8String): Unit = if (!repeated.isEmpty && repeated.contains(key)) {
    // A pending compaction would not see what is rewritten now.
    if (slice.logs.nonEmpty || job.logs.exists(_.compactions.contains(slice.groupId)))
      throw UnsupportedTable("REPEATED_KEY", "file" -> base.relativePath, "key" -> key.toString)
    changesRepeated = true
  }

  /** Always takes the row out: the old one is looked at only when all changes are known. */
  override def remove(key: UTF8String, row: InternalRow, position: Long): Boolean = {
    delete(key, position)
    true
  }

  private def hold: HeldChanges = held.getOrElse {
    val changes = new HeldChanges(output.heldChanges)
    held = Some(changes)
    changes
  }

  override def close(): Seq[WriteStat] = held.toSeq.flatMap { changes =>
    if (changesRepeated || (!inLog && rewritePays(changes.inserts))) {
      val merged = new MergeWriter(output, base)
      open = Seq(merged)
      changes.replay(merged, merged)
    } else {
      val (log, fresh) = (new LogGroupWriter(output, slice), new NewFileGroups(output, slice.partition))
      open = Seq(log, fresh)
      changes.replay(log, if (inLog) log else fresh)
    }
    open.flatMap(_.close())
  }

  private def rewritePays(inserts: Long): Boolean = inserts > 0 &&
    inserts * SmallGroupWriter.RowsRewrittenPerInsert >=
    FileStatistics.at(job.basePath, job.conf.value).ofFile(base).rows

  override def abort(): Unit = {
    held.foreach(_.free())
    open.foreach(_.abort())
  }
}

private object SmallGroupWriter {

  /** A row is then rewritten some 16 times until its file group is full, and a partition gets a file group more only
    * for every 32 writes of as many inserts.
    */
  val RowsRewrittenPerInsert = 32L
}

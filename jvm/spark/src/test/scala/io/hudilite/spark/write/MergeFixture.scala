package io.hudilite.spark.write

import io.hudilite.filegroup.{BaseFile, BaseFileFooter, FileNames, FileSlice, FooterCache}
import io.hudilite.spark.basefile.encode.FileSettings
import io.hudilite.spark.row.TaskAttempt
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.spark.write.task.FileGroupWriter
import io.hudilite.timeline.WriteStat

import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.JavaConverters._

/** One change handed to a merge. */
final case class Change(kind: Char, id: String, v: String = "", ts: Option[Long] = Some(0), deleted: Boolean = false)

/** Changes to one file group, and what is in its files. */
trait MergeFixture extends WriteFixture {

  protected val schema = StructType(Seq(StructField("id", StringType), StructField("v", StringType),
      StructField("ts", LongType), StructField("_hoodie_is_deleted", BooleanType)))
  protected val smallGroups = FileSettings(rowGroupBytes = 60000, keyPageRows = 50)

  /** Runs `work` in a task, as the writers need it. */
  protected def inTask(job: WriteJob)(work: FileGroupWriter => Unit): Seq[WriteStat] =
    session.sparkContext.parallelize(Seq(0), 1).mapPartitions { _ =>
      val writer = new FileGroupWriter(job, TaskAttempt(0, 0, 0))
      work(writer)
      writer.commit().iterator
    }.collect().toSeq

  protected def insertAll(job: WriteJob, rows: Seq[Change]): Seq[WriteStat] =
    inTask(job) { writer =>
      writer.toNewFiles(UTF8String.EMPTY_UTF8)
      rows.foreach(c => writer.insert(UTF8String.fromString(c.id), MergeFixture.row(c)))
    }

  protected def merge(job: WriteJob, stat: WriteStat, changes: Seq[Change]): Seq[WriteStat] = {
    val file = baseFile(stat)
    val slice = FileSlice(file.partition, file.fileId, file.instant, Some(file), Nil)
    inTask(job) { writer =>
      writer.toSlice(slice, takesInserts = true)
      changes.foreach { c =>
        val key = UTF8String.fromString(c.id)
        if (c.kind == 'i') writer.insert(key, MergeFixture.row(c))
        else if (c.kind == 'u') writer.update(key, MergeFixture.row(c))
        else writer.delete(key)
      }
    }
  }

  protected def baseFile(stat: WriteStat): BaseFile = {
    val name = FileNames.parseBaseFile(stat.fileName).get
    BaseFile(stat.partitionPath, stat.fileName, stat.fileId, name.writeToken, name.instant, stat.fileSizeInBytes)
  }

  protected def read(base: String, stats: Seq[WriteStat]): DataFrame =
    session.read.schema(StructType(io.hudilite.record.MetaFields.all.map(StructField(_, StringType)) ++ schema))
      .parquet(stats.map(s => s"$base/${s.path}"): _*)

  protected def groups(base: String, stat: WriteStat): Seq[Long] = {
    val input = HadoopInputFile.fromPath(new org.apache.hadoop.fs.Path(s"$base/${stat.path}"),
      session.sparkContext.hadoopConfiguration)
    val reader = ParquetFileReader.open(input)
    try reader.getRowGroups.asScala.map(_.getRowCount).toList
    finally reader.close()
  }

  protected def footer(base: String, stat: WriteStat): BaseFileFooter = FooterCache.read(
    session.sparkContext.hadoopConfiguration, s"$base/${stat.path}", stat.fileSizeInBytes, withBloom = true)

  protected def key(i: Int): String = f"k$i%06d"
  protected def instant(i: Int): String = f"202401010000000$i%02d"
  protected def content(rows: DataFrame): Map[String, (String, String)] =
    rows.select("id", "v", "_hoodie_commit_time").collect().map(r =>
      r.getString(0) -> (r.getString(1) -> r.getString(2))).toMap
}

object MergeFixture {
  def row(c: Change): GenericInternalRow = new GenericInternalRow(Array[Any](UTF8String.fromString(c.id),
      UTF8String.fromString(c.v), c.ts.map(java.lang.Long.valueOf).orNull, c.deleted))
}

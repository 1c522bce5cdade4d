package io.hudilite.spark.write

import io.hudilite.filegroup.FileNames
import io.hudilite.log.{LogBlock, LogFileReader}
import io.hudilite.spark.SharedSession
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table
import io.hudilite.timeline.CommitMetadata

import java.nio.file.{Files, Path, Paths}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.{DataFrame, SaveMode}

import munit.FunSuite

import scala.collection.JavaConverters._
import scala.concurrent.duration.{Duration, DurationInt}

/** Merge-on-read tables of 100 rows in two partitions, and what lies in their folders. */
trait MergeOnReadFixture extends FunSuite {

  override def munitTimeout: Duration = 10.minutes

  protected val spark = SharedSession.spark
  protected val storage = new HadoopStorage(new Configuration())

  protected def options(version: Int, mode: String = "EVENT_TIME_ORDERING"): Map[String, String] = Map(
    "hoodie.datasource.write.table.type" -> "MERGE_ON_READ",
    "hoodie.write.table.version" -> version.toString,
    "hoodie.datasource.write.recordkey.field" -> "id",
    "hoodie.datasource.write.partitionpath.field" -> "p",
    "hoodie.datasource.write.precombine.field" -> "ts",
    "hoodie.record.merge.mode" -> mode)

  protected def rows(ids: Range, ts: Long, v: String): DataFrame =
    spark.range(ids.start.toLong, ids.end.toLong).selectExpr("concat('k', lpad(id, 4, '0')) id",
      "concat('p', id % 2) p", s"${ts}L ts", s"'$v' v")

  protected def newPath(): String = Files.createTempDirectory("hudilite-mor").resolve("t").toString

  protected def write(frame: DataFrame, path: String, operation: String, more: (String, String)*): Unit =
    frame.write.format("hudilite").options(more.toMap).option("hoodie.datasource.write.operation", operation)
      .mode(SaveMode.Append).save(path)

  protected def create(version: Int, mode: String = "EVENT_TIME_ORDERING", more: Map[String, String] = Map.empty)
      : String = {
    val path = newPath()
    write(rows(0 until 100, 10, "old"), path, "upsert", (options(version, mode) ++ more).toSeq: _*)
    path
  }

  protected def read(path: String): DataFrame = spark.read.format("hudilite").load(path)

  protected def versions(path: String): Map[String, Long] =
    read(path).groupBy("v").count().collect().map(r => r.getString(0) -> r.getLong(1)).toMap

  protected def table(path: String): Table = Table.open(storage, path)

  protected def lastCommit(path: String): CommitMetadata = {
    val opened = table(path)
    opened.store.readCommit(opened.timeline.writes.last)
  }

  protected def files(path: String, end: String => Boolean): Seq[Path] = {
    val walk = Files.walk(Paths.get(path))
    try walk.iterator.asScala.filter(f => Files.isRegularFile(f) && end(f.getFileName.toString)).toList
        .filterNot(f => f.toString.contains("/.hoodie/") || f.toString.endsWith(".crc")).sortBy(_.toString)
    finally walk.close()
  }

  protected def baseFiles(path: String): Seq[String] = files(path, _.endsWith(".parquet")).map(_.getFileName.toString)
  protected def logFiles(path: String): Seq[Path] = files(path, FileNames.parseLogFile(_).isDefined)

  protected def blocks(file: Path): Seq[LogBlock] = LogFileReader.blocks(storage, file.toString, Files.size(file))
}

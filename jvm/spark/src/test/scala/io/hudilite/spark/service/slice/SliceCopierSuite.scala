package io.hudilite.spark.service.slice

import io.hudilite.filegroup.{BaseFile, BaseFileFooter, FileNames, FileSlice, FooterCache, LogFile}
import io.hudilite.record.MetaFields
import io.hudilite.spark.basefile.encode.{FileSettings, KeySummary}
import io.hudilite.spark.row.TaskAttempt
import io.hudilite.spark.write.WriteFixture
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.spark.write.task.TaskOutput
import io.hudilite.timeline.WriteStat
import io.hudilite.transaction.rollback.Markers

import java.io.File
import java.nio.file.{Files, Path, Paths, StandardCopyOption}

import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.SparkException
import org.apache.spark.TaskContext
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.types._

import scala.collection.JavaConverters._

/** Files are copied as bytes from a sixteenth of a row group on, see `FileAppender`. */
class SliceCopierSuite extends WriteFixture {

  private val copied = FileSettings(rowGroupBytes = 20000)
  private val last = "20240101000000099"
  private val newId = "11111111-2222-3333-4444-555555555555-0"

  private def instant(i: Int): String = f"202401010000000$i%02d"

  private def schema(rows: DataFrame): StructType = rows.schema

  /** Base files with these rows, a file each. */
  private def written(base: String, files: DataFrame*): Seq[FileSlice] =
    files.zipWithIndex.map { case (rows, i) =>
      slice(write(job(base, schema(rows), instant(i), files = copied), rows.coalesce(1)).head)
    }

  private def slice(stat: WriteStat): FileSlice = {
    val name = FileNames.parseBaseFile(stat.fileName).get
    val file =
      BaseFile(stat.partitionPath, stat.fileName, stat.fileId, name.writeToken, name.instant, stat.fileSizeInBytes)
    FileSlice(file.partition, file.fileId, file.instant, Some(file), Nil)
  }

  private def copy(work: WriteJob, slices: Seq[FileSlice], keptFooterBytes: Long = Long.MaxValue): WriteStat = {
    val fileId = newId
    session.sparkContext.parallelize(Seq(0), 1).map { _ =>
      val attempt = TaskAttempt(0, 0, TaskContext.get().taskAttemptId())
      new SliceCopier(work, attempt, keptFooterBytes).copy(slices, fileId)
    }.collect().head
  }

  private def read(base: String, paths: Seq[String], dataSchema: StructType): DataFrame =
    session.read.schema(StructType(MetaFields.all.map(StructField(_, StringType)) ++ dataSchema))
      .parquet(paths.map(path => s"$base/$path"): _*)

  private def groups(base: String, path: String): Seq[Long] = {
    val reader = ParquetFileReader.open(HadoopInputFile.fromPath(new org.apache.hadoop.fs.Path(s"$base/$path"),
        session.sparkContext.hadoopConfiguration))
    try reader.getRowGroups.asScala.map(_.getRowCount).toList
    finally reader.close()
  }

  private def footer(base: String, stat: WriteStat): BaseFileFooter = FooterCache.read(
    session.sparkContext.hadoopConfiguration, s"$base/${stat.path}", stat.fileSizeInBytes, withBloom = true)

  /** The new file has the rows of the old ones as they were, and its footer all their keys. */
  private def check(base: String, slices: Seq[FileSlice], stat: WriteStat, dataSchema: StructType): BaseFileFooter = {
    val old = read(base, slices.flatMap(_.base).map(_.relativePath), dataSchema)
    val now = read(base, Seq(stat.path), dataSchema)
    def shown(rows: DataFrame): Seq[String] = texts(rows.drop(MetaFields.FileName).selectExpr("to_json(struct(*))"))
    assertEquals(shown(now), shown(old))
    val keys = old.select(MetaFields.RecordKey).collect().map(_.getString(0)).toSeq
    assertEquals(stat,
      WriteStat(newId, stat.fileName, WriteStat.NoPreviousCommit, "", numWrites = keys.size.toLong,
        numInserts = keys.size.toLong, totalWriteBytes = Files.size(Path.of(base, stat.path)),
        fileSizeInBytes = Files.size(Path.of(base, stat.path))))
    if (keys.nonEmpty)
      assertEquals(now.select(MetaFields.FileName).distinct().collect().toSeq, Seq(Row(stat.fileName)))
    val found = footer(base, stat)
    assertEquals((found.minKey, found.maxKey), if (keys.isEmpty) (None, None) else (Some(keys.min), Some(keys.max)))
    assert(keys.forall(key => found.bloom.get.mightContain(key.getBytes("UTF-8"))))
    assert((1 to 100).count(i => found.bloom.get.mightContain(s"absent$i".getBytes("UTF-8"))) < 5)
    assertEquals(found.rows, keys.size.toLong)
    found
  }

  private def numbers(from: Int, until: Int): DataFrame =
    session.range(from, until).selectExpr("format_string('k%05d', id) AS id", "id * 31 % 1009 AS n")

  folder.test("files come as bytes in the order of their keys, and stay sorted when they do not overlap") { base =>
    val rows = numbers(0, 1).schema
    val slices = written(base, numbers(5000, 9000), numbers(0, 100), numbers(1000, 5000))
    def copied(keptFooterBytes: Long): WriteStat = {
      val stat = copy(job(base, rows, last, files = this.copied), slices, keptFooterBytes)
      val found = check(base, slices, stat, rows)
      assert(found.sortedByKey && found.uniqueKeys)
      assertEquals(groups(base, stat.path), Seq(1, 2, 0).flatMap(i => groups(base, slices(i).base.get.relativePath)))
      stat
    }
    copied(keptFooterBytes = 0) // every footer is read again
    val stat = copied(keptFooterBytes = Long.MaxValue)
    val range = read(base, Seq(stat.path), rows).where("_hoodie_record_key BETWEEN 'k04990' AND 'k05009'")
    assertEquals(range.count(), 20L)
  }

  folder.test("a file of files that overlap is not called sorted, nor its keys unique") { base =>
    val rows = numbers(0, 1).schema
    val slices = written(base, numbers(0, 3000), numbers(2999, 6000))
    val touching = check(base, slices, copy(job(base, rows, last, files = copied), slices), rows)
    assert(touching.sortedByKey && !touching.uniqueKeys)
    val crossing = written(base, numbers(0, 3000), numbers(1500, 6000).where("n % 2 = 0"))
    val found = check(base, crossing, copy(job(base, rows, last, files = copied), crossing), rows)
    assert(!found.sortedByKey && !found.uniqueKeys)
  }

  folder.test("values of every type come as they are, and small files become one row group") { base =>
    val rows = session.sql(everyType)
    for (files <- Seq(copied, FileSettings())) {
      val slices = written(base, rows.where("l < 500"), rows.where("l >= 500"))
      val stat = copy(job(base, rows.schema, last, files = files), slices)
      check(base, slices, stat, rows.schema)
      assertEquals(groups(base, stat.path).size > 1, files == copied)
    }
  }

  folder.test("files with other columns, of another writer or of another calendar give their rows right") { base =>
    val rows = session.range(3000).selectExpr("format_string('k%05d', id) AS id", "cast(id AS decimal(9, 2)) AS price",
      "date_add(DATE'1400-01-01', cast(id AS int)) AS day")
    val own = written(base, rows).head
    def foreign(id: String, settings: (String, String)*)(frame: DataFrame): FileSlice = {
      (("spark.sql.parquet.datetimeRebaseModeInWrite" -> "CORRECTED") +: settings)
        .foreach { case (key, value) => session.conf.set(key, value) }
      val meta = Seq("20240101000000050", "seq", "", "", "old name").zip(MetaFields.all).map { case (value, name) =>
        (if (name == MetaFields.RecordKey) col("id") else lit(value)).as(name)
      }
      try frame.select(meta ++ frame.columns.map(col): _*).coalesce(1).write.parquet(s"$base/$id-made")
      finally (settings.map(_._1) :+ "spark.sql.parquet.datetimeRebaseModeInWrite").foreach(session.conf.unset)
      val made = new File(s"$base/$id-made").listFiles.find(_.getName.endsWith(".parquet")).get
      val name = s"$id-0_0-0-0_20240101000000050.parquet"
      Files.move(made.toPath, Paths.get(base, name), StandardCopyOption.REPLACE_EXISTING)
      val file = BaseFile("", name, s"$id-0", "0-0-0", "20240101000000050", Files.size(Paths.get(base, name)))
      FileSlice("", file.fileId, file.instant, Some(file), Nil)
    }
    val renamed = rows.withColumn("id", org.apache.spark.sql.functions.concat(lit("z"), col("id")))
    val slices = Seq(own, foreign("a", "spark.sql.parquet.writeLegacyFormat" -> "true")(renamed.limit(2000)),
      foreign("b", "spark.sql.parquet.writeLegacyFormat" -> "true",
        "spark.sql.parquet.datetimeRebaseModeInWrite" -> "LEGACY")(renamed.selectExpr("concat('y', id) AS id", "price",
          "day")),
      foreign("c")(renamed.selectExpr("concat('x', id) AS id", "day")))
    val stat = copy(job(base, rows.schema, last, files = copied), slices)
    check(base, slices, stat, rows.schema)
    val made = groups(base, stat.path)
    assertEquals(made.head, 2000L, "a file of the same layout is copied, whoever wrote it")
    assertEquals(made.takeRight(groups(base, own.base.get.name).size), groups(base, own.base.get.name))
    assertEquals(read(base, Seq(stat.path), rows.schema).where("day < DATE'1400-01-02'").count(), 4L)
  }

  folder.test("a copy that fails leaves no file, and slices with log files are no one's to copy") { base =>
    val rows = numbers(0, 1).schema
    val slices = written(base, numbers(0, 1000), numbers(1000, 2000))
    val work = job(base, rows, last, files = copied)
    val damaged = Paths.get(base, slices(1).base.get.relativePath)
    val bytes = Files.readAllBytes(damaged)
    Files.write(damaged, bytes.patch(4, Seq.fill[Byte](1000)(7), 1000))
    // A damaged page is found where rows are read, not where bytes are copied: the keys of few rows are read.
    intercept[SparkException](copy(work.copy(files = FileSettings()), slices))
    assertEquals(new File(base).list.filter(name => name.endsWith(".parquet") && name.startsWith(newId)).toSeq, Nil)
    val log = LogFile("", ".x.log.1", slices.head.fileId, "1", 1, None, 1L)
    val error = intercept[SparkException](copy(work, Seq(slices.head.copy(logs = Seq(log)))))
    assert(error.getMessage.contains("has log files"), error.getMessage)
  }

  folder.test("files without rows make one without rows") { base =>
    val rows = numbers(0, 1).schema
    val work = job(base, rows, instant(7), files = copied)
    val empty = session.sparkContext.parallelize(Seq(0), 1).map { _ =>
      val output = new TaskOutput(work, TaskAttempt(0, 0, 0))
      val writer = output.open("", "empty-0", Markers.Create, new KeySummary(work.bloom.create()))
      WriteStat("empty-0", writer.name, "null", "", fileSizeInBytes = writer.close())
    }.collect().head
    val slices = Seq(slice(empty))
    check(base, slices, copy(job(base, rows, last, files = copied), slices), rows)
  }
}

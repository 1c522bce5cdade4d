package io.hudilite.spark.write

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.config.MergeMode
import io.hudilite.merge.MergeRule
import io.hudilite.spark.SharedSession
import io.hudilite.spark.basefile.encode.{BloomSettings, FileSettings}
import io.hudilite.spark.row.{KeySettings, PathField, RowKeys, SessionConf, SharedConf, TaskAttempt}
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.spark.write.task.{NewFileGroups, TaskOutput}
import io.hudilite.storage.HadoopStorage
import io.hudilite.timeline.WriteStat
import io.hudilite.transaction.rollback.WritePermit

import java.nio.file.{Files, Path}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.spark.TaskContext
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import scala.collection.JavaConverters._

/** A session, a folder for each test, and write jobs on it. */
trait WriteFixture extends FunSuite {

  val everyType: String = WriteFixture.everyType

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(5, "min")

  // Suites that share the JVM find its session with the settings that they count on.
  lazy val session: SparkSession = SharedSession.spark

  override def beforeAll(): Unit = assert(!session.sparkContext.isStopped) // jobs take their settings from it

  val folder: FunFixture[String] = FunFixture[String](
    setup = _ => Files.createTempDirectory("hudilite-write").toString,
    teardown = base =>
      Files.walk(Path.of(base)).sorted(java.util.Comparator.reverseOrder[Path]).iterator.asScala
        .foreach(Files.delete))

  def job(
      base: String,
      schema: StructType,
      instant: String = "20240101000000000",
      key: Seq[String] = Seq("id"),
      partition: Seq[String] = Nil,
      mode: MergeMode = MergeMode.CommitTime,
      ordering: Seq[String] = Nil,
      files: FileSettings = FileSettings(),
      bloom: BloomSettings = BloomSettings(BloomFilter.Dynamic, 1000, 0.000001, 10000)): WriteJob = {
    val permit = WritePermit(instant, "run")
    permit.issue(new HadoopStorage(new Configuration()), base)
    WriteJob(base, permit, schema, """{"type":"record","name":"t_record","fields":[]}""",
      KeySettings(key, prefixed = key.size > 1, partition.map(PathField(_)), hiveStyle = false, urlEncode = false),
      MergeRule.of(mode, ordering), ordering, files, bloom, SharedConf(SessionConf.parquetWriter(session)))
  }

  /** Writes base files of the rows, as they come. */
  def write(job: WriteJob, rows: DataFrame): Seq[WriteStat] =
    rows.queryExecution.toRdd.mapPartitionsWithIndex { (i, it) =>
      val output = new TaskOutput(job, TaskAttempt(i, 0, TaskContext.get().taskAttemptId()))
      val groups = new NewFileGroups(output, "")
      val keys = new RowKeys(job.dataSchema, job.keys, toWrite = true)
      it.foreach(row => groups.insert(keys.recordKey(row), row))
      groups.close().iterator
    }.collect().toSeq

  /** Writes rows that are made in the task, with their keys first. */
  def written(job: WriteJob)(rows: => Iterator[InternalRow]): Seq[WriteStat] =
    session.sparkContext.parallelize(Seq(0), 1).mapPartitions { _ =>
      val groups = new NewFileGroups(new TaskOutput(job, TaskAttempt(0, 0, TaskContext.get().taskAttemptId())), "")
      rows.foreach(row => groups.insert(row.getUTF8String(0), row))
      groups.close().iterator
    }.collect().toSeq

  /** Rows as sorted text, comparable across schemas of equal columns. */
  def texts(rows: DataFrame): Seq[String] = rows.collect().map(_.toString).sorted.toSeq
}

/** Rows that tests share. */
object WriteFixture {

  /** A query with a column of every type that a table can have, 1000 rows with the key `id`. */
  val everyType =
    "SELECT cast(id AS string) AS id, id % 2 = 0 AS b, cast(id % 100 AS byte) AS t, cast(id AS short) AS s, " +
      "cast(id AS int) AS i, id AS l, cast(id AS float) / 3 AS f, cast(id AS double) / 7 AS d, " +
      "cast(id AS decimal(5, 2)) / 10 AS d5, cast(-id AS decimal(18, 3)) AS d18, cast(id AS decimal(38, 10)) * -1 AS d38, " +
      "cast(cast(id AS string) AS binary) AS bin, date_add(DATE'1500-01-01', cast(id AS int)) AS day, " +
      "timestamp_micros(id * 1000003 - 62135596800000000) AS ts, cast(timestamp_micros(id) AS timestamp_ntz) AS ntz, " +
      "if(id % 3 = 0, null, array(id, null, id + 1)) AS list, if(id % 5 = 0, map(), map('k', id, 'n', null)) AS dict, " +
      "if(id % 7 = 0, null, named_struct('x', id, 'y', array(named_struct('z', cast(id AS string))))) AS nested, " +
      "cast(null AS string) AS nothing FROM range(1000)"
}

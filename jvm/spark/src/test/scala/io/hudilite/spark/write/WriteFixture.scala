package io.hudilite.spark.write

import io.hudilite.spark.row.{KeySettings, PartitionField}
import java.nio.file.{Files, Path}

import io.hudilite.bloom.BloomFilter
import io.hudilite.config.MergeMode
import munit.FunSuite
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration

import scala.collection.JavaConverters._

/** A session, a folder for each test, and write jobs on it. */
trait WriteFixture extends FunSuite {

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(5, "min")

  lazy val session: SparkSession = SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2").getOrCreate()

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
      bloom: BloomSettings = BloomSettings(BloomFilter.Dynamic, 1000, 0.000001, 10000)): WriteJob =
    WriteJob(base, instant, schema, """{"type":"record","name":"t_record","fields":[]}""",
      KeySettings(key, prefixed = key.size > 1, partition.map(PartitionField(_)), hiveStyle = false, urlEncode = false),
      mode, ordering, files, bloom, new SerializableConfiguration(session.sparkContext.hadoopConfiguration))

  /** Rows as sorted text, comparable across schemas of equal columns. */
  def texts(rows: DataFrame): Seq[String] = rows.collect().map(_.toString).sorted.toSeq
}

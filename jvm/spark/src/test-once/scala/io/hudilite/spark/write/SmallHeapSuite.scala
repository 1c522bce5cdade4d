package io.hudilite.spark.write

import java.io.File
import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path, Paths}

import munit.FunSuite
import org.apache.spark.sql.{DataFrame, SaveMode, SparkSession}

import scala.collection.JavaConverters._
import scala.concurrent.duration.{Duration, DurationInt}

/** Rows of five megabytes, more of them than the heap holds, in a JVM of their own with hardly more memory than Spark asks
  * for; Spark's own Parquet writer, which collects a hundred rows before it looks at their size, cannot write them there.
  */
class SmallHeapSuite extends FunSuite {

  override def munitTimeout: Duration = 10.minutes

  test("wide rows are inserted, changed and read in a heap that holds a few of them") {
    val folder = Files.createTempDirectory("hudilite-heap")
    val said = folder.resolve("said").toFile
    val process = new ProcessBuilder(SmallHeapSuite.command(folder).asJava)
      .redirectErrorStream(true).redirectOutput(said).start()
    try assertEquals(process.waitFor(), 0,
        new String(Files.readAllBytes(said.toPath)).linesIterator.take(60).mkString("\n"))
    finally {
      process.destroyForcibly()
      SmallHeapSuite.delete(folder.toFile)
    }
  }
}

object SmallHeapSuite {

  /** Spark does not start with less than 450 MiB. */
  private val Heap = "-Xmx480m"

  def command(folder: Path): Seq[String] = {
    val options = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala.filterNot(_.startsWith("-Xm")).toList
    (Paths.get(sys.props("java.home"), "bin", "java").toString :: options) ++
      Seq(Heap, "-XX:TieredStopAtLevel=1", "-cp", sys.props("java.class.path"),
        "io.hudilite.spark.write.SmallHeapWriter", folder.toString)
  }

  def delete(file: File): Unit = {
    Option(file.listFiles).foreach(_.foreach(delete))
    file.delete()
    ()
  }
}

object SmallHeapWriter {

  private val Rows = 60L
  private val TextBytes = 5L << 20

  def main(arguments: Array[String]): Unit = {
    val spark = SparkSession.builder().master("local[1]").config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "1").config("spark.driver.host", "127.0.0.1").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    Seq("COPY_ON_WRITE", "MERGE_ON_READ").foreach(tableType => run(spark, s"${arguments(0)}/$tableType", tableType))
    sys.exit(0)
  }

  private def run(spark: SparkSession, path: String, tableType: String): Unit = {
    write(rows(spark, 1, 1), path, "insert", "hoodie.datasource.write.table.type" -> tableType,
      "hoodie.datasource.write.recordkey.field" -> "k", "hoodie.datasource.write.precombine.field" -> "ts")
    write(rows(spark, 20, 2), path, "upsert")
    val read = spark.read.format("hudilite").load(path)
      .selectExpr("ts", "length(v) n", "startswith(v, concat(ts, k)) right").groupBy("ts", "n", "right").count()
    val found = read.collect().map(_.toSeq.mkString(" ")).sorted.toSeq
    val wanted = Seq(s"1 $TextBytes true ${Rows - 3}", s"2 $TextBytes true 3")
    if (found != wanted) throw new IllegalStateException(s"$tableType: $found")
  }

  /** Each of so many rows; the texts are made in the task. */
  private def rows(spark: SparkSession, each: Long, ts: Long): DataFrame =
    spark.range(0, Rows, each, 1).selectExpr("format_string('k%04d', id) k", s"${ts}L ts")
      .selectExpr("k", "ts", s"left(repeat(concat(ts, k), ${TextBytes / 5}), $TextBytes) v")

  private def write(rows: DataFrame, path: String, operation: String, options: (String, String)*): Unit =
    rows.write.format("hudilite").options(options.toMap).option("hoodie.datasource.write.operation", operation)
      .mode(SaveMode.Append).save(path)
}

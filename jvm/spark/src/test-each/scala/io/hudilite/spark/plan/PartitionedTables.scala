package io.hudilite.spark.plan

import io.hudilite.spark.SharedSession
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import org.apache.spark.sql.{DataFrame, SaveMode}

import munit.FunSuite

import scala.concurrent.duration.{Duration, DurationInt}

/** Tables of rows with the key `id` in partitions by `p`, and how many file groups these have. */
trait PartitionedTables extends FunSuite {

  override val munitTimeout: Duration = 10.minutes

  protected lazy val spark = SharedSession.spark

  protected def facts: Map[String, String] = Map(
    "hoodie.datasource.write.recordkey.field" -> "id",
    "hoodie.datasource.write.partitionpath.field" -> "p",
    "hoodie.datasource.write.precombine.field" -> "ts")

  protected def write(rows: DataFrame, path: String, operation: String, more: (String, String)*): Unit =
    rows.write.format("hudilite").options(facts ++ more).option("hoodie.datasource.write.operation", operation)
      .mode(SaveMode.Append).save(path)

  protected def read(path: String): DataFrame = spark.read.format("hudilite").load(path)

  protected def opened(path: String): Table =
    Table.open(new HadoopStorage(spark.sparkContext.hadoopConfiguration), path)

  /** File groups by partition. */
  protected def groups(path: String): Map[String, Int] =
    opened(path).allSlices().map { case (partition, slices) => partition -> slices.size }
}

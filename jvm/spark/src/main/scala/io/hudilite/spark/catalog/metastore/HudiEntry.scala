package io.hudilite.spark.catalog.metastore

import io.hudilite.config.TableType
import io.hudilite.record.MetaFields
import io.hudilite.table.Table

import org.apache.spark.sql.types.{StringType, StructField, StructType}

/** Entry of a new table in the catalog, without its name, place and comment.
  *
  * @param classes
  *   classes by which Hive reads the table: input format, output format and serde
  */
final case class CatalogEntry(provider: String, columns: StructType, partitions: Seq[String],
    properties: Map[String, String], classes: Option[Seq[String]])

/** Entries of tables as Apache Hudi's own catalog registers them, so that Hudi's statements find a table by its name.
  */
object HudiEntry {

  private val ParquetInput = "org.apache.hudi.hadoop.HoodieParquetInputFormat"
  private val RealtimeInput = "org.apache.hudi.hadoop.realtime.HoodieParquetRealtimeInputFormat"
  private val ParquetOutput = "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat"
  private val ParquetSerde = "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"

  /** Columns in the order in which Hudi's catalog, and Spark's own for its formats, take values by their places. */
  def partitionsLast(columns: Seq[String], partitions: Seq[String]): Seq[String] = {
    val (last, first) = columns.partition(partitions.contains)
    first ++ last.sortBy(partitions.indexOf(_))
  }

  /** The entry of a table.
    *
    * @param columns
    *   columns without meta columns
    * @param kept
    *   options of the statement
    */
  def of(table: Table, columns: StructType, kept: Map[String, String]): CatalogEntry = {
    val config = table.config
    val merged = config.tableType == TableType.MergeOnRead
    val partitions = config.partitionFields.filter(columns.fieldNames.contains)
    val ordered = this.ordered(columns, partitions, withMeta = true)
    val facts = Map("provider" -> Registered.Hudi, "path" -> table.basePath, "type" -> (if (merged) "mor" else "cow"))
    val key = Seq("primaryKey").filterNot(_ => config.generatesKeys).map(_ -> config.recordKeyFields.mkString(","))
    val ordering = Seq("orderingFields", "preCombineField").filter(_ => config.orderingFields.nonEmpty)
      .map(_ -> config.orderingFields.mkString(","))
    CatalogEntry(Registered.Hudi, ordered, partitions, kept ++ facts ++ key ++ ordering,
      Some(classes(merged)))
  }

  /** Classes by which Hive reads base files alone, or merged with log files. */
  private[spark] def classes(merged: Boolean): Seq[String] =
    Seq(if (merged) RealtimeInput else ParquetInput, ParquetOutput, ParquetSerde)

  /** Columns with those of partitions last, and before them the meta columns of Hudi. */
  private[spark] def ordered(columns: StructType, partitions: Seq[String], withMeta: Boolean): StructType = {
    val all = (if (withMeta) MetaFields.all.map(StructField(_, StringType)) else Nil) ++ columns
    val order = partitionsLast(all.map(_.name), partitions)
    StructType(all.sortBy(field => order.indexOf(field.name)))
  }
}

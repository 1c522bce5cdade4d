package io.hudilite.spark.catalog

import java.util.{Map => JMap, Set => JSet}

import org.apache.spark.sql.connector.catalog.{Column, MetadataColumn, SupportsMetadataColumns, Table, TableCapability}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType

/** A table as DESCRIBE shows it: with the lengths of its columns, for which Spark before 4.1 asks the rows. */
private[catalog] final class DescribedTable(of: HudiliteTable) extends Table with SupportsMetadataColumns {
  override def name(): String = of.name()
  override def schema(): StructType = ColumnRules.said(ColumnRules.applied(of.schema, of.entry))
  override def columns(): Array[Column] = of.columns()
  override def partitioning(): Array[Transform] = of.partitioning()
  override def properties(): JMap[String, String] = of.properties()
  override def metadataColumns(): Array[MetadataColumn] = of.metadataColumns()
  override def capabilities(): JSet[TableCapability] = of.capabilities()
}

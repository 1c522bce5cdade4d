package io.hudilite.spark

import java.util

import io.hudilite.config.ReadOptions
import io.hudilite.record.MetaFields
import io.hudilite.spark.read.{HudiliteScanBuilder, Query, ScanJob, SnapshotSource}
import io.hudilite.table.Table
import org.apache.spark.sql.connector.catalog.{MetadataColumn, SupportsMetadataColumns, SupportsRead, TableCapability}
import org.apache.spark.sql.connector.expressions.{Expressions, Transform}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.types.{DataType, StringType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.collection.JavaConverters._

/** A Hudi table in Spark's catalog of tables.
  *
  * @param options
  *   options of the relation; those of a single read come on top
  */
final class HudiliteTable(val table: Table, options: Map[String, String])
    extends org.apache.spark.sql.connector.catalog.Table
    with SupportsRead
    with SupportsMetadataColumns {

  private val showsMeta = ReadOptions.MetaColumns(options)
  private lazy val source = new SnapshotSource(table, Query.of(options, table.config))

  override def name(): String = s"hudilite.`${table.basePath}`"

  override def schema(): StructType = source.schema(showsMeta)

  override def partitioning(): Array[Transform] =
    table.config.partitionFields.map(field => Expressions.identity(field): Transform).toArray

  override def properties(): util.Map[String, String] =
    (table.config.properties ++ Map("provider" -> "hudilite", "location" -> table.basePath)).asJava

  override def capabilities(): util.Set[TableCapability] = util.EnumSet.of(TableCapability.BATCH_READ)

  override def metadataColumns(): Array[MetadataColumn] =
    MetaFields.all.filterNot(schema().fieldNames.contains).map(name => TextColumn(name, name != MetaFields.RecordKey): MetadataColumn)
      .toArray :+ TextColumn(ScanJob.FileId, nullable = false)

  override def newScanBuilder(readOptions: CaseInsensitiveStringMap): ScanBuilder = {
    val merged = options ++ readOptions.asCaseSensitiveMap.asScala
    val query = Query.of(merged, table.config)
    val ofRead = if (query == source.query) source else new SnapshotSource(table, query)
    new HudiliteScanBuilder(ofRead, schema(), merged)
  }
}

/** A text column that is there on request. */
private final case class TextColumn(name: String, nullable: Boolean) extends MetadataColumn {
  override def dataType(): DataType = StringType
  override def isNullable: Boolean = nullable
}

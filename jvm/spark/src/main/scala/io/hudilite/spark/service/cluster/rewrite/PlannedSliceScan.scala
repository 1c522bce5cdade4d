package io.hudilite.spark.service.cluster.rewrite

import io.hudilite.spark.row.CarriedSchema
import io.hudilite.spark.scan.plan.{HudiliteScanBuilder, TableState}

import java.util.{Collections, Set => JSet}

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.hudilite.Datasets
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The rows of the slices of a plan, in the columns of `CarriedSchema`, as a table for Spark to scan: base files in batches,
  * merged with their log files.
  */
private[spark] final class PlannedSliceScan(session: SparkSession, source: TableState) extends Table with SupportsRead {

  override def name(): String = s"${source.describe} of ${source.table.basePath}"

  override def schema(): StructType = CarriedSchema.schema(source.dataSchema)

  override def capabilities(): JSet[TableCapability] = Collections.singleton(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    new HudiliteScanBuilder(session, source, schema(), Map.empty)
}

private[spark] object PlannedSliceScan {

  def of(session: SparkSession, source: TableState): DataFrame =
    Datasets.ofRows(session, DataSourceV2Relation.create(new PlannedSliceScan(session, source), None, None))
}

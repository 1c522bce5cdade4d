package io.hudilite.spark.lookup

import io.hudilite.config.WriteOptions
import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.spark.HudiliteTable
import io.hudilite.spark.write.{KeyExpressions, WriteTarget}

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, DataSourceV2ScanRelation}
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import io.hudilite.spark.plan.PlanNodes

/** What an index probe looks in: one snapshot of a table, and how its index works. Lives on the driver.
  *
  * @param useBloom
  *   ask a file's bloom filter before its keys are read
  * @param pruneByRanges
  *   skip files whose key range holds no incoming key
  */
final class ProbeTarget private (
    table: HudiliteTable, val keys: KeyExpressions, val useBloom: Boolean, val pruneByRanges: Boolean) {

  /** Newest slices of the table by partition path, listed once. */
  lazy val slices: Map[String, Seq[FileSlice]] = table.table.map(_.allSlices()).getOrElse(Map.empty)

  def baseFiles: Seq[BaseFile] = slices.values.flatten.flatMap(_.base).toSeq

  def basePath: String = table.basePath

  /** Every row of the table as Spark reads it, for keys too many to send to each task. */
  def scan(output: Seq[Attribute]): LogicalPlan = {
    val builder = table.newScanBuilder(CaseInsensitiveStringMap.empty())
    builder.asInstanceOf[SupportsPushDownRequiredColumns].pruneColumns(
      StructType(output.map(a => StructField(a.name, a.dataType, a.nullable))))
    val scan = builder.build()
    val byName = output.map(a => a.name -> a).toMap
    val columns = scan.readSchema().fields.map(f => byName(f.name)).toSeq
    PlanNodes.build(classOf[DataSourceV2ScanRelation], Seq(DataSourceV2Relation.create(table, None, None), scan, columns))
  }

  override def toString: String = table.name()
}

object ProbeTarget {
  def of(table: HudiliteTable, target: WriteTarget): ProbeTarget =
    new ProbeTarget(table, target.keys, target.indexType.endsWith("BLOOM"), WriteOptions.PruneByRanges(target.options))
}

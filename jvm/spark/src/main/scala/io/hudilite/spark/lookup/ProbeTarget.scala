package io.hudilite.spark.lookup

import io.hudilite.filegroup.FileSlice
import io.hudilite.schema.EvolvedColumns
import io.hudilite.spark.logfile.read.LogJob
import io.hudilite.spark.row.KeyExpressions
import io.hudilite.spark.shim.PlanNodes
import io.hudilite.table.{Purpose, Table, TableSupport}

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.read.{ScanBuilder, SupportsPushDownRequiredColumns}
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, DataSourceV2ScanRelation}
import org.apache.spark.sql.types.{StructField, StructType}

/** What an index probe looks in: one snapshot of a table, and how its index works. Lives on the driver.
  *
  * @param relation
  *   the table as a relation of Spark's
  * @param builder
  *   begins a scan of the table's rows
  * @param useBloom
  *   ask a file's bloom filter before its keys are read
  * @param pruneByRanges
  *   skip files whose key range holds no incoming key
  * @param byKey
  *   rows are found as an index of base files finds them, whatever log files do to them; see [[SliceProbe]]
  */
final class ProbeTarget(
    table: Table, relation: DataSourceV2Relation, builder: () => ScanBuilder, val keys: KeyExpressions,
    val useBloom: Boolean, val pruneByRanges: Boolean, val byKey: Boolean) {

  /** Newest slices of the table by partition path, listed once. */
  lazy val slices: Map[String, Seq[FileSlice]] = table.allSlices()

  private lazy val support: TableSupport = TableSupport.of(table, Purpose.Read())

  /** Names of the columns in files, where some have changed. */
  def evolved: Option[EvolvedColumns] = support.columns

  /** How the table's log files are read; `None` when there are none. */
  def logs: Option[LogJob] =
    if (slices.values.exists(_.exists(_.logs.nonEmpty))) Some(LogJob.of(table, support, None)) else None

  def basePath: String = table.basePath

  /** Every row of the table as Spark reads it, for keys too many to send to each task. */
  def scan(output: Seq[Attribute]): LogicalPlan = {
    val scan = builder() match {
      case pruning: SupportsPushDownRequiredColumns =>
        pruning.pruneColumns(StructType(output.map(a => StructField(a.name, a.dataType, a.nullable))))
        pruning.build()
      case other => other.build()
    }
    val byName = output.map(a => a.name -> a).toMap
    val columns = scan.readSchema().fields.map(f => byName(f.name)).toSeq
    PlanNodes.build(classOf[DataSourceV2ScanRelation], Seq(relation, scan, columns))
  }

  override def toString: String = relation.name
}

package io.hudilite.spark.plan.merge

import io.hudilite.config.{ReadOptions, TableKeys}
import io.hudilite.error.InvalidInput
import io.hudilite.record.{MetaFields, RowPlace}
import io.hudilite.spark.plan.layout.WriteLayout
import io.hudilite.spark.plan.table.PlannedTable
import io.hudilite.spark.row.{RecordKey, SchemaAlignment}
import io.hudilite.spark.shim.CachedPlans
import io.hudilite.spark.stage.RowNumber
import io.hudilite.spark.write.RowLevelWrite
import io.hudilite.spark.write.table.{WriteOperation, WriteTarget}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, NamedExpression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.hudilite.Datasets
import org.apache.spark.sql.types.{DataType, StringType, StructType}

/** Upserts and deletes of rows that were read from a table with generated keys, and bring what names them there: the key,
  * and the path of the partition that they are in. An update may take such a row to another one. A row whose key is not
  * there is a new one, and gets a key of its own.
  */
private[plan] object StoredKeys {

  private val Brought = Seq(MetaFields.RecordKey, MetaFields.PartitionPath)

  /** Raises `InvalidInput` for rows that are not told from others in a table with generated keys.
    *
    * @param isThere
    *   the table is there, and keeps its rows
    */
  def check(operation: WriteOperation, rows: LogicalPlan, isThere: Boolean): Unit =
    if (!isThere || !areIn(rows))
      throw operation.refused(
        s"${operation.name} needs record keys, and the rows of this table get generated ones; use insert or " +
          "bulk_insert, change rows by UPDATE, DELETE or MERGE, create the table with " +
          "TBLPROPERTIES (primaryKey = '<columns>'), or bring the columns " +
          s"${Brought.mkString(" and ")} of rows that were read from the table")

  /** Raises `InvalidInput` for a write that would append records without keys to log files. */
  def checkLogs(operation: WriteOperation, target: WriteTarget): Unit =
    if (target.logsLackKeys) throw operation.refused(
      "the table is merge-on-read, and records of logs have no keys without meta columns " +
        s"(${TableKeys.PopulateMetaFields} = false); use insert, bulk_insert, or overwrite partitions or the table")

  /** The rows bring them. */
  def areIn(rows: LogicalPlan): Boolean =
    Brought.forall(name => rows.output.exists(a => a.name == name && a.dataType == StringType))

  /** The rows and, behind them, what names them, where they are rows of this table that were read, filtered and changed: a
    * read that shows no meta columns hides it. All other rows are as they were. Rows of which a step leaves a column out,
    * joins, or takes several together are rows of their own, as they would be to Apache Hudi, whose reads show meta columns.
    */
  def brought(rows: LogicalPlan, basePath: String, session: SparkSession): LogicalPlan = {
    val hidden = rows.metadataOutput.filter(column => Brought.contains(column.name))
    if (hidden.size != Brought.size || !readFrom(rows).contains(basePath) || areIn(rows)) rows
    else if (!rows.deterministic && CachedPlans.isCached(session, rows))
      throw InvalidInput("STATEMENT_NOT_SUPPORTED", "statement" -> "An upsert of cached rows with random values",
        "path" -> basePath,
        "reason" ->
          ("their keys are not cached with them, so that the values would be others; read the table with " +
            s"${ReadOptions.MetaColumns.name}, or write the rows to a table first"))
    else Datasets.ofRows(session, Project(rows.output ++ hidden, rows)).queryExecution.analyzed
  }

  /** The path of the table whose rows these are, one by one. */
  private def readFrom(rows: LogicalPlan): Option[String] = rows match {
    case relation: DataSourceV2Relation => PlannedTable.of(relation).map(_.basePath)
    case Project(columns, child) if child.output.forall(known => columns.exists(_.name == known.name)) =>
      readFrom(child)
    case _: Filter | _: SubqueryAlias | _: Sort | _: GlobalLimit | _: LocalLimit | _: RepartitionOperation =>
      readFrom(rows.children.head)
    case _ => None
  }

  /** The rows with these columns and, behind them, what names them.
    *
    * @param numbered
    *   and with their number behind that, see `RowNumber`
    */
  def keyed(rows: LogicalPlan, columns: StructType, target: WriteTarget, numbered: Boolean): LogicalPlan = {
    val settings = target.shape.keySettings.copy(recordKeyFields = Seq(MetaFields.RecordKey), partitionFields = Nil)
    val key = RecordKey(Seq(WriteLayout.column(rows, MetaFields.RecordKey)), Seq(MetaFields.RecordKey), settings)
    val names = Seq(Alias(key, WriteLayout.KeyColumn)(),
      Alias(WriteLayout.column(rows, MetaFields.PartitionPath), WriteLayout.PartitionColumn)())
    val told = Project(rows.output ++ names, rows)
    SchemaAlignment.project(told, columns) match {
      case Project(aligned, child) if child eq told =>
        val named = Project(aligned ++ names.map(_.toAttribute), told)
        if (numbered) Project(named.output :+ RowNumber(), named) else named
      case other => throw new IllegalStateException(s"no columns beside $other")
    }
  }
}

/** The stored record key of a row of the table, which the lookup puts in its place.
  *
  * @param child
  *   a column of the table
  */
private[plan] final case class StoredKey(child: Expression) extends UnaryExpression with CodegenFallback {
  override def dataType: DataType = StringType
  override def nullable: Boolean = false
  override def eval(input: InternalRow): Any = throw new IllegalStateException("a stored key that nobody looked up")
  override protected def withNewChildInternal(newChild: Expression): StoredKey = copy(child = newChild)
}

/** Makes the record keys and partition paths of the rows that a statement or upsert changes of their columns, in a table
  * whose meta columns are null. Spark reads the key columns alone where it looks for rows.
  */
object MadeKeys extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case write: WriteDelta
        if RowLevelWrite.operationOf(write).exists(o => o.groups.isEmpty && !o.target.config.populateMetaFields) =>
      write.withNewQuery(write.query.transformUp {
        case relation: DataSourceV2Relation => RowLevelWrite.operationOf(relation).fold(relation: LogicalPlan)(
            made(relation, _))
      })
  }

  private def made(relation: DataSourceV2Relation, operation: RowLevelWrite): LogicalPlan = {
    def missing: Nothing = throw new IllegalStateException(s"no key columns in ${relation.output}")
    val (keys, columns) = (operation.target.keys, WriteLayout.named(relation))
    def value(name: String): Option[Expression] = name match {
      case RowPlace.MadeKey => Some(keys.recordKey(columns).getOrElse(missing))
      case MetaFields.PartitionPath => Some(keys.partitionPath(columns).getOrElse(missing))
      case _ => None
    }
    if (!relation.output.exists(a => value(a.name).isDefined)) relation
    else Project(relation.output.map(a =>
        value(a.name).fold(a: NamedExpression)(
          Alias(_, a.name)(a.exprId, a.qualifier, Some(a.metadata)))), relation)
  }
}

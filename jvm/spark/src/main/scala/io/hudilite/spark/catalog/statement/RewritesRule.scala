package io.hudilite.spark.catalog.statement

import io.hudilite.config.WriteOptions
import io.hudilite.spark.catalog.{
  AnalyzeStatement,
  ColumnRules,
  CreateRequest,
  DescribedTable,
  HudiliteTable,
  NamedTables,
  UnsupportedStatement
}
import io.hudilite.spark.catalog.metastore.CreateStatement
import io.hudilite.spark.shim.PlanNodes
import io.hudilite.spark.write.table.WriteOperation

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.command.CreateTableLikeCommand
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.unsafe.types.UTF8String

/** Rewrites of statements that Spark does not offer for tables like hudilite's, or carries out in another way. */
final case class RewritesRule(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators { case statement =>
    rewrites.applyOrElse(PrimaryKeys.declared(located(statement)), identity[LogicalPlan])
  }

  private val rewrites: PartialFunction[LogicalPlan, LogicalPlan] = {
    case add: AddColumns if add.table.resolved =>
      add.table match {
        case r: ResolvedTable => table(r).fold[LogicalPlan](add)(NewColumns.placed(add, _))
        case _ => add
      }
    case create: CreateTableAsSelect if create.query.resolved => AsSelect.created(create)
    case replace: ReplaceTableAsSelect if replace.query.resolved => AsSelect.replaced(replace)
    case replace: ReplaceTable => AsSelect.emptied(replace)
    case truncate @ TruncateTable(r: ResolvedTable) => table(r).fold[LogicalPlan](truncate)(truncated(r, _))
    case show @ ShowColumns(r: ResolvedTable, None, output) => table(r).fold[LogicalPlan](show)(table =>
        LocalRelation(output, table.schema.fieldNames.toSeq.map(name => InternalRow(UTF8String.fromString(name)))))
    case show @ ShowCreateTable(r: ResolvedTable, false, output) => table(r).flatMap(created(r, _)).fold[LogicalPlan](
        show)(text => LocalRelation(output, Seq(InternalRow(UTF8String.fromString(text)))))
    case describe @ DescribeRelation(r: ResolvedTable, _, _, _) =>
      table(r).filter(_.entry.exists(_.hasRules)).fold[LogicalPlan](describe)(table =>
        describe.withNewChildren(Seq(r.copy(table = new DescribedTable(table)))))
    case analyze @ AnalyzeTable(r: ResolvedTable, partitions, noScan) =>
      table(r).fold[LogicalPlan](analyze)(AnalyzeStatement.ofTable(_, partitions.nonEmpty, noScan))
    case analyze @ AnalyzeColumn(r: ResolvedTable, columns, _) =>
      table(r).fold[LogicalPlan](analyze)(AnalyzeStatement.ofColumns(_, columns, conf.resolver))
    case like: CreateTableLikeCommand => LikeStatement.of(session, AskedLike.of(session, like)).getOrElse(like)
    case like: Command if like.nodeName == AskedLike.Node && like.childrenResolved =>
      AskedLike.of(like).flatMap(LikeStatement.orRefused(session, _)).getOrElse(like)
  }

  /** The statement with the `LOCATION` of a new table as Spark's own formats take it. Spark hands other catalogs a
    * location below the folder in which its driver was started.
    */
  private def located(statement: LogicalPlan): LogicalPlan = (for {
    table <- CreateTarget.of(statement)
    said <- table.spec.location
    at = place(table, said) if at != said
  } yield PlanNodes.withSpec(statement, PlanNodes.withLocation(table.spec, at))).getOrElse(statement)

  private def place(table: CreateTarget, said: String): String =
    if (!table.catalog.isPath(table.ident)) new NamedTables(session).location(table.ident, said)
    else if (said.trim.isEmpty) throw UnsupportedStatement.Location.of(table.ident.name)
    else said

  private def table(resolved: ResolvedTable): Option[HudiliteTable] =
    Some(resolved.table).collect { case table: HudiliteTable => table }

  private def created(resolved: ResolvedTable, table: HudiliteTable): Option[String] = table.source.map { found =>
    val name = (resolved.catalog.name +: resolved.identifier.namespace.toSeq) :+ resolved.identifier.name
    val config = found.table.config
    CreateStatement.of(name,
      ColumnRules.said(ColumnRules.applied(CreateRequest.columnsAsSaid(config, found.dataSchema), table.entry)),
      config, table.entry, hidden)
  }

  /** Options whose values Spark does not show. */
  private def hidden(options: Map[String, String]): Set[String] = {
    val shown = conf.redactOptions(options)
    options.keySet.filter(key => shown(key) != options(key))
  }

  /** One write without rows, which replaces all rows of the table. */
  private def truncated(resolved: ResolvedTable, table: HudiliteTable): LogicalPlan = {
    val relation = DataSourceV2Relation.create(table, Some(resolved.catalog), Some(resolved.identifier))
    // Whatever the session says of overwrites and of operations.
    val whole = Map(WriteOptions.OverwriteMode.name -> "static",
      WriteOptions.Operation.name -> WriteOperation.InsertOverwriteTable.name)
    PlanNodes.replaceAll(relation, LocalRelation(relation.output.map(_.newInstance())), whole)
  }
}

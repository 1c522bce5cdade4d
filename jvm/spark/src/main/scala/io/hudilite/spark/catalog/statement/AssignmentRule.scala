package io.hudilite.spark.catalog.statement

import io.hudilite.error.{InvalidInput, Listed}
import io.hudilite.record.{MetaFields, RowPlace}
import io.hudilite.spark.catalog.{HudiliteTable, UnsupportedStatement}
import io.hudilite.spark.shim.{EarlyRules, PlanNodes}

import java.util.Locale

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Literal}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Refuses UPDATE and MERGE that set a column which the table makes by itself. It does so while names are not resolved:
  * Spark leaves such assignments out as it resolves them, and the statement would say OK without effect.
  */
object AssignmentRule extends Rule[LogicalPlan] {

  def inject(extensions: SparkSessionExtensions): Unit = EarlyRules.injectForAssignments(extensions, this)

  private val made: Set[String] = (MetaFields.all ++ Seq(RowPlace.FileId, RowPlace.Position)).map(lower).toSet

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case update: UpdateTable => check("UPDATE", update.table, update.assignments)
      case merge: MergeIntoTable =>
        val actions = merge.matchedActions ++ merge.notMatchedActions ++ merge.notMatchedBySourceActions
        check("MERGE", merge.targetTable,
          actions.flatMap {
            case action: UpdateAction => action.assignments
            case action: InsertAction => action.assignments
            case _ => Nil
          })
      case _ =>
    }
    plan
  }

  private def check(statement: String, target: LogicalPlan, assignments: Seq[Assignment]): Unit =
    assignments.map(_.key).collectFirst {
      case UnresolvedAttribute(parts) if made(lower(parts.last)) => parts.last
    }.foreach { column =>
      NamedMergeRule.named(target).foreach(path => throw UnsupportedStatement.Assigned(statement, column).of(path))
    }

  private def lower(name: String): String = name.toLowerCase(Locale.ROOT)
}

/** INSERT of some columns, which it names itself or has from its query BY NAME: the others are null in its rows. Spark
  * before 4.1 refuses the statement. A column that no row may lack is refused by its name, before anything runs.
  *
  * A table is resolved after Spark has looked for inserts into tables, so that this rule sees each of them before.
  */
object LeftOutColumnsRule extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case insert: InsertIntoStatement if insert.query.resolved => named(insert).fold(insert)(filled(insert, _))
  }

  /** The names of the columns that it brings, when it has any and Spark has nothing to say against them. */
  private def named(insert: InsertIntoStatement): Option[Seq[String]] = {
    val columns = if (insert.byName) insert.query.output.map(_.name) else insert.userSpecifiedCols
    val fits = columns.size == insert.query.output.size &&
      columns.forall(name => insert.table.output.exists(column => conf.resolver(column.name, name)))
    Some(columns).filter(_.nonEmpty && fits)
  }

  private def filled(insert: InsertIntoStatement, named: Seq[String]): InsertIntoStatement =
    target(insert).fold(insert) { table =>
      val brought = named ++ insert.partitionSpec.collect { case (name, Some(_)) => name }
      val leftOut = insert.table.output.filterNot(column => brought.exists(conf.resolver(column.name, _)))
      leftOut.find(isNeeded(table, _)).foreach(column =>
        throw InvalidInput("MISSING_COLUMN", "column" -> column.name, "columns" -> Listed.of(brought)))
      if (leftOut.isEmpty) insert else withNulls(insert, leftOut)
    }

  private def target(insert: InsertIntoStatement): Option[HudiliteTable] = insert.table match {
    case r: DataSourceV2Relation => Some(r.table).collect { case table: HudiliteTable => table }
    case _ => None
  }

  private def isNeeded(table: HudiliteTable, column: Attribute): Boolean = !column.nullable ||
    table.table.exists(_.config.recordKeyFields.exists(field => conf.resolver(field.takeWhile(_ != '.'), column.name)))

  private def withNulls(insert: InsertIntoStatement, columns: Seq[Attribute]): InsertIntoStatement = {
    val nulls = columns.map(column => Alias(Literal(null, column.dataType), column.name)())
    PlanNodes.withRows(insert, if (insert.byName) Nil else insert.userSpecifiedCols ++ columns.map(_.name),
      Project(insert.query.output ++ nulls, insert.query))
  }
}

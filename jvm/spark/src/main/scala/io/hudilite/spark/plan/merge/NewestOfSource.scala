package io.hudilite.spark.plan.merge

import io.hudilite.config.{MergeMode, TableConfig}
import io.hudilite.spark.plan.table.PlannedTable

import org.apache.spark.sql.catalyst.SQLConfHelper
import org.apache.spark.sql.catalyst.expressions.{Attribute, Cast, EqualTo, Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import scala.collection.JavaConverters._

/** Source of a MERGE that finds rows by their record key, in a table with ordering fields: of several rows of a key the
  * newest counts, as in an upsert and as with Apache Hudi. In all other statements several rows for one of the table are
  * an error.
  */
private[plan] object NewestOfSource extends PredicateHelper with SQLConfHelper {

  def of(merge: MergeIntoTable, relation: DataSourceV2Relation, table: PlannedTable): LogicalPlan = {
    val source = merge.sourceTable
    val found = for {
      config <- table.table.map(_.config)
      if isAsked(source, relation, table, config)
      keys <- each(config.recordKeyFields)(matched(merge, relation, _))
      ordering <- each(config.orderingFields)(written(merge, relation, _))
    } yield LatestByKey(keys ++ config.partitionFields.flatMap(written(merge, relation, _)), ordering, source)
    found.getOrElse(source)
  }

  private def isAsked(source: LogicalPlan, relation: DataSourceV2Relation, table: PlannedTable, config: TableConfig)
      : Boolean = table.prepared.isEmpty && !source.isInstanceOf[LatestByKey] && config.orderingFields.nonEmpty &&
    config.knownMergeMode.contains(MergeMode.EventTime) &&
    table.writeConf(relation.options.asCaseSensitiveMap.asScala.toMap).combine.beforeUpsert

  private def each(fields: Seq[String])(value: String => Option[Expression]): Option[Seq[Expression]] =
    Some(fields.flatMap(field => value(field))).filter(_.size == fields.size)

  /** Value of the source that the condition wants a column of the table to be equal to. */
  private def matched(merge: MergeIntoTable, relation: DataSourceV2Relation, field: String): Option[Expression] =
    splitConjunctivePredicates(merge.mergeCondition).collectFirst {
      case EqualTo(left, right) if isColumn(left, relation, field) && isOfSource(right, merge) => right
      case EqualTo(left, right) if isColumn(right, relation, field) && isOfSource(left, merge) => left
    }

  private def isColumn(value: Expression, relation: DataSourceV2Relation, field: String): Boolean = value match {
    case column: Attribute => relation.outputSet.contains(column) && conf.resolver(column.name, field)
    case cast: Cast => isColumn(cast.child, relation, field)
    case _ => false
  }

  private def isOfSource(value: Expression, merge: MergeIntoTable): Boolean =
    value.deterministic && value.references.nonEmpty && value.references.subsetOf(merge.sourceTable.outputSet)

  /** Value of the source that a column of the table gets, or is equal to. */
  private def written(merge: MergeIntoTable, relation: DataSourceV2Relation, field: String): Option[Expression] = {
    val assignments = (merge.matchedActions ++ merge.notMatchedActions).flatMap {
      case update: UpdateAction => update.assignments
      case insert: InsertAction => insert.assignments
      case _ => Nil
    }
    assignments.collectFirst {
      case Assignment(column, value) if isColumn(column, relation, field) && isOfSource(value, merge) => value
    }.orElse(matched(merge, relation, field))
      .orElse(merge.sourceTable.output.find(column => conf.resolver(column.name, field)))
  }
}

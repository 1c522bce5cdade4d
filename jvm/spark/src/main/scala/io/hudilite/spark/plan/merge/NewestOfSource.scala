package io.hudilite.spark.plan.merge

import io.hudilite.config.{MergeMode, TableConfig}
import io.hudilite.spark.plan.layout.WriteLayout
import io.hudilite.spark.plan.table.PlannedTable
import io.hudilite.spark.stage.RowNumber

import org.apache.spark.sql.catalyst.SQLConfHelper
import org.apache.spark.sql.catalyst.expressions.{Attribute, Cast, EqualTo, Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import scala.collection.JavaConverters._

/** Source of a MERGE that finds rows by their record key, in a table with ordering fields: of several rows of a key the
  * newest counts, as in an upsert and as with Apache Hudi. In all other statements several rows for one of the table are
  * an error: where the condition asks more of a source row than the key and partition, or a new row would get another key
  * than the one that was looked for, rows of one key are not rows of one record.
  */
private[plan] object NewestOfSource extends PredicateHelper with SQLConfHelper {

  /** @param rows
    *   those of the source
    */
  def of(merge: MergeIntoTable, relation: DataSourceV2Relation, table: PlannedTable, rows: LogicalPlan): LogicalPlan = {
    val source = merge.sourceTable
    val found = for {
      config <- table.table.map(_.config)
      if isAsked(source, relation, table, config)
      keys <- each(config.recordKeyFields)(matched(merge, relation, _))
      ordering <- each(config.orderingFields)(inOrder(merge, relation, _))
      partitions = config.partitionFields.flatMap(field =>
        matched(merge, relation, field) ++ written(merge, relation, field))
      if asksNoMore(merge, keys ++ partitions) && keysAsMatched(merge, relation, config.recordKeyFields.zip(keys))
    } yield newest(keys ++ partitions, ordering, rows)
    found.getOrElse(rows)
  }

  // Of two rows that are equal in all else the later one is the newer, as in an upsert.
  private def newest(keys: Seq[Expression], ordering: Seq[Expression], rows: LogicalPlan): LogicalPlan = {
    val numbered = Project(rows.output :+ RowNumber(), rows)
    val number = WriteLayout.column(numbered, RowNumber.Column)
    Project(rows.output, LatestByKey(keys, ordering :+ number, numbered))
  }

  private def isAsked(source: LogicalPlan, relation: DataSourceV2Relation, table: PlannedTable, config: TableConfig)
      : Boolean = table.prepared.isEmpty && !source.exists(_.isInstanceOf[LatestByKey]) && !config.generatesKeys &&
    config.orderingFields.nonEmpty && config.knownMergeMode.contains(MergeMode.EventTime) &&
    config.partialUpdates.isEmpty &&
    table.writeConf(relation.options.asCaseSensitiveMap.asScala.toMap).combine.beforeUpsert

  private def each(fields: Seq[String])(value: String => Option[Expression]): Option[Seq[Expression]] =
    Some(fields.flatMap(field => value(field))).filter(_.size == fields.size)

  /** The condition compares the source by these values alone. */
  private def asksNoMore(merge: MergeIntoTable, values: Seq[Expression]): Boolean =
    splitConjunctivePredicates(merge.mergeCondition)
      .filter(_.references.exists(merge.sourceTable.outputSet.contains)).forall {
        case EqualTo(left, right) => values.exists(value => value.semanticEquals(left) || value.semanticEquals(right))
        case _ => false
      }

  /** New rows get the keys that were looked for. */
  private def keysAsMatched(merge: MergeIntoTable, relation: DataSourceV2Relation, keys: Seq[(String, Expression)])
      : Boolean = merge.notMatchedActions.collect { case insert: InsertAction => insert.assignments }.flatten.forall {
    case Assignment(column, value) => keys.forall { case (field, key) =>
        !isColumn(column, relation, field) || plain(value).semanticEquals(plain(key))
      }
  }

  private def plain(value: Expression): Expression = value match {
    case cast: Cast => plain(cast.child)
    case other => other
  }

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

  /** Value that rows are ordered by, of the type that the table has it in: a number is no text there. */
  private def inOrder(merge: MergeIntoTable, relation: DataSourceV2Relation, field: String): Option[Expression] = for {
    value <- written(merge, relation, field)
    stored <- relation.output.find(column => conf.resolver(column.name, field)).map(_.dataType)
  } yield WriteLayout.inOrder(if (value.dataType == stored) value else Cast(value, stored))

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

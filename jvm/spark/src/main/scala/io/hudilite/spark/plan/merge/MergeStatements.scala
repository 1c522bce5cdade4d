package io.hudilite.spark.plan.merge

import io.hudilite.error.InvalidInput
import io.hudilite.record.MetaFields
import io.hudilite.spark.plan.layout.WriteLayout
import io.hudilite.spark.plan.table.PlannedTable
import io.hudilite.spark.shim.{NewerCapabilities, PlanNodes, Sessions}
import io.hudilite.spark.stage.SharedRows
import io.hudilite.spark.write.table.{NeededColumns, WriteTarget}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.catalyst.expressions.{Attribute, ExprId, Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{DeleteAction, MergeAction, MergeIntoTable, MergeRows}
import org.apache.spark.sql.catalyst.util.METADATA_COL_ATTR_KEY
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import scala.collection.JavaConverters._

/** MERGE statements on tables of hudilite's, as they are resolved and before Spark rewrites them. */
private[plan] object MergeStatements {

  /** The statement, so that Spark's rewrite and the lookup can take it:
    *   - one that only inserts gets a clause that never applies, because Spark would make an append of it;
    *   - the record key's meta column becomes what it is made of, because Spark would want a value assigned to it;
    *   - a source that comes out different each time is evaluated once;
    *   - of several of its rows with one record key the newest counts, see [[NewestOfSource]].
    */
  def prepared(merge: MergeIntoTable, session: SparkSession): MergeIntoTable =
    EliminateSubqueryAliases(merge.targetTable) match {
      case relation: DataSourceV2Relation => PlannedTable.of(relation).fold(merge) { table =>
          checkInserts(merge, relation, table)
          checkHidden(merge, relation, table)
          val once = if (merge.sourceTable.deterministic) merge.sourceTable else SharedRows(Nil, merge.sourceTable)
          val source = NewestOfSource.of(merge, relation, table, once)
          val condition = inDataColumns(merge.mergeCondition, relation, table, session)
          val matched = if (insertsOnly(merge)) Seq(NeverApplies) else merge.matchedActions
          if ((source eq merge.sourceTable) && (condition eq merge.mergeCondition) && (matched eq merge.matchedActions))
            merge
          else PlanNodes.changed(merge, source, condition, matched)
        }
      case _ => merge
    }

  /** Spark would want a value of each metadata column in the rows that are inserted. A key that columns make is made of
    * them instead.
    */
  private def checkInserts(merge: MergeIntoTable, relation: DataSourceV2Relation, table: PlannedTable): Unit =
    if (merge.notMatchedActions.nonEmpty) hiddenOf(merge, relation, table).headOption.foreach { column =>
      throw InvalidInput("STATEMENT_NOT_SUPPORTED", "statement" -> s"MERGE ... INSERT with the column ${column.name}",
        "path" -> table.basePath,
        "reason" -> "no row has a value of it before it is written; look it up in the source of the MERGE")
    }

  /** From 4.1 on Spark leaves metadata columns out of the rows that it updates, and of those that it deletes the ones that
    * the writer does not ask for, and finds in its own assertion that a condition or value wants one.
    */
  private def checkHidden(merge: MergeIntoTable, relation: DataSourceV2Relation, table: PlannedTable): Unit =
    if (NewerCapabilities.schemaEvolution.isDefined) {
      val updates = (merge.matchedActions ++ merge.notMatchedBySourceActions).exists(!_.isInstanceOf[DeleteAction])
      hiddenOf(merge, relation, table).find(a => updates || !Kept(a.name)).foreach(column =>
        throw InvalidInput("STATEMENT_NOT_SUPPORTED",
          "statement" -> s"MERGE ${if (updates) "... UPDATE " else ""}with the column ${column.name}",
          "path" -> table.basePath,
          "reason" ->
            "this version of Spark does not read it for that; look keys up by it in the source of the MERGE"))
    }

  private val Kept = Set(MetaFields.RecordKey, MetaFields.PartitionPath)

  /** Hidden columns that the statement reads. A key that columns make is made of them instead where rows are matched by it. */
  private def hiddenOf(merge: MergeIntoTable, relation: DataSourceV2Relation, table: PlannedTable): Seq[Attribute] = {
    val hidden = hiddenIn(relation)
    val isMade = !table.table.exists(_.config.generatesKeys)
    (clausesOf(merge).flatMap(_.references) ++
      merge.mergeCondition.references.filterNot(isMade && _.name == MetaFields.RecordKey)).filter(a => hidden(a.exprId))
  }

  private def hiddenIn(relation: DataSourceV2Relation): Set[ExprId] = relation.metadataOutput.map(_.exprId).toSet ++
    relation.output.filter(_.metadata.contains(METADATA_COL_ATTR_KEY)).map(_.exprId)

  private def clausesOf(merge: MergeIntoTable): Seq[MergeAction] =
    merge.matchedActions ++ merge.notMatchedActions ++ merge.notMatchedBySourceActions

  private[merge] val NeverApplies: MergeAction = DeleteAction(Some(Literal.FalseLiteral))

  private def insertsOnly(merge: MergeIntoTable): Boolean =
    merge.matchedActions.isEmpty && merge.notMatchedBySourceActions.isEmpty

  private def inDataColumns(condition: Expression, relation: DataSourceV2Relation, table: PlannedTable,
      session: SparkSession): Expression = {
    val source = relation.metadataOutput.filter(_.name == MetaFields.RecordKey).map(_.exprId).toSet
    def isKey(e: Expression): Boolean = e match {
      case a: Attribute => source(a.exprId)
      case _ => false
    }
    if (!condition.exists(isKey) || table.table.exists(_.config.generatesKeys)) condition
    else {
      val conf = table.writeConf(relation.options.asCaseSensitiveMap.asScala.toMap)
      val target = WriteTarget.of(table.basePath, table.storage, table.table, conf, relation.schema, NeededColumns.All,
        () => Sessions.hadoopConf(session))
      val key = target.keys.recordKey(WriteLayout.named(relation))
      condition.transform { case e if isKey(e) => key.getOrElse(e) }
    }
  }

  /** None of a MERGE's clauses for matched rows can apply. */
  def onlyInserts(matched: Seq[MergeRows.Instruction]): Boolean = matched.forall(_.condition == Literal.FalseLiteral)
}

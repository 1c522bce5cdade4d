package io.hudilite.spark.catalog.statement

import io.hudilite.config.TableOptions
import io.hudilite.error.InvalidInput
import io.hudilite.spark.catalog.{ColumnStatements, HudiliteTable, NamedTables, StatementCatalog, UnsupportedStatement}
import io.hudilite.spark.row.SessionConf
import io.hudilite.spark.shim.{PlanNodes, SchemaEvolution}

import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, ResolvedTable}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Refuses, before anything runs, the statements that Spark would carry out on a table of hudilite's without the effect
  * that they promise.
  */
object StatementRule extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach(CreateTarget.checkServed)
    plan.foreach {
      case DropTable(ResolvedIdentifier(catalog: StatementCatalog, ident), ifExists, _) if catalog.isPath(ident) =>
        catalog.present(ident, dataFrame = false) match {
          case Some(table) => refuse(UnsupportedStatement.Drop)(table)
          case None => if (!ifExists) catalog.notFound(ident).foreach(throw _)
        }
      case create: CreateTable if create.origin.line.isEmpty => checkNamesKey(create)
      case set: SetTableProperties => at(set.table).foreach(checkSet(set, _))
      case unset: UnsetTableProperties => at(unset.table).foreach(checkUnset(unset, _))
      case comment: CommentOnTable => at(comment.table).foreach(checkEntry)
      case alter: AlterTableCommand if PlanNodes.changesColumns(alter) =>
        if (alter.resolved) at(alter.table).foreach(ColumnStatements.check(_, ColumnStatements.among(alter.changes)))
      case alter: AlterTableCommand => at(alter.table).foreach(refuse(UnsupportedStatement.Alter))
      case rename: RenameTable => at(rename.child).filter(isPath).foreach(refuse(UnsupportedStatement.Rename))
      case replace: ReplaceTable =>
        at(replace.name).foreach(refuse(UnsupportedStatement.ReplaceEmpty))
        if (!replace.orCreate) notFound(replace.name)
        CreateTarget.of(replace).foreach(table => UnsupportedStatement.ReplaceOther.check(table.catalog, table.ident))
      case merge: MergeIntoTable => checkEvolution(merge, merge.targetTable)
      case write: V2WriteCommand => checkEvolution(write, write.table)
      case inserts: Union => checkTargets(inserts.children.collect { case write: V2WriteCommand => write.table })
      case _ =>
    }
    plan
  }

  // `toTable` of a stream tells a catalog nothing of the table that is to be made, whatever options the stream has.
  private def checkNamesKey(create: CreateTable): Unit = CreateTarget.of(create).foreach {
    case CreateTarget(catalog, ident, said)
        if said.properties.isEmpty && said.options.isEmpty && said.location.isEmpty &&
          !TableOptions.RecordKeyFields.isSet(SessionConf.options) && !catalog.tableExists(ident) =>
      throw InvalidInput("MISSING_OPTION", "option" -> TableOptions.RecordKeyFields.name,
        "reason" ->
          ("a new table needs record key fields: say primaryKey to spark.catalog.createTable; a stream makes no " +
            "table, write each of its batches with format(\"hudilite\") in foreachBatch"))
    case _ =>
  }

  private def refuse(refusal: UnsupportedStatement)(table: HudiliteTable): Unit = throw refusal.of(table.basePath)

  private def isPath(table: HudiliteTable): Boolean = table.entry.isEmpty

  /** Whether the catalog keeps something of the table that may be changed. */
  private def checkEntry(table: HudiliteTable): Unit = {
    if (isPath(table)) refuse(UnsupportedStatement.Alter)(table)
    if (table.entry.exists(_.byHudi)) refuse(UnsupportedStatement.OfHudi)(table)
  }

  private def checkSet(set: SetTableProperties, table: HudiliteTable): Unit = {
    checkEntry(table)
    table.entry.foreach(NamedTables.checkProperties(_, set.properties))
  }

  private def checkUnset(unset: UnsetTableProperties, table: HudiliteTable): Unit = {
    checkEntry(table)
    val there = table.entry.toSeq.flatMap(_.properties.keys)
    unset.propertyKeys.filterNot(key => unset.ifExists || there.exists(_.equalsIgnoreCase(key)))
      .foreach(key => throw UnsupportedStatement.NoProperty(key).of(table.basePath))
  }

  private def checkEvolution(statement: LogicalPlan, target: LogicalPlan): Unit =
    if (SchemaEvolution.capability.isEmpty && PlanNodes.evolvesSchema(statement))
      written(target).foreach(refuse(UnsupportedStatement.Evolve))

  // Both are planned on the table as it is, so that the commit of the first would stand against the second.
  private def checkTargets(targets: Seq[LogicalPlan]): Unit =
    targets.flatMap(written).groupBy(_.basePath).values.find(_.size > 1).flatMap(_.headOption)
      .foreach(refuse(UnsupportedStatement.Inserts))

  private def written(target: LogicalPlan): Option[HudiliteTable] =
    target.collectFirst { case r: DataSourceV2Relation => r.table }.collect { case table: HudiliteTable => table }

  private def notFound(name: LogicalPlan): Unit = name match {
    case ResolvedIdentifier(catalog: StatementCatalog, ident) => catalog.notFound(ident).foreach(throw _)
    case _ =>
  }

  /** The table of hudilite's that a statement names, when there is one. */
  private def at(name: LogicalPlan): Option[HudiliteTable] = name match {
    case ResolvedIdentifier(catalog: StatementCatalog, ident) => catalog.present(ident, dataFrame = false)
    case r: ResolvedTable => r.table match {
        case table: HudiliteTable => Some(table)
        case _ => None
      }
    case _ => None
  }
}

package io.hudilite.spark.catalog

import io.hudilite.config.TableOptions
import io.hudilite.error.InvalidInput
import io.hudilite.spark.shim.PlanNodes

import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, ResolvedTable}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Refuses, before anything runs, the statements that Spark would carry out on a table named by its path without the
  * effect that they promise.
  */
object StatementRule extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case drop: DropTable => of(drop.child).filter(existing).foreach(refuse(Refusal.Drop))
      case alter: AlterTableCommand => of(alter.table).foreach(refuse(Refusal.Alter))
      case rename: RenameTable => of(rename.child).foreach(refuse(Refusal.Rename))
      case replace: ReplaceTable => of(replace.name).filter(existing).foreach(refuse(Refusal.Replace))
      case replace: ReplaceTableAsSelect => of(replace.name).filter(existing).foreach(refuse(Refusal.Replace))
      case create: CreateTable => of(create.name).filterNot(existing).foreach(_ => checkKeys(create))
      case merge: MergeIntoTable => checkEvolution(merge, merge.targetTable)
      case write: V2WriteCommand => checkEvolution(write, write.table)
      case _ =>
    }
    plan
  }

  private def refuse(refusal: Refusal)(place: Place): Unit = throw refusal.of(place.path)

  // A CREATE TABLE AS SELECT may leave it to its write to create the table, this statement has none.
  private def checkKeys(create: CreateTable): Unit = create.tableSpec match {
    case spec: TableSpec if !TableOptions.RecordKeyFields.isSet(spec.properties ++ spec.options) =>
      throw InvalidInput("MISSING_OPTION", "option" -> TableOptions.RecordKeyFields.name,
        "reason" -> "a new table needs record key fields, given in OPTIONS or TBLPROPERTIES")
    case _ =>
  }

  private def checkEvolution(statement: LogicalPlan, target: LogicalPlan): Unit =
    if (PlanNodes.evolvesSchema(statement)) target.foreach {
      case r: DataSourceV2Relation => r.table match {
          case t: HudiliteTable => throw Refusal.Evolve.of(t.basePath)
          case _ =>
        }
      case _ =>
    }

  private final case class Place(catalog: HudiliteCatalog, ident: Identifier) {
    def path: String = catalog.pathOf(ident)
  }

  private def existing(place: Place): Boolean = place.catalog.tableExists(place.ident)

  private def of(name: LogicalPlan): Option[Place] = {
    val found = name match {
      case r: ResolvedIdentifier => Some(r.catalog -> r.identifier)
      case r: ResolvedTable => Some(r.catalog -> r.identifier)
      case _ => None
    }
    found.collect { case (catalog: HudiliteCatalog, ident) => Place(catalog, ident) }
  }
}

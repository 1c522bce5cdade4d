package io.hudilite.spark.catalog.statement

import io.hudilite.record.{MetaFields, RowPlace}
import io.hudilite.spark.catalog.{
  ColumnStatements,
  HudiliteTable,
  NamedMetadata,
  NamedTables,
  StatementCatalog,
  UnsupportedStatement
}
import io.hudilite.spark.catalog.metastore.{Registered, TableProperty}
import io.hudilite.spark.shim.{NewerCapabilities, PlanNodes}

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, ResolvedTable, UnresolvedAttribute}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Refusals, before anything runs, of statements that Spark would carry out on a table of hudilite without the promised
  * effect, and of those that would change a metadata table.
  */
object RefusalsRule extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach { statement =>
      CreateTarget.checkServed(statement)
      changed.lift(statement).foreach { case (verb, target) => NamedMetadata.refuseChange(verb, target) }
      changesRows.lift(statement).foreach { case (verb, target) => refuseView(verb, target) }
      refusals.applyOrElse(statement, (_: LogicalPlan) => ())
    }
    plan
  }

  /** Verb and table of each statement that changes a table. */
  private val changed: PartialFunction[LogicalPlan, (String, LogicalPlan)] = {
    case write: V2WriteCommand => "INSERT" -> write.table
    case delete: DeleteFromTable => "DELETE" -> delete.table
    case update: UpdateTable => "UPDATE" -> update.table
    case merge: MergeIntoTable => "MERGE" -> merge.targetTable
    case truncate: TruncateTable => "TRUNCATE TABLE" -> truncate.table
    case alter: AlterTableCommand => "ALTER TABLE" -> alter.table
    case rename: RenameTable => "ALTER TABLE RENAME" -> rename.child
    case drop: DropTable => "DROP TABLE" -> drop.child
    case replace: ReplaceTable => "REPLACE TABLE" -> replace.name
    case replace: ReplaceTableAsSelect => "REPLACE TABLE" -> replace.name
  }

  private val changesRows: PartialFunction[LogicalPlan, (String, LogicalPlan)] = {
    case delete: DeleteFromTable => "DELETE" -> delete.table
    case update: UpdateTable => "UPDATE" -> update.table
    case merge: MergeIntoTable => "MERGE" -> merge.targetTable
  }

  // Spark would say that it does not know a column, or no more than that the operation is not there.
  private def refuseView(verb: String, target: LogicalPlan): Unit =
    target.collectFirst { case view: View => view }.flatMap(written).foreach(refuse(UnsupportedStatement.OfView(verb)))

  private val refusals: PartialFunction[LogicalPlan, Unit] = {
    case DropTable(ResolvedIdentifier(catalog: StatementCatalog, ident), ifExists, _) if catalog.isPath(ident) =>
      catalog.present(ident, dataFrame = false) match {
        case Some(table) => refuse(UnsupportedStatement.Drop)(table)
        case None => if (!ifExists) catalog.notFound(ident).foreach(throw _)
      }
    case create: CreateTable if create.origin.line.isEmpty => checkNoStream(create)
    case set: SetTableProperties => at(set.table).foreach(checkSet(set, _))
    case unset: UnsetTableProperties => at(unset.table).foreach(checkUnset(unset, _))
    case comment: CommentOnTable => at(comment.table).foreach(checkEntry)
    case alter: AlterTableCommand if PlanNodes.changesColumns(alter) =>
      if (alter.resolved) at(alter.table).foreach(ColumnStatements.check(_, ColumnStatements.among(alter.changes)))
    case alter: AlterTableCommand => at(alter.table).foreach(refuse(UnsupportedStatement.Alter))
    case rename: RenameTable => at(rename.child).filter(isPath).foreach(refuse(UnsupportedStatement.Rename))
    case replace: ReplaceTable =>
      val there = at(replace.name)
      if (replace.tableSchema.isEmpty) there.foreach(refuse(UnsupportedStatement.ReplaceEmpty))
      if (there.isEmpty) {
        if (!replace.orCreate) notFound(replace.name)
        CreateTarget.of(replace).foreach(table => UnsupportedStatement.ReplaceOther.check(table.catalog, table.ident))
      }
    case merge: MergeIntoTable => checkEvolution(merge, merge.targetTable)
    case write: V2WriteCommand => checkEvolution(write, write.table)
    case inserts: Union => checkTargets(inserts.children.collect { case write: V2WriteCommand => write.table })
  }

  private[statement] def evolvesInVain(statement: LogicalPlan): Boolean =
    NewerCapabilities.schemaEvolution.isEmpty && PlanNodes.evolvesSchema(statement)

  private def checkEvolution(statement: LogicalPlan, target: LogicalPlan): Unit =
    if (evolvesInVain(statement)) written(target).foreach(refuse(UnsupportedStatement.Evolve))

  // `toTable` of a stream makes the table before the stream is refused. Nothing else tells its statement from that of
  // `spark.catalog.createTable`.
  private def checkNoStream(create: CreateTable): Unit = CreateTarget.of(create).foreach {
    case CreateTarget(catalog, ident, _) if isOfStream && !catalog.tableExists(ident) =>
      throw UnsupportedStatement.StreamWrite.of(ident.toString)
    case _ =>
  }

  private def isOfStream: Boolean =
    Thread.currentThread.getStackTrace.exists(_.getClassName.endsWith(".DataStreamWriter"))

  private def refuse(refusal: UnsupportedStatement)(table: HudiliteTable): Unit = throw refusal.of(table.basePath)

  private def isPath(table: HudiliteTable): Boolean = table.entry.isEmpty

  // A table by path has no entry in a catalog that could be changed.
  private def checkEntry(table: HudiliteTable): Unit = {
    if (isPath(table)) refuse(UnsupportedStatement.Alter)(table)
    if (table.entry.exists(_.byHudi)) refuse(UnsupportedStatement.OfHudi)(table)
  }

  private def checkSet(set: SetTableProperties, table: HudiliteTable): Unit = {
    checkEntry(table)
    table.entry.foreach(NamedTables.checkProperties(_, set.properties))
    table.checkWrites(TableProperty.kept(set.properties))
  }

  private def checkUnset(unset: UnsetTableProperties, table: HudiliteTable): Unit = {
    checkEntry(table)
    val there = table.entry.toSeq.flatMap(_.properties.keys)
    unset.propertyKeys.filterNot(key => unset.ifExists || there.exists(_.equalsIgnoreCase(key)))
      .foreach(key => throw UnsupportedStatement.NoProperty(key).of(table.basePath))
  }

  // Both writes are planned on the table as it is, so the second would conflict with the commit of the first.
  private def checkTargets(targets: Seq[LogicalPlan]): Unit =
    targets.flatMap(written).groupBy(_.basePath).values.find(_.size > 1).flatMap(_.headOption)
      .foreach(refuse(UnsupportedStatement.Inserts))

  private def written(target: LogicalPlan): Option[HudiliteTable] =
    target.collectFirst { case r: DataSourceV2Relation => r.table }.collect { case table: HudiliteTable => table }

  private def notFound(name: LogicalPlan): Unit = name match {
    case ResolvedIdentifier(catalog: StatementCatalog, ident) => catalog.notFound(ident).foreach(throw _)
    case _ =>
  }

  /** The table of hudilite that a statement names, when there is one. */
  private def at(name: LogicalPlan): Option[HudiliteTable] = name match {
    case ResolvedIdentifier(catalog: StatementCatalog, ident) => catalog.present(ident, dataFrame = false)
    case r: ResolvedTable => Some(r.table).collect { case table: HudiliteTable => table }
    case _ => None
  }
}

/** Refusals of statements before Spark resolves names, since it drops the refused parts as it does so. */
private[statement] final class NamedRefusals(names: NameResolution) {

  def check(statement: LogicalPlan): Unit = statement match {
    case update: UpdateTable => checkAssigned("UPDATE", update.table, update.assignments)
    case merge: MergeIntoTable =>
      if (RefusalsRule.evolvesInVain(merge)) refuse(UnsupportedStatement.Evolve, merge.targetTable)
      checkAssigned("MERGE", merge.targetTable,
        (merge.matchedActions ++ merge.notMatchedActions ++ merge.notMatchedBySourceActions).flatMap {
          case action: UpdateAction => action.assignments
          case action: InsertAction => action.assignments
          case _ => Nil
        })
    case other => CreateTarget.named(other, names).filter(_.provider.exists(Registered.providerOf(_).isDefined))
        .flatMap(_.location).foreach(NamedTables.checkLocation) // before Spark makes a path of it
  }

  private val made: Set[String] = (MetaFields.all ++ Seq(RowPlace.FileId, RowPlace.Position, RowPlace.MadeKey)).map(
    lower).toSet

  // Spark leaves assignments to such columns out, so the statement would succeed without effect.
  private def checkAssigned(verb: String, target: LogicalPlan, assignments: Seq[Assignment]): Unit =
    assignments.map(_.key).collectFirst {
      case UnresolvedAttribute(parts) if made(lower(parts.last)) => parts.last
    }.foreach(column => refuse(UnsupportedStatement.Assigned(verb, column), target))

  private def refuse(refusal: UnsupportedStatement, target: LogicalPlan): Unit =
    names.pathOf(target).foreach(path => throw refusal.of(path))

  private def lower(name: String): String = name.toLowerCase(Locale.ROOT)
}

package io.hudilite.spark.catalog

import io.hudilite.error.InvalidInput
import io.hudilite.record.MetaFields
import io.hudilite.spark.row.{Nullability, SchemaConversion}
import io.hudilite.spark.shim.CachedPlans
import io.hudilite.table.{Table, TableAccess, TableSupport}
import io.hudilite.transaction.{AlteredColumns, ColumnAlteration, TransactionOptions}

import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange._
import org.apache.spark.sql.types.StructType

/** ALTER TABLE ADD, DROP, RENAME and ALTER COLUMN: one commit that changes the table's columns and no file. */
private[catalog] object ColumnStatements {

  /** Changes of columns among all changes. */
  def among(changes: Seq[TableChange]): Seq[ColumnChange] = changes.collect { case change: ColumnChange => change }

  /** Raises `InvalidInput` for a change that a Hudi table cannot keep. Errors raised later, as the statement runs, are
    * wrapped by Spark.
    */
  def check(place: HudiliteTable, changes: Seq[ColumnChange]): Unit =
    place.table.foreach(table => schemaJson(table, changed(table, changes)))

  /** Makes the changes. Raises as [[check]], and `CommitConflict` when another writer came first. */
  def run(place: HudiliteTable, changes: Seq[ColumnChange]): Unit = place.table.foreach { table =>
    val after = changed(table, changes)
    if (after.after != columns(table) || after.edits.nonEmpty) commit(place, table, after)
  }

  private def changed(table: Table, changes: Seq[ColumnChange]): ColumnChanges = {
    changes.foreach(checkRole(table, _))
    changes.foreach(checkName)
    ColumnChanges.of(table.basePath, columns(table), changes)
  }

  private def schemaJson(table: Table, changed: ColumnChanges): String =
    SchemaConversion.toAvro(Nullability.relaxed(changed.after), table.config.name, withMeta = false)

  private def commit(place: HudiliteTable, table: Table, changed: ColumnChanges): Unit = {
    val options = TransactionOptions.of(place.writeConf().commit)
    val json = schemaJson(table, changed)
    if (changed.asWritten && !table.schema.exists(_.byId.isDefined)) ColumnAlteration.grow(table, json, options)
    else ColumnAlteration.alter(table, AlteredColumns(json, changed.edits), options)
    HudiliteCatalog.forget(place.session, place.basePath)
    CachedPlans.refresh(place.session, place.basePath)
  }

  private def columns(table: Table): StructType =
    TableSupport.of(table, TableAccess.Write).schema.fold(new StructType())(s => SchemaConversion.toSpark(s.avroJson))

  // A column of such a name would be taken for one of the meta columns, and left out of the schema.
  private def checkName(change: ColumnChange): Unit = {
    val name = change match {
      case add: AddColumn if add.fieldNames.length == 1 => Some(add.fieldNames.head)
      case renamed: RenameColumn if renamed.fieldNames.length == 1 => Some(renamed.newName)
      case _ => None
    }
    name.filter(n => MetaFields.all.exists(_.equalsIgnoreCase(n))).foreach(n =>
      throw InvalidInput("INVALID_COLUMN_NAME", "column" -> n,
        "reason" -> "the table itself makes a column of this name"))
  }

  // The table's properties name these columns, and their values stand in keys and paths.
  private def checkRole(table: Table, change: ColumnChange): Unit = change match {
    case _: DeleteColumn | _: RenameColumn | _: UpdateColumnType =>
      val (path, config) = (change.fieldNames.toSeq, table.config)
      for {
        (role, names) <- Seq("record key" -> config.recordKeyFields, "partition" -> config.partitionFields,
          "ordering" -> config.orderingFields, "delete mark" -> config.deleteMarker.toSeq.map(_.field))
        name <- names.map(_.takeWhile(_ != ':').split('.').toSeq) if name.startsWith(path) || path.startsWith(name)
      } throw UnsupportedStatement.Column(path.mkString("."),
        s"a column of the $role keeps its name and type; write the rows to a new table to change it").of(table.basePath)
    case _ =>
  }
}

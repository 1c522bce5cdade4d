package io.hudilite.spark.catalog

import io.hudilite.spark.row.SchemaConversion
import io.hudilite.table.{Purpose, Table, TableSupport}
import io.hudilite.transaction.{AlteredColumns, ColumnAlteration, TransactionOptions}

import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange._
import org.apache.spark.sql.types.StructType

/** ALTER TABLE ADD, DROP, RENAME and ALTER COLUMN: one commit that changes the table's columns and no file. */
private[catalog] object ColumnStatements {

  /** The changes of columns among others. */
  def among(changes: Seq[TableChange]): Seq[ColumnChange] = changes.collect { case change: ColumnChange => change }

  /** Raises `InvalidInput` for what a Hudi table cannot keep, and `CommitConflict` when another writer came first. */
  def run(place: HudiliteTable, changes: Seq[ColumnChange]): Unit = place.table.foreach { table =>
    val before = columns(table)
    changes.foreach(checkRole(table, _))
    val changed = ColumnChanges.of(table.basePath, before, changes)
    if (changed.after != before || changed.edits.nonEmpty) commit(place, table, changed)
  }

  private def commit(place: HudiliteTable, table: Table, changed: ColumnChanges): Unit = {
    val options = TransactionOptions.of(place.writeConf().commit)
    val json = SchemaConversion.toAvro(changed.after, table.config.name, withMeta = false)
    if (changed.asWritten && !table.schema.exists(_.byId.isDefined)) ColumnAlteration.grow(table, json, options)
    else ColumnAlteration.alter(table, AlteredColumns(json, changed.edits), options)
    HudiliteCatalog.forget(place.basePath)
  }

  private def columns(table: Table): StructType =
    TableSupport.of(table, Purpose.Write).schema.fold(new StructType())(s => SchemaConversion.toSpark(s.avroJson))

  // The properties of the table go on naming these columns, and their values stand in keys and paths.
  private def checkRole(table: Table, change: ColumnChange): Unit = change match {
    case _: DeleteColumn | _: RenameColumn | _: UpdateColumnType =>
      val (path, config) = (change.fieldNames.toSeq, table.config)
      for {
        (role, names) <- Seq("record key" -> config.recordKeyFields, "partition" -> config.partitionFields,
          "ordering" -> config.orderingFields, "delete mark" -> config.deleteMarker.toSeq.map(_.field))
        name <- names.map(_.takeWhile(_ != ':').split('.').toSeq) if name.startsWith(path) || path.startsWith(name)
      } throw Refusal.Column(path.mkString("."),
        s"as a column of the $role it keeps its name and type").of(table.basePath)
    case _ =>
  }
}

package io.hudilite.transaction

import io.hudilite.error.CommitConflict
import io.hudilite.record.MetaFields
import io.hudilite.schema.{AlteredVersion, ColumnEdit, ColumnSets, NextVersion, SchemaJson, TypeNames}
import io.hudilite.table.Table
import io.hudilite.timeline.{CommitMetadata, DroppedColumns, TableSchema, Timeline}

/** Entries of a commit about the table's columns, and the history that goes with it.
  *
  * @param extra
  *   entries of the commit's extra metadata
  * @param history
  *   all versions of the columns, for a table that keeps them by id
  */
private[transaction] final case class CommitColumns(extra: Map[String, String], history: Option[String]) {

  /** The columns with names of types that every release of Apache Hudi has that reads tables of this version. */
  def forTable(version: Int): CommitColumns = CommitColumns(
    extra.map {
      case (CommitMetadata.SchemaByIdKey, json) => CommitMetadata.SchemaByIdKey -> TypeNames.forTable(json, version)
      case other => other
    },
    history.map(TypeNames.forTable(_, version)))
}

/** Columns after a change that gives them ids.
  *
  * @param avroJson
  *   schema without meta columns
  * @param edits
  *   changes from the names before to those after
  */
final case class AlteredColumns(avroJson: String, edits: Seq[ColumnEdit])

/** Merges columns at a commit. Readers take the columns from the newest commit, so it must not lose columns that
  * another commit added while it ran, nor names that Hudi's schema-on-read renamed or dropped
  * (docs/format.md#columns-by-id).
  */
private[transaction] object CommitColumns {

  /** Columns at the commit of a write. Raises `CommitConflict` when its files do not fit the columns as they are now.
    *
    * @param table
    *   snapshot that the write was planned on
    * @param mine
    *   columns after the write; those of the table when it brings none
    * @param now
    *   the timeline before the write completes
    */
  def ofWrite(table: Table, instant: String, mine: Option[String], now: Timeline): CommitColumns = {
    val newest = table.store.schema(now)
    val own = mine.orElse(table.schemaJson)
    if (newest.flatMap(_.byId) != table.schema.flatMap(_.byId)) renamed(table, instant, own, newest)
    else newest.map(_.avroJson) match {
      case changed @ Some(columns) if changed != table.schemaJson =>
        if (!own.forall(ColumnSets.contains(columns, _))) throw conflict(table, instant)
        recorded(table, columns, newest.flatMap(_.byId), instant, now)
      case _ => own.fold(CommitColumns(Map.empty, None))(recorded(table, _, newest.flatMap(_.byId), instant, now))
    }
  }

  /** Columns at the commit of a change of the columns themselves. Raises `CommitConflict` when they have changed since
    * it was planned.
    *
    * @param table
    *   snapshot that the change was planned on
    * @param now
    *   the timeline before the change completes
    */
  def ofAlteration(table: Table, instant: String, altered: AlteredColumns, now: Timeline): CommitColumns = {
    val newest = table.store.schema(now)
    if (newest != table.schema) throw conflict(table, instant)
    val known = for {
      present <- newest.flatMap(_.byId)
    } yield (present, table.store.schemaFiles.newest(now).getOrElse(AlteredVersion.history(present)))
    val (present, history) = known.getOrElse(withIds(table, newest.fold("")(_.avroJson), now))
    val next = AlteredVersion.of(present, altered.edits, altered.avroJson, instant)
    CommitColumns(entries(table, TableSchema(altered.avroJson, Some(next))).toMap,
      Some(NextVersion.history(history, next)))
  }

  /** Columns with ids of a table that had none so far, and their history as far back as the timeline goes. */
  private def withIds(table: Table, avroJson: String, now: Timeline): (String, String) = {
    val commits = table.store.readCommits(now.writes).reverse.takeWhile(_._2.schemaById.isEmpty).reverse
    val states = for {
      (instant, metadata) <- commits
      columns <- TableSchema.withPlainSchema(metadata).schema
    } yield instant.time -> columns
    val versions = AlteredVersion.untilNow(states, avroJson, MetaFields.all)
    (versions.last, versions.tail.foldLeft(AlteredVersion.history(versions.head))(NextVersion.history))
  }

  /** Columns at the commit of a service, which moves rows and leaves the columns as they were when it was planned. */
  def ofService(table: Table, schema: Option[TableSchema]): CommitColumns =
    CommitColumns(schema.toSeq.flatMap(entries(table, _)).toMap, None)

  /** Columns at the commit of a write when another commit has renamed or dropped some since it was planned. Files are
    * read by the version of the columns at their instant, so a later change leaves those of this write alone. Raises
    * `CommitConflict` when the change is not later, or the write brings columns of its own.
    */
  private def renamed(table: Table, instant: String, own: Option[String], newest: Option[TableSchema])
      : CommitColumns = {
    val later = newest.flatMap(_.byId).exists(SchemaJson.version(_).version > instant)
    if (!later || own != table.schemaJson || table.schema.flatMap(_.byId).isEmpty) throw conflict(table, instant)
    CommitColumns(table.schema.toSeq.flatMap(entries(table, _)).toMap, None)
  }

  private def recorded(table: Table, avroJson: String, byId: Option[String], instant: String, now: Timeline)
      : CommitColumns = byId match {
    case None => CommitColumns(entries(table, TableSchema(avroJson)).toMap, None)
    case Some(present) =>
      val next = NextVersion.of(present, avroJson, instant)
      val history = table.store.schemaFiles.newest(now)
      CommitColumns(entries(table, TableSchema(avroJson, Some(next.getOrElse(present)))).toMap,
        history.map(old => next.fold(old)(NextVersion.history(old, _))))
  }

  private def entries(table: Table, schema: TableSchema): Seq[(String, String)] =
    Seq(CommitMetadata.SchemaKey -> DroppedColumns.without(table.config, schema.avroJson)) ++
      schema.byId.map(CommitMetadata.SchemaByIdKey -> _)

  private def conflict(table: Table, instant: String): CommitConflict = CommitConflict("COMMIT_CONFLICT",
    "instant" -> instant, "path" -> table.basePath, "reason" -> "another writer changed the table's columns meanwhile")
}

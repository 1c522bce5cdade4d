package io.hudilite

import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CommitMetadata, Instant}

/** Tables whose columns schema-on-read changed, made as Hudi makes them but without data files. */
object EvolvedTables {

  /** Columns of text, by their ids. */
  type Columns = Seq[(Int, String)]

  def avro(names: String*): String = {
    val fields = names.map(name => s"""{"name":"$name","type":["null","string"],"default":null}""")
    s"""{"type":"record","name":"t_record","fields":[${fields.mkString(",")}]}"""
  }

  def byId(version: String, columns: Columns): String = {
    val fields = columns.map { case (id, name) => s"""{"id":$id,"name":"$name","optional":true,"type":"string"}""" }
    s"""{"max_column_id":${columns.map(_._1).max},"version_id":$version,"type":"record","fields":[${fields.mkString(
        ",")}]}"""
  }

  def history(versions: (String, Columns)*): String =
    versions.map { case (version, columns) => byId(version, columns) }.mkString("""{"schemas":[""", ",", "]}")

  /** One commit like that of an ALTER TABLE, after which the table has these columns.
    *
    * @param earlier
    *   the versions before it; the first such commit has the columns of before under the version `0`
    */
  def alter(table: Table, columns: Columns, earlier: (String, Columns)*): Instant = {
    val instant = table.store.newInstantTime(table.refresh().timeline.lastTime.getOrElse(""))
    val versions = (instant -> columns) +: earlier
    table.store.request(instant, Action.Commit)
    table.store.toInflight(instant, Action.Commit)
    table.store.schemaFiles.record(instant, history(versions: _*))
    table.store.complete(instant, Action.Commit,
      CommitMetadata("ALTER_SCHEMA", Map.empty,
        Map(CommitMetadata.SchemaKey -> avro(columns.map(_._2): _*),
          CommitMetadata.SchemaByIdKey -> byId(instant, columns))))
  }
}

package io.hudilite.spark.service

import io.hudilite.spark.metatable.{RowTable, RowsAsked, SnapshotFiles, TimelineRows}
import io.hudilite.spark.shim.Sessions
import io.hudilite.table.Table

import java.util.Collections

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.{Row, SparkSession}

/** What a table's timeline and files say, for `hudilite.tables` in Python: JSON arrays of objects with the columns of the
  * metadata tables. All calls raise `TABLE_NOT_FOUND`.
  */
object PythonTables {

  private val json = new ObjectMapper()

  /** The instants of the active timeline, oldest first. */
  def timeline(session: SparkSession, path: String): String =
    answer(session, path, RowTable.Timeline)(TimelineRows.timeline)

  /** The completed writes with what they did, newest first.
    *
    * @param limit
    *   so many of them, all when it is negative
    */
  def history(session: SparkSession, path: String, limit: Int): String =
    answer(session, path, RowTable.History)(TimelineRows.history(_, RowsAsked(limit = Some(limit).filter(_ >= 0))))

  /** The base files of the newest snapshot, by partition and file group. */
  def files(session: SparkSession, path: String): String =
    answer(session, path, RowTable.Files)(SnapshotFiles.bases(_, Sessions.hadoopConf(session)), Set("kind"))

  private def answer(session: SparkSession, path: String, what: RowTable)(rows: Table => Iterator[Row],
      hidden: Set[String] = Set.empty): String = {
    val all = json.createArrayNode()
    Compactions.onDriver(session, path, Collections.emptyMap())((table, _) => rows(table)).foreach { row =>
      val node = all.addObject()
      what.schema.fieldNames.zipWithIndex.filterNot { case (name, _) => hidden(name) }.foreach { case (name, at) =>
        node.set[com.fasterxml.jackson.databind.node.ObjectNode](name, json.valueToTree(row.get(at)))
      }
    }
    json.writeValueAsString(all)
  }
}

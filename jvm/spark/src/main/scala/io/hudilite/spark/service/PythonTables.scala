package io.hudilite.spark.service

import io.hudilite.filegroup.{BaseFile, BaseFileFooter, FooterCache}
import io.hudilite.spark.shim.Sessions
import io.hudilite.storage.Parallel
import io.hudilite.table.Table
import io.hudilite.timeline.{CommitMetadata, Instant, WriteStat}

import java.util.{Collections, Locale}

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

/** What a table's timeline and files say, for `hudilite.tables` in Python: JSON arrays of objects with the fields of the
  * classes in `hudilite.inspect`. All calls raise `TABLE_NOT_FOUND`.
  */
object PythonTables {

  private val json = new ObjectMapper()

  /** The instants of the active timeline, oldest first. */
  def timeline(session: SparkSession, path: String): String = answer(session, path) { table =>
    table.timeline.instants.sortBy(i => (i.time, i.comparableAction)).map { i =>
      instant(i).put("state", i.state.name.toLowerCase(Locale.ROOT)).put("file", i.fileName)
    }
  }

  /** The completed writes with what they did, newest first.
    *
    * @param limit
    *   so many of them, all when it is negative
    */
  def history(session: SparkSession, path: String, limit: Int): String = answer(session, path) { table =>
    val writes = table.timeline.writes.reverse
    table.store.readCommits(if (limit < 0) writes else writes.take(limit)).map { case (i, metadata) =>
      commit(instant(i), metadata)
    }
  }

  /** The base files of the newest snapshot, by partition and file group. */
  def files(session: SparkSession, path: String): String = answer(session, path) { table =>
    val bases = table.allSlices().values.flatten.flatMap(_.base).toSeq.sortBy(f => (f.partition, f.fileId))
    val conf = Sessions.hadoopConf(session)
    Parallel.map(bases)(base =>
      file(base,
        FooterCache.read(conf, new Path(table.basePath, base.relativePath).toString, base.length, withBloom = false)))
  }

  private def answer(session: SparkSession, path: String)(rows: Table => Seq[ObjectNode]): String = {
    val all = json.createArrayNode()
    Compactions.onDriver(session, path, Collections.emptyMap())((table, _) => rows(table)).foreach(all.add(_))
    json.writeValueAsString(all)
  }

  private def instant(i: Instant): ObjectNode =
    json.createObjectNode().put("time", i.time).put("completion_time", i.completionTime.orNull)
      .put("action", i.comparableAction)

  private def commit(node: ObjectNode, metadata: CommitMetadata): ObjectNode = {
    val stats = metadata.allStats
    def total(count: WriteStat => Long): Long = stats.map(count).sum
    node.put("operation", metadata.operation).put("partitions", metadata.stats.size).put("files", stats.size)
      .put("rows", total(_.numWrites)).put("inserts", total(_.numInserts)).put("updates", total(_.numUpdateWrites))
      .put("deletes", total(_.numDeletes)).put("bytes", total(_.fileSizeInBytes))
      .put("replaced", metadata.replaced.values.map(_.size).sum)
  }

  private def file(base: BaseFile, footer: BaseFileFooter): ObjectNode =
    json.createObjectNode().put("partition", base.partition).put("file_id", base.fileId).put("instant", base.instant)
      .put("rows", footer.rows).put("bytes", base.length).put("min_key", footer.minKey.orNull)
      .put("max_key", footer.maxKey.orNull).put("name", base.name)
}

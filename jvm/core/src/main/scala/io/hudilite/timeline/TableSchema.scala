package io.hudilite.timeline

import io.hudilite.error.CorruptTable
import io.hudilite.storage.{Cached, FileInfo, WeightedCache}

import java.nio.charset.StandardCharsets.UTF_8

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode

import scala.collection.JavaConverters._

/** The columns of a table as a commit recorded them.
  *
  * @param avroJson
  *   Avro schema without meta columns
  * @param byId
  *   these columns with their ids, where Hudi's schema-on-read has changed the table
  */
final case class TableSchema(avroJson: String, byId: Option[String] = None)

/** Source of the table's schema: the extra metadata of its commits. */
object TableSchema {

  // Table services copy the schema that they found when they were planned. A newer one of a write outranks theirs.
  private val Services = Set("CLUSTER", "COMPACT", "INDEX", "LOG_COMPACT")

  private val mapper = new ObjectMapper()

  /** First schema of a write in `newestFirst`, else the first of a table service. Stops at the first hit. A commit
    * without ids ends the changes by schema-on-read before it: Hudi's readers and writers then go by names as well.
    */
  private[timeline] def newest(newestFirst: Iterator[CommitMetadata]): Option[TableSchema] = {
    var service: Option[TableSchema] = None
    var write: Option[TableSchema] = None
    while (write.isEmpty && newestFirst.hasNext) {
      val commit = newestFirst.next()
      val recorded = commit.schema.map(TableSchema(_, commit.schemaById))
      if (Services(commit.operation)) service = service.orElse(recorded) else write = recorded
    }
    write.orElse(service)
  }

  /** The commit with the schema as it is without meta columns. */
  def withPlainSchema(commit: CommitMetadata): CommitMetadata = commit.schema.fold(commit)(recorded =>
    commit.copy(extra = commit.extra.updated(CommitMetadata.SchemaKey, withoutMeta(recorded))))

  /** Some old writers recorded the schema with the meta columns in it. */
  private[timeline] def withoutMeta(avroJson: String): String =
    if (!avroJson.contains("_hoodie_")) avroJson
    else mapper.readTree(avroJson) match {
      case root: ObjectNode if root.path("fields").isArray =>
        val kept = root.get("fields").elements.asScala.filterNot(f => MetaColumns(f.path("name").asText)).toList
        root.putArray("fields").addAll(kept.asJava)
        mapper.writeValueAsString(root)
      case _ => avroJson
    }

  private val MetaColumns = Set("_hoodie_commit_time", "_hoodie_commit_seqno", "_hoodie_record_key",
    "_hoodie_partition_path", "_hoodie_file_name", "_hoodie_operation")
}

/** The files `.hoodie/.schema/<instant>.schemacommit`, each with all versions of the table's columns up to the write of
  * that instant (docs/format.md#columns-by-id). Every write adds one; the newest of a committed write counts.
  */
final class SchemaFiles(store: TimelineStore) {

  private val storage = store.storage
  private val layout = store.config.layout
  private val folder = s"${store.basePath.stripSuffix("/")}/.hoodie/.schema"

  /** False where no write has recorded any. */
  def exist: Boolean = files.nonEmpty

  /** The history as the newest committed write left it; `None` when there is none. */
  def newest(timeline: Timeline): Option[String] =
    InstantFileName.instants(files, layout, store.config.zone)
      .filter(i => i.isCompleted && i.action == Action.SchemaCommit && timeline.isCommitted(i.time))
      .lastOption.map(i => read(s"$folder/${i.fileName}"))

  private def read(path: String): String = SchemaFiles.cache.of(storage).get(path).getOrElse {
    val bytes = storage.read(path).getOrElse(throw CorruptTable("CORRUPT_FILE", "path" -> path,
        "reason" -> "it was listed, but is gone"))
    val text = new String(bytes, UTF_8)
    SchemaFiles.cache.of(storage).put(path, text, text.length.toLong)
    text
  }

  /** Records the history as of a write that is about to complete. Nobody looks at the file before that. */
  def record(instant: String, history: String): Unit = {
    val done = InstantFileName.completed(instant, Action.SchemaCommit,
      InstantTime.after(instant, store.clock), layout)
    create(InstantFileName.requested(instant, Action.SchemaCommit, layout), "")
    create(InstantFileName.inflight(instant, Action.SchemaCommit, layout), "")
    create(done, history)
  }

  private def create(name: String, content: String): Unit =
    storage.replace(s"$folder/$name", content.getBytes(UTF_8))

  /** Removes the record of a write that is taken back. */
  def delete(instant: String): Unit =
    files.filter(f => InstantFileName.parse(f.name).exists(_.time == instant)).foreach(f => storage.delete(f.path))

  private def files: Seq[FileInfo] = storage.list(folder)
}

private object SchemaFiles {

  private val MaxCharacters = 8L << 20

  private val cache = new Cached(new WeightedCache[String, String](MaxCharacters))
}

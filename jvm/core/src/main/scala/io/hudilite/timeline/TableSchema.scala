package io.hudilite.timeline

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

package io.hudilite.timeline

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode

import scala.collection.JavaConverters._

/** Where the table's schema comes from: `schema` in the extra metadata of its commits. */
private[timeline] object TableSchema {

  // Table services copy the schema that they found when they were planned, so a newer one of a write outranks theirs.
  private val Services = Set("CLUSTER", "COMPACT", "INDEX", "LOG_COMPACT")

  private val mapper = new ObjectMapper()

  /** First schema of a write in `newestFirst`, else the first of a table service. Stops at the first hit. */
  def newest(newestFirst: Iterator[CommitMetadata]): Option[String] = {
    var service: Option[String] = None
    var write: Option[String] = None
    while (write.isEmpty && newestFirst.hasNext) {
      val commit = newestFirst.next()
      if (Services(commit.operation)) service = service.orElse(commit.schema) else write = commit.schema
    }
    write.orElse(service)
  }

  /** The commit with the schema as it is without meta columns. */
  def withPlainSchema(commit: CommitMetadata): CommitMetadata = commit.schema.fold(commit)(recorded =>
    commit.copy(extra = commit.extra.updated(CommitMetadata.SchemaKey, withoutMeta(recorded))))

  /** Some old writers recorded the schema with the meta columns in it. */
  def withoutMeta(avroJson: String): String =
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

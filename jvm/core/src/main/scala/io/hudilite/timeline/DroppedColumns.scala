package io.hudilite.timeline

import io.hudilite.config.TableConfig

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode

import scala.collection.JavaConverters._

/** The partition columns of a table whose files do not hold them: most commits leave them out of the schema, too
  * (docs/format.md#dropped-partition-columns).
  */
private[hudilite] object DroppedColumns {

  private val mapper = new ObjectMapper()

  /** The schema with these columns behind the others. They have the types that the table was created with, else those
    * that a commit recorded, else they are texts.
    */
  def added(config: TableConfig, schema: TableSchema): TableSchema =
    if (config.droppedColumns.isEmpty) schema
    else {
      val told = fieldsOf(schema.avroJson) ++ config.createSchema.map(fieldsOf).getOrElse(Map.empty)
      schema.copy(avroJson = fields(config, schema.avroJson)(
        _ ++ config.droppedColumns.map(n => told.getOrElse(n, text(n)))))
    }

  /** The Avro schema without these columns: that of files and commits. */
  def without(config: TableConfig, avroJson: String): String =
    if (config.droppedColumns.isEmpty) avroJson else fields(config, avroJson)(identity)

  /** The schema with other fields in the place of those that are no dropped columns. */
  private def fields(config: TableConfig, avroJson: String)(change: Seq[JsonNode] => Seq[JsonNode]): String =
    mapper.readTree(avroJson) match {
      case root: ObjectNode if root.path("fields").isArray =>
        val stored =
          root.get("fields").elements.asScala.filterNot(f => config.droppedColumns.contains(nameOf(f))).toList
        root.putArray("fields").addAll(change(stored).asJava)
        mapper.writeValueAsString(root)
      case _ => avroJson
    }

  private def fieldsOf(avroJson: String): Map[String, JsonNode] =
    mapper.readTree(avroJson).path("fields").elements.asScala.map(field => nameOf(field) -> field).toMap

  private def nameOf(field: JsonNode): String = field.path("name").asText

  private def text(name: String): JsonNode = {
    val field = mapper.createObjectNode().put("name", name)
    field.putArray("type").add("null").add("string")
    field.putNull("default")
  }
}

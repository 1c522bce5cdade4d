package io.hudilite.timeline

import io.hudilite.config.TableConfig

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode

import scala.collection.JavaConverters._

/** The partition columns of a table whose files do not hold them: most commits leave them out of the schema, too
  * (docs/format.md#dropped-partition-columns).
  */
private[timeline] object DroppedColumns {

  private val mapper = new ObjectMapper()

  /** The schema with these columns, behind the others where it lacks them. They have the types that the table was created
    * with, else those that a commit recorded, else they are texts.
    */
  def added(config: TableConfig, schema: TableSchema): TableSchema =
    if (config.droppedColumns.isEmpty) schema
    else mapper.readTree(schema.avroJson) match {
      case root: ObjectNode if root.path("fields").isArray =>
        val declared = config.createSchema.map(fieldsOf).getOrElse(Map.empty)
        val recorded = root.get("fields").elements.asScala.toList
        val typed = recorded.map { field =>
          declared.get(nameOf(field)).filter(_ => config.droppedColumns.contains(nameOf(field))).getOrElse(field)
        }
        val missing = config.droppedColumns.filterNot(recorded.map(nameOf).contains)
        root.putArray("fields").addAll((typed ++ missing.map(n => declared.getOrElse(n, text(n)))).asJava)
        schema.copy(avroJson = mapper.writeValueAsString(root))
      case _ => schema
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

package io.hudilite.schema

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import scala.collection.JavaConverters._

/** The JSON in which Hudi's schema-on-read records versions of a table's columns: pure. */
object SchemaJson {

  private val mapper = new ObjectMapper()

  /** One version; text that is no version raises an `IllegalArgumentException`. */
  def version(json: String): SchemaVersion = version(mapper.readTree(json))

  /** `{"schemas": [...]}`: versions in any order. */
  def history(json: String): SchemaHistory = {
    val versions = items(mapper.readTree(json), "schemas").map(version).sortBy(_.version)
    if (versions.isEmpty) throw new IllegalArgumentException("it lists no schema")
    SchemaHistory(versions)
  }

  private def version(node: JsonNode): SchemaVersion =
    SchemaVersion(member(node, "version_id").asText, record(node))

  private def record(node: JsonNode): ColumnType.Record =
    ColumnType.Record(items(node, "fields").map(f =>
        Column(member(f, "id").asInt, member(f, "name").asText, typeOf(member(f, "type")))))

  private def typeOf(node: JsonNode): ColumnType =
    if (node.isTextual) ColumnType.Atom(node.asText)
    else member(node, "type").asText match {
      case "record" => record(node)
      case "array" => ColumnType.ListOf(typeOf(member(node, "element")))
      case "map" => ColumnType.MapOf(typeOf(member(node, "key")), typeOf(member(node, "value")))
      case other => throw new IllegalArgumentException(s"it has the unknown type '$other'")
    }

  private def member(node: JsonNode, name: String): JsonNode =
    Option(node).flatMap(n => Option(n.get(name))).getOrElse(throw new IllegalArgumentException(s"it lacks '$name'"))

  private def items(node: JsonNode, name: String): Seq[JsonNode] = member(node, name).elements.asScala.toList
}

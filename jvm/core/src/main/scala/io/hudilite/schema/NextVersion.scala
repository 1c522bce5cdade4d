package io.hudilite.schema

import io.hudilite.error.InvalidInput

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.{ArrayNode, ObjectNode}
import org.apache.avro.Schema

import scala.collection.JavaConverters._

/** The next version of columns with ids, for a write that adds columns or widens their types: pure.
  *
  * Other parts of the JSON are kept as they are.
  */
object NextVersion {

  private val mapper = new ObjectMapper()

  /** JSON of the version with all columns of `avroJson`; `None` when the present one has them.
    *
    * @param present
    *   JSON of the present version
    * @param avroJson
    *   the table's columns after the write, without meta columns
    * @param instant
    *   instant of the write
    */
  def of(present: String, avroJson: String, instant: String): Option[String] = mapper.readTree(present) match {
    case root: ObjectNode =>
      val growth = new Growth(lastId(root))
      growth.record(root, AvroColumns.parse(avroJson), Nil)
      if (!growth.changed) None
      else {
        root.put("max_column_id", growth.lastId)
        root.put("version_id", instant.toLong)
        Some(mapper.writeValueAsString(root))
      }
    case _ => throw new IllegalArgumentException("a version of columns is no JSON object")
  }

  /** The history with one more version in it. */
  def history(json: String, next: String): String = mapper.readTree(json) match {
    case root: ObjectNode if root.path("schemas").isArray =>
      root.get("schemas").asInstanceOf[ArrayNode].insert(0, mapper.readTree(next))
      mapper.writeValueAsString(root)
    case _ => throw new IllegalArgumentException("a history of columns lists no schemas")
  }

  private[schema] def lastId(root: ObjectNode): Int = root.path("max_column_id").asInt(greatestId(root))

  private val IdNames = Set("id", "element_id", "key_id", "value_id")

  private def greatestId(node: JsonNode): Int = {
    val own = node.fields.asScala.collect { case e if IdNames(e.getKey) && e.getValue.isInt => e.getValue.asInt }
    (own ++ node.elements.asScala.map(greatestId)).foldLeft(0)(_ max _)
  }

  // Hudi 1.2 writes these types and fails as it reads them back.
  private val Unreadable = Set("local-timestamp-micros", "local-timestamp-millis")

  /** Changes the nodes of one version in place. */
  private[schema] final class Growth(first: Int) {

    var lastId: Int = first
    var changed: Boolean = false

    private def nextId(): Int = {
      lastId += 1
      lastId
    }

    def record(node: ObjectNode, schema: Schema, path: List[String]): Unit = {
      val fields = node.withArray[ArrayNode]("fields")
      val known = fields.elements.asScala.collect { case f: ObjectNode => f }.toList
      val added = schema.getFields.asScala.toList.flatMap { field =>
        val at = field.name :: path
        val (inner, optional) = AvroColumns.nullable(field.schema)
        find(known, field.name) match {
          case Some(column) =>
            relax(column, "optional", optional)
            align(column, "type", inner, at)
            None
          case None =>
            val column = fields.addObject().put("id", nextId()).put("name", field.name).put("optional", optional)
            Some((column, inner, at))
        }
      }
      // As in Hudi, the columns of one level get their ids before those inside of them.
      added.foreach { case (column, inner, at) =>
        changed = true
        column.set[JsonNode]("type", fresh(inner, at))
      }
    }

    private def find(known: Seq[ObjectNode], name: String): Option[ObjectNode] =
      known.find(_.path("name").asText == name).orElse(known.find(_.path("name").asText.equalsIgnoreCase(name)))

    private def relax(node: ObjectNode, key: String, optional: Boolean): Unit =
      if (optional && !node.path(key).asBoolean(true)) {
        node.put(key, true)
        changed = true
      }

    /** Gives `holder`, under `key`, the type of the schema. */
    private def align(holder: ObjectNode, key: String, schema: Schema, path: List[String]): Unit =
      (holder.get(key), schema.getType) match {
        case (node: ObjectNode, Schema.Type.RECORD) => record(node, schema, path)
        case (node: ObjectNode, Schema.Type.ARRAY) => inside(node, "element", schema.getElementType, path)
        case (node: ObjectNode, Schema.Type.MAP) => inside(node, "value", schema.getValueType, path)
        case (node, _) if node != null && node.isTextual =>
          val wanted = AvroColumns.atom(schema)
          if (!AvroColumns.sameType(node.asText, wanted)) {
            holder.put(key, readable(wanted, path))
            changed = true
          }
        case _ => throw new IllegalArgumentException(s"the column ${path.reverse.mkString(".")} changed its kind")
      }

    private def inside(node: ObjectNode, key: String, schema: Schema, path: List[String]): Unit = {
      val (inner, optional) = AvroColumns.nullable(schema)
      relax(node, s"${key}_optional", optional)
      align(node, key, inner, key :: path)
    }

    private def fresh(schema: Schema, path: List[String]): JsonNode = schema.getType match {
      case Schema.Type.RECORD =>
        val node = mapper.createObjectNode().put("type", "record")
        record(node, schema, path)
        node
      case Schema.Type.ARRAY =>
        val (inner, optional) = AvroColumns.nullable(schema.getElementType)
        val node = mapper.createObjectNode().put("type", "array").put("element_id", nextId())
        node.set[ObjectNode]("element", fresh(inner, "element" :: path)).put("element_optional", optional)
      case Schema.Type.MAP =>
        val (inner, optional) = AvroColumns.nullable(schema.getValueType)
        val node = mapper.createObjectNode().put("type", "map").put("key_id", nextId()).put("key", "string")
        node.put("value_id", nextId()).set[ObjectNode]("value", fresh(inner, "value" :: path))
          .put("value_optional", optional)
      case _ => mapper.getNodeFactory.textNode(readable(AvroColumns.atom(schema), path))
    }

    private def readable(name: String, path: List[String]): String =
      if (!Unreadable(name)) name
      else throw InvalidInput("UNSUPPORTED_COLUMN_TYPE", "column" -> path.reverse.mkString("."), "type" -> name,
        "reason" -> "the table keeps its columns by id, and Apache Hudi could no longer read their list")
  }
}

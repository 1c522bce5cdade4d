package io.hudilite.schema

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.{ObjectNode, TextNode}

import scala.collection.JavaConverters._

/** Names of types in versions of columns, for the releases of Apache Hudi that read a table: pure.
  *
  * Releases up to 1.0, which know the table versions below 9, have one name for all decimals. Where they find the newer
  * names, which say how a decimal is stored, they go by the names of columns alone and tell nobody.
  */
object TypeNames {

  private val mapper = new ObjectMapper()
  private val WithStorage = "decimal_(?:bytes|fixed)\\((\\d+), *(\\d+)\\)(?:\\[\\d+\\])?".r

  /** The members of a column, a list and a map that name types. */
  private val Members = Set("type", "element", "key", "value")

  /** A version or a history of columns with names that each release has that reads tables of this version. */
  def forTable(json: String, tableVersion: Int): String =
    if (tableVersion >= 9 || !json.contains("decimal_")) json
    else {
      val root = mapper.readTree(json)
      spell(root)
      mapper.writeValueAsString(root)
    }

  private def spell(node: JsonNode): Unit = {
    node match {
      case holder: ObjectNode =>
        val names = holder.fields.asScala.collect {
          case e if Members(e.getKey) && e.getValue.isTextual => e.getKey -> plain(e.getValue.asText)
        }.toList
        names.foreach { case (member, name) => holder.set[JsonNode](member, TextNode.valueOf(name)) }
      case _ =>
    }
    node.elements.asScala.foreach(spell)
  }

  private def plain(name: String): String = name match {
    case WithStorage(digits, scale) => s"decimal($digits, $scale)"
    case other => other
  }
}

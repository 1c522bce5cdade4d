package io.hudilite.metadata

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import scala.collection.JavaConverters._

/** A definition of an index in a table's `.hoodie/.index_defs/index.json`.
  *
  * @param version
  *   `None` where none is written, as before Hudi 1.1
  * @param isPartitioned
  *   a record index has file groups of its own for each partition of the table
  */
final case class IndexDefinition(name: String, kind: String, columns: Seq[String], version: Option[String],
    isPartitioned: Boolean)

object IndexDefinitions {

  /** File of the definitions below the table. */
  val Path = ".hoodie/.index_defs/index.json"

  private val Versions = Set("V1", "V2")

  /** The definitions by the names of their partitions. Other bytes end in an `IllegalArgumentException`, or in an error of
    * Jackson's.
    */
  def parse(content: Array[Byte]): Map[String, IndexDefinition] = {
    val all = Option(new ObjectMapper().readTree(content)).flatMap(n => Option(n.get("indexDefinitions")))
      .getOrElse(throw new IllegalArgumentException("it has no indexDefinitions"))
    all.fields().asScala.map(e => e.getKey -> definition(e.getKey, e.getValue)).toMap
  }

  private def definition(name: String, node: JsonNode): IndexDefinition = IndexDefinition(name,
    text(node, "indexType").getOrElse(""),
    Option(node.get("sourceFields")).toList.flatMap(_.elements().asScala.map(_.asText)), text(node, "version"),
    Option(node.get("indexOptions")).flatMap(text(_, "isPartitioned")).contains("true"))

  private def text(node: JsonNode, field: String): Option[String] =
    Option(node.get(field)).filterNot(_.isNull).map(_.asText)

  /** Why a partition cannot be read by its definition. */
  def unreadable(partition: String, definitions: Map[String, IndexDefinition]): Option[String] =
    definitions.get(partition).flatMap(_.version).filterNot(Versions)
      .map(version => s"the index $partition has the unknown version $version")
}

package io.hudilite.metadata

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode

import scala.collection.JavaConverters._

/** A definition of an index in a table's `.hoodie/.index_defs/index.json`.
  *
  * @param version
  *   `None` where none is written, as before Hudi 1.1
  * @param isPartitioned
  *   a record index has file groups of its own for each partition of the table
  * @param function
  *   name of the function over the column, which an index of an expression has
  */
final case class IndexDefinition(name: String, kind: String, columns: Seq[String], version: Option[String],
    isPartitioned: Boolean, function: String = "", words: Map[String, String] = Map.empty)

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

  /** The file with this definition of the statistics of columns, and all others as they are.
    *
    * @param content
    *   the file as it is; `None` where there is none
    * @param version
    *   of the table
    */
  def withColumns(content: Option[Array[Byte]], columns: Seq[String], version: Int): Array[Byte] = {
    val (root, all) = tree(content)
    val name = MetadataPartition.ColumnStats.name
    val node = all.putObject(name)
    Seq("indexName", "indexType", "indexFunction").foreach(node.put(_, name))
    val fields = node.putArray("sourceFields")
    columns.foreach(fields.add)
    node.putObject("indexOptions")
    node.put("version", if (version < MetadataShape.TypedStatistics) "V1" else "V2")
    Writer.writeValueAsBytes(root)
  }

  /** The file with the definition of this index of an expression, and all others as they are.
    *
    * @param function
    *   Apache Hudi's name of it
    */
  def withExpression(content: Option[Array[Byte]], index: ExpressionIndex, function: String,
      words: Map[String, String], version: Int): Array[Byte] = {
    val (root, all) = tree(content)
    val node = all.putObject(index.partition.name)
    node.put("indexName", index.partition.name)
    node.put("indexType", index.kind)
    node.put("indexFunction", function)
    node.putArray("sourceFields").add(index.column)
    val said = node.putObject("indexOptions")
    words.toSeq.sorted.foreach { case (name, value) => said.put(name, value) }
    node.put("version", if (version < MetadataShape.TypedStatistics) "V1" else "V2")
    Writer.writeValueAsBytes(root)
  }

  /** The file with this definition of the record index, and all others as they are. */
  def withKeys(content: Option[Array[Byte]], isPartitioned: Boolean): Array[Byte] = {
    val (root, all) = tree(content)
    val name = MetadataPartition.RecordIndex.name
    val node = all.putObject(name)
    Seq("indexName", "indexType").foreach(node.put(_, name))
    node.put("indexFunction", "")
    node.putArray("sourceFields")
    node.putObject("indexOptions").put("isPartitioned", isPartitioned.toString)
    node.put("version", "V1")
    Writer.writeValueAsBytes(root)
  }

  /** The file with the definition of this secondary index, and all others as they are.
    *
    * @param version
    *   of the table
    */
  def withValues(content: Option[Array[Byte]], partition: String, column: String, version: Int): Array[Byte] = {
    val (root, all) = tree(content)
    val node = all.putObject(partition)
    node.put("indexName", partition)
    node.put("indexType", SecondaryIndex.Kind)
    node.put("indexFunction", SecondaryIndex.Identity)
    node.putArray("sourceFields").add(column)
    node.putObject("indexOptions")
    node.put("version", SecondaryIndex.version(version))
    Writer.writeValueAsBytes(root)
  }

  /** The file without the definitions of these partitions. */
  def without(content: Array[Byte], partitions: Seq[String]): Array[Byte] = {
    val (root, all) = tree(Some(content))
    all.remove(partitions.asJavaCollection)
    Writer.writeValueAsBytes(root)
  }

  private val Writer = new ObjectMapper().writerWithDefaultPrettyPrinter

  // A file that does not parse is written anew: nobody can tell what it says.
  private def tree(content: Option[Array[Byte]]): (ObjectNode, ObjectNode) = {
    def parsed(bytes: Array[Byte]): Option[ObjectNode] =
      try Some(new ObjectMapper().readTree(bytes)).collect { case of: ObjectNode => of }
      catch { case _: JsonProcessingException => None }
    val root = content.flatMap(parsed).getOrElse(new ObjectMapper().createObjectNode())
    val all = Option(root.get("indexDefinitions")).collect { case of: ObjectNode => of }
      .getOrElse(root.putObject("indexDefinitions"))
    root -> all
  }

  private def definition(name: String, node: JsonNode): IndexDefinition = IndexDefinition(name,
    text(node, "indexType").getOrElse(""),
    Option(node.get("sourceFields")).toList.flatMap(_.elements().asScala.map(_.asText)), text(node, "version"),
    Option(node.get("indexOptions")).flatMap(text(_, "isPartitioned")).contains("true"),
    text(node, "indexFunction").getOrElse(""),
    Option(node.get("indexOptions")).fold(Map.empty[String, String])(options =>
      options.fields().asScala.map(e => e.getKey -> e.getValue.asText).toMap))

  private def text(node: JsonNode, field: String): Option[String] =
    Option(node.get(field)).filterNot(_.isNull).map(_.asText)

  /** Why a partition cannot be read by its definition. */
  def unreadable(partition: String, definitions: Map[String, IndexDefinition]): Option[String] =
    definitions.get(partition).flatMap(_.version).filterNot(Versions)
      .map(version => s"the index $partition has the unknown version $version")
}

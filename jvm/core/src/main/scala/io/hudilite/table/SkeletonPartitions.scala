package io.hudilite.table

import io.hudilite.config.TableConfig
import io.hudilite.error.UnsupportedTable
import io.hudilite.filegroup.BootstrapIndex
import io.hudilite.record.{FolderValues, KeyEncoding, PartitionPaths}
import io.hudilite.timeline.TableSchema

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import java.time.LocalDate
import java.time.format.DateTimeParseException

import scala.collection.JavaConverters._

/** Partitions whose rows lie in files that were there before the table: the next base file of a skeleton takes their
  * values from the path, and the rows of writes must come to the same path (docs/format.md#bootstrapped-tables).
  */
object SkeletonPartitions {

  private val mapper = new ObjectMapper()

  /** Raises `UnsupportedTable` with the first partition that is not as a write needs it.
    *
    * @param isSpelled
    *   the paths must be those that the table gives to these values
    */
  private[table] def check(table: Table, schema: Option[TableSchema], isSpelled: Boolean): Unit = {
    val fields = table.config.partitionFields
    lazy val types = schema.fold(Map.empty[String, JsonNode])(known => typesOf(known.avroJson))
    val there =
      if (table.config.isBootstrapped) new BootstrapIndex(table.storage, table.basePath).partitions
      else Set.empty[String]
    there.toSeq.sorted.foreach { path =>
      flaw(table.config, path, fields, types, isSpelled).foreach(reason =>
        throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath,
          "feature" -> s"bootstrapped files in the partition '$path'", "reason" -> reason,
          "way" -> "Write its rows to a new table, as hudilite.convert does"))
    }
  }

  /** The first of these partitions of a table to come that writes could not go on with, and why.
    *
    * @param schemaJson
    *   Avro schema of the table
    */
  def flawed(config: TableConfig, schemaJson: String, paths: Seq[String]): Option[(String, String)] = {
    val types = typesOf(schemaJson)
    paths.iterator.flatMap(path =>
      flaw(config, path, config.partitionFields, types, isSpelled = true).map(path -> _)).take(1).toList.headOption
  }

  private def flaw(config: TableConfig, path: String, fields: Seq[String], types: => Map[String, JsonNode],
      isSpelled: Boolean): Option[String] =
    if (fields.isEmpty) if (path.isEmpty || !isSpelled) None else Some("new rows would come to none")
    else {
      val texts = FolderValues.ofSource(path, fields, config.urlEncode)
      val untold = fields.indices.find(i => !texts.exists(of => of(i).forall(isValue(_, types.get(fields(i))))))
      untold.map(i => s"its path does not tell the value of the column ${fields(i)}")
        .orElse(if (isSpelled) texts.flatMap(misspelt(config, path, fields, _)) else None)
    }

  private def misspelt(config: TableConfig, path: String, fields: Seq[String], texts: Seq[Option[String]])
      : Option[String] = {
    val timed = PartitionPaths.of(config).fields.find(_.timed)
    val other = KeyEncoding.partitionPath(fields.toIndexedSeq, texts.map(_.orNull).toArray, config.hiveStyle,
      config.urlEncode)
    timed.map(field => s"a time of the column ${field.name} would be formatted")
      .orElse(if (other == path) None else Some(s"new rows with its values would come to the partition '$other'"))
  }

  /** The text is how a value of the type is spelled. */
  private def isValue(text: String, of: Option[JsonNode]): Boolean = of.exists { dataType =>
    val logical = dataType.path("logicalType").asText("")
    (if (dataType.isTextual) dataType.asText else dataType.path("type").asText) match {
      case "string" => text.nonEmpty && logical.isEmpty
      case "boolean" => text == "true" || text == "false"
      case "int" if logical == "date" => isDay(text)
      case "int" | "long" if logical.isEmpty => isNumber(text)
      case _ => false
    }
  }

  private def isNumber(text: String): Boolean =
    try text.toLong.toString == text
    catch { case _: NumberFormatException => false }

  private def isDay(text: String): Boolean =
    try LocalDate.parse(text).toString == text
    catch { case _: DateTimeParseException => false }

  /** Types of the columns, without null. */
  private def typesOf(schemaJson: String): Map[String, JsonNode] =
    mapper.readTree(schemaJson).path("fields").elements.asScala.map { field =>
      val dataType = field.path("type")
      val some = if (dataType.isArray) dataType.elements.asScala.find(_.asText("") != "null") else None
      field.path("name").asText -> some.getOrElse(dataType)
    }.toMap
}

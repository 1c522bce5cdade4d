package io.hudilite.spark

import io.hudilite.Folders

import java.nio.file.{Files, Paths}

import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.types._

import scala.collection.JavaConverters._

/** Rows as texts in one spelling, to compare what is read with what Apache Hudi read. */
object GoldenAnswers {

  private val mapper = new ObjectMapper()
  private val NotCompared = Set("_hoodie_commit_time", "_hoodie_commit_seqno", "_hoodie_file_name")

  /** Rows of a table's snapshot as Hudi read them. */
  def snapshot(name: String): Seq[String] = by(name, "snapshot")(identity)

  /** Rows of an answer that Hudi gave, each changed before it is spelled. */
  def by(name: String, answer: String)(change: JsonNode => JsonNode): Seq[String] =
    GoldenTables.rows(name, answer).getOrElse(throw new IllegalStateException(s"no $answer of $name"))
      .map(row => text(change(row))).sorted.toList

  /** The rows of a frame over a hudilite table, with their key and partition path. */
  def of(frame: DataFrame): Seq[String] = {
    val meta = Seq("_hoodie_record_key", "_hoodie_partition_path").map(frame.col)
    val all = frame.select(meta ++ frame.columns.filterNot(NotCompared).map(frame.col): _*)
    all.collect().map(row => text(json(row, all.schema))).sorted.toList
  }

  /** A copy of a golden table that may be changed. */
  def copy(name: String): String = Folders.copy(Paths.get(GoldenTables.table(name)),
    Files.createTempDirectory("hudilite-golden-copy").resolve("table")).toString

  private def text(node: JsonNode): String = mapper.writeValueAsString(sorted(node))

  // One order of fields, inside of others too, so that equal rows are equal texts.
  private def sorted(node: JsonNode): JsonNode =
    if (node.isObject) {
      val fields = node.fields.asScala.map(e => e.getKey -> e.getValue).toList.sortBy(_._1)
      fields.foldLeft(mapper.createObjectNode()) { case (to, (name, inner)) => to.set[ObjectNode](name, sorted(inner)) }
    } else if (node.isArray) mapper.createArrayNode().addAll(node.elements.asScala.map(sorted).toList.asJava)
    else node

  private def json(row: Row, schema: StructType): ObjectNode = {
    val node = mapper.createObjectNode()
    schema.fields.zipWithIndex.foreach { case (field, i) =>
      node.set[JsonNode](field.name, value(row.get(i), field.dataType))
    }
    node
  }

  private def value(v: Any, dataType: DataType): JsonNode = (v, dataType) match {
    case (null, _) => mapper.getNodeFactory.nullNode
    case (r: Row, s: StructType) => json(r, s)
    case (n: Number, _: IntegerType | _: LongType) => mapper.readTree(n.toString)
    case (n: java.lang.Float, _) => mapper.readTree(n.toDouble.toString)
    case (n: java.lang.Double, _) => mapper.readTree(n.toString)
    case (b: java.lang.Boolean, _) => mapper.getNodeFactory.booleanNode(b)
    case (items: scala.collection.Seq[_], array: ArrayType) =>
      mapper.createArrayNode().addAll(items.map(value(_, array.elementType)).asJava)
    case (entries: scala.collection.Map[_, _], map: MapType) =>
      val node = mapper.createObjectNode()
      entries.toSeq.sortBy(_._1.toString).foreach { case (k, v) =>
        node.set[JsonNode](k.toString, value(v, map.valueType))
      }
      node
    case (bytes: Array[Byte], _) => mapper.getNodeFactory.textNode(bytes.map(b => f"$b%02x").mkString)
    case (time: java.sql.Timestamp, _) => mapper.getNodeFactory.textNode(time.toLocalDateTime.toString)
    case (other, _) => mapper.getNodeFactory.textNode(other.toString)
  }
}

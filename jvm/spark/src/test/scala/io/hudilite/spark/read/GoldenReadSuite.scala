package io.hudilite.spark.read

import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import io.hudilite.record.KeyEncoding
import io.hudilite.spark.{GoldenTables, SharedSession}
import munit.FunSuite
import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

import scala.collection.JavaConverters._

/** Tables that Apache Hudi wrote, row for row against what Hudi itself read back. */
class GoldenReadSuite extends FunSuite {

  private val spark = SharedSession.spark
  private val mapper = new ObjectMapper()
  private val NotCompared = Set("_hoodie_commit_time", "_hoodie_commit_seqno", "_hoodie_file_name")

  for (name <- GoldenTables.names) {
    test(s"$name: a snapshot holds the rows that Hudi reads")(check(name, "snapshot", Map.empty))
    if (GoldenTables.rows(name, "incremental").isDefined)
      test(s"$name: an incremental read holds the rows that Hudi reads")(check(name, "incremental", sinceFirst(name)))
    if (GoldenTables.isMergeOnRead(name))
      test(s"$name: its base files hold the rows that Hudi reads from them")(
        check(name, "read_optimized", Map("hoodie.datasource.query.type" -> "read_optimized")))
  }

  private def sinceFirst(name: String): Map[String, String] = Map(
    "hoodie.datasource.query.type" -> "incremental",
    "hoodie.datasource.read.begin.instanttime" -> GoldenTables.facts(name).get("incremental_begin").asText)

  for (vectorized <- Seq(true, false); columnar <- Seq(true, false))
    test(s"rows are the same with vectorized=$vectorized and generated code=$columnar") {
      withConf("spark.sql.parquet.enableVectorizedReader" -> vectorized.toString,
        "spark.sql.codegen.wholeStage" -> columnar.toString) {
        val merged = GoldenTables.names.filter(_.startsWith("mor-"))
        for (name <- Seq("cow-basic-v9", "cow-complex-key-v6", "cdc-v8") ++ merged) {
          check(name, "snapshot", Map.empty)
          if (GoldenTables.rows(name, "incremental").isDefined) check(name, "incremental", sinceFirst(name))
        }
      }
    }

  private def withConf(settings: (String, String)*)(body: => Unit): Unit = {
    settings.foreach { case (key, value) => spark.conf.set(key, value) }
    try body
    finally settings.foreach { case (key, _) => spark.conf.unset(key) }
  }

  private def check(name: String, answer: String, options: Map[String, String]): Unit = {
    val expected = GoldenTables.rows(name, answer).getOrElse(fail(s"no $answer of $name"))
    val frame = spark.read.format("hudilite").options(options).load(GoldenTables.table(name))
    val meta = Seq("_hoodie_record_key", "_hoodie_partition_path").map(frame.col)
    val all = frame.select(meta ++ frame.columns.filterNot(NotCompared).map(frame.col): _*)
    val actual = all.collect().map(row => text(json(row, all.schema))).sorted.toList
    assertEquals(actual, expected.map(row => text(if (answer == "incremental") decoded(row) else row)).sorted.toList)
  }

  // Hudi's incremental reads show the directory name of a partition instead of the value in the file where the two
  // differ; its own snapshots, and we, show the value.
  private def decoded(row: JsonNode): JsonNode = {
    val copy = row.deepCopy[ObjectNode]()
    Option(copy.get("city")).filter(_.isTextual).foreach(city => copy.put("city", KeyEncoding.unescape(city.asText)))
    copy
  }

  // One order of fields, so that equal rows are equal texts.
  private def text(node: JsonNode): String = {
    val sorted = new java.util.TreeMap[String, JsonNode]()
    node.fields.asScala.foreach(e => sorted.put(e.getKey, e.getValue))
    mapper.writeValueAsString(sorted)
  }

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
    case (bytes: Array[Byte], _) => mapper.getNodeFactory.textNode(bytes.map(b => f"$b%02x").mkString)
    case (t: java.sql.Timestamp, _) => mapper.getNodeFactory.textNode(t.toLocalDateTime.toString)
    case (m: scala.collection.Map[_, _], t: MapType) =>
      val node = mapper.createObjectNode()
      m.toSeq.map(e => e._1.toString -> e._2).sortBy(_._1).foreach { case (k, item) =>
        node.set[JsonNode](k, value(item, t.valueType))
      }
      node
    case (items: scala.collection.Seq[_], t: ArrayType) =>
      val node = mapper.createArrayNode()
      items.foreach(item => node.add(value(item, t.elementType)))
      node
    case (other, _) => mapper.getNodeFactory.textNode(other.toString)
  }
}

package io.hudilite.spark.read

import io.hudilite.record.KeyEncoding
import io.hudilite.spark.{GoldenAnswers, GoldenTables, SharedSession}

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import io.hudilite.spark.SharedSession.{Compiling, withConf}
import munit.FunSuite

/** Tables that Apache Hudi wrote, row for row against what Hudi itself read back. */
class GoldenReadSuite extends FunSuite {

  private val spark = SharedSession.spark

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
        Compiling, "spark.sql.codegen.wholeStage" -> columnar.toString) {
        val merged = GoldenTables.names.filter(_.startsWith("mor-"))
        for (name <- Seq("cow-basic-v9", "cow-complex-key-v6", "cdc-v8") ++ merged) {
          check(name, "snapshot", Map.empty)
          if (GoldenTables.rows(name, "incremental").isDefined) check(name, "incremental", sinceFirst(name))
        }
      }
    }

  private def check(name: String, answer: String, options: Map[String, String]): Unit = {
    val frame = spark.read.format("hudilite").options(options).load(GoldenTables.table(name))
    val expected = GoldenAnswers.by(name, answer)(row => if (answer == "incremental") decoded(row) else row)
    assertEquals(GoldenAnswers.of(frame), expected)
  }

  // Hudi's incremental reads show the directory name of a partition instead of the value in the file where the two
  // differ; its own snapshots, and we, show the value.
  private def decoded(row: JsonNode): JsonNode = {
    val copy = row.deepCopy[ObjectNode]()
    Option(copy.get("city")).filter(_.isTextual).foreach(city => copy.put("city", KeyEncoding.unescape(city.asText)))
    copy
  }
}

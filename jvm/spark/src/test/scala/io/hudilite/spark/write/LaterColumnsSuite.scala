package io.hudilite.spark.write

import io.hudilite.config.TableDefinition
import io.hudilite.service.cluster.ClusteringCall
import io.hudilite.spark.{Interpreted, NewestSpark, SharedSession, StatedSchema}
import io.hudilite.spark.procedure.{ClusteringRun, CompactionRun, ServiceCall}
import io.hudilite.spark.read.HandmadeTable
import io.hudilite.spark.row.SchemaConversion

import java.nio.file.Files

import com.fasterxml.jackson.core.JsonParser
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.types.StructType

import munit.FunSuite

import scala.collection.JavaConverters._
import scala.concurrent.duration.{Duration, DurationInt}

/** Columns that are not nullable in a schema which came after some files and log blocks, as streamers state them: with a
  * default, or with none. Rows from before have no value of theirs, so it is null, in each file and after each write.
  */
class LaterColumnsSuite extends FunSuite with Interpreted {

  override val munitTimeout: Duration = 10.minutes

  private lazy val spark = SharedSession.spark

  private val before =
    "named_struct('a', 1) AS n, array(named_struct('a', 1)) AS l, map('k', named_struct('a', 1)) AS m"
  private val more = "named_struct('a', 1, 'b', 2)"
  private val after =
    s"$more AS n, array($more) AS l, map('k', $more) AS m, 3 AS c, 'given' AS s, 2.5D AS d, true AS o, " +
      "4L AS q, array(1) AS li, named_struct('x', 1) AS st, CAST(1.5 AS DECIMAL(9,2)) AS de, DATE'2026-01-01' AS da"

  /** Fields that only a later schema has, at whatever depth, with the defaults that it gives them. */
  private val defaults =
    Map("b" -> "7", "c" -> "5", "s" -> "'dflt'", "d" -> "1.5", "o" -> "true", "li" -> "[]", "da" -> "3",
      "q" -> "", "st" -> "", "de" -> "")

  private val mapper = new ObjectMapper().enable(JsonParser.Feature.ALLOW_SINGLE_QUOTES)

  /** As if the newest commit had come from a schema that requires what it brought. */
  private def require(path: String): Unit = StatedSchema.change(path) { stated =>
    val schema = mapper.readTree(stated)
    assertEquals(required(schema), 3 + defaults.size - 1)
    mapper.writeValueAsString(schema)
  }

  /** Changes the fields below, and tells their number. */
  private def required(node: JsonNode): Int = {
    val own = node match {
      case field: ObjectNode if defaults.contains(field.path("name").asText) && field.path("type").isArray =>
        field.set[JsonNode]("type", field.get("type").get(1))
        field.remove("default")
        Some(defaults(field.get("name").asText)).filter(_.nonEmpty)
          .foreach(default => field.set[JsonNode]("default", mapper.readTree(default)))
        1
      case _ => 0
    }
    own + node.elements.asScala.map(required).sum
  }

  private def read(path: String): DataFrame = spark.read.format("hudilite").load(path)

  private def save(path: String, ids: Seq[Int], columns: String, options: Map[String, String] = Map.empty): Unit =
    spark.sql(s"SELECT concat('k', i) AS id, concat('p', i % 2) AS p, $columns FROM VALUES " +
      s"${ids.map(id => s"($id)").mkString(", ")} AS t(i)")
      .write.format("hudilite").options(options).mode("append").save(path)

  private val values =
    Seq("id", "to_json(n)", "to_json(l)", "to_json(m)", "c", "s", "d", "o", "q", "li", "st", "de", "da")
  private val lacking = "{\"a\":1},[{\"a\":1}],{\"k\":{\"a\":1}},null,null,null,null,null,null,null,null,null]"
  private val whole = "{\"a\":1,\"b\":2},[{\"a\":1,\"b\":2}],{\"k\":{\"a\":1,\"b\":2}},3,given,2.5,true,4," +
    "ArrayBuffer(1),[1],1.50,2026-01-01]"

  private val lacks = Seq("c IS NULL", "NOT (c <=> 3)", "s IS NULL", "coalesce(d, 9.0D) = 9.0D", "o IS NULL",
    "q IS NULL",
    "n.b IS NULL", "l[0].b IS NULL", "m['k'].b IS NULL", "li IS NULL", "st IS NULL", "de IS NULL", "da IS NULL")
  private val finds =
    Seq("c = 3", "c > 0", "s = 'given'", "n.b = 2", "q IN (4, 5)", "c IS NOT NULL", "da > DATE'2020-01-01'")
  private val nothing =
    Seq("c = 5", "c = 0", "s = 'dflt'", "s = ''", "n.b = 7", "n.b = 0", "d = 1.5D", "o = false", "q = 0",
      "q < 4", "da < DATE'2000-01-01'")

  private def checkRows(path: String, old: Seq[Int], grown: Seq[Int]): Unit = {
    val rows = (old.map(id => s"[k$id,$lacking") ++ grown.map(id => s"[k$id,$whole")).sorted
    for (vectorized <- Seq("true", "false"))
      SharedSession.withConf("spark.sql.parquet.enableVectorizedReader" -> vectorized) {
        val found = read(path).selectExpr(values: _*).collect()
        assertEquals(found.map(_.toString.replaceAll("(Array|Wrapped|Mutable)\\w*\\(", "ArrayBuffer(")).sorted.toSeq,
          rows)
      }
  }

  /** All rows, and what filters and aggregates say of them. */
  private def check(path: String, old: Seq[Int], grown: Seq[Int]): Unit = {
    checkRows(path, old, grown)
    assert(read(path).schema.forall(_.nullable), read(path).schema.treeString)
    def ids(filter: String) =
      read(path).where(filter).select("id").collect().map(_.getString(0).drop(1).toInt).sorted.toSeq
    lacks.foreach(filter => assertEquals(ids(filter), old.sorted, filter))
    finds.foreach(filter => assertEquals(ids(filter), grown.sorted, filter))
    nothing.foreach(filter => assertEquals(ids(filter), Nil, filter))
    assertEquals(read(path).selectExpr("count(c)", "min(c)", "max(q)", "sum(c)", "count(s)",
        "count(1)").head().toString,
      s"[${grown.size},3,4,${grown.size * 3},${grown.size},${old.size + grown.size}]")
  }

  private def checkStated(path: String): Unit = {
    val written = StatedSchema.of(path)
    assertEquals(SchemaConversion.toSpark(written), SchemaConversion.columns(written))
  }

  for ((kind, version) <- Seq("COPY_ON_WRITE" -> 6, "COPY_ON_WRITE" -> 9, "MERGE_ON_READ" -> 6, "MERGE_ON_READ" -> 8,
      "MERGE_ON_READ" -> 9))
    test(NewestSpark.unless(Set(6, 8)(version))(
        s"a column that a later schema requires is null in rows from before, whatever is written: $kind $version")) {
      val path = Files.createTempDirectory("hudilite-later").resolve("table").toString
      val facts = Map("hoodie.datasource.write.recordkey.field" -> "id", "hoodie.table.name" -> "later",
        "hoodie.datasource.write.partitionpath.field" -> "p", "hoodie.datasource.write.precombine.field" -> "ts",
        "hoodie.datasource.write.table.type" -> kind, "hoodie.write.table.version" -> version.toString)
      save(path, 0 to 5, s"1 AS ts, $before", facts)
      save(path, Seq(1), s"1 AS ts, $before")
      save(path, Seq(6), s"2 AS ts, $after")
      require(path)
      check(path, Seq(0, 1, 2, 3, 4, 5), Seq(6))
      save(path, Seq(3), s"2 AS ts, $after")
      checkStated(path)
      checkRows(path, Seq(0, 1, 2, 4, 5), Seq(3, 6))
      spark.sql(s"UPDATE hudilite.`$path` SET ts = 5 WHERE id IN ('k0', 'k6')")
      checkRows(path, Seq(0, 1, 2, 4, 5), Seq(3, 6))
      if (kind == "MERGE_ON_READ") {
        assert(CompactionRun(ServiceCall(spark, path)).start().result().nonEmpty)
        check(path, Seq(0, 1, 2, 4, 5), Seq(3, 6))
      }
    }

  for ((kind, version) <- Seq("COPY_ON_WRITE" -> 9, "MERGE_ON_READ" -> 6))
    test(s"services read and write the rows from before such a column as they are: $kind $version") {
      val path = Files.createTempDirectory("hudilite-later").resolve("table").toString
      val facts = Map("hoodie.datasource.write.recordkey.field" -> "id", "hoodie.table.name" -> "later",
        "hoodie.datasource.write.table.type" -> kind, "hoodie.write.table.version" -> version.toString,
        "hoodie.parquet.small.file.limit" -> "0")
      save(path, 0 to 2, before, facts)
      save(path, Seq(1), before)
      save(path, Seq(6), after, facts + ("hoodie.datasource.write.operation" -> "insert"))
      require(path)
      if (kind == "MERGE_ON_READ") assert(CompactionRun(ServiceCall(spark, path)).start().result().nonEmpty)
      checkRows(path, Seq(0, 1, 2), Seq(6))
      assert(ClusteringRun(ServiceCall(spark, path), ClusteringCall(Some(Seq("c")))).start().result().nonEmpty)
      check(path, Seq(0, 1, 2), Seq(6))
      spark.sql(s"ALTER TABLE hudilite.`$path` ADD COLUMN another INT")
      checkStated(path)
      checkRows(path, Seq(0, 1, 2), Seq(6))
    }

  test("files in which such a column cannot be null are rewritten beside rows that lack it") {
    val table = new HandmadeTable(TableDefinition("later", Seq("id")),
      new StructType().add("id", "string", nullable = false).add("c", "int", nullable = false)
        .add("n", new StructType().add("a", "int").add("b", "int", nullable = false)))
    table.commit("" -> spark.sql("SELECT 'k0' AS id, named_struct('a', 1) AS n UNION ALL SELECT 'k1', NULL"))
    table.commit("" -> spark.range(2, 4).selectExpr("concat('k', id) AS id", "3 AS c",
      "named_struct('a', 1, 'b', 2) AS n"))
    def found = read(table.path).select("id", "c", "n").collect().map(_.toString).sorted.toSeq
    assertEquals(found, Seq("[k0,null,[1,null]]", "[k1,null,null]", "[k2,3,[1,2]]", "[k3,3,[1,2]]"))
    spark.sql(s"UPDATE hudilite.`${table.path}` SET c = NULL WHERE id = 'k2'")
    spark.sql(s"UPDATE hudilite.`${table.path}` SET c = 4 WHERE id = 'k0'")
    assertEquals(found, Seq("[k0,4,[1,null]]", "[k1,null,null]", "[k2,null,[1,2]]", "[k3,3,[1,2]]"))
    assertEquals(read(table.path).where("c IS NULL").count(), 2L)
  }
}

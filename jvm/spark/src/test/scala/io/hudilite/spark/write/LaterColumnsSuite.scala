package io.hudilite.spark.write

import io.hudilite.service.cluster.ClusteringCall
import io.hudilite.spark.{Interpreted, SharedSession, StatedSchema}
import io.hudilite.spark.service.{Clusterings, Compactions}
import io.hudilite.spark.row.SchemaConversion

import java.nio.file.Files
import java.util.Collections

import org.apache.spark.sql.DataFrame

import munit.FunSuite

import scala.concurrent.duration.{Duration, DurationInt}

/** Columns that are not nullable in a schema which came after some files and log blocks, as streamers state them: with a
  * default, or with none. Rows from before have no value of theirs, so it is null, in each file and after each write.
  */
class LaterColumnsSuite extends FunSuite with Interpreted {

  override val munitTimeout: Duration = 10.minutes

  private lazy val spark = SharedSession.spark
  private val none = Collections.emptyMap[String, String]()

  private val before =
    "named_struct('a', 1) AS n, array(named_struct('a', 1)) AS l, map('k', named_struct('a', 1)) AS m"
  private val more = "named_struct('a', 1, 'b', 2)"
  private val after =
    s"$more AS n, array($more) AS l, map('k', $more) AS m, 3 AS c, 'given' AS s, 2.5D AS d, true AS o, " +
      "4L AS q, array(1) AS li, named_struct('x', 1) AS st, CAST(1.5 AS DECIMAL(9,2)) AS de, DATE'2026-01-01' AS da"

  /** As if the newest commit had come from a schema that requires what it brought. */
  private def require(path: String): Unit = StatedSchema.change(path) { stated =>
    val required =
      Seq("b" -> "7", "c" -> "5", "s" -> "\"dflt\"", "d" -> "1.5", "o" -> "true", "li" -> "[]", "da" -> "3")
        .foldLeft(stated) { case (json, (name, default)) => nonNull(json, name, s",\"default\":$default") }
    Seq("q", "st", "de").foldLeft(required)(nonNull(_, _, ""))
  }

  private def nonNull(json: String, name: String, default: String): String = {
    val start = s"\"name\":\"$name\",\"type\":[\"null\","
    val changed = json.split(java.util.regex.Pattern.quote(start), -1)
    assert(changed.length > 1, s"$start in $json")
    changed.tail.foldLeft(changed.head) { (done, rest) =>
      val end = rest.indexOf("],\"default\":null", closing(rest))
      done + s"\"name\":\"$name\",\"type\":" + rest.take(end) + default + rest.drop(end + "],\"default\":null".length)
    }
  }

  /** Where the type that a text begins with ends. */
  private def closing(text: String): Int = {
    val depths = text.scanLeft(0)((depth, c) =>
      if ("[{".contains(c)) depth + 1 else if ("]}".contains(c)) depth - 1 else depth)
    depths.indexWhere(_ < 0) - 1
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

  /** All rows, and what filters and aggregates say of them. */
  private def check(path: String, old: Seq[Int], grown: Seq[Int]): Unit = {
    val rows = (old.map(id => s"[k$id,$lacking") ++ grown.map(id => s"[k$id,$whole")).sorted
    for (vectorized <- Seq("true", "false"))
      SharedSession.withConf("spark.sql.parquet.enableVectorizedReader" -> vectorized) {
        val found = read(path).selectExpr(values: _*).collect()
        assertEquals(found.map(_.toString.replaceAll("(Array|Wrapped|Mutable)\\w*\\(", "ArrayBuffer(")).sorted.toSeq,
          rows)
      }
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

  for ((kind, version) <- Seq("COPY_ON_WRITE" -> 6, "COPY_ON_WRITE" -> 9, "MERGE_ON_READ" -> 6, "MERGE_ON_READ" -> 8,
      "MERGE_ON_READ" -> 9))
    test(s"a column that a later schema requires is null in rows from before, whatever is written: $kind $version") {
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
      val written = StatedSchema.of(path)
      assertEquals(SchemaConversion.toSpark(written), SchemaConversion.columns(written))
      check(path, Seq(0, 1, 2, 4, 5), Seq(3, 6))
      spark.sql(s"UPDATE hudilite.`$path` SET ts = 5 WHERE id IN ('k0', 'k6')")
      check(path, Seq(0, 1, 2, 4, 5), Seq(3, 6))
      if (kind == "MERGE_ON_READ") {
        assert(Compactions.start(spark, path, none, None).result().nonEmpty)
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
      if (kind == "MERGE_ON_READ") assert(Compactions.start(spark, path, none, None).result().nonEmpty)
      check(path, Seq(0, 1, 2), Seq(6))
      assert(Clusterings.start(spark, path, none, None, ClusteringCall(Some(Seq("c")))).result().nonEmpty)
      check(path, Seq(0, 1, 2), Seq(6))
      spark.sql(s"ALTER TABLE hudilite.`$path` ADD COLUMN another INT")
      val written = StatedSchema.of(path)
      assertEquals(SchemaConversion.toSpark(written), SchemaConversion.columns(written))
      check(path, Seq(0, 1, 2), Seq(6))
    }
}

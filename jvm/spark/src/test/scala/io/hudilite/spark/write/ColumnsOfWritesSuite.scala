package io.hudilite.spark.write

import io.hudilite.error.InvalidInput
import io.hudilite.spark.{Interpreted, SharedSession}
import io.hudilite.spark.procedure.{CompactionRun, ServiceCall}

import java.nio.file.Files

import org.apache.spark.sql.DataFrame

import munit.FunSuite

import scala.concurrent.duration.{Duration, DurationInt}

/** How the columns of rows meet those of the table, as the options say. */
final class ColumnsOfWritesSuite extends FunSuite with Interpreted {

  override val munitTimeout: Duration = 5.minutes

  private lazy val spark = SharedSession.spark

  private val facts = Map("hoodie.datasource.write.recordkey.field" -> "id",
    "hoodie.datasource.write.partitionpath.field" -> "p", "hoodie.datasource.write.precombine.field" -> "ts")
  private val fill = "hoodie.write.set.null.for.missing.columns" -> "true"

  private def newTable(kind: String): String = {
    val path = Files.createTempDirectory("hudilite-columns").resolve("table").toString
    row("1 AS id, 1 AS p, 1 AS ts, 1 AS n, named_struct('a', 1, 'b', 'x', 'c', named_struct('d', 1.5D)) AS s")
      .write.format("hudilite").options(facts + ("hoodie.datasource.write.table.type" -> kind)).mode("append").save(
        path)
    path
  }

  private lazy val tables: Seq[String] = Seq("COPY_ON_WRITE", "MERGE_ON_READ").map(newTable)

  private def row(columns: String): DataFrame = spark.sql(s"SELECT $columns")

  private def write(path: String, columns: String, options: (String, String)*): Unit =
    row(columns).write.format("hudilite").options(options.toMap).mode("append").save(path)

  private def found(path: String): Seq[String] =
    spark.read.format("hudilite").load(path).collect().map(_.toString).sorted.toSeq

  private def refused(path: String, condition: String, told: String*)(body: => Any): Unit = {
    val before = found(path)
    val e = intercept[InvalidInput](body)
    assertEquals(e.condition, condition)
    told.foreach(t => assert(e.getMessage.contains(t), s"$t: ${e.getMessage}"))
    assertEquals(found(path), before)
  }

  private val struct = "named_struct('a', 1, 'b', 'x', 'c', named_struct('d', 1.5D)) AS s"

  test("a key, partition or ordering column keeps its type; a narrower value is widened to it") {
    tables.foreach { path =>
      Seq("1L AS id, 1 AS p, 1 AS ts" -> "id", "1 AS id, 1L AS p, 1 AS ts" -> "p", "1 AS id, 1 AS p, 1L AS ts" -> "ts")
        .foreach { case (keys, column) =>
          refused(path, "INCOMPATIBLE_TYPE", s"column $column", "keeps its type")(
            write(path, s"$keys, 1 AS n, $struct"))
        }
      write(path, s"1S AS id, 1Y AS p, 2S AS ts, 1 AS n, $struct")
      assertEquals(found(path).size, 1)
    }
  }

  test("a key or partition column of a type without a text is refused before a table is made") {
    for {
      (value, name) <- Seq("binary('a')" -> "binary", "array(1)" -> "array<int>", "map('a', 1)" -> "map<string,int>",
        "named_struct('a', 1)" -> "struct<a:int>")
      columns <- Seq(s"$value AS id, 1 AS p, 1 AS ts", s"1 AS id, $value AS p, 1 AS ts")
    } {
      val path = Files.createTempDirectory("hudilite-columns").resolve("table")
      val e = intercept[InvalidInput](
        row(columns).write.format("hudilite").options(facts).mode("append").save(path.toString))
      assertEquals(e.condition -> e.parameters("type"), "UNSUPPORTED_COLUMN_TYPE" -> name)
      assert(!Files.exists(path))
    }
  }

  test("a struct without fields is refused before a table is made or a file written, wherever it stands") {
    val empty = "CAST(NULL AS STRUCT<>)"
    for ((value, column) <- Seq(empty -> "e", s"array($empty)" -> "e", s"map('k', $empty)" -> "e",
        s"named_struct('x', 1, 'y', $empty)" -> "e.y", s"array(named_struct('y', $empty))" -> "e.y")) {
      val path = Files.createTempDirectory("hudilite-columns").resolve("table")
      def told(body: => Any): Unit = {
        val e = intercept[InvalidInput](body)
        assertEquals((e.condition, e.parameters("column"), e.parameters("type")),
          ("UNSUPPORTED_COLUMN_TYPE", column, "struct<>"))
      }
      told(write(path.toString, s"1 AS id, 1 AS p, 1 AS ts, $value AS e", facts.toSeq: _*))
      val created = row(s"$value AS e").schema.head.dataType.sql
      told(spark.sql(s"CREATE TABLE hudilite.`$path` (id INT, e $created) TBLPROPERTIES (primaryKey = 'id')"))
      told(spark.sql(s"CREATE TABLE hudilite.`$path` TBLPROPERTIES (primaryKey = 'id') AS SELECT 1 AS id, $value AS e"))
      assert(!Files.exists(path))
      tables.foreach { there =>
        refused(there, "UNSUPPORTED_COLUMN_TYPE", s"column $column ", "struct<>")(
          write(there, s"1 AS id, 1 AS p, 9 AS ts, 1 AS n, $struct, $value AS e"))
        refused(there, "UNSUPPORTED_COLUMN_TYPE", s"column $column ", "struct<>")(
          spark.sql(s"ALTER TABLE hudilite.`$there` ADD COLUMNS (e $created)"))
      }
    }
  }

  test("decimals grow as others come, in files and logs, and narrower ones and whole numbers become theirs") {
    for (kind <- Seq("COPY_ON_WRITE", "MERGE_ON_READ")) {
      val path = Files.createTempDirectory("hudilite-decimals").resolve("table").toString
      def rows(ids: String, number: String): String =
        s"explode(array($ids)) AS id, 1 AS p, 1 AS ts, CAST($number) AS d, named_struct('d', array(CAST($number))) AS s"
      write(path, rows("1, 2, 3", "-1.25 AS DECIMAL(10,2)"),
        (facts + ("hoodie.datasource.write.table.type" -> kind)).toSeq: _*)
      write(path, rows("2", "2.5 AS DECIMAL(10,2)"))
      write(path, rows("3", "1234567890123456.1234 AS DECIMAL(20,4)"))
      write(path, rows("4", "7.5 AS DECIMAL(5,1)"))
      write(path, rows("5", "7 AS INT"))
      val read = spark.read.format("hudilite").load(path)
      assertEquals(read.select("d", "s").schema.map(_.dataType.simpleString),
        Seq("decimal(20,4)", "struct<d:array<decimal(20,4)>>"))
      assertEquals(read.where("d < 8").selectExpr("id", "d", "s.d[0]").collect().map(_.toString).sorted.toSeq,
        Seq("[1,-1.2500,-1.2500]", "[2,2.5000,2.5000]", "[4,7.5000,7.5000]", "[5,7.0000,7.0000]"))
      assertEquals(read.where("d > 8").select("id").head().getInt(0), 3)
      refused(path, "INCOMPATIBLE_TYPE", "column d ", "neither type holds")(write(path,
          rows("6", "1 AS DECIMAL(20,5)")))
    }
  }

  test("without mergeSchema a change of the columns is refused by their names, and rows of the same columns are not") {
    tables.foreach { path =>
      val same = "1 AS id, 1 AS p, 3 AS ts"
      refused(path, "INVALID_OPTION_VALUE", "mergeSchema", "extra (string) is new", "n changes from int to bigint")(
        write(path, s"$same, 1L AS n, $struct, 'e' AS extra", "mergeSchema" -> "false"))
      write(path, s"$same, 3S AS n, $struct", "mergeSchema" -> "false")
      assertEquals(found(path), Seq("[1,1,3,3,[1,x,[1.5]]]"))
    }
  }

  test("columns and fields that the rows lack are null when the write says so, and else name the option") {
    tables.foreach { path =>
      refused(path, "MISSING_COLUMN", "column s ", fill._1)(write(path, "1 AS id, 1 AS p, 4 AS ts, 4 AS n"))
      refused(path, "MISSING_COLUMN", "column ts ")(write(path, "1 AS id, 1 AS p", fill))
      refused(path, "MISSING_COLUMN", "column s.b ", fill._1)(
        write(path, "1 AS id, 1 AS p, 4 AS ts, 4 AS n, named_struct('a', 1) AS s"))
      refused(path, "INCOMPATIBLE_TYPE", "column s.c ")(
        write(path, "1 AS id, 1 AS p, 4 AS ts, 4 AS n, named_struct('a', 1, 'b', 'x', 'c', 2) AS s"))
      write(path, "1 AS id, 1 AS p, 4 AS ts", fill)
      assertEquals(found(path), Seq("[1,1,4,null,null]"))
      write(path, "1 AS id, 1 AS p, 5 AS ts, named_struct('c', named_struct('d', 2.5F), 'a', 5S) AS s", fill)
      assertEquals(found(path), Seq("[1,1,5,null,[5,null,[2.5]]]"))
      write(path, "2 AS id, 1 AS p, 1 AS ts, CAST(NULL AS STRUCT<a: INT>) AS s", fill,
        "hoodie.datasource.write.operation" -> "insert")
      assertEquals(found(path), Seq("[1,1,5,null,[5,null,[2.5]]]", "[2,1,1,null,null]"))
    }
  }

  test("a job from before a column came goes on when it is told to, beside new ones") {
    tables.foreach { path =>
      write(path, s"3 AS id, 1 AS p, 1 AS ts, 1 AS n, $struct, 'new' AS added")
      write(path, s"4 AS id, 1 AS p, 1 AS ts, 1L AS n, $struct", fill)
      write(path, s"3 AS id, 2 AS p, 2 AS ts, 1 AS n, $struct", fill)
      val read = spark.read.format("hudilite").load(path).where("id > 2").select("id", "p", "added", "n")
      assertEquals(read.collect().map(_.toString).sorted.toSeq, Seq("[3,1,new,1]", "[3,2,null,1]", "[4,1,null,1]"))
      assertEquals(read.schema("n").dataType.simpleString, "bigint")
    }
  }

  private val deep = "array(named_struct('x', 1, 'in', named_struct('y', 'y1'))) AS l, " +
    "map('k', named_struct('f', CAST(0.5 AS FLOAT)), 'none', null) AS m, array(map('q', array(7))) AS aa"
  private val deeper =
    "array(named_struct('z', 'new', 'in', named_struct('w', 2, 'y', 'y2'), 'x', 5000000000L), null) AS l, " +
      "map('k', named_struct('f', 1.5D, 'g', array(named_struct('h', 1)))) AS m, array(map('q', array(8L, null))) AS aa"
  private val nested = Seq("to_json(l)", "to_json(m)", "to_json(aa)")

  for (kind <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"))
    test(s"structs in lists, maps and structs get new fields and wider ones, beside old files and logs: $kind") {
      val path = Files.createTempDirectory("hudilite-nested").resolve("table").toString
      val conf = facts + ("hoodie.datasource.write.table.type" -> kind)
      row(s"explode(array(1, 2, 3)) AS id, 1 AS p, 1 AS ts, $deep")
        .write.format("hudilite").options(conf).mode("append").save(path)
      write(path, s"2 AS id, 1 AS p, 2 AS ts, $deep")
      refused(path, "INVALID_OPTION_VALUE", "mergeSchema", "l changes from", "aa changes from")(
        write(path, s"3 AS id, 1 AS p, 3 AS ts, $deeper", "mergeSchema" -> "false"))
      write(path, s"3 AS id, 1 AS p, 3 AS ts, $deeper")
      refused(path, "MISSING_COLUMN", "column l.element.in.w ", fill._1)(
        write(path, "1 AS id, 1 AS p, 4 AS ts, " + deep.replace("'x', 1,", "'x', 1, 'z', 'z',")))
      write(path, s"4 AS id, 1 AS p, 3 AS ts, $deep", fill)
      spark.sql(s"DELETE FROM hudilite.`$path` WHERE m['k'].g[0].h = 2 OR id = 4")
      spark.sql(s"UPDATE hudilite.`$path` SET ts = 9 WHERE l[0].z = 'new'")
      val read = spark.read.format("hudilite").load(path)
      assertEquals(read.select("l", "m", "aa").schema.map(_.dataType.simpleString),
        Seq(
          "array<struct<x:bigint,in:struct<y:string,w:int>,z:string>>",
          "map<string,struct<f:double,g:array<struct<h:int>>>>", "array<map<string,array<bigint>>>"))
      val old = "[{\"x\":1,\"in\":{\"y\":\"y1\"}}],{\"k\":{\"f\":0.5},\"none\":null},[{\"q\":[7]}]]"
      assertEquals(read.selectExpr(Seq("id", "ts") ++ nested: _*).collect().map(_.toString).sorted.toSeq,
        Seq(
          s"[1,1,$old", s"[2,2,$old",
          "[3,9,[{\"x\":5000000000,\"in\":{\"y\":\"y2\",\"w\":2},\"z\":\"new\"},null]," +
            "{\"k\":{\"f\":1.5,\"g\":[{\"h\":1}]}},[{\"q\":[8,null]}]]"))
      assertEquals(read.where("id < 3").selectExpr("id", "to_json(transform(l, e -> e.z))", "m['k'].g", "aa[0]['q'][0]")
          .collect().map(_.toString).sorted.toSeq, Seq("[1,[null],null,7]", "[2,[null],null,7]"))
    }

  private def tenth(ddl: String) =
    s"named_struct('f', CAST(0.1 AS $ddl)) AS s, array(CAST(0.1 AS $ddl), null) AS l, " +
      s"map('k', CAST(0.1 AS $ddl)) AS m, CAST(0.1 AS $ddl) AS f, CAST('NaN' AS $ddl) AS n, " +
      s"CAST('-Infinity' AS $ddl) AS i, CAST('-0.0' AS $ddl) AS z"

  for {
    kind <- Seq("COPY_ON_WRITE", "MERGE_ON_READ")
    version <- Seq("6", "9")
  } test(s"a float becomes the double that is written alike, in old files and logs and in new rows: $kind $version") {
    val path = Files.createTempDirectory("hudilite-floats").resolve("table").toString
    val conf = facts ++ Seq("hoodie.datasource.write.table.type" -> kind, "hoodie.write.table.version" -> version)
    row(s"explode(array(1, 2, 3, 4)) AS id, 1 AS p, 1 AS ts, ${tenth("FLOAT")}")
      .write.format("hudilite").options(conf).mode("append").save(path)
    write(path, s"2 AS id, 1 AS p, 2 AS ts, ${tenth("FLOAT")}")
    write(path, s"3 AS id, 1 AS p, 2 AS ts, ${tenth("DOUBLE")}")
    write(path, s"explode(array(4, 5)) AS id, 1 AS p, 2 AS ts, ${tenth("FLOAT")}")
    write(path, s"6 AS id, 1 AS p, 1 AS ts, ${tenth("FLOAT")}", "hoodie.datasource.write.operation" -> "insert")
    val values = Seq("id", "ts", "s.f", "l[0]", "l[1]", "m['k']", "f", "n", "i", "z")
    def check(): Unit = for (vectorized <- Seq("true", "false"))
      SharedSession.withConf("spark.sql.parquet.enableVectorizedReader" -> vectorized) {
        val rows = spark.read.format("hudilite").load(path).selectExpr(values: _*).collect().map(_.toString)
        assertEquals(rows.sorted.toSeq,
          Seq(1 -> 1, 2 -> 2, 3 -> 2, 4 -> 2, 5 -> 2, 6 -> 1).map { case (id, ts) =>
            s"[$id,$ts,0.1,0.1,null,0.1,0.1,NaN,-Infinity,-0.0]"
          })
      }
    check()
    spark.sql(s"UPDATE hudilite.`$path` SET ts = ts WHERE id = 1") // copy on write reads and writes the others, too
    check()
    if (kind == "MERGE_ON_READ") {
      val compacted = CompactionRun(ServiceCall(spark, path)).start().result()
      assertEquals(compacted.size, 1)
      check()
    }
    spark.sql(s"INSERT INTO hudilite.`$path` SELECT 7, 1, 1, ${tenth("FLOAT")}")
    assertEquals(
      spark.read.format("hudilite").load(path).where("id = 7").select("f").head().getDouble(0),
      0.1f.toDouble, "Spark's own cast, before the rows come to the table")
  }

  test("a key in a struct keeps its type while the struct grows") {
    val path = Files.createTempDirectory("hudilite-nested-key").resolve("table").toString
    row("named_struct('id', 1) AS k, 1 AS v").write.format("hudilite").mode("append")
      .option("hoodie.datasource.write.recordkey.field", "k.id").save(path)
    refused(path, "INCOMPATIBLE_TYPE", "column k.id ", "keeps its type")(write(path,
        "named_struct('id', 1L) AS k, 1 AS v"))
    write(path, "named_struct('id', 1, 'more', 'x') AS k, 2 AS v")
    assertEquals(found(path), Seq("[[1,x],2]"))
  }
}

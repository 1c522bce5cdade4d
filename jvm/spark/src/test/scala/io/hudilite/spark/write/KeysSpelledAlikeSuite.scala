package io.hudilite.spark.write

import io.hudilite.spark.{Interpreted, Raised, SharedSession}

import java.nio.file.Files

import munit.FunSuite
import org.apache.spark.sql.DataFrame

/** Composite keys of different values that Hudi spells alike. */
class KeysSpelledAlikeSuite extends FunSuite with Interpreted {

  private val spark = SharedSession.spark

  private val tables: Seq[Map[String, String]] = Seq(
    Map.empty,
    Map("hoodie.index.type" -> "GLOBAL_SIMPLE"),
    Map("hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> "2",
      "hoodie.datasource.write.table.type" -> "MERGE_ON_READ"))

  private val alike = Seq("'a,code:b', 'c'" -> "'a', 'b,code:c'", "cast(null AS STRING), 'c'" -> "'__null__', 'c'",
    "'c', ''" -> "'c', '__empty__'")

  private def rows(values: String*): DataFrame = spark.sql(values.zipWithIndex.map { case (key, i) => s"($key, $i)" }
      .mkString("SELECT * FROM VALUES ", ", ", " AS t(shop, code, v)"))

  private def write(path: String, frame: DataFrame, options: Map[String, String], operation: String = "upsert"): Unit =
    frame.write.format("hudilite").options(options).option("hoodie.datasource.write.recordkey.field", "shop,code")
      .option("hoodie.datasource.write.operation", operation).mode("append").save(path)

  private def shown(path: String): Seq[String] = spark.read.format("hudilite").load(path).select("shop", "code", "v")
    .collect().map(_.mkString(" ")).sorted.toSeq

  for (options <- tables)
    test(s"two of them in one write are an error by name, of two writes the later one stays, $options") {
      val path = Files.createTempDirectory("hudilite-alike").resolve("t").toString
      write(path, rows("'a', '1'"), options)
      for ((one, other) <- alike) {
        val errors = Seq("upsert", "delete").map(o => Raised.by(write(path, rows(one, other), options, o)))
        assertEquals(errors.map(_.condition), Seq.fill(2)("KEYS_SPELLED_ALIKE"))
        rows(one, other).createOrReplaceTempView("alike")
        val merge = s"MERGE INTO hudilite.`$path` t USING alike s ON t.v = s.v + 100 WHEN NOT MATCHED THEN INSERT *"
        val settings = options.toSeq.map { case (key, value) => s"spark.datasource.hudilite.$key" -> value }
        assertEquals(SharedSession.withConf(settings: _*)(Raised.by(spark.sql(merge)).condition), "KEYS_SPELLED_ALIKE")
      }
      assertEquals(shown(path), Seq("a 1 0"))
      val twice = "'a,code:b', 'c'"
      write(path, rows(twice, twice, "'x:y', 'z'", "'x', 'y:z'"), options)
      assertEquals(shown(path), Seq("a 1 0", "a,code:b c 1", "x y:z 3", "x:y z 2"))
      write(path, rows("'a', 'b,code:c'"), options)
      assertEquals(shown(path), Seq("a 1 0", "a b,code:c 0", "x y:z 3", "x:y z 2"))
    }
}

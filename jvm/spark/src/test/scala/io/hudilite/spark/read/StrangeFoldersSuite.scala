package io.hudilite.spark.read

import io.hudilite.spark.{Interpreted, SharedSession}

import java.nio.file.{Files, Path}

import munit.FunSuite

import scala.concurrent.duration.{Duration, DurationInt}

/** Rows in the folder of another partition than that of their values, as Apache Hudi leaves them there with a global index
  * that does not move rows.
  */
class StrangeFoldersSuite extends FunSuite with Interpreted {

  override val munitTimeout: Duration = 5.minutes

  private lazy val spark = SharedSession.spark

  private val Types: Map[String, (String, String)] = Seq(("string", "'a'", "'b'"),
    ("date", "date'2024-01-01'", "date'2024-01-02'"), ("boolean", "true", "false"), ("int", "1", "2"),
    ("bigint", "1", "2"), ("smallint", "1", "2"), ("tinyint", "1", "2"))
    .map { case (dataType, one, two) => (dataType, (one, two)) }.toMap

  /** A table with the partition column `p`, whose folders are named by values of another column. */
  private def exchanged(dataType: String, more: (String, String)*): String = {
    val (one, two) = Types(dataType)
    val path = Files.createTempDirectory("hudilite-strange").resolve("t").toString
    spark.sql(s"SELECT id, CAST(p AS $dataType) p, v, CAST(q AS $dataType) q FROM VALUES (1, $one, 'x', $two), " +
      s"(2, $one, 'y', $two), (3, $two, 'z', $one) AS t(id, p, v, q)").write.format("hudilite").options(Map(
      "hoodie.datasource.write.recordkey.field" -> "id", "hoodie.datasource.write.partitionpath.field" -> "q") ++ more)
      .mode("append").save(path)
    val properties = Path.of(path, ".hoodie", "hoodie.properties")
    val field = "hoodie.table.partition.fields="
    val text = Files.readString(properties)
    assert(text.contains(s"${field}q"))
    Files.writeString(properties, text.replace(s"${field}q", s"${field}p"))
    Files.deleteIfExists(properties.resolveSibling(".hoodie.properties.crc"))
    spark.sql(s"REFRESH TABLE hudilite.`$path`")
    path
  }

  private def found(path: String, where: String = "true"): Seq[String] =
    spark.sql(s"SELECT id, p, v FROM hudilite.`$path` WHERE $where").collect().map(_.mkString(" ")).sorted.toSeq

  for (dataType <- Types.keys.toSeq.sorted)
    test(s"a row is in the partition that its folder says: $dataType") {
      val path = exchanged(dataType)
      val (one, two) = Types(dataType)
      val (atOne, atTwo) = (spark.sql(s"SELECT string($one)").head().getString(0),
        spark.sql(s"SELECT string($two)").head().getString(0))
      assertEquals(found(path), Seq(s"1 $atTwo x", s"2 $atTwo y", s"3 $atOne z"))
      assertEquals(found(path, s"p = $one"), Seq(s"3 $atOne z"))
      assertEquals(found(path, s"p = $two OR v = 'z'"), found(path))
      assertEquals(found(path, s"p = $two AND v = 'x'"), Seq(s"1 $atTwo x"))
      assertEquals(found(path, s"p IN ($one)"), Seq(s"3 $atOne z"))
      assertEquals(found(path, "p IS NULL"), Nil)
      SharedSession.withConf("spark.sql.parquet.enableVectorizedReader" -> "false") {
        assertEquals(found(path, s"p = $two"), Seq(s"1 $atTwo x", s"2 $atTwo y"))
      }
      spark.sql(s"UPDATE hudilite.`$path` SET v = 'u' WHERE p = $two")
      spark.sql(s"DELETE FROM hudilite.`$path` WHERE p = $one")
      assertEquals(found(path), Seq(s"1 $atTwo u", s"2 $atTwo u"))
    }

  test("aggregates of footers, and rows of logs, go by the folder as well") {
    val path = exchanged("int")
    val answers = spark.sql(s"SELECT min(p), max(p), count(p) FROM hudilite.`$path`").head().mkString(" ")
    assertEquals(answers, "1 2 3")
    spark.sql(s"DELETE FROM hudilite.`$path` WHERE p = 1")
    assertEquals(spark.sql(s"SELECT min(p), max(p), count(p) FROM hudilite.`$path`").head().mkString(" "), "2 2 2")
    val logged = exchanged("string", "hoodie.datasource.write.table.type" -> "MERGE_ON_READ")
    spark.sql(s"UPDATE hudilite.`$logged` SET v = 'u' WHERE id < 3 AND p = 'b'")
    assertEquals(found(logged, "p = 'b'"), Seq("1 b u", "2 b u"))
    assertEquals(found(logged, "p = 'a'"), Seq("3 a z"))
  }
}

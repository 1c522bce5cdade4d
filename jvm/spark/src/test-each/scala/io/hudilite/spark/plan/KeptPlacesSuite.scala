package io.hudilite.spark.plan

import io.hudilite.spark.{NewestSpark, Raised, SharedSession}

import java.nio.file.Files

import munit.FunSuite

import scala.concurrent.duration.{Duration, DurationInt}

/** Rows that a global index leaves where they are although their new values belong to another partition. */
class KeptPlacesSuite extends FunSuite {

  override val munitTimeout: Duration = 5.minutes

  private lazy val spark = SharedSession.spark

  private def stay(kind: String): Seq[(String, String)] =
    Seq("hoodie.index.type" -> s"GLOBAL_$kind", s"hoodie.${kind.toLowerCase}.index.update.partition.path" -> "false")

  private def write(sql: String, path: String, more: (String, String)*): Unit =
    spark.sql(sql).write.format("hudilite").option("hoodie.datasource.write.operation", "upsert").options(more.toMap)
      .mode("append").save(path)

  private def rows(path: String, condition: String = "true"): Seq[String] =
    spark.read.format("hudilite").load(path).where(condition).selectExpr("id", "p.q", "p.r", "o", "v",
      "_hoodie_partition_path").orderBy("id").collect().map(_.mkString(" ")).toSeq

  for (tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"); kind <- Seq("SIMPLE", "BLOOM")) {
    val tagged = NewestSpark.unless((tableType == "COPY_ON_WRITE") == (kind == "SIMPLE")) _

    val facts = Seq("hoodie.datasource.write.recordkey.field" -> "id",
      "hoodie.datasource.write.partitionpath.field" -> "p.q,o", "hoodie.datasource.write.table.type" -> tableType,
      "hoodie.parquet.small.file.limit" -> "0")

    def create(): String = {
      val path = Files.createTempDirectory("hudilite-places").resolve("t").toString
      write(
        "SELECT * FROM VALUES (1, named_struct('q', 'a', 'r', 1), 10, 'old'), " +
          "(2, named_struct('q', 'b', 'r', 1), 20, 'old') AS t(id, p, o, v)", path, facts: _*)
      path
    }

    test(tagged(s"$tableType $kind: an upserted row is found by the partition that it is in")) {
      val path = create()
      val changed = "SELECT * FROM VALUES (1, named_struct('q', 'b', 'r', 2), 20, 'new'), " +
        "(3, named_struct('q', 'b', 'r', 2), 20, 'new') AS t(id, p, o, v)"
      for (_ <- 1 to 2) {
        write(changed, path, stay(kind): _*)
        assertEquals(rows(path), Seq("1 a 2 10 new a/10", "2 b 1 20 old b/20", "3 b 2 20 new b/20"))
        assertEquals(rows(path, "p.q = 'a'"), Seq("1 a 2 10 new a/10"))
        assertEquals(rows(path, "o = 10"), Seq("1 a 2 10 new a/10"))
        assertEquals(rows(path, "p.q = 'b' AND o = 20"), Seq("2 b 1 20 old b/20", "3 b 2 20 new b/20"))
      }
      write("SELECT 1 id, CAST(NULL AS STRUCT<q: STRING, r: INT>) p, 20 o, 'none' v", path, stay(kind): _*)
      assertEquals(rows(path, "o = 10"), Seq("1 a null 10 none a/10"))
    }

    test(tagged(
        s"$tableType $kind: a statement that would move rows is refused, and others change them where they are")) {
      val path = create()
      SharedSession.withConf(stay(kind).map { case (k, v) => s"spark.datasource.hudilite.$k" -> v }: _*) {
        for (statement <- Seq("UPDATE {} SET o = 30 WHERE id = 1",
            "MERGE INTO {} t USING (SELECT 1 id) s ON t.id = s.id " +
              "WHEN MATCHED THEN UPDATE SET t.p.q = 'c'"))
          assertEquals(Raised.by(spark.sql(statement.replace("{}", s"hudilite.`$path`"))).condition,
            "PARTITION_CHANGED", statement)
        spark.sql(s"UPDATE hudilite.`$path` SET o = o, v = 'set', p.r = 7 WHERE id = 1")
      }
      assertEquals(rows(path), Seq("1 a 7 10 set a/10", "2 b 1 20 old b/20"))
    }
  }
}

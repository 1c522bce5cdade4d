package io.hudilite.spark.plan

import io.hudilite.error.HudiliteException
import io.hudilite.spark.{NewestSpark, Raised, SharedSession}

import java.nio.file.Files

import munit.FunSuite

import scala.concurrent.duration.{Duration, DurationInt}

/** Timestamps in record keys and partition paths: how new tables spell them, and how they are read back. */
class TimesInNamesSuite extends FunSuite {

  override val munitTimeout: Duration = 5.minutes

  private lazy val spark = SharedSession.spark

  private val encoded = "hoodie.datasource.write.partitionpath.urlencode" -> "true"
  private val texts = "hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled" -> "true"

  private def newPath(): String = Files.createTempDirectory("hudilite-times").resolve("t").toString

  /** Rows `n` at the microsecond `n`; the last one has no time. */
  private def rows(v: String, column: String, micros: Long*): String =
    micros.map(n => s"SELECT 'k$n' id, ${at(column, n)} at, '$v' v").mkString(" UNION ALL ")

  private def at(column: String, micros: Long): String = s"CAST(timestamp_micros($micros) AS $column)"

  private def write(path: String, sql: String, key: String, partition: String, more: (String, String)*): Unit = {
    val facts = Map("hoodie.datasource.write.recordkey.field" -> key,
      "hoodie.datasource.write.partitionpath.field" -> partition)
    val mode = if (more.exists(_._1 == "replaceWhere")) "overwrite" else "append"
    spark.sql(sql).write.format("hudilite").options(facts ++ more).mode(mode).save(path)
  }

  private def found(path: String, condition: String = "true", columns: String = "id, v"): Seq[String] =
    spark.sql(s"SELECT $columns FROM hudilite.`$path` WHERE $condition").collect().map(_.mkString(" ")).sorted.toSeq

  private val names = "_hoodie_record_key, _hoodie_partition_path, v"

  for (column <- Seq("timestamp", "timestamp_ntz"); version <- Seq("6", "9")) {
    val tagged = NewestSpark.unless((column == "timestamp") == (version == "6")) _

    val facts = "hoodie.write.table.version" -> version

    test(tagged(s"$column in version $version: a new table spells them as microseconds since 1970")) {
      val (inKeys, inPaths) = (newPath(), newPath())
      for (v <- Seq("old", "new")) {
        write(inKeys, rows(v, column, -1, 0, 1704067200123456L), "id,at", "", facts)
        write(inPaths, rows(v, column, -1, 0, 1704067200123456L), "id", "at", facts)
      }
      assertEquals(found(inKeys, columns = names),
        Seq("id:k-1,at:-1  new", "id:k0,at:0  new", "id:k1704067200123456,at:1704067200123456  new"))
      assertEquals(found(inPaths, columns = names),
        Seq("k-1 -1 new", "k0 0 new", "k1704067200123456 1704067200123456 new"))
      assertEquals(found(inPaths, s"at = ${at(column, -1)}"), Seq("k-1 new"))
      assertEquals(found(inPaths, s"at > ${at(column, -1)}"), Seq("k0 new", "k1704067200123456 new"))
    }

    test(tagged(s"$column in version $version: an existing table keeps its texts, whatever later writes say")) {
      val (inKeys, inPaths) = (newPath(), newPath())
      for ((v, more) <- Seq("old" -> Seq(texts), "new" -> Nil, "last" -> Seq(texts))) {
        write(inKeys, rows(v, column, 0, 1704067200123000L), "id,at", "", facts +: encoded +: more: _*)
        write(inPaths, rows(v, column, 0, 1704067200123000L), "id", "at", facts +: encoded +: more: _*)
      }
      assertEquals(found(inKeys).size, 2)
      assertEquals(found(inPaths), Seq("k0 last", "k1704067200123000 last"))
      assertEquals(found(inPaths, s"at = ${at(column, 0)}"), Seq("k0 last"))
    }
  }

  test("a table with numbers is not written with texts, and one without rows is") {
    val path = newPath()
    write(path, rows("old", "timestamp", 0), "id", "at")
    val error = Raised.by(write(path, rows("new", "timestamp", 0), "id", "at", texts))
    assertEquals(error.condition, "OPTION_CONTRADICTS_TABLE")
    assertEquals(found(path), Seq("k0 old"))
    spark.sql(s"DELETE FROM hudilite.`$path`")
    val empty = newPath()
    spark.sql(s"CREATE TABLE hudilite.`$empty` (id STRING, at TIMESTAMP, v STRING) PARTITIONED BY (at) " +
      s"TBLPROPERTIES (primaryKey = 'id', '${encoded._1}' = 'true')")
    write(empty, rows("new", "timestamp", 0), "id", "at", texts)
    assert(found(empty, columns = names).head.contains("1970-01-01 00"))
  }

  for (column <- Seq("timestamp", "timestamp_ntz"))
    test(s"statements and conditions on partitions by $column") {
      val path = newPath()
      val times = Seq(-1L, 0L, 1L, 1704067200123456L)
      write(path, rows("old", column, times: _*), "id", "at",
        "hoodie.datasource.write.hive_style_partitioning" -> "true")
      assertEquals(spark.sql(s"SHOW PARTITIONS hudilite.`$path`").count(), 4L)
      def exactly(): Seq[String] =
        found(path, columns = "unix_micros(CAST(at AS timestamp)), v, _hoodie_partition_path")
      write(path, rows("where", column, 1), "id", "at",
        "replaceWhere" -> s"at >= ${at(column, 0)} AND at < ${at(column, 2)}")
      assertEquals(exactly(), Seq("-1 old at=-1", "1 where at=1", "1704067200123456 old at=1704067200123456"))
      spark.sql(s"INSERT OVERWRITE hudilite.`$path` PARTITION (at = '1970-01-01 00:00:00.000001') (id, v) " +
        "SELECT 'k1', 'static'")
      assertEquals(exactly(), Seq("-1 old at=-1", "1 static at=1", "1704067200123456 old at=1704067200123456"))
      SharedSession.withConf("spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
        spark.sql(s"INSERT OVERWRITE hudilite.`$path` ${rows("dynamic", column, -1)}")
      }
      assertEquals(exactly(), Seq("-1 dynamic at=-1", "1 static at=1", "1704067200123456 old at=1704067200123456"))
      spark.sql(s"UPDATE hudilite.`$path` SET at = ${at(column, 5)}, v = 'moved' WHERE at = ${at(column, 1)}")
      spark.sql(s"MERGE INTO hudilite.`$path` t USING (SELECT 'k-1' id) s ON t.id = s.id " +
        s"WHEN MATCHED THEN UPDATE SET at = ${at(column, 7)}")
      assertEquals(exactly(), Seq("1704067200123456 old at=1704067200123456", "5 moved at=5", "7 dynamic at=7"))
      write(path, rows("new", column, 1704067200123456L), "id", "at")
      spark.sql(s"DELETE FROM hudilite.`$path` WHERE at = ${at(column, 7)}")
      assertEquals(exactly(), Seq("1704067200123456 new at=1704067200123456", "5 moved at=5"))
      spark.sql(s"ALTER TABLE hudilite.`$path` DROP PARTITION (at = '1970-01-01 00:00:00.000005')")
      assertEquals(exactly(), Seq("1704067200123456 new at=1704067200123456"))
    }

  test("a text does not tell which times of its millisecond it stands for") {
    val path = newPath()
    write(path, rows("old", "timestamp", 1000), "id", "at", texts, encoded)
    def refused(body: => Any): HudiliteException = {
      val error = Raised.by(body)
      assertEquals(found(path), Seq("k1000 old"))
      error
    }
    val where = refused(write(path, rows("new", "timestamp", 1000), "id", "at",
        "replaceWhere" -> s"at = ${at("timestamp", 1000)}"))
    assert(where.getMessage.contains("does not tell"), where.getMessage)
    assertEquals(refused(spark.sql(s"SHOW PARTITIONS hudilite.`$path`").collect()).condition, "STATEMENT_NOT_SUPPORTED")
  }

  test("a complex key generator with one key field below version 9 is refused with what to do") {
    val path = newPath()
    val complex = "hoodie.datasource.write.keygenerator.class" -> "org.apache.hudi.keygen.ComplexKeyGenerator"
    val error = Raised.by(write(path, "SELECT date'2024-01-01' day, 'a' v", "day", "v", complex,
        "hoodie.write.table.version" -> "6"))
    assertEquals(error.condition, "INVALID_OPTION_VALUE")
    assert(Seq("the one key field day", "of version 9", "another key generator").forall(error.getMessage.contains),
      error.getMessage)
    for (v <- Seq("a", "b")) write(path, s"SELECT date'2024-01-01' day, '$v' v", "day", "", complex)
    assertEquals(found(path, columns = names), Seq("day:2024-01-01  b"))
  }
}

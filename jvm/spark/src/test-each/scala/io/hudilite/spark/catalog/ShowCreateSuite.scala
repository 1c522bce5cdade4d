package io.hudilite.spark.catalog

import io.hudilite.config.TableRequest
import io.hudilite.storage.{HadoopStorage, TableStorage}
import io.hudilite.table.Table

import java.nio.file.Path

import org.apache.hadoop.conf.Configuration

/** SHOW CREATE TABLE: what it says makes such a table again. */
final class ShowCreateSuite extends NamedSession {

  override protected val database = "shown"

  private val columns = "id INT COMMENT 'it\\'s the \\\\ key', `from` STRING, day STRING, v DOUBLE, " +
    "st STRUCT<x: INT, `to`: ARRAY<DECIMAL(10, 2)>>, at TIMESTAMP"

  private def create(table: String, rest: String): Unit =
    sql(s"CREATE TABLE $table ($columns) USING hudilite $rest")

  private def shown(table: String): String = {
    val text = sql(s"SHOW CREATE TABLE $table").map(_.getString(0)).mkString
    assert(!text.contains("redacted") && !text.contains("checksum") && !text.contains("create.schema"), text)
    text
  }

  /** All that a statement can say of a table, but its name. */
  private def facts(folder: Path): Seq[String] = {
    val path = folder.toUri.toString
    val config = Table.find(TableStorage.of(new HadoopStorage(new Configuration()), path), path).get.config
    TableRequest.facts(config).map(_.toString) :+ config.partitionFields.toString
  }

  private def described(table: String): Seq[String] = sql(s"DESCRIBE $table").map(_.toString)

  Seq(
    "plain" -> "TBLPROPERTIES (primaryKey = 'id')",
    "partitioned" ->
      ("PARTITIONED BY (day) COMMENT 'of \\'rides\\' \\\\' TBLPROPERTIES (primaryKey = 'id', " +
        "preCombineField = 'v', type = 'mor', 'hoodie.parquet.max.file.size' = '1000000')"),
    "styled" ->
      ("PARTITIONED BY (day, `from`) TBLPROPERTIES (primaryKey = 'id,v', " +
        "'hoodie.datasource.write.hive_style_partitioning' = 'false', 'hoodie.table.timeline.timezone' = 'UTC', " +
        "'hoodie.datasource.write.partitionpath.urlencode' = 'true')"),
    "older" ->
      ("TBLPROPERTIES (primaryKey = 'id', preCombineField = 'v', 'hoodie.write.table.version' = '6', " +
        "'hoodie.record.merge.mode' = 'COMMIT_TIME_ORDERING')"),
    "bucketed" ->
      ("PARTITIONED BY (day) TBLPROPERTIES (primaryKey = 'id', 'hoodie.index.type' = 'BUCKET', " +
        "'hoodie.bucket.index.num.buckets' = '2', 'hoodie.datasource.write.keygenerator.type' = 'COMPLEX')"),
    "timed" ->
      ("PARTITIONED BY (at) TBLPROPERTIES (primaryKey = 'id', " +
        "'hoodie.datasource.write.partitionpath.field' = 'at:TIMESTAMP', " +
        "'hoodie.datasource.write.keygenerator.type' = 'CUSTOM', " +
        "'hoodie.keygen.timebased.timestamp.type' = 'EPOCHMILLISECONDS', " +
        "'hoodie.keygen.timebased.output.dateformat' = 'yyyy/MM')"),
    "marked" ->
      ("TBLPROPERTIES (primaryKey = 'id', 'hoodie.payload.delete.field' = 'day', " +
        "'hoodie.payload.delete.marker' = 'D')")).foreach { case (table, rest) =>
    test(s"a copy by it has the columns, partitions, facts, options and comment: $table") {
      create(table, rest)
      val text = shown(table)
      assertEquals(text.linesIterator.next(), s"CREATE TABLE spark_catalog.$database.$table (")
      sql(text.replace(s".$table (", s".${table}_copy ("))
      assertEquals(described(table + "_copy"), described(table))
      assertEquals(facts(home.resolve(table + "_copy")), facts(home.resolve(table)))
      assertEquals(registered(table + "_copy").kept, registered(table).kept)
      assertEquals(registered(table + "_copy").entry.comment, registered(table).entry.comment)
      assertEquals(shown(table + "_copy"), text.replace(s".$table (", s".${table}_copy ("))
      assertEquals(condition(text), "TABLE_OR_VIEW_ALREADY_EXISTS")
    }
  }

  test("it says no more than such a table needs") {
    sql("CREATE TABLE small (id INT, v DOUBLE) USING hudilite TBLPROPERTIES (primaryKey = 'id')")
    assertEquals(shown("small").linesIterator.toSeq,
      Seq(s"CREATE TABLE spark_catalog.$database.small (", "  id INT,",
        "  v DOUBLE)", "USING hudilite", "TBLPROPERTIES (", "  primaryKey = 'id')"))
  }

  test("a table with a place of its own is registered there again, and one of a path is created at another") {
    create("placed", s"LOCATION '$home/there' TBLPROPERTIES (primaryKey = 'id')")
    sql("INSERT INTO placed VALUES (1, 'f', 'a', 1.0D, NULL, NULL)")
    val text = shown("placed")
    assert(text.contains(s"LOCATION 'file:$home/there'"), text)
    sql("DROP TABLE placed")
    sql(text)
    assertEquals(sql("SELECT id, day FROM placed").map(_.toString), Seq("[1,a]"))
    val byPath = shown(s"hudilite.`$home/there`")
    assert(!byPath.contains("LOCATION"), byPath)
    sql(byPath.replace("/there`", "/elsewhere`"))
    assertEquals(facts(home.resolve("elsewhere")), facts(home.resolve("there")))
  }

  test("what is registered for Apache Hudi is made for it again, and a changed table shows its columns of now") {
    sql(
      "CREATE TABLE hudis (id INT, day STRING, v INT) USING hudi PARTITIONED BY (day) TBLPROPERTIES (primaryKey = 'id')")
    val text = shown("hudis")
    sql(text.replace(".hudis (", ".hudis_copy ("))
    assertEquals(registered("hudis_copy").provider, "hudi")
    assertEquals(described("hudis_copy"), described("hudis"))
    sql("CREATE TABLE grown (id INT, v INT) USING hudilite TBLPROPERTIES (primaryKey = 'id')")
    sql("ALTER TABLE grown ADD COLUMN more STRING COMMENT 'since then'")
    sql(shown("grown").replace(".grown (", ".grown_copy ("))
    assertEquals(described("grown_copy"), described("grown"))
    val (setting, before) = ("spark.datasource.hudilite.hoodie.datasource.read.meta.columns", shown("grown"))
    spark.conf.set(setting, "true")
    try assertEquals(shown("grown"), before)
    finally spark.conf.unset(setting)
  }
}

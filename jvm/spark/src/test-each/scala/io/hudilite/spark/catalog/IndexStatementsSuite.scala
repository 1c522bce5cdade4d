package io.hudilite.spark.catalog

import io.hudilite.config.{TableKeys, TableProperties}
import io.hudilite.error.InvalidInput
import io.hudilite.storage.HadoopStorage

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.AnalysisException

/** CREATE INDEX, DROP INDEX and SHOW INDEXES as Spark plans them. */
final class IndexStatementsSuite extends NamedSession {

  override protected val database = "indexed"

  private val storage = new HadoopStorage(new Configuration())

  private def create(table: String): String = {
    sql(s"CREATE TABLE $table (id INT, name STRING, ts BIGINT, day STRING) USING hudilite PARTITIONED BY (day) " +
      "TBLPROPERTIES (primaryKey = 'id', 'hoodie.metadata.enable' = 'true', " +
      "'hoodie.metadata.index.column.stats.enable' = 'true')")
    sql(s"INSERT INTO $table VALUES (1, 'Ann', 5, 'a'), (2, 'bob', 6, 'b')")
    registered(table).path
  }

  private def listed(path: String): Seq[String] = TableProperties.read(storage, path).metadataPartitions

  /** The table as Apache Hudi leaves it with an index of its own. */
  private def withIndex(path: String, index: String): Unit = {
    storage.replace(s"$path/.hoodie/metadata/$index/x.hfile", Array[Byte](1))
    val partitions = (listed(path) :+ index).mkString(",")
    TableProperties.update(storage, path)(_ + (TableKeys.MetadataPartitions -> partitions))
    ()
  }

  private def refusal(statement: String): String = {
    val error = intercept[InvalidInput](sql(statement))
    assertEquals(error.condition, "STATEMENT_NOT_SUPPORTED", statement)
    assert(!error.getMessage.contains('\n'), error.getMessage)
    error.getMessage
  }

  private def spark(statement: String): String = intercept[AnalysisException](sql(statement)).getMessage

  test("an index of any kind is dropped by its name, and writes go on") {
    val path = create("t")
    withIndex(path, "expr_index_low")
    assertEquals(condition("INSERT INTO t VALUES (3, 'C', 7, 'a')"), "METADATA_TABLE_LOST")
    assert(spark("CREATE INDEX low ON t USING column_stats(name) OPTIONS (expr = 'lower')").contains("low"))
    sql("CREATE INDEX IF NOT EXISTS low ON t USING column_stats(name) OPTIONS (expr = 'lower')")
    assertEquals(listed(path), Seq("column_stats", "files", "partition_stats", "expr_index_low"))
    sql("DROP INDEX low ON t")
    assertEquals(listed(path), Seq("column_stats", "files", "partition_stats"))
    sql("INSERT INTO t VALUES (3, 'C', 7, 'a')")
    assertEquals(rows("t").size, 3)
    assertEquals(sql("SHOW INDEXES FROM t").map(_.getString(0)).take(3),
      Seq("column_stats", "files", "partition_stats"))
    sql(s"DROP INDEX column_stats ON hudilite.`$path`")
    assertEquals(listed(path), Seq("files"))
    assertEquals(sql("SELECT name FROM t WHERE ts > 6").map(_.getString(0)), Seq("C"))
    sql("DROP TABLE t")
  }

  test("an index that is not there is Spark's error, unless IF EXISTS passes over it") {
    create("t")
    assert(spark("DROP INDEX nothing ON t").contains("nothing"))
    sql("DROP INDEX IF EXISTS nothing ON t")
    assert(refusal("DROP INDEX files ON t").contains("delete_metadata_table"))
    sql("DROP TABLE t")
  }

  test("an index that hudilite does not make is refused by its kind, with what takes its place") {
    val path = create("t")
    val before = listed(path)
    Seq("CREATE INDEX record_index ON t (id)" -> "hoodie.index.type",
      "CREATE INDEX by_name ON t (name)" -> "column.stats.column.list=name",
      "CREATE INDEX n ON TABLE t USING column_stats(name)" -> "column.stats.column.list=name",
      "CREATE INDEX n ON t USING column_stats(name, ts) OPTIONS (expr = 'identity')" -> "list=name, ts",
      "CREATE INDEX IF NOT EXISTS h ON t USING COLUMN_STATS(ts) OPTIONS (expr = 'from_unixtime', format = 'yyyy')" ->
        "expr = 'from_unixtime'",
      "CREATE INDEX l ON t USING column_stats(ts) OPTIONS (expr = 'lower')" -> "not of the type of ts",
      "CREATE INDEX l ON t USING column_stats(name, day) OPTIONS (expr = 'lower')" -> "2 columns",
      "CREATE INDEX l ON t USING column_stats(name) OPTIONS (expr = 'trim', trimString = 'x')" -> "trimString",
      "CREATE INDEX b ON t USING bloom_filters(name) OPTIONS (expr = 'lower')" -> "filters of its values",
      s"CREATE INDEX b ON hudilite.`$path` USING bloom_filters(name)" -> "hoodie.metadata.index.bloom.filter.enable",
      "CREATE INDEX i ON t USING btree(name)" -> "column_stats and bloom_filters").foreach {
      case (statement, text) => assert(refusal(statement).contains(text), s"$statement: ${refusal(statement)}")
    }
    assert(spark("CREATE INDEX n ON t USING column_stats(nmae)").contains("nmae"))
    assertEquals(listed(path), before)
    sql("DROP TABLE t")
  }
}

package io.hudilite.spark.catalog

import io.hudilite.config.{TableKeys, TableProperties}
import io.hudilite.error.InvalidInput
import io.hudilite.metadata.{IndexDefinitions, MetadataPartition, MetadataPayload, MetadataRecord}
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

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

  /** Record keys with their partitions, by the record index and by the rows. */
  private def keyed(path: String): (Seq[String], Seq[String]) = {
    val table = Table.open(storage, path)
    val places = new MetadataTable(table.store, table.timeline).records(MetadataPartition.RecordIndex).collect {
      case MetadataRecord(key, MetadataPayload.Place(partition, _, _, _)) => s"$key $partition"
    }.toSeq
    (places.sorted,
      sql(s"SELECT concat(_hoodie_record_key, ' ', _hoodie_partition_path) FROM hudilite.`$path`")
        .map(_.getString(0)).sorted)
  }

  for (kind <- Seq("cow", "mor"))
    test(s"$kind: the record index is made of the rows that are there, kept up, gone by, and dropped") {
      sql(s"CREATE TABLE keyed (id INT, name STRING, ts BIGINT, day STRING) USING hudilite PARTITIONED BY (day) " +
        s"TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts', type = '$kind', 'hoodie.parquet.small.file.limit' = '0')")
      val path = registered("keyed").path
      sql("INSERT INTO keyed VALUES (1, 'Ann', 5, 'a'), (2, 'bob', 6, 'b')")
      sql("INSERT INTO keyed VALUES (3, 'cy', 5, 'a'), (4, 'dan', 6, 'b')")
      sql("UPDATE keyed SET name = 'Cy', ts = 7 WHERE id = 3")
      sql("DELETE FROM keyed WHERE id = 4")
      sql("CREATE INDEX record_index ON keyed (id)")
      assertEquals(listed(path), Seq("files", "record_index"))
      assertEquals(keyed(path), (Seq("1 day=a", "2 day=b", "3 day=a"), Seq("1 day=a", "2 day=b", "3 day=a")))
      assert(spark("CREATE INDEX record_index ON keyed USING record_index(id)").contains("record_index"))
      sql("CREATE INDEX IF NOT EXISTS record_index ON keyed USING record_index (id)")
      sql(
        "MERGE INTO keyed t USING (SELECT * FROM VALUES (1, 'ann', 8L, 'a'), (5, 'eve', 8L, 'b') s(id, name, ts, day)) s " +
          "ON t.id = s.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *")
      assertEquals(keyed(path), (Seq("2 day=b", "3 day=a", "5 day=b"), Seq("2 day=b", "3 day=a", "5 day=b")))
      if (kind == "cow")
        assert(sql("EXPLAIN SELECT * FROM keyed WHERE id = 5").head.getString(0).contains("record index"),
          sql("EXPLAIN SELECT * FROM keyed WHERE id = 5").head.getString(0))
      assertEquals(sql("SELECT name FROM keyed WHERE id = 5").map(_.getString(0)), Seq("eve"))
      sql("DROP INDEX record_index ON keyed")
      assertEquals(listed(path), Seq("files"))
      sql(s"CREATE INDEX record_index ON hudilite.`$path` (id) OPTIONS (isPartitioned = 'true')")
      sql("INSERT INTO keyed VALUES (6, 'fay', 9, 'c')")
      assertEquals(keyed(path)._1, Seq("2 day=b", "3 day=a", "5 day=b", "6 day=c"))
      assert(IndexDefinitions.parse(storage.read(s"$path/${IndexDefinitions.Path}").get)("record_index").isPartitioned)
      sql("DROP TABLE keyed")
    }

  test(
    "a table that cannot have a record index, or whose options take it away, is refused before anything is changed") {
    def table(properties: String): String = {
      sql(s"CREATE TABLE no (id INT, name STRING, ts BIGINT) USING hudilite TBLPROPERTIES ($properties)")
      sql("INSERT INTO no VALUES (1, 'Ann', 5)")
      registered("no").path
    }
    Seq(
      "type = 'cow'" -> "no columns make the record keys",
      "primaryKey = 'id', 'hoodie.metadata.enable' = 'false'" -> "hoodie.metadata.enable is false",
      "primaryKey = 'id', 'hoodie.metadata.record.index.enable' = 'false'" -> "by which the next write removes it",
      "primaryKey = 'id', type = 'mor', 'hoodie.index.type' = 'BUCKET', 'hoodie.bucket.index.num.buckets' = '2'" ->
        "lie in buckets").foreach { case (properties, text) =>
      val path = table(properties)
      val said = refusal("CREATE INDEX record_index ON no (id)")
      assert(said.contains(text), said)
      assert(!storage.exists(s"$path/.hoodie/metadata/.hoodie/hoodie.properties"), properties)
      sql("DROP TABLE no")
    }
  }

  test("an index that hudilite does not make is refused by its kind, with what takes its place") {
    val path = create("t")
    val before = listed(path)
    Seq("CREATE INDEX record_index ON t (name)" -> "of the record key, id, and not of name",
      "CREATE INDEX record_index ON t USING record_index(id, name)" -> "not of id, name",
      "CREATE INDEX keys ON t USING record_index(id)" -> "whose name is record_index",
      "CREATE INDEX record_index ON t (id) OPTIONS (isPartitioned = 'maybe', more = '1')" ->
        "isPartitioned of 'maybe', more",
      "CREATE INDEX record_index ON t (id) OPTIONS (isPartitioned = 'false', hoodie.metadata.record.level.index.enable = 'true')" ->
        "isPartitioned is false",
      "CREATE INDEX by_name ON t (name)" -> "CREATE INDEX record_index ON ... (id)",
      "CREATE INDEX n ON TABLE t USING column_stats(name)" -> "column.stats.column.list=name",
      "CREATE INDEX n ON t USING column_stats(name, ts) OPTIONS (expr = 'identity')" -> "list=name, ts",
      "CREATE INDEX IF NOT EXISTS h ON t USING COLUMN_STATS(ts) OPTIONS (expr = 'from_unixtime', format = 'yyyy')" ->
        "expr = 'from_unixtime'",
      "CREATE INDEX l ON t USING column_stats(ts) OPTIONS (expr = 'lower')" -> "not of the type of ts",
      "CREATE INDEX l ON t USING column_stats(name, day) OPTIONS (expr = 'lower')" -> "2 columns",
      "CREATE INDEX l ON t USING column_stats(name) OPTIONS (expr = 'trim', trimString = 'x')" -> "trimString",
      "CREATE INDEX b ON t USING bloom_filters(ts) OPTIONS (expr = 'lower')" -> "not of the type of ts",
      s"CREATE INDEX b ON hudilite.`$path` USING bloom_filters(ts)" -> "not of the type of ts",
      "CREATE INDEX b ON t USING bloom_filters(name) OPTIONS (expr = 'lower', numEntries = '9')" -> "numEntries",
      "CREATE INDEX i ON t USING btree(name)" -> "record_index, column_stats and bloom_filters").foreach {
      case (statement, text) => assert(refusal(statement).contains(text), s"$statement: ${refusal(statement)}")
    }
    assert(spark("CREATE INDEX n ON t USING column_stats(nmae)").contains("nmae"))
    assertEquals(listed(path), before)
    sql("DROP TABLE t")
  }
}

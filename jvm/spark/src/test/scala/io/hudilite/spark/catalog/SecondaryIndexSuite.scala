package io.hudilite.spark.catalog

import io.hudilite.config.TableProperties
import io.hudilite.error.InvalidInput
import io.hudilite.metadata.{MetadataPartition, MetadataPayload, MetadataRecord, SecondaryIndex, SecondaryKey}
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.spark.Raised
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.{MetadataUse, Table}
import io.hudilite.timeline.{Action, CommitMetadata}
import io.hudilite.upkeep.MetadataHome

import org.apache.hadoop.conf.Configuration

/** Secondary indexes: made by a statement, and kept up by each kind of action. */
final class SecondaryIndexSuite extends NamedSession {

  override protected val database = "paired"

  private val storage = new HadoopStorage(new Configuration())

  /** Indexed columns with the text of their values. */
  private val columns =
    Seq("name" -> "name", "ts" -> "ts", "day" -> "unix_date(day)", "at" -> "unix_micros(at)")

  private def create(table: String, more: String = ""): String = {
    sql(
      s"CREATE TABLE $table (id STRING, name STRING, v DOUBLE, ts BIGINT, day DATE, at TIMESTAMP, inner STRUCT<x: INT>, " +
        s"p STRING) USING hudilite PARTITIONED BY (p) TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts', " +
        s"'hoodie.spark.sql.insert.into.operation' = 'upsert', 'hoodie.metadata.compact.max.delta.commits' = '4', " +
        s"'hoodie.parquet.small.file.limit' = '0', 'hoodie.metadata.record.index.min.filegroup.count' = '2'$more)")
    registered(table).path
  }

  private def values(ids: Seq[Int], ts: Int, partition: Option[String] = None): String = ids.map { id =>
    val name = if (id % 5 == 3) "NULL" else s"'a$$$id\\\\\\\\${"x" * (ts % 3)}'"
    val day = if (id % 4 == 1) "NULL" else s"DATE'19${60 + id}-03-0${1 + ts % 9}'"
    s"('k$$$id', $name, $id.5D, $ts, $day, TIMESTAMP'20${10 + id}-01-01 00:00:00.00000$ts', NULL, " +
      s"'${partition.getOrElse(s"p${id % 2}")}')"
  }.mkString(", ")

  private def listed(path: String): Seq[String] = TableProperties.read(storage, path).metadataPartitions

  private def pairs(path: String, column: String): Seq[String] = {
    val table = Table.open(storage, path)
    val partition = MetadataPartition.of(SecondaryIndex.partitionName(s"by_$column")).get
    new MetadataTable(table.store, table.timeline).records(partition).map {
      case MetadataRecord(key, MetadataPayload.Pair(false)) => key
      case other => throw new IllegalStateException(other.toString)
    }.toList.sorted
  }

  private def ofRows(path: String, text: String): Seq[String] =
    sql(s"SELECT _hoodie_record_key, cast($text AS STRING) FROM hudilite.`$path`").map(row =>
      SecondaryKey(Option(row.getString(1)), row.getString(0)).text).sorted

  private def assertWhole(path: String, after: String)(implicit at: munit.Location): Unit = {
    val columns = this.columns.filter { case (column, _) => listed(path).contains(s"secondary_index_by_$column") }
    assert(columns.nonEmpty, after)
    val texts = columns.map { case (_, text) => s"cast($text AS STRING)" }.mkString(", ")
    val read = sql(s"SELECT _hoodie_record_key, $texts FROM hudilite.`$path`")
    columns.zipWithIndex.foreach { case ((column, _), i) =>
      val expected = read.map(row => SecondaryKey(Option(row.getString(i + 1)), row.getString(0)).text).sorted
      assertEquals(pairs(path, column), expected, s"$column after $after")
    }
    assert(new MetadataHome(Table.open(storage, path).store).isKept, after)
  }

  private def newest(path: String): String = Table.open(storage, path).timeline.lastCompleted.get.time

  private def step(path: String, statement: String)(implicit at: munit.Location): Unit = {
    sql(statement)
    assertWhole(path, statement)
  }

  private def refusal(statement: String): String = {
    val error = intercept[InvalidInput](sql(statement))
    assertEquals(error.condition, "STATEMENT_NOT_SUPPORTED", statement)
    assert(!error.getMessage.contains('\n'), error.getMessage)
    error.getMessage
  }

  private def movedAndTakenBack(path: String): Unit = {
    step(path, "UPDATE life SET p = 'q', name = 'moved' WHERE id = 'k$8'")
    step(path, "UPDATE life SET p = 'q' WHERE id = 'k$10'")
    step(path,
      s"INSERT OVERWRITE life PARTITION (p = 'p1') SELECT id, 'over', v, ts, day, at, inner FROM life WHERE id = 'k$$11'")
    step(path, s"CALL hudilite.system.run_clustering('$path', order => 'v')")
    step(path, "UPDATE life SET name = 'last' WHERE id IN ('k$2', 'k$8')")
    val taken = newest(path)
    step(path, s"CALL hudilite.system.create_savepoint('$path', '$taken')")
    step(path, s"INSERT INTO life VALUES ${values(20 to 23, 4)}")
    val last = newest(path)
    step(path, s"CALL hudilite.system.rollback_to_instant('$path', '$last')")
    step(path, s"INSERT INTO life VALUES ${values(8 to 12, 5)}")
    step(path, s"CALL hudilite.system.rollback_to_savepoint('$path', '$taken')")
    step(path, "TRUNCATE TABLE life")
    step(path, s"INSERT INTO life VALUES ${values(1 to 6, 7)}")
  }

  private def compacted(path: String): Unit = {
    def call(kind: String, option: String): String =
      s"CALL hudilite.system.run_compaction(op => 'run', path => '$path', kind => '$kind', options => '$option')"
    step(path, "UPDATE life SET name = 'logged' WHERE id IN ('k$1', 'k$9')")
    // The deletes are older than the rows that stay.
    step(path, s"INSERT INTO life VALUES ${values(1 to 4, 0)}")
    val folding = call("log", "hoodie.log.compaction.blocks.threshold=2")
    assert(sql(folding).nonEmpty)
    assertWhole(path, folding)
    step(path, "DELETE FROM life WHERE id = 'k$9'")
    val merging = call("base", "hoodie.compact.inline.max.delta.commits=1")
    assert(sql(merging).nonEmpty)
    assertWhole(path, merging)
  }

  for ((version, isMerged) <- Seq(9 -> false, 8 -> false, 9 -> true))
    test(s"version $version: indexes are made of the rows that are there, and each action keeps them up" +
      (if (isMerged) ", merge-on-read" else "")) {
      val path =
        create("life", s", 'hoodie.write.table.version' = '$version'" + (if (isMerged) ", type = 'mor'" else ""))
      sql(s"INSERT INTO life VALUES ${values(1 to 6, 1)}")
      sql(s"INSERT INTO life VALUES ${values(7 to 12, 1)}")
      if (isMerged) {
        sql("UPDATE life SET name = 'old' WHERE id IN ('k$1', 'k$2')")
        sql("DELETE FROM life WHERE id = 'k$12'")
      }
      assert(refusal("CREATE INDEX by_name ON life (name)").contains("CREATE INDEX record_index ON ... (id)"))
      sql("CREATE INDEX by_name ON life (name) OPTIONS ('hoodie.metadata.record.index.enable' = 'true')")
      assertEquals(listed(path).sorted, Seq("files", "record_index", "secondary_index_by_name"))
      assertEquals(pairs(path, "name"), ofRows(path, "name"))
      if (isMerged) assert(refusal("CREATE INDEX by_ts ON life (ts)").contains("has secondary_index_by_name besides"))
      else columns.tail.foreach { case (column, _) =>
        sql(
          s"CREATE INDEX by_$column ON life ($column) OPTIONS ('hoodie.metadata.record.index.min.filegroup.count' = '3')")
      }
      assertWhole(path, "their creation")
      sql("CREATE INDEX IF NOT EXISTS by_name ON life (name)")
      step(path, s"INSERT INTO life VALUES ${values(13 to 16, 1)}")
      step(path, s"INSERT INTO life VALUES ${values(14 to 18, 2)}")
      step(path, "UPDATE life SET name = NULL WHERE id IN ('k$1', 'k$2')")
      step(path, "UPDATE life SET name = 'red', day = NULL WHERE id IN ('k$1', 'k$3', 'k$4')")
      def logs: Set[String] =
        storage.list(s"$path/.hoodie/metadata/secondary_index_by_name").map(_.name).filter(_.startsWith(".")).toSet
      val before = logs
      step(path, "UPDATE life SET v = v + 1 WHERE id = 'k$4'")
      assertEquals(logs -- before, Set.empty[String])
      step(path, "DELETE FROM life WHERE id IN ('k$5', 'k$6')")
      step(path,
        s"MERGE INTO life t USING (SELECT * FROM VALUES ${values(Seq(6, 7, 8, 9), 3)} " +
          "s(id, name, v, ts, day, at, inner, p)) s ON t.id = s.id AND t.p = s.p WHEN MATCHED AND s.id = 'k$7' THEN DELETE " +
          "WHEN MATCHED THEN UPDATE SET name = concat(s.name, 'y'), at = s.at WHEN NOT MATCHED THEN INSERT *")
      if (isMerged) {
        val found = sql("SELECT id FROM life WHERE name = 'red'").map(_.getString(0)).sorted
        assertEquals(found, Seq("k$1", "k$3", "k$4"))
        compacted(path)
      }
      if (version == 9) movedAndTakenBack(path)
      step(path, s"CALL hudilite.system.drop_partition('$path', 'p=p0')")
    }

  override def afterEach(context: AfterEach): Unit =
    Seq("life", "twice", "many", "held", "t", "other", "keyless", "grown", "cased").foreach(table =>
      sql(s"DROP TABLE IF EXISTS $table"))

  for ((isMerged, byId) <- Seq(false -> false, true -> false, true -> true))
    test("an index outlasts a column that a write widens, and one that would be spelled otherwise is refused" +
      (if (isMerged) ", merge-on-read" else "") + (if (byId) ", columns by id" else "")) {
      sql(
        "CREATE TABLE grown (id STRING, n INT, ts INT, more STRING) USING hudilite TBLPROPERTIES (primaryKey = 'id', " +
          s"preCombineField = 'ts', type = '${if (isMerged) "mor" else "cow"}')")
      val path = registered("grown").path
      sql("INSERT INTO grown VALUES ('a', 1, 1, 'x'), ('b', 2, 1, 'x'), ('c', NULL, 1, 'x'), ('d', -4, 1, 'x')")
      sql("CREATE INDEX by_n ON grown (n) OPTIONS ('hoodie.metadata.record.index.enable' = 'true')")
      sql("UPDATE grown SET n = 3 WHERE id = 'b'")
      if (byId) sql("ALTER TABLE grown RENAME COLUMN more TO other")
      def write(n: String): Unit =
        spark.sql(s"SELECT id, cast(n AS $n) n, 2 ts, 'y' ${if (byId) "other" else "more"} " +
          "FROM VALUES ('a', 1), ('b', 5000000000), ('c', 6), ('e', -7) s(id, n)").write.format("hudilite")
          .option("hoodie.datasource.write.operation", "upsert").mode("append").save(path)
      def assertPairs(expected: String*)(implicit at: munit.Location): Unit = {
        assertEquals(pairs(path, "n"), expected)
        assertEquals(ofRows(path, "n"), expected)
      }
      assertEquals(Raised.by(write("DOUBLE")).condition, "METADATA_TABLE_LOST")
      assertPairs("\u0000$c", "-4$d", "1$a", "3$b")
      write("BIGINT")
      assertPairs("-4$d", "-7$e", "1$a", "5000000000$b", "6$c")
      sql("UPDATE grown SET n = 8 WHERE id IN ('a', 'd')")
      sql("DELETE FROM grown WHERE id = 'b'")
      assertPairs("-7$e", "6$c", "8$a", "8$d")
      assertEquals(sql(s"SELECT id FROM hudilite.`$path` WHERE n = 8").map(_.getString(0)).sorted, Seq("a", "d"))
    }

  test("values of a file whose column differs by case are those that services read, whatever the session says") {
    sql("CREATE TABLE cased (id STRING, Name STRING, ts INT) USING hudilite TBLPROPERTIES (primaryKey = 'id', " +
      "preCombineField = 'ts', type = 'mor')")
    val path = registered("cased").path
    sql("INSERT INTO cased VALUES ('a', 'red', 1), ('b', 'blue', 1), ('c', NULL, 1)")
    sql("CREATE INDEX record_index ON cased (id)")
    sql("UPDATE cased SET Name = 'green' WHERE id = 'b'")
    val before = Table.open(storage, path)
    val restated = before.store.newInstantTime(before.timeline.lastTime.get)
    before.store.request(restated, Action.DeltaCommit)
    before.store.toInflight(restated, Action.DeltaCommit)
    before.store.complete(restated, Action.DeltaCommit,
      CommitMetadata("UPSERT", Map.empty,
        Map(CommitMetadata.SchemaKey -> before.schemaJson.get.replace("\"Name\"", "\"name\""))))
    spark.conf.set("spark.sql.caseSensitive", "true")
    try sql("CREATE INDEX by_name ON cased (name)")
    finally spark.conf.unset("spark.sql.caseSensitive")
    assertEquals(pairs(path, "name"), Seq("\u0000$c", "green$b", "red$a"))
    assertEquals(ofRows(path, "name"), pairs(path, "name"))
  }

  test("of rows that share a key each one with a place keeps its pair") {
    val path = create("twice")
    sql(s"INSERT INTO twice VALUES ${values(1 to 3, 1)}")
    sql("CREATE INDEX record_index ON twice (id)")
    sql("CREATE INDEX by_name ON twice (name)")
    val again =
      spark.sql(s"SELECT * FROM VALUES ${values(Seq(1, 3), 1, Some("p0"))} s(id, name, v, ts, day, at, inner, p)")
    again.write.format("hudilite").option("hoodie.datasource.write.operation", "bulk_insert").mode("append").save(path)
    assertEquals(pairs(path, "name"), ofRows(path, "name").distinct)
    def isWhole: Boolean = Table.open(storage, path).readingMetadata(MetadataUse(isAsked = true)).recordIndex.isRight
    Seq("k$1" -> "p0", "k$3" -> "p1").foreach { case (key, partition) =>
      // The other row of the key has had no place.
      sql(s"DELETE FROM twice WHERE id = '$key' AND p = '$partition'")
      assert(!isWhole)
      sql(s"CALL hudilite.system.run_clustering('$path', order => 'v')")
      assertEquals(ofRows(path, "name").distinct.diff(pairs(path, "name")), Nil)
    }
    assert(isWhole)
    assertEquals(pairs(path, "name"), ofRows(path, "name"))
  }

  test("pairs of large files are dealt by jobs of Spark") {
    val path = create("many")
    sql(
      "INSERT INTO many SELECT cast(id AS STRING), sha2(cast(id AS STRING), 512), id, 1, NULL, NULL, NULL, 'p' FROM range(20000)")
    sql("CREATE INDEX by_name ON many (name) OPTIONS ('hoodie.metadata.record.index.enable' = 'true')")
    assertEquals(pairs(path, "name"), ofRows(path, "name"))
    sql("UPDATE many SET name = NULL, ts = 2 WHERE v < 50")
    assertEquals(pairs(path, "name"), ofRows(path, "name"))
    assertEquals(pairs(path, "name").count(_.startsWith("\u0000$")), 50)
  }

  test("an index goes by its name alone, and nothing takes away what it rests on") {
    val path = create("held")
    sql(s"INSERT INTO held VALUES ${values(1 to 4, 1)}")
    sql("CREATE INDEX record_index ON held (id)")
    columns.foreach { case (column, _) => sql(s"CREATE INDEX by_$column ON held ($column)") }
    assert(refusal("DROP INDEX record_index ON held").contains("secondary_index_by_name"))
    assert(refusal("CREATE INDEX more ON held (name)").contains("secondary_index_by_name is of this column"))
    assertEquals(sql("SHOW INDEXES FROM held").map(_.getString(0)).count(_.startsWith("secondary_index_by_")), 4)
    Seq("ALTER TABLE held DROP COLUMN name", "ALTER TABLE held RENAME COLUMN name TO title").foreach { statement =>
      assertEquals(condition(statement), "METADATA_TABLE_LOST", statement)
      assertWhole(path, statement)
    }
    val off = spark.sql(s"SELECT * FROM VALUES ${values(Seq(9), 1)} s(id, name, v, ts, day, at, inner, p)")
    def write(strict: String): Unit = off.write.format("hudilite").option("hoodie.metadata.strict", strict)
      .option("hoodie.metadata.record.index.enable", "false").mode("append").save(path)
    intercept[Exception](write("indexes"))
    assertWhole(path, "a write that would take the record index away")
    sql("DROP INDEX by_name ON held")
    assertEquals(listed(path).count(_.startsWith("secondary_index_")), 3)
    write("false")
    assertEquals(listed(path), Seq("files"))
    assert(!new String(storage.read(s"$path/.hoodie/.index_defs/index.json").get, "UTF-8").contains("secondary_index"))
  }

  test("a table or column that cannot have an index is refused by name, before anything is changed") {
    def refused(table: String, statement: String, text: String): Unit = {
      val path = registered(table).path
      val before = storage.listBelow(path).map(_.path).sorted
      val said = refusal(statement)
      assert(said.contains(text), said)
      assertEquals(storage.listBelow(path).map(_.path).sorted, before, statement)
    }
    create("t")
    sql(s"INSERT INTO t VALUES ${values(1 to 2, 1)}")
    Seq("CREATE INDEX i ON t (name, ts)" -> "an index of each", "CREATE INDEX i ON t (v)" -> "v is neither",
      "CREATE INDEX i ON t (inner)" -> "inner is neither", "CREATE INDEX i ON t (inner.x)" -> "no column inner.x",
      "CREATE INDEX i ON t (name) OPTIONS (more = '1')" -> "leave out more",
      "CREATE INDEX `i-j` ON t (name)" -> "letters, digits and _",
      "CREATE INDEX i ON t (name)" -> "CREATE INDEX record_index ON ... (id)")
      .foreach { case (statement, text) => refused("t", statement, text) }
    create("other", ", 'hoodie.write.table.version' = '6'")
    sql(s"INSERT INTO other VALUES ${values(1 to 2, 1)}")
    refused("other", "CREATE INDEX i ON other (name)", "version 6")
    sql("CREATE TABLE keyless (name STRING) USING hudilite")
    sql("INSERT INTO keyless VALUES ('a')")
    refused("keyless", "CREATE INDEX i ON keyless (name)", "makes its record keys itself")
    sql("CREATE INDEX record_index ON t (id) OPTIONS (isPartitioned = 'true')")
    refused("t", "CREATE INDEX i ON t (name)", "by themselves")
  }
}

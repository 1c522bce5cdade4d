package io.hudilite.spark.catalog

import io.hudilite.config.{TableProperties, TableType}
import io.hudilite.error.{HudiliteException, InvalidInput}
import io.hudilite.metadata.{
  ColumnFacts,
  ExpressionIndex,
  KnownFile,
  MetadataKeys,
  MetadataPartition,
  MetadataPayload,
  MetadataRecord,
  StatValue
}
import io.hudilite.metadata.check.MetadataValidator
import io.hudilite.metadata.known.FactsOfFiles
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.spark.NewestSpark
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table
import io.hudilite.upkeep.MetadataHome

import org.apache.hadoop.conf.Configuration

import scala.collection.mutable
import scala.util.Random

/** Indexes of expressions: made, kept up by each kind of action, and gone by in reads. */
final class ExpressionIndexSuite extends NamedSession {

  override protected val database = "expressed"

  private val storage = new HadoopStorage(new Configuration())

  private val ranges = Seq("low" -> "column_stats(name) OPTIONS (expr = 'lower')",
    "born" -> "column_stats(day) OPTIONS (expr = 'year')",
    "begin" -> "column_stats(code) OPTIONS (expr = 'substring', pos = '1', len = '2')")

  private val loud = "loud" -> "bloom_filters(note) OPTIONS (expr = 'upper')"

  private def indexes(isMergeOnRead: Boolean): Seq[(String, String)] = if (isMergeOnRead) ranges else ranges :+ loud

  private val filters = Seq("lower(name) = 'n07x'", "lower(name) IN ('n01x', 'n30xx')", "lower(name) < 'n05'",
    "lower(name) IS NULL", "year(day) = 1995", "year(day) > 2010 AND id > 3", "substring(code, 1, 2) = 'N1'",
    "upper(note) = 'N07X'", "upper(note) IN ('N01X', 'N30XX')", "NOT (lower(name) > 'n03' OR upper(note) = 'N02X')",
    "lower(name) LIKE 'n1%'", "year(day) = 1995 OR upper(note) = 'N11X'")

  private def create(table: String, kind: String, more: String = ""): String = {
    sql(
      s"CREATE TABLE $table (id INT, name STRING, code STRING, note STRING, day DATE, ts BIGINT, dt STRING) USING hudilite " +
        s"PARTITIONED BY (dt) TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts', type = '$kind'$more)")
    registered(table).path
  }

  private def values(ids: Seq[Int], ts: Int): String = ids.map { id =>
    val name = if (id % 7 == 3) "NULL" else f"'N$id%02dX${"x" * (ts % 3)}'"
    s"($id, $name, $name, $name, ${if (id % 5 == 4) "NULL" else s"DATE'${1990 + id}-03-0${1 + ts % 9}'"}, $ts, 'd${id %
        3}')"
  }.mkString(", ")

  private def insert(table: String, ids: Seq[Int], ts: Int): Unit = {
    sql(s"INSERT INTO $table VALUES ${values(ids, ts)}")
    ()
  }

  /** Files that statistics have left of a filter; `None` where nothing was asked of them. */
  private def leftBy(table: String, filter: String): Option[Int] = {
    val plan = spark.sql(s"SELECT * FROM $table WHERE $filter").queryExecution.executedPlan.toString
    "-> (\\d+) by statistics".r.findFirstMatchIn(plan).map(_.group(1).toInt)
  }

  private def opened(path: String): (Table, MetadataTable) = {
    val table = Table.open(storage, path)
    (table, new MetadataTable(table.store, table.timeline))
  }

  private def isListed(path: String, index: String): Boolean =
    TableProperties.read(storage, path).metadataPartitions.contains(s"expr_index_$index")

  // A file of a length never changes.
  private val known = mutable.Map.empty[(String, Long), KnownFile]

  /** Each index has of each file of the newest slices what the file holds, and of its partitions what those hold. */
  private def check(path: String, action: String): Unit = {
    val (table, metadata) = opened(path)
    val kept = new MetadataHome(table.store).expressions
    assertEquals(kept.map(_.partition.name).toSet,
      indexes(table.config.tableType == TableType.MergeOnRead).map("expr_index_" + _._1).toSet, action)
    assertEquals(new MetadataValidator(table).differences(), Nil, action)
    val facts = new FactsOfFiles(storage, Nil, blooms = false, kept)
    def of(file: String, bytes: Long): KnownFile = known.getOrElseUpdate((file, bytes), facts.of(file, bytes))
    val slices = table.allSlices()
    val there = Seq("dt=d0", "dt=d1", "dt=d2").flatMap(p =>
      storage.list(s"$path/$p").map(f => MetadataKeys.ofFile(p, f.name))).toSet
    for (index <- kept; (partition, all) <- slices) {
      val files = all.flatMap(s => s.base.map(b => b.name -> b.length) ++ s.logs.map(l => l.name -> l.length))
        .map { case (name, bytes) => name -> of(s"$path/$partition/$name", bytes) }
      if (index.isFilter) checkFilters(metadata, index.partition, partition, files, there, action)
      else checkRanges(metadata, index, partition, files, action)
    }
  }

  private def checkFilters(metadata: MetadataTable, index: MetadataPartition, partition: String,
      files: Seq[(String, KnownFile)], there: Set[String], action: String): Unit = {
    val keys = files.map { case (name, _) => MetadataKeys.ofFile(partition, name) -> name }.toMap
    val told = metadata.records(index, keys.keySet).collect {
      case MetadataRecord(key, MetadataPayload.Bloom(_, _, text, false)) => keys(key) -> Some(text)
    }.toMap[String, Option[String]]
    assertEquals(told, files.flatMap { case (name, file) => file.filtered.get(index.name).map(name -> _) }.toMap,
      s"$action: ${index.name} of $partition")
    val all = metadata.records(index).collect { case MetadataRecord(key, MetadataPayload.Bloom(_, _, _, false)) => key }
    assertEquals(all.toSet -- there, Set.empty[String], s"$action: filters of files that are gone")
  }

  private def checkRanges(metadata: MetadataTable, index: ExpressionIndex, partition: String,
      known: Seq[(String, KnownFile)], action: String): Unit = {
    val files = known.map { case (name, file) => name -> file.expressed.get(index.partition.name) }
    val keys = files.map { case (name, _) => MetadataKeys.ofColumn(index.column, partition, name) -> name }.toMap
    val told = metadata.records(index.partition, keys.keySet).collect {
      case MetadataRecord(key, MetadataPayload.Statistics(of, false)) =>
        keys(key) -> ((of.min, of.max, of.values + of.nulls, of.nulls))
    }.toMap
    val wanted = files.collect { case (name, Some(f)) =>
      name -> ((f.bounds.map(_._1), f.bounds.map(_._2), f.values, f.nulls.get))
    }.toMap
    assertEquals(told, wanted, s"$action: ${index.partition.name} of $partition")
    checkPartition(metadata, index.partition, partition, files.flatMap(_._2), action)
  }

  private def checkPartition(metadata: MetadataTable, index: MetadataPartition, partition: String,
      files: Seq[ColumnFacts], action: String): Unit = {
    val found = metadata.records(index).collect {
      case MetadataRecord(_, MetadataPayload.Statistics(of, true)) if of.file == partition => of
    }.toSeq
    val bounds = files.flatMap(_.bounds)
    if (files.nonEmpty) {
      assertEquals(found.size, 1, s"$action: $partition")
      val around = bounds.reduceOption((a, b) => StatValue.around(a, b).get)
      assertEquals((found.head.min, found.head.max), (around.map(_._1), around.map(_._2)), s"$action: $partition")
      assertEquals(found.head.nulls, files.flatMap(_.nulls).sum, action)
    }
  }

  /** The rows that each filter finds are those of all rows for which it holds. */
  private def checkReads(table: String, action: String): Unit = {
    val all = sql(s"SELECT *, ${filters.mkString(", ")} FROM $table")
    val columns = all.headOption.fold(0)(_.length - filters.size)
    val found = sql(filters.indices.map(n => s"SELECT $n, * FROM $table WHERE ${filters(n)}").mkString(" UNION ALL "))
      .groupBy(_.getInt(0))
    filters.zipWithIndex.foreach { case (filter, n) =>
      val wanted = all.filter(row => !row.isNullAt(columns + n) && row.getBoolean(columns + n))
      assertEquals(found.getOrElse(n, Nil).map(_.toSeq.tail.toString).sorted,
        wanted.map(_.toSeq.take(columns).toString).sorted, s"$action: $filter")
    }
  }

  for (kind <- Seq("cow", "mor"))
    test(
      NewestSpark.unless(kind == "mor")(s"$kind: each kind of action keeps the indexes up, and no read loses a row"))(
      life(kind))

  private def life(kind: String): Unit = {
    val path = create(kind, kind)
    insert(kind, 0 until 12, 1)
    if (kind == "mor") sql(s"UPDATE $kind SET name = 'Early', ts = 2 WHERE id = 5")
    indexes(kind == "mor").foreach { case (name, of) => sql(s"CREATE INDEX $name ON $kind USING $of") }
    if (kind == "mor") {
      val refused = intercept[InvalidInput](sql(s"CREATE INDEX loud ON mor USING ${loud._2}"))
      assert(refused.getMessage.contains("merge-on-read"), refused.getMessage)
    }
    val random = new Random(5)
    val actions = Seq[(String, () => Unit)](
      "made" -> (() => ()),
      "insert" -> (() => insert(kind, 12 until 20, 3)),
      "update" -> (() => { sql(s"UPDATE $kind SET name = 'Zed', ts = 4 WHERE id IN (1, 2)"); () }),
      "delete" -> (() => { sql(s"DELETE FROM $kind WHERE id IN (1, 7)"); () }),
      "null" -> (() => { sql(s"UPDATE $kind SET name = NULL, day = NULL, ts = 5 WHERE dt = 'd2'"); () }),
      "merge" ->
        (() => {
          sql(
            s"MERGE INTO $kind t USING (SELECT * FROM VALUES ${values(Seq(3, 4, 40), 6)} s(id, name, code, note, day, ts, dt)) s " +
              "ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
          ()
        }),
      "compaction" ->
        (() =>
          if (kind == "mor") {
            sql(s"CALL hudilite.system.run_compaction(table => '$kind', kind => 'log')")
            check(path, "folded logs")
            assertEquals(sql(s"CALL hudilite.system.run_compaction(table => '$kind')").size, 1)
          }),
      "cleaning" ->
        (() => {
          sql(s"CALL hudilite.system.run_clean(table => '$kind', clean_policy => 'KEEP_LATEST_FILE_VERSIONS', " +
            "file_versions_retained => 1)")
          ()
        }),
      "overwrite" ->
        (() => {
          sql(
            s"INSERT OVERWRITE $kind PARTITION (dt = 'd1') VALUES (31, 'N31', 'N31', 'N31', DATE'1999-01-01', 7), " +
              "(34, 'n34', NULL, NULL, NULL, 7)")
          ()
        }),
      "clustering" ->
        (() => {
          sql(s"CALL hudilite.system.run_clustering(table => '$kind', order => 'ts')")
          ()
        }),
      "columns" -> (() => { sql(s"ALTER TABLE $kind ADD COLUMNS (more STRING)"); () }),
      "partition" -> (() => { sql(s"ALTER TABLE $kind DROP PARTITION (dt = 'd0')"); () })) ++
      (20 until 25).map(n =>
        s"write $n" ->
          (() => {
            val ids = Seq.fill(3)(random.nextInt(40)).distinct
            sql(
              s"MERGE INTO $kind t USING (SELECT *, 'm' AS more FROM VALUES ${values(ids, n)} s(id, name, code, note, day, ts, dt)) s " +
                "ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
            ()
          }))
    actions.foreach { case (name, run) =>
      run()
      check(path, s"$kind $name")
      checkReads(kind, s"$kind $name")
    }
    sql(s"DROP TABLE $kind")
    ()
  }

  test("a restore makes the indexes anew, and a rolled back write leaves nothing in them") {
    val path = create("back", "mor")
    insert("back", 0 until 9, 1)
    ranges.foreach { case (name, of) => sql(s"CREATE INDEX $name ON back USING $of") }
    val instant = opened(path)._1.timeline.lastCompleted.get.time
    sql("CALL hudilite.system.create_savepoint(table => 'back', commit_time => '" + instant + "')")
    insert("back", 9 until 15, 2)
    check(path, "before")
    sql(s"CALL hudilite.system.rollback_to_savepoint(table => 'back', instant_time => '$instant')")
    check(path, "restore")
    checkReads("back", "restore")
    insert("back", 15 until 20, 3)
    check(path, "after")
    sql("DROP TABLE back")
  }

  test("a filter on the expression opens the files that may have its value, and no other filter does") {
    val path = create("plan", "cow", ", 'hoodie.parquet.small.file.limit' = '0'")
    for (n <- 0 until 4) sql(s"INSERT INTO plan VALUES ($n, 'Name$n', 'c', 'n', DATE'${2000 + n}-01-01', 1, 'd')")
    def left(filter: String): Option[Int] = leftBy("plan", filter)
    assertEquals(left("lower(name) = 'name2'"), None)
    sql("CREATE INDEX low ON plan USING column_stats(name) OPTIONS (expr = 'lower')")
    sql("CREATE INDEX IF NOT EXISTS low ON plan USING column_stats(name) OPTIONS (expr = 'lower')")
    val second = intercept[HudiliteException](
      sql("CREATE INDEX up ON plan USING column_stats(name) OPTIONS (expr = 'upper')"))
    assert(second.getMessage.contains("expr_index_low is of this column"), second.getMessage)
    sql("CREATE INDEX born ON plan USING column_stats(day) OPTIONS (expr = 'year')")
    sql("CREATE INDEX long ON plan USING column_stats(note) OPTIONS (expr = 'length')")
    assertEquals(left("length(note) > 1"), Some(0))
    assertEquals(left("lower(name) = 'name2'"), Some(1))
    assertEquals(left("'name2' < lower(name)"), Some(1))
    assertEquals(left("lower(name) IN ('name0', 'name3') AND id >= 0"), Some(2))
    assertEquals(left("year(day) >= 2002"), Some(2))
    assertEquals(left("lower(name) = 'name2' OR year(day) = 2000"), Some(2))
    assertEquals(left("upper(name) = 'NAME2'"), None)
    assertEquals(left("month(day) = 7"), None)
    assertEquals(sql("SELECT id FROM plan WHERE lower(name) = 'name2'").map(_.getInt(0)), Seq(2))
    sql("DROP INDEX low ON plan")
    assert(!isListed(path, "low") && isListed(path, "born"))
    assertEquals(left("lower(name) = 'name2'"), None)
    assertEquals(left("year(day) = 2001"), Some(1))
    sql("DROP TABLE plan")
  }

  test("a filter on one value opens the files whose bloom filter has it, in any order of the rows") {
    val path = create("sets", "cow", ", 'hoodie.parquet.small.file.limit' = '0'")
    for (n <- 0 until 4)
      sql(s"INSERT INTO sets VALUES ($n, 'Aa$n', 'a$n', 'n', NULL, 1, 'd'), (9$n, 'Zz$n', 'z$n', NULL, NULL, 1, 'd')")
    def left(filter: String): Option[Int] = leftBy("sets", filter)
    assertEquals(left("code = 'a2z'"), Some(3))
    sql("CREATE INDEX low ON sets USING bloom_filters(name) OPTIONS (expr = 'lower')")
    sql("CREATE INDEX codes ON sets USING bloom_filters(code)")
    assertEquals(sql("SHOW INDEXES FROM sets").map(_.getString(0)).filter(_.startsWith("expr_")).sorted,
      Seq("expr_index_codes", "expr_index_low"))
    sql("INSERT INTO sets VALUES (5, 'Aa5', 'a5', 'n', NULL, 1, 'd'), (95, 'Zz5', 'z5', NULL, NULL, 1, 'd')")
    assertEquals(left("lower(name) = 'zz2'"), Some(1))
    assertEquals(left("lower(name) IN ('aa0', 'zz5', 'mm')"), Some(2))
    assertEquals(left("lower(name) = 'aa0' OR code = 'z3'"), Some(2))
    assertEquals(left("'a2' = code"), Some(1))
    assertEquals(left("code <=> 'a5'"), Some(1))
    assertEquals(left("code = 'a2z'"), Some(0))
    Seq("lower(name) = '\u00e9'", "NOT (lower(name) = 'aa2')", "lower(name) > 'b'", "upper(name) = 'ZZ2'",
      "lower(name) = ''").foreach(filter => assertEquals(left(filter).getOrElse(5), 5, filter))
    assertEquals(sql("SELECT id FROM sets WHERE code IN ('z2', 'a5') ORDER BY id").map(_.getInt(0)), Seq(5, 92))
    assert(intercept[HudiliteException](sql("CREATE INDEX r ON sets USING column_stats(code) OPTIONS (expr = 'lower')"))
        .getMessage.contains("expr_index_codes is of this column"))
    assertEquals(condition("INSERT INTO sets VALUES (6, 'a', '\ufffd', 'n', NULL, 1, 'd')"), "METADATA_TABLE_LOST")
    sql("DROP INDEX codes ON sets")
    assert(!isListed(path, "codes") && isListed(path, "low"))
    assertEquals(left("code = 'a2z'"), Some(3))
    sql("DROP TABLE sets")
  }

  test(
    "a column that is renamed, dropped or changed keeps its index: the statement is refused, by the name of the index") {
    val path = create("held", "cow")
    insert("held", 0 until 3, 1)
    sql("CREATE INDEX low ON held USING column_stats(name) OPTIONS (expr = 'lower')")
    Seq("ALTER TABLE held RENAME COLUMN name TO title", "ALTER TABLE held DROP COLUMN name").foreach { statement =>
      val error = intercept[HudiliteException](sql(statement))
      assertEquals(error.condition, "METADATA_TABLE_LOST", statement)
      assert(error.getMessage.contains("expr_index_low"), error.getMessage)
    }
    assert(isListed(path, "low"))
    assertEquals(sql("SELECT name FROM held WHERE lower(name) = 'n01xx'").map(_.getString(0)), Seq("N01Xx"))
    sql("DROP INDEX low ON held")
    sql("ALTER TABLE held RENAME COLUMN name TO title")
    assertEquals(sql("SELECT title FROM held WHERE lower(title) = 'n01xx'").map(_.getString(0)), Seq("N01Xx"))
    sql("DROP TABLE held")
  }
}

package io.hudilite.spark.read

import io.hudilite.config.{TableDefinition, TableType}
import io.hudilite.log.{OrderingKind, OrderingValue}
import io.hudilite.spark.{NewestSpark, SharedSession, SpoiltColumn}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import java.nio.file.{Files, Path, Paths}

import io.hudilite.spark.SharedSession.withConf
import io.hudilite.spark.read.LoggedTable.{Data, Deletes}
import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.{col, hex}
import org.apache.spark.sql.types.StructType

/** Rows of base files that a log has anew: where they come from, and what is read to find them. */
class ReplacedRowsSuite extends FunSuite {

  private val spark = SharedSession.spark

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(10, "min")

  // Every type, by the number `n` of a row.
  private val columns =
    "n % 2 = 0 AS b, cast(n AS int) AS i, n AS l, cast(n / 3 AS float) AS f, cast(n AS double) / 7 AS d, " +
      "cast(n / 100 AS decimal(5, 2)) AS d5, cast(-n AS decimal(18, 3)) AS d18, cast(n AS decimal(38, 10)) AS d38, " +
      "cast(n AS string) AS text, cast(concat('b', n) AS binary) AS bin, " +
      "date_add(DATE'2020-01-01', cast(n AS int)) AS day, timestamp_micros(n * 1000003) AS time, " +
      "cast(timestamp_micros(n) AS timestamp_ntz) AS ntz"

  private def key(id: String): String = s"concat('k', lpad($id, 5, '0'))"

  private val size = 10000
  private val old = spark.sql(s"SELECT ${key("id")} AS id, 1L AS o, $columns " +
    s"FROM (SELECT id, if(id % 11 = 0, null, id div 1000 * 20 + id % 20) AS n FROM range($size))")
  // Numbers and nulls that the old rows have not; new keys are between the old ones, and behind them.
  private val changed = spark.sql(s"SELECT id, 2L AS o, $columns FROM (" +
    s"SELECT ${key("id")} AS id, if(id % 13 = 0, null, id % 900) AS n FROM range($size) WHERE id % 3 = 1 UNION ALL " +
    s"SELECT ${key("id")} || if(id < 5000, 'x', '') AS id, id AS n FROM range(4000, 12000, 500) " +
    s"WHERE id < 5000 OR id >= $size)")
  // The first and the last rows of batches of 7 and of 4096 rows, and of the file.
  private val gone = spark.sql(s"SELECT ${key("id")} AS id, 3L AS o FROM VALUES 0, 6, 7, 13, 27, 700, 701, 702, 703, " +
    s"704, 705, 706, 4095, 4096, 8191, 8192, ${size - 1} AS t(id)")

  private def texts(rows: DataFrame): Seq[String] =
    rows.withColumn("bin", hex(col("bin"))).collect().map(_.mkString("|")).sorted.toSeq

  private lazy val expected: Seq[String] = texts(old.join(changed, Seq("id"), "left_anti").union(changed)
      .join(gone, Seq("id"), "left_anti"))

  private def write(rows: DataFrame, path: String, operation: String, more: (String, String)*): Unit =
    rows.coalesce(1).write.format("hudilite").option("hoodie.datasource.write.operation", operation)
      .options(more.toMap).mode("append").save(path)

  private def own(index: (String, String)*): String = {
    val path = Files.createTempDirectory("replaced-rows").resolve("table").toString
    val facts = Seq("hoodie.datasource.write.table.type" -> "MERGE_ON_READ", "hoodie.table.name" -> "replaced",
      "hoodie.datasource.write.recordkey.field" -> "id", "hoodie.datasource.write.precombine.field" -> "o")
    write(old, path, "insert", facts ++ index: _*)
    path
  }

  private val oneBucket = Seq("hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> "1")

  private def handmade(settings: (String, String)*): String = withConf(settings: _*) {
    val made = new HandmadeTable(
      TableDefinition("replaced", Seq("id"), orderingFields = Seq("o"), tableType = TableType.MergeOnRead), old.schema)
    made.commit("" -> old)
    made.path
  }

  private val micros = "spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS"
  private val smallPages = Seq("parquet.page.size" -> "2000", "parquet.page.size.row.check.min" -> "50",
    "parquet.page.size.row.check.max" -> "50", "parquet.page.row.count.limit" -> "1000")

  private val smallGroups = Seq("parquet.block.size" -> "40000", "parquet.block.size.row.check.min" -> "100",
    "parquet.block.size.row.check.max" -> "100")

  /** Base files, and whether there are several row groups, and pages with and without a dictionary in a column. */
  private val bases = Seq[(String, (Boolean, Boolean, Boolean), () => String)](
    ("hudilite's own base file", (false, true, false), () => own()),
    ("a bucket", (false, true, false), () => own(oneBucket: _*)),
    ("a base file with dictionaries", (true, true, false), () => handmade(smallGroups :+ micros: _*)),
    ("a base file without dictionaries", (false, false, true),
      () => handmade(micros, "parquet.enable.dictionary" -> "false")),
    ("a base file of small pages whose dictionaries run full", (false, true, true),
      () => handmade(smallPages :+ ("parquet.dictionary.page.size" -> "300"): _*)))

  private def baseFile(path: String): Path = {
    val table = Table.open(new HadoopStorage(new Configuration()), path)
    Paths.get(path, table.allSlices().values.flatten.flatMap(_.base).head.relativePath)
  }

  for (((name, form, base), number) <- bases.zipWithIndex; placed <- Seq(true, false))
    test(NewestSpark.unless((number % 2 == 0) == placed)(
        s"rows of every type are replaced, deleted and inserted in $name, with positions=$placed")) {
      val path = base()
      val encodings = SpoiltColumn.chunks(baseFile(path), "l").map(_.getEncodingStats)
      assertEquals((encodings.size > 1, encodings.head.hasDictionaryEncodedPages,
          encodings.head.hasNonDictionaryEncodedPages), form)
      val more = ("hoodie.write.record.positions" -> placed.toString) +: (if (name == "a bucket") oneBucket else Nil)
      write(changed, path, "upsert", more: _*)
      write(gone, path, "delete", more: _*)
      // Each pair of the three settings comes up, of positions, memory and batches.
      for ((offHeap, batchSize) <- Seq(placed -> 7, !placed -> 4096))
        withConf("spark.sql.columnVector.offheap.enabled" -> offHeap.toString,
          "spark.sql.parquet.columnarReaderBatchSize" -> batchSize.toString) {
          val all = spark.read.format("hudilite").load(path).select(old.columns.toSeq.map(col): _*)
          // Values of every type are written over the old ones: the rows are still in the order of the file.
          val ids = all.collect().map(_.getString(0)).filter(_.matches("k0\\d{4}")).toSeq
          assertEquals(ids, ids.sorted)
          assertEquals(texts(all), expected, s"off-heap=$offHeap, batch size=$batchSize")
          assertEquals(all.count(), expected.size.toLong)
          // With their commit times, which a file has but one of, the new rows come in batches of their own.
          val times = spark.read.format("hudilite").load(path).groupBy("_hoodie_commit_time").count()
          val updated = expected.count(_.split('|')(1) == "2")
          assertEquals(times.collect().map(_.getLong(1)).sorted.toSeq,
            Seq(updated.toLong, expected.size.toLong - updated))
          assertEquals(texts(all.where("id >= 'k03000' AND id < 'k05000'")),
            expected.filter(r => r >= "k03000" && r < "k05000"))
        }
    }

  private val schema = StructType.fromDDL("id STRING, ts BIGINT, v STRING, list ARRAY<BIGINT>")
  private val list: java.util.List[Long] = java.util.Arrays.asList(7L)

  private def base(values: String): Option[DataFrame] =
    Some(spark.sql(s"SELECT *, array(1L, 2L) AS list FROM VALUES $values AS t(id, ts, v)"))

  private val three = base("('a', 10L, 'old a'), ('b', 10L, 'old b'), ('c', 10L, 'old c')")
  private val ordered = Some("ts")

  /** A record for each of the rows, and where it is in the base file. */
  private def data(placed: Boolean, rows: (Long, Seq[Any])*): Data =
    Data(rows.map(_._2 :+ list), if (placed) Some(rows.map(_._1)) else None)

  private def shown(rows: DataFrame): Seq[String] = rows.select("id", "ts", "v").collect().map(_.mkString(" ")).toSeq

  for (sorted <- Seq(true, false); placed <- Seq(true, false))
    test(s"a row that is replaced keeps its place among its neighbours, sorted=$sorted, with positions=$placed") {
      val table = new LoggedTable(three, schema, ordered, sorted)
      table.append(data(placed, (0L, Seq("a", 11L, "new a")), (1L, Seq("b", 11L, null))))
      assertEquals(shown(table.read()), Seq("a 11 new a", "b 11 null", "c 10 old c"))
      assertEquals(table.read().select("v").collect().map(_.getString(0)).toSeq, Seq("new a", null, "old c"))
      assertEquals(table.read().count(), 3L)
      // Nested values cannot be written over, and rows of the log are delivered by themselves.
      val nested = table.read().select("id", "v", "list").collect().map(_.toString).sorted.toSeq
        .map(_.replaceAll("(ArraySeq|WrappedArray)", "Array"))
      assertEquals(nested, Seq("[a,new a,Array(7)]", "[b,null,Array(7)]", "[c,old c,Array(1, 2)]"))
    }

  test("a row with a commit time of its own replaces one whose file has a single one") {
    val table = new LoggedTable(three, schema, ordered)
    val first = table.slice.get.base.get.instant
    val second = table.append(data(placed = true, (1L, Seq("b", 11L, "new b"))))
    assertEquals(table.read().select("id", "_hoodie_commit_time").collect().map(_.mkString(" ")).sorted.toSeq,
      Seq(s"a $first", s"b $second", s"c $first"))
  }

  test("rows are replaced where the file has an ordering column narrower, and another not at all") {
    val wide = StructType.fromDDL("id STRING, ts BIGINT, v STRING, late STRING")
    val table = new LoggedTable(Some(spark.sql("SELECT * FROM VALUES ('a', 10, 'old a'), ('b', 10, 'old b'), " +
          "('c', 10, 'old c') AS t(id, ts, v)")), wide, ordered, sorted = false)
    table.append(Data(Seq(Seq("a", 10L, "new a", null), Seq("b", 11L, "new b", "here"))))
    def rows(columns: String*): Seq[String] =
      table.read().selectExpr(columns: _*).collect().map(_.mkString(" ")).sorted.toSeq
    assertEquals(rows("id", "v", "late"), Seq("a new a null", "b new b here", "c old c null"))
    assertEquals(rows("id", "ts"), Seq("a 10", "b 11", "c 10"))
    assertEquals(table.read().where("late is null and ts = 10 and v like 'old%'").count(), 1L)
    table.append(Data(Seq(Seq("c", 9L, "late", null))))
    assertEquals(rows("id", "ts", "late"), Seq("a 10 null", "b 11 here", "c 10 null"))
  }

  for (sorted <- Seq(true, false); placed <- Seq(true, false))
    test(s"ordering values of a file are read only if a record may be older, sorted=$sorted, positions=$placed") {
      val table = new LoggedTable(three, schema, ordered, sorted)
      table.append(data(placed, (1L, Seq("b", 11L, "new b"))))
      table.append(Deletes(Seq("a" -> OrderingValue.Value(OrderingKind.LongKind, 10L)),
          if (placed) Some(Seq(0L)) else None))
      SpoiltColumn.spoil(baseFile(table.path), "ts")
      def rows(): Seq[String] = table.read().select("id", "v").collect().map(_.mkString(" ")).toSeq
      assertEquals(rows(), Seq("b new b", "c old c"))
      table.append(data(placed, (2L, Seq("c", 9L, "late"))))
      intercept[Exception](rows())
    }

  for (placed <- Seq(true, false)) {

    test(s"filters see the versions that win where all records are newer, with positions=$placed") {
      val table = new LoggedTable(three, schema, ordered)
      table.append(data(placed, (1L, Seq("b", 11L, "new b")), (2L, Seq("c", 10L, "tie"))))
      def where(filter: String): Seq[String] = shown(table.read().where(filter)).sorted
      assertEquals(where("v like '%'"), Seq("a 10 old a", "b 11 new b", "c 10 tie"))
      assertEquals(where("v = 'old b'"), Nil)
      assertEquals(where("v = 'old c'"), Nil)
      assertEquals(where("v = 'new b'"), Seq("b 11 new b"))
      assertEquals(where("v = 'tie'"), Seq("c 10 tie"))
      assertEquals(where("ts = 10"), Seq("a 10 old a", "c 10 tie"))
      assertEquals(where("ts > 10"), Seq("b 11 new b"))
      assertEquals(where("id = 'b' AND v <> 'new b'"), Nil)
      assertEquals(where("id >= 'b'"), Seq("b 11 new b", "c 10 tie"))
      assertEquals(table.read().where("v like 'old%'").count(), 1L)
    }

    test(s"filters see the versions that win where ordering values are missing, with positions=$placed") {
      val table =
        new LoggedTable(base("('a', null, 'old a'), ('b', 10L, 'old b'), ('c', null, 'old c')"), schema, ordered)
      table.append(data(placed, (0L, Seq("a", 10L, "new a")), (1L, Seq("b", null, "new b"))))
      def where(filter: String): Seq[String] = shown(table.read().where(filter)).sorted
      assertEquals(where("v like 'old%'"), Seq("b 10 old b", "c null old c"))
      assertEquals(where("ts is null"), Seq("c null old c"))
      assertEquals(where("ts = 10"), Seq("a 10 new a", "b 10 old b"))
      // A record below the bound still wins over a row without a value, and over no other.
      table.append(data(placed, (2L, Seq("c", 1L, "new c"))))
      assertEquals(where("ts = 1"), Seq("c 1 new c"))
      assertEquals(where("v like 'old%'"), Seq("b 10 old b"))
      val empty = new LoggedTable(base("('a', cast(null AS BIGINT), 'old a'), ('b', null, 'old b')"), schema, ordered)
      empty.append(data(placed, (0L, Seq("a", -5L, "new a"))))
      assertEquals(shown(empty.read().where("ts is null or ts < 0")).sorted, Seq("a -5 new a", "b null old b"))
    }
  }

  test("of several ordering columns a later one counts where those before are equal") {
    val two = StructType.fromDDL("id STRING, ts BIGINT, sub INT, v STRING")
    def table(): LoggedTable =
      new LoggedTable(
        Some(spark.sql("SELECT * FROM VALUES ('a', 10L, 1, 'old a'), ('b', 10L, 5, 'old b'), " +
            "('c', 9L, 9, 'old c'), ('d', 10L, null, 'old d') AS t(id, ts, sub, v)")), two, Some("ts,sub"))
    def where(table: LoggedTable, filter: String): Seq[String] =
      table.read().where(filter).collect().map(_.toSeq.takeRight(4).mkString(" ")).sorted.toSeq
    // The bounds are 10 and 9, which no row has together.
    val newer = table()
    newer.append(Data(Seq(Seq("a", 10L, 9, "new a"), Seq("b", 11L, 0, "new b"), Seq("c", 10L, null, "new c"))))
    assertEquals(where(newer, "v like 'old%'"), Seq("d 10 null old d"))
    assertEquals(where(newer, "sub > 4"), Seq("a 10 9 new a"))
    assertEquals(where(newer, "v like 'new%'"), Seq("a 10 9 new a", "b 11 0 new b", "c 10 null new c"))
    val mixed = table()
    mixed.append(Data(Seq(Seq("a", 10L, 5, "new a"), Seq("b", 10L, 4, "late"), Seq("c", 9L, 9, "tie"),
          Seq("d", 10L, 0, "new d"))))
    assertEquals(where(mixed, "v = 'late'"), Nil)
    assertEquals(where(mixed, "v like '%'"), Seq("a 10 5 new a", "b 10 5 old b", "c 9 9 tie", "d 10 0 new d"))
  }
}

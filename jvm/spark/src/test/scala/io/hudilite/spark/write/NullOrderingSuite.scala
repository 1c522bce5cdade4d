package io.hudilite.spark.write

import io.hudilite.merge.{MergeRule, Version}
import io.hudilite.spark.{Interpreted, Raised, SharedSession}

import java.nio.file.Files

import munit.FunSuite
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.types.StructType

import scala.collection.JavaConverters._

/** Rows without ordering values. */
class NullOrderingSuite extends FunSuite with Interpreted {

  private val spark = SharedSession.spark

  /** For each key three rows in turn, dealt to one, two or three writes. */
  private def lives(values: Seq[Seq[Any]]): Seq[(String, Seq[Arriving])] = for {
    (a, i) <- values.zipWithIndex
    (b, j) <- values.zipWithIndex
    (c, k) <- values.zipWithIndex
    deal <- Seq(Seq(1, 1, 1), Seq(1, 1, 2), Seq(1, 2, 2), Seq(1, 2, 3))
  } yield s"$i$j$k-${deal.mkString}" -> Seq(a, b, c).zip(deal).map { case (v, w) => Arriving(v, w) }

  private def winner(rule: MergeRule, rows: Seq[Arriving]): Int = {
    def version(of: Arriving): Version = new Version {
      override def ordering(field: Int): Any = of.values(field)
    }
    rows.indices.reduceLeft((best, i) => if (rule.wins(version(rows(i)), version(rows(best)))) i else best)
  }

  private def frame(columns: String, of: Seq[(String, Seq[Arriving])], write: Int): DataFrame = {
    val rows = of.flatMap { case (key, arriving) =>
      arriving.zipWithIndex.collect { case (row, turn) if row.write == write => Row(key +: row.values :+ turn: _*) }
    }
    spark.createDataFrame(rows.asJava, StructType.fromDDL(s"id string, $columns, turn int")).coalesce(1)
  }

  private def write(path: String, rows: DataFrame, options: (String, String)*): Unit =
    rows.write.format("hudilite").options(options.toMap).mode("append").save(path)

  private def newPath(): String = Files.createTempDirectory("hudilite-nulls").resolve("t").toString

  private def facts(ordering: String, kind: String, version: Int = 9): Seq[(String, String)] = Seq(
    "hoodie.datasource.write.recordkey.field" -> "id",
    "hoodie.datasource.write.precombine.field" -> ordering,
    "hoodie.record.merge.mode" -> "EVENT_TIME_ORDERING",
    "hoodie.datasource.write.table.type" -> kind,
    "hoodie.write.table.version" -> version.toString)

  private val longs = Seq[Seq[Any]](Seq(null), Seq(-1L), Seq(5L))
  private val ints = Seq[Seq[Any]](Seq(null), Seq(-1), Seq(5))
  private val pairs = Seq[Seq[Any]](Seq(5L, null), Seq(5L, Int.box(-1)), Seq(null, Int.box(1)), Seq(null, null))
  private val inBuckets = Seq("hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> "2")

  for ((columns, values, version, more) <- Seq(
      ("ts bigint", longs, 6, Nil),
      ("ts int", ints, 9, inBuckets),
      ("ts bigint, sub int", pairs, 9, Seq("hoodie.index.type" -> "GLOBAL_SIMPLE"))))
    test(s"however rows are dealt to writes the same one stays, $columns, version $version, $more") {
      val (path, all) = (newPath(), lives(values))
      val fields = StructType.fromDDL(columns).fieldNames.toSeq
      for (round <- 1 to 3)
        write(path, frame(columns, all, round), facts(fields.mkString(","), "COPY_ON_WRITE", version) ++ more: _*)
      val rule = MergeRule(fields)
      val shown = spark.read.format("hudilite").load(path).select("id", "turn").collect()
        .map(r => r.getString(0) -> r.getInt(1)).toSeq.sorted
      assertEquals(shown, all.map { case (key, rows) => key -> winner(rule, rows) }.sorted)
    }

  for (index <- Seq("SIMPLE", "GLOBAL_SIMPLE"))
    test(s"a row without an ordering value that deletes its key does so in the order of commits, $index") {
      val path = newPath()
      def rows(values: String): DataFrame =
        spark.sql(s"SELECT * FROM VALUES $values AS t(id, p, ts, v, _hoodie_is_deleted)")
      val options = facts("ts", "COPY_ON_WRITE") ++
        Seq("hoodie.datasource.write.partitionpath.field" -> "p", "hoodie.index.type" -> index)
      write(path, rows("('a', 'x', 5L, 'old', false), ('b', 'x', 5L, 'old', false), ('c', 'x', 5L, 'old', false)"),
        options: _*)
      val elsewhere = if (index == "SIMPLE") "x" else "y"
      write(path,
        rows(s"('a', '$elsewhere', cast(null AS BIGINT), 'gone', true), " +
          s"('b', '$elsewhere', 4L, 'late', true), ('c', '$elsewhere', null, 'no value', false)"), options: _*)
      val shown = spark.read.format("hudilite").load(path).select("id", "p", "v").collect().map(_.mkString(" ")).toSeq
      assertEquals(shown.sorted, Seq("b x old", "c x old"))
    }

  private val global = Seq("hoodie.index.type" -> "GLOBAL_SIMPLE")

  for ((kind, ddl, more) <- Seq(("COPY_ON_WRITE", "bigint", Nil), ("COPY_ON_WRITE", "int", global),
      ("MERGE_ON_READ", "int", Nil), ("MERGE_ON_READ", "bigint", inBuckets)))
    test(
      s"a delete without an ordering value and another row are the same in one write as in two, $kind, $ddl, $more") {
      // Of a delete the int 0 is none.
      val deletes = if (ddl == "int") Seq("null", "0") else Seq("null")
      val versions = Seq("3" -> false, "7" -> false) ++ deletes.map(_ -> true)
      val pairs = for (base <- Seq(false, true); (a, i) <- versions.zipWithIndex; (b, j) <- versions.zipWithIndex)
        yield (s"$base-$i-$j", base, a, b)
      def frame(rows: Seq[(String, (String, Boolean), String)]): DataFrame =
        spark.sql(rows.map { case (id, (ts, deleted), v) => s"('$id', cast($ts AS $ddl), '$v', $deleted)" }
            .mkString("SELECT * FROM VALUES ", ", ", " AS t(id, ts, v, _hoodie_is_deleted)")).coalesce(1)
      val first = pairs.map { case (id, _, a, _) => (id, a, "first") }
      val second = pairs.map { case (id, _, _, b) => (id, b, "second") }
      def shown(writes: Seq[Seq[(String, (String, Boolean), String)]]): Map[String, String] = {
        val path = newPath()
        val there = pairs.collect { case (id, true, _, _) => (id, "5" -> false, "base") }
        write(path, frame(there), facts("ts", kind) ++ more: _*)
        writes.foreach(rows => write(path, frame(rows), more: _*))
        spark.read.format("hudilite").load(path).select("id", "v").collect().map(r => r.getString(0) -> r.getString(1))
          .toMap
      }
      val (inOne, inTwo) = (shown(Seq(first ++ second)), shown(Seq(first, second)))
      for ((id, base, (_, deletes), (ts, _)) <- pairs) {
        // Of a row behind a delete nobody knows that it has nothing to win over any more.
        val isLate = base && deletes && ts == "3"
        assertEquals(inOne.get(id), if (isLate) Some("base") else inTwo.get(id), id)
        assertEquals(inOne.contains(id), ts == "3" || ts == "7", id)
      }
    }

  for (more <- Seq(Nil, inBuckets))
    test(s"a merge-on-read table takes a row without an ordering value only where that deletes its key, $more") {
      val path = newPath()
      def rows(values: String): DataFrame =
        spark.sql(s"SELECT * FROM VALUES $values AS t(id, ts, sub, v, _hoodie_is_deleted)")
      write(path, rows("('a', 1L, 1, 'old', false), ('b', 1L, 1, 'old', false)"),
        facts("ts,sub", "MERGE_ON_READ") ++ more: _*)
      for (operation <- Seq("upsert", "insert", "bulk_insert"); lacking <- Seq("null, 2", "2L, null")) {
        val error = Raised.by(write(path, rows(s"('a', 3L, 3, 'new', false), ('c', $lacking, 'new', false)"),
            more :+ ("hoodie.datasource.write.operation" -> operation): _*))
        assertEquals(error.condition, "NULL_ORDERING_VALUE")
        assertEquals(error.parameters("key"), "c")
        assertEquals(error.parameters("column"), if (lacking.startsWith("null")) "ts" else "sub")
      }
      write(path, rows("('a', cast(null AS BIGINT), 2, 'gone', true), ('b', 2L, 0, 'new', false)"), more: _*)
      val shown = spark.read.format("hudilite").load(path).select("id", "v").collect().map(_.mkString(" ")).toSeq
      assertEquals(shown, Seq("b new"))
    }
}

/** The values of the ordering columns of one row, and the write that brings it. */
private final case class Arriving(values: Seq[Any], write: Int)

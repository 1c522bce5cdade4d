package io.hudilite.spark.read

import io.hudilite.metadata.{MadeValueIndex, SecondaryKey}

import java.nio.file.{Files, Paths}

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.functions.col

import scala.collection.JavaConverters._
import scala.util.Random

/** Files that queries by values open where a table has secondary indexes, and that none of their rows is lost by it. */
class SecondaryIndexReadSuite extends IndexedReads {

  /** A table of hudilite's with a record index and three file groups, some of whose rows were written twice. */
  private def made(version: Int, tableType: String = "COPY_ON_WRITE"): String = {
    val path = Files.createTempDirectory("hudilite-values").resolve("t").toString
    def write(ids: Range, turn: Int): Unit =
      spark.range(ids.start.toLong, ids.end.toLong, ids.step.toLong, 1).selectExpr(
        "concat('k$', id) id", "concat('p', id % 3) dt", s"id * 10 + $turn ts", s"cast(id % 5 - $turn as int) i",
        s"CASE WHEN id % 4 = 0 THEN null WHEN id % 4 = 1 THEN 'a$$b' ELSE concat('own\\\\', id, '-', $turn) END nn",
        s"IF(id % 7 = 3, null, date_add(DATE '1969-12-25', cast(id as int))) day",
        s"timestamp_micros(-5000000000 + id * 1000001 + $turn) at")
        .write.format("hudilite").options(Map("hoodie.table.name" -> "t",
            "hoodie.datasource.write.recordkey.field" -> "id", "hoodie.datasource.write.partitionpath.field" -> "dt",
            "hoodie.datasource.write.precombine.field" -> "ts", "hoodie.datasource.write.table.type" -> tableType,
            "hoodie.write.table.version" -> version.toString, "hoodie.metadata.enable" -> "true",
            "hoodie.metadata.global.record.level.index.enable" -> "true")).mode("append").save(path)
    write(0 until 30, 0)
    write(3 until 30 by 5, 1)
    path
  }

  private val versions = Seq(9, 8)

  /** Tables of these versions with right indexes. */
  private lazy val whole: Map[Int, String] =
    versions.map(version => version -> indexed(made(version), version)(identity)).toMap

  private def quoted(text: String): String = s"'${text.replace("\\", "\\\\")}'"

  private def leftOut(frame: DataFrame): Long = PlanProbe.metric(frame, "filesPrunedBySecondaryIndex")

  private val allColumns = Seq("nn", "i", "ts", "day", "at")

  /** Text of the value of a row. */
  private def text(row: Row, column: String): Option[String] = Option(row.getAs[Any](column)).map {
    case day: java.sql.Date => day.toLocalDate.toEpochDay.toString
    case at: java.sql.Timestamp => (Math.floorDiv(at.getTime, 1000L) * 1000000L + at.getNanos / 1000).toString
    case other => other.toString
  }

  /** Gives the table indexes of these columns, which tell the pairs of its rows as `told` has them. */
  private def indexed(path: String, version: Int = 9, columns: Seq[String] = allColumns)(
      told: Seq[SecondaryKey] => Seq[SecondaryKey]): String = {
    val held = read(path, "hoodie.metadata.enable" -> "false").select("id", columns: _*).collect().toSeq
    val made = new MadeValueIndex(path, version, shards = 3)
    columns.foreach { column =>
      val pairs = told(held.map(row => SecondaryKey(text(row, column), row.getAs[String]("id"))))
      // Some were others before the last write.
      val changed = pairs.drop(pairs.size / 2)
      val older = changed.map(_.copy(value = Some("-77")))
      made.of(s"of_$column", column, pairs.take(pairs.size / 2) ++ older,
        older.map(_ -> false) ++ changed.map(_ -> true))
    }
    path
  }

  // Of such a table one index is gone by.
  private lazy val merged: String = indexed(made(9, "MERGE_ON_READ"), columns = Seq("nn"))(identity)

  for ((version, isMerged) <- versions.map(_ -> false) :+ (9 -> true))
    test(s"version $version: a value is looked for in the file groups of its rows alone" +
      (if (isMerged) ", merge-on-read" else "")) {
      val path = if (isMerged) merged else whole(version)
      if (isMerged) assert(found(read(path)).contains(" log files"), found(read(path)))
      val held = read(path).select("nn", "_hoodie_file_name").collect().toSeq
      val groups = held.map(row => Option(row.getString(0)) -> row.getString(1).take(36)).groupBy(_._1)
        .map { case (value, of) => value -> of.map(_._2).distinct.size }
      val all = held.map(_.getString(1).take(36)).distinct.size
      for ((value, own) <- groups.toSeq.sortBy(-_._2).take(6); text <- value) {
        val frame = right(path, s"nn = ${quoted(text)}")
        assertEquals(leftOut(frame), (all - own).toLong, found(frame))
        assertEquals(PlanProbe.metric(frame, "filesOpened"), own.toLong, text)
        assert(found(frame).contains(s" -> $own by secondary index"), found(frame))
      }
      assertEquals(leftOut(right(path, "nn IN ('none', 'n$', '')")), all.toLong)
      assertEquals(leftOut(right(path, "nn = 'none' AND day > DATE '1999-01-01'")), all.toLong)
      assert(!found(right(path, "nn IS NULL")).contains("secondary index"))
      assert(!found(right(path, "nn = 'none' OR i = 3")).contains("secondary index"))
      assert(!found(right(path, "nn = 'none' AND dt = 'p1'")).contains("secondary index"))
      assert(!found(read(path, "as.of.instant" -> "20991231000000000").where("nn = 'none'")).contains("secondary"))
    }

  for (version <- versions)
    test(s"version $version: random filters find the rows that a scan of all finds") {
      val random = new Random(version)
      val path = whole(version)
      val held = read(path).select(allColumns.map(c => col(c).cast("string")): _*).collect()
      def literal(column: String): String = {
        val value = Option(held(random.nextInt(held.length)).getAs[String](column)).getOrElse("0")
        column match {
          case "nn" => quoted(value)
          case "day" => if (value == "0") "DATE '2020-02-28'" else s"DATE '$value'"
          case "at" => if (value == "0") "TIMESTAMP '2020-01-01 00:00:00'" else s"TIMESTAMP '$value'"
          case _ => value
        }
      }
      def condition(): String = {
        val column = allColumns(random.nextInt(allColumns.size))
        random.nextInt(3) match {
          case 0 => s"$column = ${literal(column)}"
          case 1 => s"$column IN (${Seq.fill(3)(literal(column)).mkString(", ")}, NULL)"
          case _ => s"($column = ${literal(column)} OR $column <=> ${literal(column)})"
        }
      }
      val pruned = (0 until 12).count { _ =>
        val filter = Seq.fill(1 + random.nextInt(2))(condition()).mkString(" AND ")
        val frame = right(path, filter)
        PlanProbe.scans(frame).exists(_.scan.description().contains("by secondary index"))
      }
      assert(pruned > 8, pruned)
    }

  test("what a join learns of its small side opens the file groups of rows with these values") {
    val path = whole(9)
    val one = read(path).where("nn LIKE 'own%'").select("nn").head().getString(0)
    read(path).createOrReplaceTempView("large")
    spark.range(400).selectExpr(s"if(id = 7, ${quoted(one)}, concat('none', id)) k", "id % 100 n")
      .createOrReplaceTempView("small")
    val frame = spark.sql("SELECT /*+ BROADCAST(small) */ id FROM large JOIN small ON nn = k WHERE n = 7")
    assertEquals(rows(frame),
      rows(read(path, "hoodie.metadata.enable" -> "false").where(s"nn = ${quoted(one)}").select("id")))
    val scan = PlanProbe.scans(frame).head
    assert(scan.metrics("filesPrunedBySecondaryIndex").value > 0, scan.toString)
  }

  test("an index that cannot be gone by has the rows found without it, and the scan says why") {
    def unused(path: String, reason: String): Unit = {
      val values = read(path, "hoodie.metadata.enable" -> "false").select("i").distinct().collect().take(3)
      values.map(_.getInt(0)).foreach { value =>
        val frame = right(path, s"i = $value")
        assertEquals(leftOut(frame), 0L)
        assert(found(frame).contains("(secondary index not used: of_i: ") && found(frame).contains(reason),
          found(frame))
      }
    }
    def clustered(told: Seq[SecondaryKey] => Seq[SecondaryKey]): String =
      indexed(after("keyed-v9", "insert-and-cluster"), columns = Seq("i"))(told)
    unused(clustered(_.drop(1)), "values for")
    unused(clustered(_.map(pair => pair.copy(recordKey = s"${pair.recordKey}-none"))), "-none has no place")
    unused(indexed(after("keyed-v9", "twice"), columns = Seq("i"))(_.distinct), "it has 17 places for 19 rows")
    unused(indexed(after("keyed-mor-v9", "upsert-on-compacted"), columns = Seq("i", "ts"))(identity),
      "the table is merge-on-read and has secondary_index_of_ts besides")
    val damaged = clustered(identity)
    files(damaged).filter(_.toString.endsWith(".hfile")).foreach(f =>
      Files.write(f, Files.readAllBytes(f).map(b => (b ^ 0x11).toByte)))
    unused(damaged, "")
    val missing = clustered(identity)
    files(missing).filter(_.toString.contains("-0001-0")).foreach(Files.delete(_))
    unused(missing, "only the numbers 0, 2 are there")
  }

  private def files(path: String) = {
    val of = Files.list(Paths.get(path, ".hoodie", "metadata", "secondary_index_of_i"))
    try of.iterator.asScala.filter(f => !f.toString.endsWith(".crc")).toList
    finally of.close()
  }
}

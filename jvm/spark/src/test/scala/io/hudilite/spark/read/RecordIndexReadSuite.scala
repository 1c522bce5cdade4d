package io.hudilite.spark.read

import java.nio.file.{Files, Path, Paths}

import org.apache.spark.sql.DataFrame

import scala.collection.JavaConverters._

/** Files that queries by key open where Apache Hudi has left a record index, and that none of their rows is lost by it. */
class RecordIndexReadSuite extends IndexedReads {

  private def leftOut(frame: DataFrame): Long = PlanProbe.metric(frame, "filesPrunedByRecordIndex")

  for ((table, step, groups) <- Seq(("keyed-v6", "insert-and-cluster", 3), ("keyed-v8", "moved", 3),
      ("keyed-v9", "insert-and-cluster", 3), ("keyed-mor-v9", "upsert-and-insert", 3),
      ("keyed-mor-v9", "upsert-on-compacted", 3), ("keyed-in-partitions-v9", "delete", 3)))
    test(s"$table after $step: a key is looked for in its own file groups") {
      val path = after(table, step)
      val rows = read(path).select("id", "_hoodie_file_name").collect().map(row => row.getString(0) -> row.getString(1))
      val places = rows.groupBy(_._1).map { case (key, files) => key -> files.map(_._2).toSeq }
      // A key of each file group, and one that two partitions have.
      val asked = rows.groupBy(_._2).values.map(_.head._1).toSet ++ places.find(_._2.size > 1).map(_._1)
      for (key <- asked) {
        val frame = right(path, s"id = '$key'")
        val own = places(key).size
        assertEquals((leftOut(frame), PlanProbe.metric(frame, "filesOpened")), ((groups - own).toLong, own.toLong), key)
        assert(found(frame).contains(s" -> $own by record index"), found(frame))
      }
      val (first, groupsOfFirst) = places.head
      assertEquals(leftOut(right(path, s"id IN ('$first', 'none') AND i >= 0")), (groups - groupsOfFirst.size).toLong)
      assertEquals(leftOut(right(path, s"_hoodie_record_key = '$first'")), (groups - groupsOfFirst.size).toLong)
      assertEquals(leftOut(right(path, "id = 'none'")), groups.toLong)
    }

  for ((table, step, reason) <- Seq(("keyed-v9", "twice", "it has 17 places for 19 rows"),
      ("keyed-mor-v9", "delete", "it has 12 places for 13 rows"),
      ("keyed-mor-v9", "late-delete", "it has 11 places for 12 rows")))
    test(s"$table after $step: rows without a place are found, and the scan says why no index is used") {
      val path = after(table, step)
      for (key <- Seq(1, 3, 6, 30)) {
        val frame = right(path, f"id = 'k$key%03d'")
        assertEquals(leftOut(frame), 0L)
        assert(found(frame).contains(s" (record index not used: $reason)"), found(frame))
      }
    }

  test("it is asked for few keys of the whole newest state alone, and not without the metadata table") {
    val path = after("keyed-v9", "insert-and-cluster")
    def text(filter: String, options: (String, String)*): String = found(read(path, options: _*).where(filter))
    assert(!text("id = 'k003'", "hoodie.metadata.enable" -> "false").contains("record index"))
    assert(!text("id = 'k003'", "as.of.instant" -> "20991231000000000").contains("record index"))
    assert(!text("id = 'k003' AND dt = 'p1'").contains("record index"))
    assert(!text("i = 3").contains("record index"))
  }

  test("thousands of keys open the file groups that have one of them, named by the query or by a join") {
    for ((table, step) <- Seq("keyed-v9" -> "insert-and-cluster", "keyed-mor-v9" -> "upsert-on-compacted")) {
      val path = after(table, step)
      val one = read(path).select("id").head().getString(0)
      val keys = one +: (0 until 5000).map(n => s"none$n")
      val frame = right(path, keys.map(key => s"'$key'").mkString("id IN (", ",", ")"))
      assertEquals((leftOut(frame), PlanProbe.metric(frame, "filesOpened")), (2L, 1L), found(frame))
      read(path).createOrReplaceTempView("large")
      spark.range(6000).selectExpr(s"if(id = 17, '$one', concat('none', id)) k", "id % 100 n")
        .createOrReplaceTempView("small")
      val joined = spark.sql("SELECT /*+ BROADCAST(small) */ id FROM large JOIN small ON id = k WHERE n < 90")
      assertEquals(rows(joined), Seq(s"[$one]"))
      assertEquals(PlanProbe.scans(joined).head.metrics("filesPrunedByRecordIndex").value, 2L, table)
    }
  }

  test("what a join learns of its small side opens the file groups of these keys, log files among them") {
    val path = after("keyed-mor-v9", "upsert-on-compacted")
    read(path).createOrReplaceTempView("large")
    spark.range(400).selectExpr("concat('k', lpad(id, 3, '0')) k", "id % 100 n").createOrReplaceTempView("small")
    val frame = spark.sql("SELECT /*+ BROADCAST(small) */ id, i FROM large JOIN small ON id = k WHERE n = 6")
    assertEquals(rows(frame), Seq("[k006,3]"))
    val scan = PlanProbe.scans(frame).head
    assertEquals(scan.metrics("filesPrunedByRecordIndex").value, 2L, scan.toString)
  }

  test("a damaged or missing file of the index has the rows found without it") {
    for (damage <- Seq[Path => Any](Files.delete(_), f => Files.write(f, Files.readAllBytes(f).take(5000)),
        f => Files.write(f, Files.readAllBytes(f).map(b => (b ^ 0x11).toByte)))) {
      val path = after("keyed-v9", "insert-and-cluster")
      val files = Files.list(Paths.get(path, ".hoodie", "metadata", "record_index"))
      val bases = try files.iterator.asScala.filter(_.toString.endsWith(".hfile")).toList
      finally files.close()
      damage(bases.maxBy(_.toString.split('_').last))
      for (key <- Seq(3, 21)) {
        val frame = right(path, f"id = 'k$key%03d'")
        assertEquals(leftOut(frame), 0L)
        assert(found(frame).contains("(record index not used: "), found(frame))
      }
    }
  }
}

package io.hudilite.spark.write

import io.hudilite.config.MergeMode
import io.hudilite.filegroup.FileSlice
import io.hudilite.spark.basefile.encode.FileSettings
import io.hudilite.spark.row.TaskAttempt
import io.hudilite.spark.write.job.WriteGroups
import io.hudilite.spark.write.task.FileGroupWriter
import io.hudilite.timeline.WriteStat

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import scala.util.Random

class MergeWriterSuite extends MergeFixture {

  folder.test("merges in many rounds give what a map gives, whether row groups are copied or rewritten") { base =>
    val random = new Random(7)
    var model = (0 until 20000).map(i => key(i * 5) -> (s"v$i" -> instant(0))).toMap
    var stat = insertAll(job(base, schema, instant(0), files = smallGroups),
      model.toSeq.sortBy(_._1).map { case (id, (v, _)) => Change('i', id, v) }).head
    val firstGroups = groups(base, stat)
    assert(firstGroups.size > 4, firstGroups.toString)
    (1 to 6).foreach { round =>
      val (from, until) = if (round % 2 == 0) (0, 100000) else (40000, 50000)
      val changes = Seq.fill(200)(from + random.nextInt(until - from)).distinct.sorted.map { i =>
        if (!model.contains(key(i))) Change('i', key(i), s"new$round")
        else if (i % 3 == 0) Change('d', key(i)) else Change('u', key(i), s"upd$round")
      } ++ (0 until 50).map(i => Change('i', key(200000 + round * 100 + i), "end"))
      stat = merge(job(base, schema, instant(round), files = smallGroups), stat, changes).head
      model = changes.foldLeft(model)((m, c) =>
        if (c.kind == 'd') m - c.id else m.updated(c.id, c.v -> instant(round)))
      val rows = read(base, Seq(stat))
      assertEquals(content(rows), model, s"round $round")
      assertEquals(rows.select("_hoodie_file_name").distinct().collect().map(_.getString(0)).toSeq, Seq(stat.fileName))
      assertEquals(stat.numWrites, model.size.toLong)
      assertEquals(Seq(stat.numInserts, stat.numUpdateWrites, stat.numDeletes),
        Seq('i', 'u', 'd').map(k => changes.count(_.kind == k).toLong))
      val probe = changes.filter(_.kind != 'd').last.id
      assertEquals(rows.where(s"_hoodie_record_key = '$probe'").count(), 1L)
      assertEquals(rows.where("_hoodie_record_key >= 'k030000' AND _hoodie_record_key < 'k030100'").count(),
        model.keys.count(k => k >= "k030000" && k < "k030100").toLong)
      val last = footer(base, stat)
      assert(last.sortedByKey)
      assert(model.keys.forall(k => last.bloom.get.mightContain(k.getBytes("UTF-8"))))
      assert(last.minKey.get <= model.keys.min && last.maxKey.get >= model.keys.max)
    }
    assert(groups(base, stat).size < firstGroups.size * 2, groups(base, stat).toString)
  }

  folder.test("of the rows of one key those change whose numbers are named, in files that are sorted and others") {
    base =>
      for ((order, round) <- Seq("akkkz", "zkakbk", "kkk").zipWithIndex) {
        val stat = insertAll(job(base, schema, instant(2 * round)),
          order.zipWithIndex.map { case (id, i) => Change('i', id.toString, s"v$i") }).head
        val file = baseFile(stat)
        assertEquals(footer(base, stat).uniqueKeys, false)
        val places = order.indices.filter(order(_) == 'k').map(_.toLong)
        val k = UTF8String.fromString("k")
        val after = inTask(job(base, schema, instant(2 * round + 1))) { writer =>
          writer.toSlice(FileSlice(file.partition, file.fileId, file.instant, Some(file), Nil), takesInserts = true)
          writer.update(k, MergeFixture.row(Change('u', "k", "new")), places(1))
          writer.delete(k, places(2))
        }.head
        assertEquals(Seq(after.numUpdateWrites, after.numDeletes), Seq(1L, 1L))
        val left = order.indices.filterNot(i => order(i) == 'k' && places.drop(1).contains(i.toLong)).map(i => s"v$i")
        assertEquals(read(base, Seq(after)).select("v").collect().map(_.getString(0)).sorted.toSeq,
          (left :+ "new").sorted)
      }
  }

  folder.test(
    "a footer says that keys are unique where no row was seen twice, through merges and copies of row groups") {
    base =>
      val stat = insertAll(job(base, schema, instant(0), files = smallGroups),
        (0 until 20000).map(i => Change('i', key(i), s"v$i"))).head
      assert(footer(base, stat).uniqueKeys)
      val merged =
        merge(job(base, schema, instant(1), files = smallGroups), stat, Seq(Change('u', key(10000), "x"))).head
      assert(footer(base, merged).uniqueKeys)
      val twice =
        merge(job(base, schema, instant(2), files = smallGroups), merged, Seq(Change('i', key(9999), "x"))).head
      assert(!footer(base, twice).uniqueKeys)
      val still = merge(job(base, schema, instant(3), files = smallGroups), twice, Seq(Change('u', key(5), "x"))).head
      assert(!footer(base, still).uniqueKeys)
      assertEquals(insertAll(job(base, schema, instant(4)), Seq(Change('i', "only"))).map(footer(base, _).uniqueKeys),
        Seq(true))
  }

  folder.test("a change in one row group leaves the others as they are") { base =>
    val stat = insertAll(job(base, schema, instant(0), files = smallGroups),
      (0 until 20000).map(i => Change('i', key(i), s"v$i"))).head
    val before = groups(base, stat)
    val after = merge(job(base, schema, instant(1), files = smallGroups), stat, Seq(Change('u', key(10000), "x"))).head
    assertEquals(groups(base, after), before)
    assertEquals(after.prevCommit -> after.prevBaseFile, instant(0) -> Some(stat.fileName))
    val rows = read(base, Seq(after))
    assertEquals(rows.where("v = 'x'").select("_hoodie_commit_time", "_hoodie_record_key").collect().map(
        _.toString).toSeq,
      Seq(s"[${instant(1)},${key(10000)}]"))
    assertEquals(rows.where(s"_hoodie_commit_time = '${instant(0)}' AND _hoodie_commit_seqno LIKE '${instant(0)}%'")
        .count(), 19999L)
  }

  folder.test("a file that is not sorted comes out sorted and complete") { base =>
    val ids = new Random(3).shuffle((0 until 5000).toList)
    val stat = insertAll(job(base, schema, instant(0)), ids.map(i => Change('i', key(i * 2), s"v$i"))).head
    val after = merge(job(base, schema, instant(1)), stat,
      Seq(
        Change('i', key(1), "new"), Change('u', key(4000), "upd"), Change('d', key(4002)))).head
    val rows = content(read(base, Seq(after)))
    assertEquals(rows.size, 5000)
    assertEquals(rows.get(key(1)).map(_._1) -> rows.get(key(4000)).map(_._1), Some("new") -> Some("upd"))
    assertEquals(rows.get(key(4002)), None)
    assertEquals(rows(key(4004)), "v2002" -> instant(0))
    assert(footer(base, after).sortedByKey)
  }

  folder.test("in event-time order an older change and one without a value lose, a tie wins") { base =>
    val old = Seq("a", "b", "c", "d", "e").map(id => Change('i', id, "old", Some(10))) :+ Change('i', "f", "old", None)
    val stat = insertAll(job(base, schema, instant(0)), old).head
    val after = merge(job(base, schema, instant(1), mode = MergeMode.EventTime, ordering = Seq("ts")), stat,
      Seq(
        Change('u', "a", "new", Some(9)), Change('u', "b", "new", Some(10)), Change('u', "c", "new", None),
        Change('u', "d", "new", Some(9), deleted = true), Change('u', "e", "new", Some(11), deleted = true),
        Change('u', "f", "new", Some(1)))).head
    assertEquals(content(read(base, Seq(after))).map { case (id, (v, _)) => id -> v },
      Map("a" -> "old", "b" -> "new", "c" -> "old", "d" -> "old", "f" -> "new"))
    assertEquals(Seq(after.numUpdateWrites, after.numDeletes, after.numWrites), Seq(2L, 1L, 5L))
  }

  folder.test("old files lack columns and have narrower types") { base =>
    val narrow = StructType(Seq(StructField("id", StringType), StructField("ts", IntegerType)))
    val stat = inTask(job(base, narrow, instant(0))) { writer =>
      writer.toNewFiles(UTF8String.EMPTY_UTF8)
      (0 until 10).foreach { i =>
        val id = UTF8String.fromString(s"$i")
        writer.insert(id, new GenericInternalRow(Array[Any](id, i)))
      }
    }.head
    val after = merge(job(base, schema, instant(1)), stat, Seq(Change('u', "5", "x", Some(1L << 40)))).head
    val rows = read(base, Seq(after)).orderBy("id").select("id", "v", "ts").collect().map(_.toString).toSeq
    assertEquals(rows, (0 until 10).map(i => if (i == 5) s"[5,x,${1L << 40}]" else s"[$i,null,$i]"))
  }

  folder.test("inserts beyond the maximum file size go to new file groups") { base =>
    val files = FileSettings(maxFileBytes = 300000, rowGroupBytes = 60000)
    val random = new Random(1)
    def noise: String = Seq.fill(30)(random.nextPrintableChar()).mkString
    val stat = insertAll(job(base, schema, instant(0), files = files),
      (0 until 4000).map(i => Change('i', key(i * 10), noise))).head
    val stats = merge(job(base, schema, instant(1), files = files), stat,
      (0 until 20000).map(i => Change('i', key(i * 2 + 1), noise)))
    assert(stats.size > 1)
    assertEquals(stats.map(_.fileId).distinct.size, stats.size)
    assertEquals(stats.tail.map(_.prevCommit).distinct, Seq(WriteStat.NoPreviousCommit))
    assertEquals(read(base, stats).select("id").distinct().count(), 24000L)
    assert(stats.forall(_.fileSizeInBytes < 500000), stats.map(_.fileSizeInBytes).toString)
  }

  folder.test("a file that loses all rows is still written") { base =>
    val stat = insertAll(job(base, schema, instant(0)), Seq(Change('i', "a"), Change('i', "b"))).head
    val after =
      merge(job(base, schema, instant(1)), stat, Seq(Change('d', "a"), Change('d', "b"), Change('d', "c"))).head
    assertEquals((after.numWrites, after.numDeletes), (0L, 2L))
    assertEquals(read(base, Seq(after)).count(), 0L)
    assertEquals(footer(base, after).minKey -> footer(base, after).maxKey, None -> None)
    val again = merge(job(base, schema, instant(2)), after, Seq(Change('i', "z"))).head
    assertEquals(content(read(base, Seq(again))).keySet, Set("z"))
  }

  folder.test("rows of every type are kept, column by column or after sorting") { base =>
    val rows = session.sql(everyType).coalesce(1)
    val job0 = job(base, rows.schema, instant(0), files = smallGroups)
    val written = (sorted: Boolean) =>
      (if (sorted) rows.sortWithinPartitions("id") else rows).queryExecution.toRdd.mapPartitions { it =>
        val writer = new FileGroupWriter(job0, TaskAttempt(if (sorted) 0 else 1, 0, 0))
        writer.toNewFiles(UTF8String.EMPTY_UTF8)
        it.foreach(row => writer.insert(row.getUTF8String(0), row))
        writer.commit().iterator
      }.collect().head
    val columns = rows.columns.toList.map(c => if (c == "bin") "hex(bin)" else c)
    Seq(true, false).foreach { sorted =>
      val stat = written(sorted)
      val file = baseFile(stat)
      val slice = FileSlice(file.partition, file.fileId, file.instant, Some(file), Nil)
      val job1 = job(base, rows.schema, instant(1), files = smallGroups)
      val after = rows.where("id IN ('5', '500')").sortWithinPartitions("id").queryExecution.toRdd.mapPartitions { it =>
        val writer = new FileGroupWriter(job1, TaskAttempt(if (sorted) 0 else 1, 0, 0))
        writer.toSlice(slice, takesInserts = true)
        it.foreach(row => writer.update(row.getUTF8String(0), row))
        writer.delete(UTF8String.fromString("7"))
        writer.commit().iterator
      }.collect().head
      val read = session.read.parquet(s"$base/${after.path}")
      assertEquals(texts(read.selectExpr(columns: _*)), texts(rows.where("id <> '7'").selectExpr(columns: _*)))
      assertEquals(read.where(s"_hoodie_commit_time = '${instant(1)}'").count(), 2L)
    }
  }

  folder.test("the rows that a task is handed are counted, and the file groups that it changes") { base =>
    val stat = insertAll(job(base, schema, instant(0)), Seq("a", "b", "c").map(Change('i', _))).head
    val file = baseFile(stat)
    val slice = FileSlice(file.partition, file.fileId, file.instant, Some(file), Nil)
    val groups = WriteGroups(Array(slice), Map("" -> Array(0)), spread = 1, tasks = 1)
    inTask(job(base, schema, instant(1))) { writer =>
      def next(id: String, slot: Int, partition: String = ""): UTF8String = {
        writer.toSlot(groups, slot, UTF8String.fromString(partition))
        UTF8String.fromString(id)
      }
      def row(id: String): GenericInternalRow = MergeFixture.row(Change('u', id))
      writer.update(next("a", 0), row("a"))
      writer.delete(next("b", 0))
      writer.insert(next("bb", 0), row("bb"))
      writer.move(next("c", 0), row("c"), UTF8String.fromString("q"))
      Seq("d", "e").foreach(id => writer.insert(next(id, -1, "n"), row(id)))
      val counted = writer.metrics.values.map(m => m.name -> m.value).toMap
      require(counted == Map("rowsInserted" -> 3L, "rowsUpdated" -> 2L, "rowsDeleted" -> 1L, "fileGroups" -> 1L),
        counted.toString)
    }
  }

  folder.test("a moved row leaves its file, and rows that move reach their partitions") { base =>
    val stat = insertAll(job(base, schema, instant(0)), Seq(Change('i', "a"), Change('i', "b"))).head
    val file = baseFile(stat)
    val slice = FileSlice(file.partition, file.fileId, file.instant, Some(file), Nil)
    val stats = inTask(job(base, schema, instant(1))) { writer =>
      writer.toSlice(slice, takesInserts = true)
      writer.move(UTF8String.fromString("b"), MergeFixture.row(Change('u', "b", "moved")),
        UTF8String.fromString("p/q"))
      writer.toNewFiles(UTF8String.fromString("n0"))
      (0 until 100).foreach(i =>
        writer.move(UTF8String.fromString(s"s$i"), MergeFixture.row(Change('i', s"s$i")),
          UTF8String.fromString(s"n${i % 30}")))
    }
    assertEquals(stats.map(_.numWrites).sum, 102L)
    assertEquals(stats.map(_.partitionPath).sorted, (Seq("", "p/q") ++ (0 until 30).map(i => s"n$i")).sorted,
      "one file for each, though only some can be open at once")
    assertEquals(read(base, stats.filter(_.partitionPath == "p/q")).select("_hoodie_partition_path", "id",
        "v").collect()
        .map(_.toString).toSeq, Seq("[p/q,b,moved]"))
    assert(new java.io.File(s"$base/p/q/.hoodie_partition_metadata").isFile)
  }
}

package io.hudilite.spark.basefile.encode

import io.hudilite.filegroup.FooterCache
import io.hudilite.spark.row.{RunningTask, SessionConf}
import io.hudilite.spark.write.WriteFixture
import io.hudilite.spark.write.task.TaskOutput
import io.hudilite.transaction.rollback.Markers

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

class BaseFileWriterSuite extends WriteFixture {

  folder.test("a base file gives back every type of column, and the meta columns") { base =>
    val rows = session.sql(everyType)
    val stat = write(job(base, rows.schema), rows.coalesce(1)).head
    val read = session.read.parquet(s"$base/${stat.path}")
    assertEquals(read.columns.take(5).toSeq, io.hudilite.record.MetaFields.all)
    val columns = rows.columns.toList.map(c => if (c == "bin") "hex(bin)" else c)
    assertEquals(texts(read.selectExpr(columns: _*)), texts(rows.selectExpr(columns: _*)))
    assertEquals(
      read.where(s"_hoodie_commit_time = '20240101000000000' AND _hoodie_file_name = '${stat.path}' " +
        "AND _hoodie_record_key = id AND _hoodie_partition_path = '' AND " +
        "_hoodie_commit_seqno = concat('20240101000000000_0_', id)").count(), 1000L)
    assertEquals(stat.numWrites, 1000L)
    assertEquals(stat.fileSizeInBytes, new java.io.File(s"$base/${stat.path}").length)
  }

  folder.test("the footer has the key range, the bloom filter, and says whether rows are sorted") { base =>
    val rows = session.sql("SELECT id FROM VALUES ('b'), ('\uE000'), ('\uD83D\uDE00') AS t(id)")
    val conf = session.sparkContext.hadoopConfiguration
    val sorted = write(job(base, rows.schema), rows.coalesce(1)).head
    val footer = FooterCache.read(conf, s"$base/${sorted.path}", sorted.fileSizeInBytes, withBloom = true)
    assertEquals((footer.minKey, footer.maxKey, footer.sortedByKey, footer.rows), (Some("b"), Some("\uE000"), true, 3L))
    assert(footer.bloom.exists(_.mightContain("\uD83D\uDE00".getBytes("UTF-8"))))
    val shuffled =
      write(job(base, rows.schema, instant = "20240101000000001"), rows.sort(rows("id").desc).coalesce(1)).head
    assert(!FooterCache.read(conf, s"$base/${shuffled.path}", shuffled.fileSizeInBytes, withBloom = false).sortedByKey)
  }

  folder.test("rows beyond the maximum file size go to more file groups, and row groups and pages are small") { base =>
    val rows = session.sql("SELECT cast(id AS string) AS id, sha2(cast(id AS string), 512) AS v FROM range(60000)")
    val small = FileSettings(maxFileBytes = 2000000, rowGroupBytes = 500000, keyPageRows = 100)
    val stats = write(job(base, rows.schema, files = small), rows.coalesce(1))
    assert(stats.size > 1, stats.toString)
    assertEquals(stats.map(_.fileId).distinct.size, stats.size)
    assert(stats.forall(s => s.fileSizeInBytes < 2500000), stats.map(_.fileSizeInBytes).toString)
    assertEquals(texts(session.read.parquet(stats.map(s => s"$base/${s.path}"): _*).select("id", "v")), texts(rows))
  }

  folder.test("a file without rows has no row group, and to close one with rows begins no other") { base =>
    val of = job(base, StructType.fromDDL("id string"), files = FileSettings(rowGroupBytes = 1)) // asked each 1000 rows
    val made = Seq(0, 10, 2000, 2500).map { count =>
      count -> session.sparkContext.parallelize(Seq(count), 1).map { _ =>
        val output = new TaskOutput(of, RunningTask.attempt)
        val writer = output.open("", s"f$count-0", Markers.Create, new KeySummary(of.bloom.create()))
        (0 until count).map(i => UTF8String.fromString(f"$i%06d")).foreach(key => writer.write(key, InternalRow(key)))
        (output.begun(writer), writer.buffers, writer.rows)
      }.collect().head
    }
    assertEquals(made.map { case (count, (_, buffers, _)) => count -> buffers },
      Seq(0 -> 1, 10 -> 1, 2000 -> 3, 2500 -> 3))
    for ((count, (stat, _, counted)) <- made) {
      val footer = FooterCache.read(session.sparkContext.hadoopConfiguration, s"$base/${stat.path}",
        stat.fileSizeInBytes, withBloom = false)
      assertEquals((stat.numWrites, counted, footer.rows), (count.toLong, count.toLong, count.toLong))
      assertEquals((footer.minKey, footer.maxKey),
        if (count == 0) (None, None) else (Some("000000"), Some(f"${count - 1}%06d")))
      assertEquals(session.read.parquet(s"$base/${stat.path}").select("id").distinct().count(), count.toLong)
    }
  }

  test("zstd has its own level unless the session has another") {
    val level = "parquet.compression.codec.zstd.level"
    assertEquals(SessionConf.parquetWriter(session).get(level), "1")
    val conf = session.conf
    conf.set(level, "9")
    try assertEquals(SessionConf.parquetWriter(session).get(level), "9")
    finally conf.unset(level)
  }

  folder.test("a null in a column that allows none is refused by name") { base =>
    val rows = session.sql("SELECT 'a' AS id, cast(null AS int) AS n")
    val strict = org.apache.spark.sql.types.StructType(rows.schema.map(_.copy(nullable = false)))
    val error = intercept[org.apache.spark.SparkException](write(job(base, strict), rows))
    assert(error.getMessage.contains("[NULL_IN_REQUIRED_COLUMN] The column n "), error.getMessage)
  }
}

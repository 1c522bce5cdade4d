package io.hudilite.spark.write

import io.hudilite.error.HudiliteException
import io.hudilite.log.BlockKind
import io.hudilite.spark.Interpreted

import java.nio.file.Paths

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.{col, lit}

/** Writes to tables in which a column of their own says which rows are deletes. */
class DeleteMarkerSuite extends MergeOnReadFixture with Interpreted {

  private val marker = Map("hoodie.payload.delete.field" -> "op", "hoodie.payload.delete.marker" -> "D")
  private val modes = Seq("EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING")

  private def marked(ids: Range, ts: Long, op: String, v: String = "x"): DataFrame =
    rows(ids, ts, v).withColumn("op", lit(op).cast("string"))

  private def make(tableType: String, mode: String = modes.head): String = {
    val path = newPath()
    val all = options(9, mode) ++ marker + ("hoodie.datasource.write.table.type" -> tableType)
    write(marked(0 until 20, 10, "I", "old"), path, "upsert", all.toSeq: _*)
    path
  }

  private def keys(path: String): Seq[String] =
    read(path).select("id").collect().map(_.getString(0)).sorted.toSeq

  private def ids(ranges: Range*): Seq[String] = ranges.flatten.map(i => f"k$i%04d")

  for (tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"); mode <- modes)
    test(s"$tableType, $mode: marked rows delete in their place in time, and no row comes of a new key") {
      val path = make(tableType, mode)
      val event = mode == modes.head
      write(marked(0 until 2, 5, "D"), path, "upsert")
      assertEquals(keys(path), if (event) ids(0 until 20) else ids(2 until 20))
      write(marked(0 until 4, 11, "D").union(marked(4 until 6, 11, "U", "new")), path, "upsert")
      write(marked(100 until 103, 11, "D"), path, "upsert")
      assertEquals(keys(path), ids(4 until 20))
      assertEquals(versions(path), Map("new" -> 2L, "old" -> 14L))
      write(marked(6 until 8, 11, null, "no mark"), path, "upsert")
      assertEquals(versions(path), Map("new" -> 2L, "no mark" -> 2L, "old" -> 12L))
    }

  for (tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"))
    test(s"$tableType: statements that leave a mark in a row delete it, too") {
      val path = make(tableType)
      spark.sql(s"UPDATE hudilite.`$path` SET op = 'D' WHERE id < 'k0002'")
      assertEquals(keys(path), ids(2 until 20))
      marked(2 until 4, 50, "D").union(marked(4 until 6, 50, "U", "merged")).union(marked(30 until 31, 50, "D"))
        .union(marked(31 until 32, 50, "I", "merged")).createOrReplaceTempView("changes")
      spark.sql(s"MERGE INTO hudilite.`$path` t USING changes s ON t.id = s.id AND t.p = s.p " +
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
      assertEquals(keys(path), ids(4 until 20, 31 until 32))
      assertEquals(versions(path), Map("merged" -> 3L, "old" -> 14L))
      write(marked(40 until 42, 1, "D").union(marked(42 until 43, 1, "I")), path, "insert")
      assertEquals(keys(path), ids(4 until 20, 31 until 32, 42 until 43))
    }

  test("in a merge-on-read table a mark becomes a delete with its ordering value, which a compaction obeys") {
    val path = make("MERGE_ON_READ")
    write(marked(0 until 4, 12, "D"), path, "upsert")
    lastCommit(path).allStats.foreach(stat =>
      assertEquals(blocks(Paths.get(path, stat.path)).map(_.kind), Seq[BlockKind](BlockKind.Delete)))
    write(marked(0 until 1, 11, "U", "late").union(marked(1 until 2, 13, "U", "again")), path, "upsert",
      "hoodie.compact.inline" -> "true", "hoodie.compact.inline.max.delta.commits" -> "1")
    assertEquals(keys(path), ids(1 until 2, 4 until 20))
    assertEquals(spark.read.format("hudilite").option("hoodie.datasource.query.type", "read_optimized").load(path)
        .where("v = 'again'").count(), 1L)
    assertEquals(read(path).count(),
      spark.read.format("hudilite")
        .option("hoodie.datasource.query.type", "read_optimized").load(path).count())
  }

  test("a mark may be a number or a boolean, compared by its text") {
    for ((dataType, value) <- Seq("int" -> "7", "bigint" -> "7", "boolean" -> "true")) {
      val path = newPath()
      val all = options(9) ++ marker + ("hoodie.payload.delete.marker" -> value)
      write(rows(0 until 4, 10, "old").withColumn("op", lit(null).cast(dataType)), path, "upsert",
        all.toSeq: _*)
      write(rows(0 until 1, 11, "x").withColumn("op", lit(value).cast(dataType)), path, "upsert")
      assertEquals(keys(path), ids(1 until 4))
    }
  }

  test("a column that is not there, or whose values have no text that all readers agree on, is refused") {
    def refused(frame: DataFrame): String = {
      val error = intercept[HudiliteException](write(frame, newPath(), "upsert", (options(9) ++ marker).toSeq: _*))
      error.condition
    }
    assertEquals(refused(rows(0 until 1, 1, "x")), "MISSING_COLUMN")
    assertEquals(refused(rows(0 until 1, 1, "x").withColumn("op", col("ts").cast("double"))),
      "UNSUPPORTED_TABLE_FEATURE")
    val path = make("COPY_ON_WRITE")
    val error = intercept[HudiliteException](write(rows(0 until 1, 1, "x"), path, "upsert"))
    assertEquals((error.condition, error.parameters("column")), ("MISSING_COLUMN", "op"))
  }
}

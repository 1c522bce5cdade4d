package io.hudilite.spark.write

import io.hudilite.spark.{GoldenAnswers, Interpreted, SharedSession}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table
import io.hudilite.timeline.Action

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.{DataFrame, SaveMode}
import org.apache.spark.sql.functions.{col, lit}

import munit.FunSuite

import scala.concurrent.duration.{Duration, DurationInt}

/** Writes to merge-on-read tables that Apache Hudi made: what it logged before and what is logged now must merge. */
class GoldenMergeOnReadWriteSuite extends FunSuite with Interpreted {

  override val munitTimeout: Duration = 10.minutes

  private val spark = SharedSession.spark
  private val storage = new HadoopStorage(new Configuration())

  private def read(path: String): DataFrame = spark.read.format("hudilite").load(path)

  private def write(frame: DataFrame, path: String, options: (String, String)*): Unit =
    frame.write.format("hudilite").options(options.toMap).mode(SaveMode.Append).save(path)

  private def bases(path: String): Set[String] =
    Table.open(storage, path).allSlices().values.flatten.flatMap(_.base).map(_.relativePath).toSet

  private val scenarios =
    for (scenario <- Seq("mor-logs", "mor-commit-time", "mor-compacted", "mor-parquet-blocks"); version <- Seq(6, 8, 9))
      yield s"$scenario-v$version"

  // In turns, so that every scenario and every version has both.
  for ((name, number) <- scenarios.zipWithIndex; index = if (number % 2 == 0) "SIMPLE" else "BLOOM")
    test(s"rows of $name are updated and deleted in its logs with the index $index") {
      val path = GoldenAnswers.copy(name)
      val before = read(path)
      val files = bases(path)
      val count = before.count()
      val third = before.where("n % 3 = 0").localCheckpoint()
      write(third.withColumn("ts", lit(100000L).cast(third.schema("ts").dataType)).withColumn("colour", lit("changed")),
        path, "hoodie.index.type" -> index)
      val changed = third.count()
      assert(changed > 0)
      assertEquals(read(path).where("colour = 'changed'").count(), changed)
      assertEquals(read(path).count(), count)
      assertEquals(bases(path), files)
      val gone = before.where("n % 3 = 1").localCheckpoint()
      write(gone, path, "hoodie.index.type" -> index, "hoodie.datasource.write.operation" -> "delete")
      assertEquals(read(path).count(), count - gone.count())
      assertEquals(bases(path), files)
      assertEquals(Table.open(storage, path).timeline.writes.takeRight(2).map(_.action),
        Seq.fill(2)(Action.DeltaCommit))
      spark.sql(s"UPDATE hudilite.`$path` SET colour = 'again' WHERE colour = 'changed'")
      assertEquals(read(path).where("colour = 'again'").count(), changed)
      spark.sql(s"DELETE FROM hudilite.`$path` WHERE colour = 'again'")
      assertEquals(read(path).count(), count - gone.count() - changed)
    }

  for (version <- Seq(6, 8, 9); scenario <- Seq("mor-logs", "mor-commit-time"))
    test(s"late rows of $scenario-v$version win or lose by the table's merge mode") {
      val path = GoldenAnswers.copy(s"$scenario-v$version")
      val rows = read(path).localCheckpoint()
      write(rows.withColumn("ts", col("ts") - 1).withColumn("colour", lit("late")), path)
      val expected = if (scenario == "mor-commit-time") rows.count() else 0L
      assertEquals(read(path).where("colour = 'late'").count(), expected)
      assertEquals(read(path).count(), rows.count())
    }

  test("a table with a pending compaction takes changes on top of it") {
    for (version <- Seq(6, 8, 9)) {
      val path = GoldenAnswers.copy(s"mor-compacted-v$version")
      val table = Table.open(storage, path)
      val pending = table.pendingCompactions
      if (pending.nonEmpty) {
        val rows = read(path).localCheckpoint()
        write(rows.withColumn("ts", lit(100000L).cast(rows.schema("ts").dataType)).withColumn("colour", lit("on top")),
          path)
        assertEquals(read(path).where("colour = 'on top'").count(), rows.count())
        val logs = Table.open(storage, path).allSlices().values.flatten.filter(s => pending.contains(s.groupId))
        if (version == 6) assert(logs.forall(s => s.logs.last.time == pending(s.groupId)), logs.toString)
      }
    }
  }
}

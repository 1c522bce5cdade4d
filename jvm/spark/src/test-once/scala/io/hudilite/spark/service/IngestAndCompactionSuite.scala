package io.hudilite.spark.service

import io.hudilite.error.InvalidInput
import io.hudilite.spark.{Interpreted, SharedSession}
import io.hudilite.spark.procedure.{CompactionRun, ServiceCall}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, State}

import java.nio.file.Files

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

/** Writes to a merge-on-read table with compactions after and between them. */
class IngestAndCompactionSuite extends FunSuite with Interpreted {

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(5, "min")

  private val spark = SharedSession.spark
  import spark.implicits._

  private final class MorTable(version: Int, mode: String = "EVENT_TIME_ORDERING",
      tableType: String = "MERGE_ON_READ") {

    val path: String = Files.createTempDirectory("hudilite-compaction").resolve("table").toString

    private val facts = Map("hoodie.table.name" -> "t", "hoodie.write.table.version" -> version.toString,
      "hoodie.datasource.write.table.type" -> tableType, "hoodie.datasource.write.recordkey.field" -> "id",
      "hoodie.datasource.write.partitionpath.field" -> "p", "hoodie.datasource.write.precombine.field" -> "ts",
      "hoodie.record.merge.mode" -> mode)

    /** Rows of (id, partition, ordering value, value). */
    def upsert(options: (String, String)*)(rows: (String, String, Long, String)*): Unit =
      rows.toDF("id", "p", "ts", "v").write.format("hudilite").options(facts ++ options).mode("append").save(path)

    def delete(ids: (String, String)*): Unit = ids.map { case (id, p) => (id, p, 99L, "") }.toDF("id", "p", "ts", "v")
      .write.format("hudilite").options(facts + ("hoodie.datasource.write.operation" -> "delete")).mode("append")
      .save(path)

    def table: Table = Table.open(new HadoopStorage(new Configuration()), path)
    def logs: Int = table.allSlices().values.flatten.map(_.logs.size).sum
    def schedule(): String = CompactionRun(ServiceCall(spark, path)).schedule().get.instant.get
    def compact(): Seq[String] = CompactionRun(ServiceCall(spark, path)).start().result().map(_.instant)
    def completed: Seq[String] = table.timeline.writes.map(_.action)

    def rows: Seq[String] = spark.read.format("hudilite").load(path).select("id", "p", "ts", "v")
      .collect().map(_.mkString(" ")).sorted.toSeq
  }

  private val first = Seq(("a", "x", 5L, "a1"), ("b", "x", 5L, "b1"), ("c", "y", 5L, "c1"))

  for (version <- Seq(6, 8, 9)) {
    test(s"version $version: late rows lose, newer ones and deletes win, untouched ones keep their commit") {
      val t = new MorTable(version)
      t.upsert()(first: _*)
      val created = t.table.lastInstant.get.time
      t.upsert()(("a", "x", 4L, "late"), ("b", "x", 6L, "b2"))
      t.delete("c" -> "y")
      assert(t.logs > 0)
      assertEquals(t.compact().size, 1)
      assertEquals(t.logs, 0)
      assertEquals(t.rows, Seq("a x 5 a1", "b x 6 b2"))
      val commits = spark.read.format("hudilite").load(t.path).select("id", "_hoodie_commit_time")
        .as[(String, String)].collect().toMap
      assertEquals(commits("a"), created)
      assert(commits("b") > created && t.table.timeline.isCompleted(commits("b")))
    }

    test(s"version $version: by commit time the later row wins") {
      val t = new MorTable(version, mode = "COMMIT_TIME_ORDERING")
      t.upsert()(first: _*)
      t.upsert()(("a", "x", 4L, "late"))
      t.compact()
      assertEquals(t.rows, Seq("a x 4 late", "b x 5 b1", "c y 5 c1"))
    }

    test(s"version $version: what is written between plan and run stays on top of the compaction") {
      val t = new MorTable(version)
      t.upsert()(first: _*)
      t.upsert()(("a", "x", 6L, "a2"))
      val planned = t.schedule()
      t.upsert()(("a", "x", 7L, "a3"), ("b", "x", 7L, "b3"))
      assertEquals(t.compact(), Seq(planned))
      val slice = t.table.allSlices()("x").find(_.instant == planned).get
      assertEquals((slice.base.map(_.instant), slice.logs.size), (Some(planned), 1))
      t.upsert()(("a", "x", 8L, "a4"))
      assertEquals(t.compact().size, 1)
      assertEquals(t.rows, Seq("a x 8 a4", "b x 7 b3", "c y 5 c1"))
      assertEquals((t.logs, t.table.timeline.pending), (0, Nil))
    }

    test(s"version $version: a compaction follows the write that makes it due, unless it is told not to")(
      SharedSession.compacting {
        val t = new MorTable(version)
        val three = "hoodie.compact.inline.max.delta.commits" -> "3"
        t.upsert(three)(first: _*)
        t.upsert(three)(("a", "x", 6L, "a2"))
        t.upsert(three, "hoodie.compact.inline" -> "false")(("a", "x", 7L, "a3"))
        t.upsert(three, "hudilite.services" -> "false")(("a", "x", 8L, "a4"))
        assertEquals(t.completed, Seq.fill(4)(Action.DeltaCommit))
        t.upsert()(("a", "x", 9L, "a5"))
        assertEquals(t.completed, Seq.fill(5)(Action.DeltaCommit) :+ Action.Commit)
        assertEquals((t.logs, t.rows), (0, Seq("a x 9 a5", "b x 5 b1", "c y 5 c1")))
      })

    test(s"version $version: what is planned by a call is left to it, or to a write that is told to compact")(
      SharedSession.compacting {
        val t = new MorTable(version)
        t.upsert()(first: _*)
        t.upsert()(("a", "x", 6L, "a2"))
        val planned = t.schedule()
        t.upsert()(("a", "x", 7L, "a3"))
        assertEquals(t.table.timeline.pendingCompactions.map(_.time), Seq(planned))
        t.upsert("hoodie.compact.inline" -> "true")(("a", "x", 8L, "a4"))
        assert(t.table.timeline.isCompleted(planned))
        assertEquals(t.rows, Seq("a x 8 a4", "b x 5 b1", "c y 5 c1"))
      })

    test(s"version $version: scheduled inline, it is planned and left for another process") {
      val t = new MorTable(version)
      t.upsert()(first: _*)
      t.upsert("hoodie.compact.schedule.inline" -> "true", "hoodie.compact.inline.max.delta.commits" -> "2")(
        ("a", "x", 6L, "a2"))
      val pending = t.table.timeline.pendingCompactions
      assertEquals(pending.map(_.state), Seq(State.Requested: State))
      assertEquals(t.compact(), pending.map(_.time))
      assertEquals(t.rows, Seq("a x 6 a2", "b x 5 b1", "c y 5 c1"))
    }
  }

  test("a slice that loses all rows gets an empty base file") {
    val t = new MorTable(9)
    t.upsert()(first: _*)
    t.delete("c" -> "y")
    t.compact()
    assertEquals(t.rows, Seq("a x 5 a1", "b x 5 b1"))
    assertEquals(t.table.allSlices()("y").map(s => (s.base.isDefined, s.logs.size)), Seq((true, 0)))
  }

  test("an inline compaction of a copy-on-write table is refused before anything is written") {
    val t = new MorTable(9, tableType = "COPY_ON_WRITE")
    val error = intercept[InvalidInput](t.upsert("hoodie.compact.inline" -> "true")(first: _*))
    assertEquals(error.condition, "COMPACTION_NOT_POSSIBLE")
    assert(!Files.exists(java.nio.file.Paths.get(t.path, ".hoodie")))
  }

  test("an unknown strategy refuses the write that would compact by it") {
    val t = new MorTable(9)
    val error = intercept[InvalidInput](
      t.upsert("hoodie.compact.inline" -> "true", "hoodie.compaction.strategy" -> "Fancy")(first: _*))
    assertEquals(error.condition, "INVALID_OPTION_VALUE")
  }
}

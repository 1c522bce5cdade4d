package io.hudilite.spark.plan

import io.hudilite.spark.SharedSession.withConf

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AQEShuffleReadExec
import org.apache.spark.sql.execution.datasources.v2.{AppendDataExec, WriteDeltaExec}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec

/** A write starts as many tasks as have rows to write, whatever their number that was planned. */
final class BusyTasksSuite extends ManyPartitions {

  private val partitions = 8

  private def isWrite(node: SparkPlan): Boolean =
    node.isInstanceOf[AppendDataExec] || node.isInstanceOf[WriteDeltaExec]

  /** Of a write, planned and started: the first exchange from above deals its rows to them. */
  private def tasks(write: => Unit): (Int, Int) = {
    val nodes = executed(write, isWrite)
    val planned = nodes.collectFirst { case s: ShuffleExchangeExec => s.outputPartitioning.numPartitions }.get
    val started = nodes.collectFirst {
      case read: AQEShuffleReadExec => read.partitionSpecs.size
      case _: ShuffleExchangeExec => planned
    }.get
    (planned, started)
  }

  private def counts(path: String): Map[String, Long] =
    read(path).groupBy("v").count().collect().map(r => r.getString(0) -> r.getLong(1)).toMap

  for {
    kind <- kinds
    (index, more) <- Seq("files" -> Map.empty[String, String], "buckets" -> buckets)
  } test(s"two rows are written by two tasks at most, $kind, $index") {
    val path = created(partitions, more + ("hoodie.datasource.write.table.type" -> kind))
    val before = groups(path)
    // Of a size that nobody knows, so that as many tasks are planned as there may be.
    def batch(from: Int, v: String) = unknownSize(changes(Seq(3, 6), from, 1, 2, v))
    val writes = Seq[(String, () => Unit)](
      "upsert" -> (() => save(batch(0, "upserted"), path, "upsert", more)),
      "insert" -> (() => save(batch(100, "inserted"), path, "insert", more)),
      "UPDATE" -> (() => spark.sql(s"UPDATE hudilite.`$path` SET v = 'updated' WHERE id IN ('p01-0000', 'p04-0001')")),
      "DELETE" -> (() => spark.sql(s"DELETE FROM hudilite.`$path` WHERE id IN ('p02-0000', 'p05-0001')")))
    withConf(more.toSeq.map { case (key, value) => s"spark.datasource.hudilite.$key" -> value }: _*) {
      for ((name, write) <- writes) {
        val (planned, started) = tasks(write())
        assert(planned > 2 && started <= 2, s"$name: $started of $planned tasks")
      }
    }
    assertEquals(counts(path),
      Map("old" -> (2L * partitions - 2 - 2 - 2), "upserted" -> 2L, "inserted" -> 2L,
        "updated" -> 2L))
    if (kind == "COPY_ON_WRITE") assertEquals(groups(path), before)
  }

  test("a write of no row has a task that finds none") {
    val path = created(partitions)
    val (planned, started) = tasks(spark.sql(s"DELETE FROM hudilite.`$path` WHERE ts > 0 AND v LIKE '%none%'"))
    assert(planned > 1)
    assertEquals(started, 1)
    assertEquals(counts(path), Map("old" -> 2L * partitions))
  }

  test("a write of rows from a scan without files has one task") {
    val path = created(partitions)
    val (planned, started) = tasks(spark.sql(s"DELETE FROM hudilite.`$path` WHERE p = 'nowhere' AND ts > 0"))
    assert(planned > 1)
    assertEquals(started, 1)
    assertEquals(counts(path), Map("old" -> 2L * partitions))
  }

  test("tasks that all have rows are the ones that were planned") {
    val path = created(partitions)
    val (planned, started) = tasks(save(unknownSize(changes(0 until partitions, 0, 2, 2, "new")), path, "upsert"))
    assert(started >= partitions.min(planned), s"$started of $planned tasks")
    assertEquals(counts(path), Map("new" -> 2L * partitions))
  }

  for (switch <- Seq("spark.sql.adaptive.enabled", "spark.sql.adaptive.coalescePartitions.enabled"))
    test(s"tasks are started as planned without $switch") {
      withConf(switch -> "false") {
        val path = created(partitions)
        val (planned, started) = tasks(save(unknownSize(changes(Seq(3, 6), 0, 1, 2, "new")), path, "upsert"))
        assert(planned > 2)
        assertEquals(started, planned)
        assertEquals(counts(path), Map("old" -> (2L * partitions - 2), "new" -> 2L))
      }
    }
}

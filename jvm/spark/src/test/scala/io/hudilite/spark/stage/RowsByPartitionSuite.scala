package io.hudilite.spark.stage

import io.hudilite.spark.SharedSession
import io.hudilite.spark.read.PlanProbe

import org.apache.spark.sql.execution.hudilite.{LostShuffles, RowsByPartition, SharedRowsExec}
import org.apache.spark.sql.hudilite.Datasets

import munit.FunSuite

import scala.concurrent.duration.{Duration, DurationInt}

/** Rows of a stage that are counted by partition. */
class RowsByPartitionSuite extends FunSuite {

  override val munitTimeout: Duration = 10.minutes

  private val spark = SharedSession.spark

  private def counted(rows: Long, partitions: Int): (SharedRows, SharedRowsExec) = {
    val plan = spark.range(rows).selectExpr("id", s"concat('p', id % $partitions) p").queryExecution.analyzed
    val shared = SharedRows(Seq(plan.output.head), plan, countedBy = Some(plan.output.last))
    val executed = Datasets.ofRows(spark, shared).queryExecution.executedPlan
    (shared, PlanProbe.nodes(executed).collectFirst { case s: SharedRowsExec => s }.get)
  }

  test("what was written is counted before it is read, and again where it is written again") {
    SharedSession.withConf("spark.sql.adaptive.enabled" -> "false") {
      val (shared, node) = counted(1000, 30)
      assertEquals(shared.shared.countedByPartition, Map.empty[String, Long])
      val read = node.execute().map(_ => 1)
      val exact = (0 until 30).map(p => s"p$p" -> (0L until 1000L).count(_ % 30 == p).toLong).toMap
      assertEquals(shared.shared.countedByPartition, exact)
      assertEquals(read.count(), 1000L)
      LostShuffles.lose(node)
      assertEquals(read.count(), 1000L)
      val after = shared.shared.countedByPartition
      assertEquals(after.keySet, exact.keySet)
      assert(after.forall { case (partition, rows) => rows >= exact(partition) }, after.toString)
    }
  }

  test("there is nothing to count where there are no rows") {
    SharedSession.withConf("spark.sql.adaptive.enabled" -> "false") {
      val (shared, node) = counted(0, 30)
      assertEquals(node.execute().count(), 0L)
      assertEquals(shared.shared.countedByPartition, Map.empty[String, Long])
    }
  }

  test("counts of tasks are added up, and copies are counts of their own") {
    val all = new RowsByPartition
    val (one, other) = (new RowsByPartition, new RowsByPartition)
    Seq("a" -> 1L, "b" -> 2L, "a" -> 3L).foreach(one.add)
    Seq("b" -> 5L, "" -> 7L).foreach(other.add)
    assert(all.isZero && !one.isZero)
    Seq(one, other).foreach(all.merge)
    assertEquals(all.value, Map("a" -> 4L, "b" -> 7L, "" -> 7L))
    val copy = all.copy()
    copy.add("a" -> 1L)
    assertEquals((copy.value("a"), all.value("a")), (5L, 4L))
    assert(all.copyAndReset().isZero && !all.isZero)
  }
}

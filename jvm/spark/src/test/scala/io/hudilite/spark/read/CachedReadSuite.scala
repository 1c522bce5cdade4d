package io.hudilite.spark.read

import io.hudilite.spark.SharedSession

import munit.FunSuite
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec

/** `df.cache()` is found again by those who read the same. */
class CachedReadSuite extends FunSuite {

  private def isCached(frame: DataFrame): Boolean =
    PlanProbe.nodes(frame.queryExecution.executedPlan).exists(_.isInstanceOf[InMemoryTableScanExec])

  private def withCached(frame: DataFrame)(body: => Unit): Unit = {
    frame.cache()
    try {
      frame.count()
      body
    } finally { frame.unpersist(blocking = true); () }
  }

  test("a second read of the same snapshot takes the cached rows, and one of a newer snapshot its own") {
    val table = ManyFiles(partitions = 2, filesInPartition = 2)
    withCached(table.read()) {
      assert(isCached(table.read()))
      assert(isCached(table.read().where("part = 'p0001'").select("id")))
      table.upsert(table.rows(0, 1).selectExpr("id", "part", "n + 100 AS n"))
      // Spark 4.1 and later replace what they cached of a table that a statement of theirs changes.
      assertEquals(table.read().where("n >= 100").count(), 1L)
    }
  }

  test("reads with other options are other rows") {
    val table = ManyFiles(partitions = 2, filesInPartition = 2)
    val first = table.table().timeline.writes.head.time
    withCached(table.read()) {
      assert(!isCached(SharedSession.spark.read.format("hudilite").option("as.of.instant", first).load(table.path)))
      assert(!isCached(SharedSession.spark.read.format("hudilite")
            .option("hoodie.datasource.read.meta.columns", "true").load(table.path)))
    }
  }

  test("equal parts of one query are computed once") {
    val table = ManyFiles(partitions = 2, filesInPartition = 2)
    def sums: DataFrame = table.read().groupBy("part").sum("n")
    val both = sums.unionAll(sums)
    both.collect()
    val reused = PlanProbe.nodes(both.queryExecution.executedPlan)
      .count(_.isInstanceOf[org.apache.spark.sql.execution.exchange.ReusedExchangeExec])
    assertEquals(reused, 1)
  }
}

package io.hudilite.spark.read

import io.hudilite.spark.{Interpreted, SharedSession}
import io.hudilite.spark.scan.task.ScanPartition
import io.hudilite.storage.{CountingFileSystem, StorageCalls}

import java.io.{ByteArrayOutputStream, ObjectOutputStream}

import munit.FunSuite
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/** Requests of planning, and the tasks that it makes, on a table with more files than the driver looks into. */
class ManyFilesSuite extends FunSuite with Interpreted {

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(5, "min")

  private val Partitions = 24
  private val FilesInPartition = 50
  private lazy val many = ManyFiles(Partitions, FilesInPartition)

  private def calls(body: => Any): StorageCalls = CountingFileSystem.during(body)._2

  private def listed(body: => Any): Seq[String] =
    calls(body).paths("list").map(_.split("/table", 2)(1)).filterNot(_.contains(".hoodie"))

  /** A table of which nothing is known yet. */
  private def fresh(): ManyFiles = many.copied()

  private def plan(frame: DataFrame): BatchScanExec = {
    frame.queryExecution.toRdd.partitions
    PlanProbe.scan(frame)
  }

  test("a query of one partition lists that partition") {
    val table = fresh()
    val frame = table.read().where("part = 'p0007'")
    assertEquals(listed(frame.collect()), Seq("/p0007"))
    assertEquals(PlanProbe.metric(frame, "filesListed"), FilesInPartition.toLong)
    assertEquals(PlanProbe.metric(frame, "partitionsRead"), 1L)
    assertEquals(listed(table.read().where("part IN ('p0007', 'p0008')").collect()), Seq("/p0008"))
    assertEquals(listed(table.read().where("part >= 'p0021'").queryExecution.optimizedPlan.stats).toSet,
      Set("", "/p0021", "/p0022", "/p0023"))
  }

  test("a query lists nothing again that one before it listed, until something is written") {
    val table = fresh()
    assertEquals(listed(table.read().where("n < 0").collect()).size, 1 + Partitions)
    assertEquals(listed(table.read().where("n < 0").collect()), Nil)
    assertEquals(listed(table.read().where("part = 'p0003'").collect()), Nil)
    table.upsert(table.rows(0, 1))
    assertEquals(listed(table.read().where("part = 'p0003'").collect()), Seq("/p0003"))
    assert(listed(table.read().where("part = 'p0003'").collect()).isEmpty)
    SharedSession.spark.catalog.refreshTable(s"hudilite.`${table.path}`")
    assertEquals(listed(table.read().where("part = 'p0003'").collect()), Seq("/p0003"))
  }

  test("count(*) takes the numbers that the commits recorded, and opens no file") {
    val counted = calls(assertEquals(many.read().count(), Partitions * FilesInPartition * 4L))
    assertEquals(counted.paths("get").filter(_.endsWith(".parquet")), Nil)
  }

  test("min and max of more files than the driver reads footers of are computed in tasks") {
    val frame = many.read().selectExpr("max(n)")
    assertEquals(frame.head().getLong(0), FilesInPartition * 4L - 1)
    assertEquals(PlanProbe.scans(frame).size, 1)
  }

  test("an absent key is looked for in tasks, by one request a file and without opening any") {
    val table = fresh()
    table.read().where("n < 0").queryExecution.optimizedPlan.stats // lists
    val absent = table.read().where("id = 'k0000050x'")
    val asked = calls(assertEquals(absent.collect().length, 0))
    assert(PlanProbe.scan(absent).scan.description().contains("keys are checked in tasks"))
    assertEquals(PlanProbe.metric(absent, "filesOpened"), 0L)
    assertEquals(PlanProbe.metric(absent, "filesPrunedByKeyRange") + PlanProbe.metric(absent, "filesPrunedByBloom"),
      Partitions * FilesInPartition.toLong)
    assertEquals(asked.paths("get").count(_.endsWith(".parquet")), Partitions * FilesInPartition)
    assertEquals(asked.paths("head").count(_.endsWith(".parquet")), 0)
    assertEquals(calls(table.read().where("id = 'k0000051x'").collect()).paths("get").count(_.endsWith(".parquet")), 0)
  }

  test("a key is found in tasks in every file that holds it, and read nowhere else") {
    val found = many.read().where("id = 'k0000050'")
    assertEquals(found.collect().length, Partitions)
    assertEquals(PlanProbe.metric(found, "filesOpened"), Partitions.toLong)
  }

  test("few tasks look for a key in many files") {
    assert(plan(many.read().where("id = 'k0000050x'")).inputPartitions.size <= 4)
  }

  private def bytes(value: Any): Int = {
    val out = new ByteArrayOutputStream()
    new ObjectOutputStream(out).writeObject(value)
    out.size
  }

  test("a task of a scan is sent its own files, by name and size") {
    val all = plan(many.read().where("n >= 0"))
    val one = plan(many.read().where("n >= 0 AND part = 'p0001'"))
    val factories = Seq(all, one).map(scan => bytes(scan.scan.toBatch.createReaderFactory()))
    assert(math.abs(factories.head - factories.last) < 2000, factories.toString)
    val files = all.inputPartitions.map(_.asInstanceOf[ScanPartition].splits.size).sum
    val perFile = all.inputPartitions.map(bytes).sum / files
    assert(perFile < 400, s"$perFile bytes a file")
  }

  test("an upsert into one partition lists that one alone, and once") {
    val table = fresh()
    assertEquals(listed(table.upsert(table.rows(3, 5))), Seq("/p0000"))
    assertEquals(table.read().where("part = 'p0000'").count(), FilesInPartition * 4L)
  }
}

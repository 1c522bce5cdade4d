package io.hudilite.spark.service

import io.hudilite.service.archive.Archiver
import io.hudilite.spark.{GoldenAnswers, Interpreted, Logged, SharedSession}
import io.hudilite.spark.procedure.{CleaningProcedures, ServiceCall}
import io.hudilite.spark.service.inline.{ApplicationRounds, InlineServices}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table
import io.hudilite.timeline.Action
import io.hudilite.transaction.{Transaction, TransactionOptions}

import java.nio.file.Files
import java.util.concurrent.{CountDownLatch, TimeUnit}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.spark.scheduler.SparkListenerApplicationEnd
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.hudilite.Listeners

import scala.util.Try

/** Services of an application that runs writes at the same time, and what is seen of them. */
class ServicesBesideSuite extends FunSuite with Interpreted {

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(5, "min")

  private val spark = SharedSession.spark
  private val Soon = 60000L
  private val beside = "hudilite.services.async" -> "true"

  private def newPath(): String = Files.createTempDirectory("hudilite-beside").resolve("t").toString

  private def write(rows: DataFrame, path: String, options: (String, String)*): Unit =
    rows.write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.partitionpath.field", "p").options(options.toMap).mode("append").save(path)

  /** One row, the same at each call but for its value. */
  private def row(value: Int): DataFrame = spark.range(1).selectExpr("cast(id AS string) id", "'x' p", s"$value v")

  private def table(path: String): Table = Table.open(new HadoopStorage(new Configuration()), path)

  private def read(path: String): DataFrame = spark.read.format("hudilite").load(path)

  private def states(path: String, options: (String, String)*): Map[String, ServiceState] =
    ServiceCall(spark, path, options.toMap).onTable((table, conf) => InlineServices.states(table, conf.services))
      .map(s => s.service -> s).toMap

  private def state(path: String, service: String, options: (String, String)*): ServiceState =
    states(path, options: _*)(service)

  private def written(path: String, value: Int, options: (String, String)*): Unit = {
    write(row(value), path, (options :+ beside): _*)
    assert(InlineServices.await(spark, table(path), Soon))
    assertEquals(read(path).select("v").collect().map(_.getInt(0)).toSeq, Seq(value), "the write is not the service")
  }

  test("a service beside the writes that fails is logged and seen, until it has run") {
    val path = newPath()
    val one = "hoodie.clean.commits.retained" -> "1"
    written(path, 1, one)
    val before = table(path)
    val damaged = before.store.newInstantTime(before.timeline.lastTime.get)
    before.store.request(damaged, Action.Clean, "no plan".getBytes("UTF-8"))
    val logged = Logged.during("io.hudilite.spark.service.inline.InlineServices")(written(path, 2, one))
    if (Logged.isHeard)
      assertEquals(logged, Seq(s"ERROR The write to file:$path is committed, but the cleaning after it failed."))
    val error = state(path, "cleaning").lastError.getOrElse("")
    assert(error.contains("[CORRUPT_FILE]") && error.contains(s"$damaged.clean.requested"), error)
    assertEquals(state(path, "archiving").lastError, None)
    before.store.delete(table(path).timeline.pending.find(_.time == damaged).get)
    written(path, 3, one)
    assertEquals(state(path, "cleaning").lastError, None)
    assert(state(path, "cleaning").last.isDefined)
  }

  test("a service that another program is in the way of says so, and runs once it is not") {
    val path = newPath()
    val compacting = Seq("hoodie.datasource.write.table.type" -> "MERGE_ON_READ", "hoodie.write.table.version" -> "6",
      "hoodie.compact.inline" -> "true", "hoodie.compact.inline.max.delta.commits" -> "2")
    written(path, 1, compacting: _*)
    val under = Transaction.begin(table(path), Action.DeltaCommit, "UPSERT")
    try {
      written(path, 2, compacting: _*)
      val error = state(path, "compaction").lastError.getOrElse("")
      assert(error.contains("[WRITE_PENDING]") && error.contains(under.instant), error)
    } finally under.rollback()
    written(path, 3, compacting: _*)
    assertEquals(state(path, "compaction").lastError, None)
    assert(state(path, "compaction").last.isDefined)
  }

  test("the work of an application ends with it, and the next one has its own") {
    val context = spark.sparkContext
    val rounds = ApplicationRounds.of(context)
    assert(ApplicationRounds.of(context) eq rounds)
    Listeners.of[ApplicationRounds.Ending](context).foreach(_.onApplicationEnd(SparkListenerApplicationEnd(0L)))
    assert(rounds.ended(Soon))
    val next = ApplicationRounds.of(context)
    assert(next ne rounds)
    val path = newPath()
    (1 to 3).foreach(written(path, _, "hoodie.clean.commits.retained" -> "1"))
    assert(state(path, "cleaning").last.isDefined)
  }

  test("partitions to which nobody has written for long go after a write, and the services tell of it") {
    val path = GoldenAnswers.copy("cow-basic-v9")
    val ttl = Seq("hoodie.partition.ttl.strategy.days.retain" -> "1", "hoodie.partition.ttl.inline" -> "true")
    def partitions: Set[String] =
      read(path).select("_hoodie_partition_path").distinct().collect().map(_.getString(0)).toSet
    val before = partitions
    assert(before.size > 1)
    val due = state(path, "partition expiry", ttl: _*)
    assertEquals((due.byItself, due.isDue, due.last, due.next),
      (true, true, None, s"${before.size} partitions without a write for 1 days"))
    assert(!states(path).contains("partition expiry"))
    val touched = read(path).limit(1)
    val stays = touched.select("_hoodie_partition_path").head().getString(0)
    def touch(options: (String, String)*): Unit =
      touched.write.format("hudilite").options(options.toMap).mode("append").save(path)
    touch(ttl.head)
    assertEquals(partitions, before, "it is asked for")
    touch(ttl: _*)
    assertEquals(partitions, Set(stays))
    val done = state(path, "partition expiry", ttl: _*)
    assertEquals((done.isDue, done.last, done.lastError), (false, table(path).timeline.lastCompleted.map(_.time), None))
  }

  test("a table that is written to all the time is cleaned and archived meanwhile, and nobody fails or waits") {
    val path = newPath()
    val (writes, off) = (10, "hudilite.services" -> "false")
    write(row(0), path, off)
    val ended = new CountDownLatch(1)
    var ingested: Try[Unit] = Try(())
    val ingest = new Thread(() => {
      ingested = Try((1 to writes).foreach(n => write(row(n), path, off)))
      ended.countDown()
    })
    ingest.start()
    val few = Map("hoodie.clean.commits.retained" -> "1", "hoodie.keep.min.commits" -> "2",
      "hoodie.keep.max.commits" -> "3")
    def serve(): Unit = {
      CleaningProcedures.start(ServiceCall(spark, path, few)).result()
      ServiceCall(spark, path, few).onTable((table, conf) =>
        Archiver.of(table, conf.services, TransactionOptions.of(conf.commit)).runIfDue())
      ()
    }
    while (!ended.await(0L, TimeUnit.MILLISECONDS)) serve()
    ingested.get
    serve()
    val now = table(path)
    assertEquals(read(path).select("v").collect().map(_.getInt(0)).toSeq, Seq(writes))
    assert(now.timeline.writes.size <= 3, now.timeline.writes.toString)
    assertEquals((now.store.archivedCompleted() ++ now.timeline.writes).count(_.action == Action.Commit), writes + 1)
    assertEquals(now.timeline.pending, Nil)
    assertEquals(now.storage.list(s"$path/x").count(_.name.endsWith(".parquet")), 2)
  }
}

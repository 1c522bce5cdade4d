package io.hudilite.spark.service

import io.hudilite.config.{OptionSide, Options, WriteConf}
import io.hudilite.service.cluster.ClusteringCall
import io.hudilite.spark.{Interpreted, SharedSession}
import io.hudilite.spark.procedure.{ClusteringRun, CompactionRun, ServiceCall}
import io.hudilite.spark.service.cluster.Clusterer
import io.hudilite.spark.service.compact.Compactor
import io.hudilite.storage.{DaemonThreads, HadoopStorage}
import io.hudilite.table.Table
import io.hudilite.timeline.{Instant, State}

import java.nio.file.Files
import java.util.concurrent.{CancellationException, CountDownLatch, Executors, TimeUnit}

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.Duration
import scala.util.Try

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.Row

/** Services that are stopped while more than one of them is planned, or runs. */
class CancelledServiceSuite extends FunSuite with Interpreted {

  override def munitTimeout: Duration = Duration(5, "min")

  // As many as are asked for: what waits for another must not keep it from running.
  private implicit val threads: ExecutionContext =
    ExecutionContext.fromExecutorService(Executors.newCachedThreadPool(new DaemonThreads("hudilite-cancelled")))
  private val spark = SharedSession.spark
  private val still = Map("hoodie.clean.automatic" -> "false", "hoodie.compact.inline" -> "false",
    "hoodie.parquet.small.file.limit" -> "0")

  private def table(path: String): Table = Table.open(new HadoopStorage(new Configuration()), path)

  private def write(path: String, from: Int, until: Int, more: (String, String)*): Unit =
    spark.range(from, until, 1, 1).selectExpr("concat('k', id) id", "concat('p', id % 2) p", s"$until v")
      .write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.partitionpath.field", "p").options(still ++ more).mode("append").save(path)

  private def sql(call: String): Seq[Row] = spark.sql(s"CALL hudilite.system.$call").collect().toSeq

  /** A kind of service, and a table with a plan for each of its two partitions. */
  private final class Kind(val name: String, options: (String, String)*) {

    def made(): String = {
      val path = Files.createTempDirectory("hudilite-cancelled").resolve("t").toString
      write(path, 0, 6, options: _*)
      if (isCompaction) write(path, 0, 4) else write(path, 6, 12)
      plan(path, "p0")
      plan(path, "p1")
      assertEquals(pending(path).map(_.state: State), Seq[State](State.Requested, State.Requested))
      path
    }

    def isCompaction: Boolean = name == "compaction"

    /** Plans what there is to do, of one partition; the file groups. */
    def plan(path: String, partition: String): Set[String] =
      if (isCompaction) CompactionRun(ServiceCall(spark, path, one)).schedule().get
        .candidates.map(_.slice.fileId).toSet
      else ClusteringRun(ServiceCall(spark, path), ClusteringCall(partitions = Some(Seq(partition)))).schedule()
        .get.groups.flatMap(_.slices).map(_.fileId).toSet

    def pending(path: String): Seq[Instant] = table(path).timeline.pendingWrites

    /** Of the two plans. */
    def times(path: String): (String, String) = (pending(path).head.time, pending(path).last.time)

    def files(path: String, instant: String): Int =
      table(path).storage.list(Seq("p0", "p1").map(p => s"$path/$p")).values.flatten.count(
        _.name.contains(s"_$instant"))

    def planned(path: String): Set[String] = {
      val now = table(path)
      (now.pendingCompactions.keySet ++ now.pendingClusterings.keySet).map(_.fileId)
    }

    /** Runs what is planned, until it is told to stop. */
    def runPending(path: String, stop: Stop): Seq[Any] = {
      Options.check(still, OptionSide.Write)
      val done = spark.sparkContext.longAccumulator
      val conf = WriteConf.of(still)
      if (isCompaction) new Compactor(spark, conf, done, stop = stop).runPending(table(path))
      else new Clusterer(spark, conf, done, stop).runPending(table(path))
    }

    def call(path: String, instant: String, runAs: String): Seq[Row] =
      sql(s"run_$name(path => '$path', instants => '$instant', op => 'execute', run_as => '$runAs')")

    private val one =
      Map("hoodie.compaction.strategy" -> "BoundedIO", "hoodie.compaction.target.io" -> "0")
  }

  private val kinds = for {
    version <- Seq("6", "9")
    kind <- Seq(new Kind("clustering", "hoodie.write.table.version" -> version),
      new Kind("compaction", "hoodie.write.table.version" -> version,
        "hoodie.datasource.write.table.type" -> "MERGE_ON_READ"))
  } yield version -> kind

  private def rows(path: String): Seq[String] =
    spark.read.format("hudilite").load(path).select("id", "v").collect().map(_.toString).sorted.toSeq

  for ((version, kind) <- kinds) {

    test(
      s"version $version: a run of two planned ${kind.name}s that is stopped between them leaves the second planned") {
      val path = kind.made()
      val (before, groups) = (rows(path), kind.planned(path))
      val (first, second) = kind.times(path)
      val stop = new Stop(() => table(path).timeline.isCompleted(first))
      val e = intercept[CancellationException](kind.runPending(path, stop))
      assert(e.getMessage.contains(second) && e.getMessage.contains("was stopped"), e.getMessage)
      assertEquals(kind.pending(path).map(i => (i.time, i.state: State)), Seq((second, State.Requested: State)))
      assertEquals(kind.files(path, second), 0)
      assertEquals(kind.runPending(path, Stop.Never).size, 1)
      assertEquals((kind.pending(path), rows(path)), (Nil: Seq[Instant], before))
      // Slices that were rewritten can be planned again.
      if (kind.isCompaction) {
        write(path, 0, 6)
        assertEquals(kind.plan(path, "") ++ kind.plan(path, ""), groups)
      } else {
        write(path, 20, 26)
        assert(kind.plan(path, "p0").size == 2 && kind.plan(path, "p1").size == 2)
      }
    }

    test(s"version $version: of two ${kind.name}s that run, the one that is cancelled stops, and the other goes on") {
      val path = kind.made()
      val before = rows(path)
      val (first, second) = kind.times(path)
      val groups = kind.planned(path)
      val taken = Gates.closed()
      val holding = Future(spark.sparkContext.parallelize(1 to 2, 2).foreach(_ => Gates.pass()))
      assert(taken.await(60, TimeUnit.SECONDS), "no task of theirs runs from here on")
      val (stopped, other) = (Future(kind.call(path, first, "one")), Future(kind.call(path, second, "two")))
      Iterator.continually(sql("show_progress()").map(_.getString(0)).toSet)
        .find(_ == Set("one", "two") || stopped.isCompleted || other.isCompleted)
      assertEquals(sql("cancel_service(run_as => 'one')").map(_.getBoolean(0)), Seq(true))
      assert(Try(Await.result(stopped, Duration(60, "s"))).isFailure)
      assert(!other.isCompleted)
      Gates.open()
      Await.result(holding, Duration(60, "s"))
      assertEquals(Await.result(other, Duration(60, "s")).map(_.getString(0)), Seq(second))
      assert(table(path).timeline.isCompleted(second))
      assertEquals(kind.pending(path).map(i => (i.time, i.state: State)), Seq((first, State.Requested: State)))
      assertEquals((kind.files(path, first), rows(path)), (0, before))
      assertEquals(sql("cancel_service(run_as => 'one')").map(_.getBoolean(0)), Seq(false))
      if (!kind.isCompaction) { // a planned compaction stays, since log files are laid out by it
        sql(s"rollback_to_instant(path => '$path', instant_time => '$first')")
        assertEquals(kind.pending(path), Nil: Seq[Instant])
        assert(kind.plan(path, "p0").subsetOf(groups))
      }
      assertEquals(kind.runPending(path, Stop.Never).size, 1)
      assertEquals((kind.pending(path), rows(path)), (Nil: Seq[Instant], before))
    }
  }
}

/** Where tasks wait that take all threads of the session. */
private object Gates {

  @volatile private var entered = new CountDownLatch(0)
  @volatile private var left = new CountDownLatch(0)

  /** Counts to two tasks that wait. */
  def closed(): CountDownLatch = {
    left = new CountDownLatch(1)
    entered = new CountDownLatch(2)
    entered
  }

  def open(): Unit = left.countDown()

  def pass(): Unit = {
    entered.countDown()
    assert(left.await(120, TimeUnit.SECONDS))
  }
}

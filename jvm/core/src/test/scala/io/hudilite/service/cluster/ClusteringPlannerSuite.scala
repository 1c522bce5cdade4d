package io.hudilite.service.cluster

import io.hudilite.config.key.Setting
import io.hudilite.config.service.{ClusteringConf, ClusteringOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.{BaseFile, FileSlice, LogFile}
import io.hudilite.service.Services

import munit.FunSuite

class ClusteringPlannerSuite extends FunSuite {

  private val conf = Services.of(
    ClusteringOptions.TargetBytes.name -> "100", ClusteringOptions.SmallFileBytes.name -> "50",
    ClusteringOptions.GroupBytes.name -> "80", ClusteringOptions.MaxGroups.name -> "10").clustering

  /** A slice `partition/id` with a base file and log files of these sizes; a base of 0 = none. */
  private def slice(name: String, base: Long, logs: Long*): FileSlice = {
    val (partition, id) = (name.takeWhile(_ != '/'), name.dropWhile(_ != '/').drop(1))
    FileSlice(partition, id, "1",
      if (base == 0) None else Some(BaseFile(partition, s"${id}_0-0-0_1.parquet", id, "0-0-0", "1", base)),
      logs.zipWithIndex.map { case (bytes, i) =>
        LogFile(partition, s".${id}_1.log.${i + 1}_0-0-0", id, "1", i + 1, Some("0-0-0"), bytes)
      })
  }

  private def planned(conf: ClusteringConf, slices: FileSlice*): Seq[(String, Int)] =
    ClusteringPlanner.groups(slices, ClusteringRequest(conf))
      .map(g => g.slices.map(s => s"${s.partition}/${s.fileId}").mkString(" ") -> g.outputs)

  private def chosen[T](value: T): Setting[T] = Setting(value, isGiven = true)

  private val sorted = conf.copy(sortColumns = Seq("v"))

  test("of nothing, and of one file without an order, nothing is made") {
    assertEquals(planned(conf), Nil)
    assertEquals(planned(sorted), Nil)
    assertEquals(planned(conf, slice("p/a", 10)), Nil)
    assertEquals(planned(conf, slice("p/a", 10), slice("q/b", 10)), Nil)
    assertEquals(planned(sorted, slice("p/a", 10)), Seq("p/a" -> 1))
  }

  test("files below the limit are taken, those at it are not, and slices of log files always are") {
    val slices = Seq(slice("p/a", 49), slice("p/b", 50), slice("p/c", 1, 1000), slice("p/d", 0, 3))
    assertEquals(planned(conf.copy(groupBytes = chosen(2000L), targetBytes = 2000), slices: _*),
      Seq("p/c p/a p/d" -> 1))
  }

  test("a group is full with its bytes, and a slice larger than that is one of its own") {
    assertEquals(planned(conf, slice("p/a", 40), slice("p/b", 40)), Seq("p/a p/b" -> 1))
    assertEquals(planned(conf, slice("p/a", 41), slice("p/b", 40)), Nil)
    assertEquals(planned(sorted, slice("p/a", 41), slice("p/b", 40)), Seq("p/a" -> 1, "p/b" -> 1))
    assertEquals(planned(sorted, slice("p/a", 1, 80), slice("p/b", 1)), Seq("p/a" -> 1, "p/b" -> 1))
  }

  test("groups keep to their partitions, and no more of them are planned than is said") {
    val slices = Seq("p/a", "q/b", "p/c", "q/d", "r/e", "r/f").map(slice(_, 40))
    assertEquals(planned(conf, slices: _*).map(_._1), Seq("p/a p/c", "q/b q/d", "r/e r/f"))
    assertEquals(planned(conf.copy(maxGroups = chosen(2)), slices: _*).map(_._1), Seq("p/a p/c", "q/b q/d"))
  }

  test("as many files come of a group as its bytes fill, and without an order there must be fewer than before") {
    assertEquals(Seq(0L, 1L, 99L, 100L, 101L, 200L, 201L).map(ClusteringPlanner.outputs(_, 100)),
      Seq(1, 1, 1, 1, 2, 2, 3))
    val halves = conf.copy(targetBytes = 30)
    assertEquals(planned(halves, slice("p/a", 40), slice("p/b", 40)), Nil)
    assertEquals(planned(halves, slice("p/a", 30), slice("p/b", 20), slice("p/c", 10)), Seq("p/a p/b p/c" -> 2))
  }

  test("what is laid out already stays, unless there is something new beside it") {
    val (old, fresh) = (slice("p/a", 10), slice("p/b", 10))
    def groups(slices: FileSlice*) = ClusteringPlanner.groups(slices, ClusteringRequest(sorted), _.fileId == "a").size
    assertEquals((groups(old), groups(fresh), groups(old, fresh)), (0, 1, 1))
  }

  test("partitions are chosen as Hudi's strategies choose them") {
    val days = Seq("d3", "d1", "d2", "d4")
    def chosen(options: (String, String)*) =
      PartitionChoice.of(Services.of(options: _*).clustering.partitions, days).mkString(" ")
    val plan = "hoodie.clustering.plan.strategy"
    val recent = s"$plan.class" ->
      "org.apache.hudi.client.clustering.plan.strategy.SparkRecentDaysClusteringPlanStrategy"
    assertEquals(chosen(), "d1 d2 d3 d4")
    assertEquals(chosen(recent), "d3 d4")
    assertEquals(chosen(recent, s"$plan.daybased.lookback.partitions" -> "1"), "d4")
    assertEquals(chosen(recent, s"$plan.daybased.lookback.partitions" -> "9"), "d1 d2 d3 d4")
    assertEquals(chosen(recent, s"$plan.daybased.skipfromlatest.partitions" -> "1"), "d2 d3")
    assertEquals(chosen(recent, s"$plan.daybased.skipfromlatest.partitions" -> "4"), "")
    val range = ClusteringOptions.FilterMode.name -> "selected_partitions"
    assertEquals(chosen(range), "d1 d2 d3 d4")
    assertEquals(
      chosen(range, s"$plan.cluster.begin.partition" -> "d2", s"$plan.cluster.end.partition" -> "d3"),
      "d2 d3")
    assertEquals(chosen(s"$plan.partition.selected" -> "d4,d1,none"), "d1 d4")
    assertEquals(chosen(s"$plan.partition.regex.pattern" -> "d[12]"), "d1 d2")
    assertEquals(chosen(s"$plan.partition.regex.pattern" -> "d"), "")
    assertEquals(intercept[InvalidInput](chosen(recent, range)).condition, "INVALID_OPTION_VALUE")
    for (bad <- Seq(s"$plan.class" -> "mine.Strategy", s"$plan.partition.regex.pattern" -> "(",
        ClusteringOptions.FilterMode.name -> "DAY_ROLLING"))
      assertEquals(intercept[InvalidInput](chosen(bad)).condition, "INVALID_OPTION_VALUE")
  }

  test("a call takes files of every size when it sorts, and those below its target when it does not") {
    def of(call: ClusteringCall, options: (String, String)*) =
      ClusteringRequest(call.over(Services.of(options: _*).clustering))
    val MiB = 1024L * 1024L
    assertEquals(of(ClusteringCall()).conf.smallFileBytes.value, 300 * MiB)
    assertEquals(of(ClusteringCall(targetBytes = Some(MiB))).conf.smallFileBytes.value, MiB)
    assertEquals(of(ClusteringCall(sortColumns = Some(Seq("a")))).conf.smallFileBytes.value, Long.MaxValue)
    val limit = ClusteringOptions.SmallFileBytes.name -> "7"
    assertEquals(of(ClusteringCall(sortColumns = Some(Seq("a"))), limit).conf.smallFileBytes.value, 7L)
    assertEquals(of(ClusteringCall(targetBytes = Some(4096 * MiB))).conf.groupBytes.value, 4096 * MiB)
    assertEquals(of(ClusteringCall(sortColumns = Some(Seq("a", "b")))).params,
      Map(
        "hoodie.clustering.plan.strategy.sort.columns" -> "a,b", "hoodie.layout.optimize.strategy" -> "linear",
        "hoodie.clustering.plan.strategy.target.file.max.bytes" -> (1024 * MiB).toString))
    intercept[InvalidInput](of(ClusteringCall(sortColumns = Some(Seq("a,b")))))
  }
}

package io.hudilite.config.service

import io.hudilite.config.WriteConf
import io.hudilite.config.key.{ConfigKey, Setting}
import io.hudilite.error.InvalidInput

import munit.FunSuite

class ServiceConfSuite extends FunSuite {

  private val MiB = 1024L * 1024L

  private def services(options: (String, String)*): ServiceConf = WriteConf.of(options.toMap).services

  private def default[T](value: T): Setting[T] = Setting(value, isGiven = false)
  private def chosen[T](value: T): Setting[T] = Setting(value, isGiven = true)

  test("without options services have the documented defaults") {
    assertEquals(
      services(),
      ServiceConf(
        byThemselves = true,
        beside = false,
        compaction = CompactionConf(
          inline = default(true),
          schedulesInline = false,
          trigger = TriggerConf("NUM_COMMITS", 5, 3600),
          strategy = "LogFileSizeBased",
          logBytes = 0,
          logFiles = 0,
          ioMb = 500 * 1024,
          partitions = 10,
          logs = LogCompactionConf(inline = false, allowed = true, blocks = 5),
          fileBytes = 120 * MiB),
        clustering = ClusteringConf(
          inline = false,
          maxCommits = 4,
          sortColumns = Nil,
          layout = "linear",
          targetBytes = 1024 * MiB,
          smallFileBytes = default(300 * MiB),
          groupBytes = default(2048 * MiB),
          maxGroups = default(30),
          partitions = ClusteredPartitionsConf("NONE", 2, 0, None, None, None, None),
          waitMs = 0),
        expiry = ExpiryConf(inline = false, -1, None, 1000),
        cleaning = CleanConf(automatic = true, CleaningPolicy.LatestCommits(10), 1, incremental = true),
        archiving = ArchiveConf(automatic = true, 20, 30, Some(10), Some(5), beyondSavepoint = false, 10)))
  }

  private val asked: Seq[(String, String)] = Seq(
    "hudilite.services" -> "true",
    "hudilite.services.async" -> "TRUE",
    "hoodie.table.services.enabled" -> "false",
    "hoodie.compact.inline" -> "true",
    "hoodie.compact.schedule.inline" -> "true",
    "hoodie.compact.inline.trigger.strategy" -> "num_or_time",
    "hoodie.compact.inline.max.delta.commits" -> "1",
    "hoodie.compact.inline.max.delta.seconds" -> "2",
    "hoodie.compaction.strategy" -> "BoundedIO",
    "hoodie.compaction.logfile.size.threshold" -> "3",
    "hoodie.compaction.logfile.num.threshold" -> "4",
    "hoodie.compaction.target.io" -> "5",
    "hoodie.compaction.daybased.target.partitions" -> "6",
    "hoodie.log.compaction.inline" -> "true",
    "hoodie.log.compaction.enable" -> "false",
    "hoodie.log.compaction.blocks.threshold" -> "7",
    "hoodie.parquet.max.file.size" -> "8",
    "hoodie.clustering.inline" -> "true",
    "hoodie.clustering.inline.max.commits" -> "9",
    "hoodie.clustering.plan.strategy.sort.columns" -> "a, b",
    "hoodie.layout.optimize.strategy" -> "HILBERT",
    "hoodie.clustering.plan.strategy.target.file.max.bytes" -> "10",
    "hoodie.clustering.plan.strategy.small.file.limit" -> "11",
    "hoodie.clustering.plan.strategy.max.bytes.per.group" -> "12",
    "hoodie.clustering.plan.strategy.max.num.groups" -> "13",
    "hoodie.clustering.plan.strategy.class" -> "org.x.SparkSelectedPartitionsClusteringPlanStrategy",
    "hoodie.clustering.plan.partition.filter.mode" -> "selected_partitions",
    "hoodie.clustering.plan.strategy.daybased.lookback.partitions" -> "14",
    "hoodie.clustering.plan.strategy.daybased.skipfromlatest.partitions" -> "15",
    "hoodie.clustering.plan.strategy.cluster.begin.partition" -> "p",
    "hoodie.clustering.plan.strategy.cluster.end.partition" -> "q",
    "hoodie.clustering.plan.strategy.partition.selected" -> "r,s",
    "hoodie.clustering.plan.strategy.partition.regex.pattern" -> "t.*",
    "hoodie.partition.ttl.inline" -> "true",
    "hoodie.partition.ttl.strategy.days.retain" -> "16",
    "hoodie.partition.ttl.strategy.partition.selected" -> "u",
    "hoodie.partition.ttl.strategy.max.delete.partitions" -> "17",
    "hoodie.clean.automatic" -> "false",
    "hoodie.cleaner.policy" -> "keep_latest_by_hours",
    "hoodie.cleaner.commits.retained" -> "18",
    "hoodie.clean.hours.retained" -> "19",
    "hoodie.clean.fileversions.retained" -> "20",
    "hoodie.clean.max.commits" -> "21",
    "hoodie.cleaner.incremental.mode" -> "false",
    "hoodie.archive.automatic" -> "false",
    "hoodie.keep.min.commits" -> "22",
    "hoodie.keep.max.commits" -> "23",
    "hoodie.archive.beyond.savepoint" -> "true",
    "hoodie.timeline.compaction.batch.size" -> "24",
    "hudilite.clustering.wait_time_ms" -> "25")

  test("each option of services comes to its place, in any case and from older spellings") {
    assertEquals(
      services(asked: _*),
      ServiceConf(
        byThemselves = false,
        beside = true,
        compaction = CompactionConf(
          inline = chosen(true),
          schedulesInline = true,
          trigger = TriggerConf("NUM_OR_TIME", maxCommits = 1, maxSeconds = 2),
          strategy = "BoundedIO",
          logBytes = 3,
          logFiles = 4,
          ioMb = 5,
          partitions = 6,
          logs = LogCompactionConf(inline = true, allowed = false, blocks = 7),
          fileBytes = 8),
        clustering = ClusteringConf(
          inline = true,
          maxCommits = 9,
          sortColumns = Seq("a", "b"),
          layout = "hilbert",
          targetBytes = 10,
          smallFileBytes = chosen(11L),
          groupBytes = chosen(12L),
          maxGroups = chosen(13),
          partitions = ClusteredPartitionsConf("SELECTED_PARTITIONS", lookback = 14, skipLatest = 15,
            Some("p"), Some("q"), Some(Seq("r", "s")), Some("t.*")),
          waitMs = 25),
        expiry = ExpiryConf(inline = true, days = 16, Some(Seq("u")), most = 17),
        cleaning = CleanConf(automatic = false, CleaningPolicy.LatestHours(19), triggerCommits = 21,
          incremental = false),
        archiving = ArchiveConf(automatic = false, 22, 23, retained = None, deltaCommits = None, beyondSavepoint = true,
          mergedFiles = 24)))
    val keys: Seq[ConfigKey[_]] = ServiceOptions.all ++ CompactionOptions.all ++ ClusteringOptions.all ++
      PartitionTtlOptions.all ++ CleanOptions.all ++ ArchiveOptions.all
    assertEquals(keys.filterNot(_.names.exists(asked.toMap.contains)), Nil, "an option that is in no test")
  }

  test("archiving keeps what cleaning retains, where options leave it open, and refuses less") {
    def limits(options: (String, String)*): (Int, Int) = {
      val conf = services(options: _*).archiving.checked
      (conf.minCommits, conf.maxCommits)
    }
    def refused(options: (String, String)*): String = intercept[InvalidInput](limits(options: _*)).getMessage
    val (retained, min, max) = ("hoodie.clean.commits.retained", "hoodie.keep.min.commits", "hoodie.keep.max.commits")
    assertEquals(Seq(limits(), limits(retained -> "15"), limits(retained -> "15", min -> "16"), limits(min -> "25")),
      Seq((20, 30), (25, 35), (16, 30), (25, 35)))
    assertEquals(limits("hoodie.clean.hours.retained" -> "900"), (20, 30))
    // One that is given alone moves the other.
    assertEquals(Seq(limits(max -> "20"), limits(max -> "13"), limits(max -> "7", retained -> "3"),
        limits(min -> "40", "hoodie.clean.hours.retained" -> "900")), Seq((19, 20), (12, 13), (6, 7), (40, 50)))
    assert(refused(max -> "11").contains(max), "cleaning retains 10")
    val equal = refused(max -> "20", min -> "20")
    assert(equal.contains(max) && equal.contains(min), equal)
    val cleaned = refused(min -> "10")
    assert(cleaned.contains(min) && cleaned.contains(retained), cleaned)
  }

  test("services run by themselves unless one of two options says no") {
    val off = Seq("hudilite.services", "hoodie.table.services.enabled")
    assertEquals(off.map(name => services(name -> "false").inlineCleaning), Seq(false, false))
    assertEquals(services("hoodie.clustering.inline" -> "true").inlineClustering, true)
    assertEquals(services().inlineExpiry, false)
  }

  test("who has compactions planned inline runs them elsewhere, unless told") {
    def runs(options: (String, String)*): Boolean = services(options: _*).compaction.runsInline
    val scheduled = "hoodie.compact.schedule.inline" -> "true"
    assertEquals(Seq(runs(), runs(scheduled), runs(scheduled, "hoodie.compact.inline" -> "true"),
        runs("hoodie.compact.inline" -> "false")), Seq(true, false, true, false))
  }

  test("what a plan leaves open is open") {
    assertEquals(PlannedLayout.of(Map.empty), PlannedLayout(Nil, None, None))
    val params = Map("hoodie.clustering.plan.strategy.sort.columns" -> "a,b",
      "hoodie.layout.optimize.strategy" -> "z-order", "hoodie.clustering.plan.strategy.target.file.max.bytes" -> "7")
    assertEquals(PlannedLayout.of(params), PlannedLayout(Seq("a", "b"), Some("z-order"), Some(7)))
    assertEquals(intercept[InvalidInput](PlannedLayout.of(params.map { case (k, _) => k -> "," })).condition,
      "INVALID_OPTION_VALUE")
  }
}

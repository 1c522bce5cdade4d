package io.hudilite.service.compact

import io.hudilite.error.InvalidInput
import io.hudilite.service.Services
import io.hudilite.service.compact.Candidates._

import munit.FunSuite

/** Each strategy as a table of (settings, candidates, what it selects). */
class StrategiesSuite extends FunSuite {

  private def selects(strategy: CompactionStrategy, settings: CompactionSettings, candidates: CompactionCandidate*)(
      expected: String*)(implicit loc: munit.Location): Unit =
    assertEquals(names(strategy.select(candidates, settings)), expected)

  test("no strategy makes something of nothing") {
    Strategies.byName.values.foreach(s => selects(s, settings)())
  }

  test("a candidate costs what it reads and writes, in whole MiB") {
    val costs = Seq(
      candidate("a", 10, 1, 2) -> ((13L, 10L, 2)),
      candidate("b", 0, 3) -> ((3L, 120L, 1)),
      candidate("c", 7) -> ((7L, 7L, 0)))
    costs.foreach { case (c, expected) => assertEquals((c.readMb, c.writeMb, c.logFiles), expected) }
    assertEquals(costs.head._1.metrics,
      Map("TOTAL_LOG_FILES" -> 2.0, "TOTAL_LOG_FILES_SIZE" -> 3.0 * MiB,
        "TOTAL_IO_READ_MB" -> 13.0, "TOTAL_IO_WRITE_MB" -> 10.0, "TOTAL_IO_MB" -> 23.0))
  }

  test("UnBounded takes everything in the given order") {
    selects(Strategies.UnBounded, settings, candidate("b", 900, 900), candidate("a", 0, 1))("b", "a")
  }

  test("BoundedIO takes slices until the target is reached, the one that reaches it included") {
    val (a, b, c) = (candidate("a", 10, 5), candidate("b", 10, 5), candidate("c", 10, 5)) // 25 MiB each
    Seq(
      0L -> Seq("a"),
      1L -> Seq("a"),
      24L -> Seq("a"),
      25L -> Seq("a"),
      26L -> Seq("a", "b"),
      50L -> Seq("a", "b"),
      51L -> Seq("a", "b", "c"),
      1000L -> Seq("a", "b", "c")).foreach { case (target, expected) =>
      selects(Strategies.BoundedIO, settings.copy(targetIoMb = target), a, b, c)(expected: _*)
    }
  }

  test("LogFileSizeBased takes slices from the threshold on, the most bytes first") {
    val (a, b, c) = (candidate("a", 1, 4, 4), candidate("b", 1, 9), candidate("c", 1, 10))
    Seq(
      0L -> Seq("c", "b", "a"),
      8 * MiB -> Seq("c", "b", "a"),
      8 * MiB + 1 -> Seq("c", "b"),
      10 * MiB -> Seq("c"),
      10 * MiB + 1 -> Seq()).foreach { case (threshold, expected) =>
      selects(Strategies.LogFileSizeBased, settings.copy(minLogBytes = threshold), a, b, c)(expected: _*)
    }
    selects(Strategies.LogFileSizeBased, settings.copy(targetIoMb = 12), a, b, c)("c")
    selects(Strategies.LogFileSizeBased, settings.copy(targetIoMb = 13), a, b, c)("c", "b")
  }

  test("LogFileNumBased takes slices from the threshold on, the most files first") {
    val (a, b, c) = (candidate("a", 1, 9), candidate("b", 1, 1, 1), candidate("c", 1, 1, 1, 1))
    Seq(0L -> Seq("c", "b", "a"), 1L -> Seq("c", "b", "a"), 2L -> Seq("c", "b"), 3L -> Seq("c"), 4L -> Seq())
      .foreach { case (threshold, expected) =>
        selects(Strategies.LogFileNumBased, settings.copy(minLogFiles = threshold), a, b, c)(expected: _*)
      }
    selects(Strategies.LogFileNumBased, settings.copy(targetIoMb = 5), a, b, c)("c")
  }

  private val days =
    Seq("2026/01/08/a", "2026/01/10/b", "2026/01/10/c", "2025/12/31/d", "2026/01/09/e").map(candidate(_, 1, 1))

  test("DayBased takes the newest days whole") {
    Seq(
      0 -> Seq(),
      1 -> Seq("2026/01/10/b", "2026/01/10/c"),
      2 -> Seq("2026/01/10/b", "2026/01/10/c", "2026/01/09/e"),
      4 -> Seq("2026/01/10/b", "2026/01/10/c", "2026/01/09/e", "2026/01/08/a", "2025/12/31/d"),
      5 -> Seq("2026/01/10/b", "2026/01/10/c", "2026/01/09/e", "2026/01/08/a", "2025/12/31/d"))
      .foreach { case (limit, expected) =>
        selects(Strategies.DayBased, settings.copy(targetPartitions = limit), days: _*)(expected: _*)
      }
  }

  test("the partition-aware strategies share the days between them") {
    Seq(
      0 -> ((Seq("2026/01/10/b", "2026/01/10/c"), Seq("2026/01/09/e", "2026/01/08/a", "2025/12/31/d"))),
      1 -> ((Seq("2026/01/10/b", "2026/01/10/c", "2026/01/09/e"), Seq("2026/01/08/a", "2025/12/31/d"))),
      9 -> ((Seq("2026/01/10/b", "2026/01/10/c", "2026/01/09/e", "2026/01/08/a"), Seq("2025/12/31/d"))),
      10 -> ((Seq("2026/01/10/b", "2026/01/10/c", "2026/01/09/e", "2026/01/08/a", "2025/12/31/d"), Seq())))
      .foreach { case (limit, (recent, older)) =>
        val limited = settings.copy(targetPartitions = limit)
        selects(Strategies.BoundedPartitionAware, limited, days: _*)(recent: _*)
        selects(Strategies.UnBoundedPartitionAware, limited, days: _*)(older: _*)
      }
  }

  test("a day is spelled in any of the usual ways") {
    val spelled = Seq("2026/01/31", "2026-01-31", "20260131", "day=2026-01-31", "y=2026/m=01/d=31", "y=2026/m=1/d=31",
      "day=2026%2F01%2F31", "2026-01-31/region=eu")
    spelled.foreach(p => assertEquals(DayPartitions.dayOf(p).toString, "2026-01-31", p))
    Seq("", "eu", "2026", "2026-13-01", "eu/2026-01-31").foreach { p =>
      assertEquals(intercept[InvalidInput](DayPartitions.dayOf(p)).condition, "INVALID_OPTION_VALUE", p)
    }
  }

  test("a strategy is named by Hudi's class, by its short name, or is a class of the user's") {
    Strategies.byName.foreach { case (name, strategy) =>
      val hudi = s"org.apache.hudi.table.action.compact.strategy.${name}CompactionStrategy"
      Seq(name, name.toLowerCase, s"${name}CompactionStrategy", hudi)
        .foreach(n => assert(CompactionStrategy.named(n) eq strategy, n))
    }
    assertEquals(CompactionStrategy.nameOf(CompactionStrategy.named(Services.of().compaction.strategy)),
      "LogFileSizeBased")
    val own = CompactionStrategy.named(classOf[LastOnly].getName)
    selects(own, settings, candidate("a", 1, 1), candidate("b", 1, 1))("b")
    assertEquals(CompactionStrategy.nameOf(own), classOf[LastOnly].getName)
  }

  test("a strategy that is not there, or is none, is refused with the reason") {
    Seq("Fancy" -> "must be one of BoundedIO", "com.acme.Fancy" -> "no such class",
      "java.lang.String" -> "does not implement",
      classOf[NeedsArgument].getName -> "cannot be instantiated").foreach { case (name, reason) =>
      val error = intercept[InvalidInput](CompactionStrategy.named(name))
      assert(error.parameters("reason").contains(reason), error.getMessage)
    }
  }
}

class LastOnly extends CompactionStrategy {
  override def select(candidates: Seq[CompactionCandidate], settings: CompactionSettings): Seq[CompactionCandidate] =
    candidates.lastOption.toSeq
}

class NeedsArgument(val candidate: CompactionCandidate) extends CompactionStrategy {
  override def select(candidates: Seq[CompactionCandidate], settings: CompactionSettings): Seq[CompactionCandidate] =
    Seq(candidate)
}

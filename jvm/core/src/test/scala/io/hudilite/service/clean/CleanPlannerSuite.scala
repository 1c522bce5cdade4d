package io.hudilite.service.clean

import io.hudilite.config.service.CleaningPolicy
import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.{BaseFile, FileGroupId, FileSlice, LogFile}
import io.hudilite.service.Services
import io.hudilite.storage.FileInfo
import io.hudilite.table.PartitionVersions
import io.hudilite.timeline.{Action, Instant, State, Timeline}

import munit.FunSuite

class CleanPlannerSuite extends FunSuite {

  private def done(time: String, action: String = Action.Commit): Instant =
    Instant(time, action, State.Completed, Some(s"${time}5"), "")

  private def pending(time: String, action: String = Action.Commit): Instant =
    Instant(time, action, State.Inflight, None, "")

  private def earliest(policy: CleaningPolicy, instants: Instant*): Option[String] =
    CleanPlanner.earliestRetained(policy, Timeline(instants.sortBy(_.time)), hours => s"${9 - hours}").map(_.time)

  private def slice(instant: String, logs: Int = 0, based: Boolean = true, group: String = "g"): FileSlice =
    FileSlice("p", group, instant,
      if (based) Some(BaseFile("p", s"$group@$instant", group, "0", instant, 1L)) else None,
      (1 to logs).map(n => LogFile("p", s".$group@$instant.$n", group, instant, n, None, 1L)))

  private def files(policy: CleaningPolicy, earliest: Option[String], slices: Seq[FileSlice],
      kept: Protected = Protected(Map.empty, Set.empty), replaced: Seq[(String, Seq[FileSlice])] = Nil,
      listed: Seq[String] = Seq("kept")): CleanedFiles =
    CleanPlanner.files(policy, earliest,
      PartitionVersions("p", Seq(slices).filter(_.nonEmpty), replaced,
        listed.map(n => FileInfo(s"/t/p/$n", 1L, 0L, isDirectory = false))), kept)

  private def gone(policy: CleaningPolicy, earliest: Option[String], slices: Seq[FileSlice],
      kept: Protected = Protected(Map.empty, Set.empty)): Seq[String] =
    files(policy, earliest, slices, kept).files.map(_.stripPrefix("p/"))

  private val commits = CleaningPolicy.LatestCommits(2)

  test("of so many commits as are retained nothing is old, of one more the oldest is") {
    assertEquals(earliest(commits), None)
    assertEquals(earliest(commits, done("1")), None)
    assertEquals(earliest(commits, done("1"), done("2")), None)
    assertEquals(earliest(commits, done("1"), done("2"), done("3")), Some("2"))
    assertEquals(earliest(commits, done("1"), done("2", Action.DeltaCommit), done("3"), done("4", Action.Clean),
        done("5", Action.ReplaceCommit)), Some("3"))
  }

  test("the oldest pending write holds back what is retained, a compaction does not") {
    val four = Seq("1", "3", "5", "7").map(done(_))
    assertEquals(earliest(commits, four: _*), Some("5"))
    assertEquals(earliest(commits, four :+ pending("4"): _*), Some("3"))
    assertEquals(earliest(commits, four :+ pending("6"): _*), Some("5"))
    assertEquals(earliest(commits, four :+ pending("0"): _*), None)
    assertEquals(earliest(commits, four :+ pending("4", Action.Clustering): _*), Some("3"))
    assertEquals(earliest(commits, four :+ pending("4", Action.Compaction): _*), Some("5"))
  }

  test("by hours the first commit within them is retained") {
    val two = CleaningPolicy.LatestHours(2)
    assertEquals(earliest(two, done("5"), done("6")), None)
    assertEquals(earliest(two, done("6"), done("7"), done("8")), Some("7"))
    assertEquals(earliest(two, done("6"), done("8"), pending("61")), Some("6"))
    assertEquals(earliest(CleaningPolicy.LatestVersions(1), done("1"), done("8")), None)
  }

  test("the slice that a reader at the first retained instant sees stays, older ones go with their log files") {
    val slices = Seq("9", "6", "4", "2").map(slice(_, logs = 1))
    assertEquals(gone(commits, None, slices), Nil)
    assertEquals(gone(commits, Some("2"), slices), Nil)
    assertEquals(gone(commits, Some("4"), slices), Nil)
    assertEquals(gone(commits, Some("5"), slices), Seq("g@2", ".g@2.1"))
    assertEquals(gone(commits, Some("6"), slices), Seq("g@2", ".g@2.1"))
    assertEquals(gone(commits, Some("7"), slices), Seq("g@4", ".g@4.1", "g@2", ".g@2.1"))
    assertEquals(gone(commits, Some("99"), slices), Seq("g@6", ".g@6.1", "g@4", ".g@4.1", "g@2", ".g@2.1"))
    assertEquals(gone(commits, Some("99"), slices.take(1)), Nil)
  }

  test("a slice of log files alone goes like others") {
    assertEquals(gone(commits, Some("9"), Seq(slice("4"), slice("2", logs = 2, based = false))),
      Seq(".g@2.1", ".g@2.2"))
  }

  test("so many versions stay as the policy says, and one that a compaction reads is one of them") {
    val slices = Seq("9", "6", "4", "2").map(slice(_))
    def of(n: Int, needed: String*): Seq[String] = gone(CleaningPolicy.LatestVersions(n), None, slices,
      Protected(Map.empty, needed.map(FileGroupId("p", "g") -> _).toSet))
    assertEquals(of(4), Nil)
    assertEquals(of(3), Seq("g@2"))
    assertEquals(of(1), Seq("g@6", "g@4", "g@2"))
    assertEquals(of(2, "9"), Seq("g@4", "g@2"))
    assertEquals(of(1, "9"), Seq("g@6", "g@4", "g@2"))
    assertEquals(of(1, "4"), Seq("g@6", "g@2"), "the newest one stays whatever happens")
  }

  test("what a savepoint names stays with the whole slice, and what a pending compaction reads") {
    val slices = Seq("9", "6", "4", "2").map(slice(_, logs = 1))
    val saved = Protected(Map("p" -> Set(".g@4.1"), "q" -> Set("g@2")), Set(FileGroupId("p", "g") -> "2"))
    assertEquals(gone(commits, Some("99"), slices, saved), Seq("g@6", ".g@6.1"))
  }

  test("a replaced file group goes wholly once its replacement is old, by versions at once") {
    def of(policy: CleaningPolicy, earliest: Option[String]): CleanedFiles =
      files(policy, earliest, Nil, replaced = Seq("5" -> Seq(slice("4"), slice("2"))),
        listed = Seq("g@4", "g@2",
          ".hoodie_partition_metadata"))
    assertEquals(of(commits, Some("5")), CleanedFiles(Nil, isEmptied = false))
    assertEquals(of(commits, Some("6")), CleanedFiles(Seq("p/g@4", "p/g@2"), isEmptied = true))
    assertEquals(of(CleaningPolicy.LatestVersions(3), None), CleanedFiles(Seq("p/g@4", "p/g@2"), isEmptied = true))
  }

  test("a partition is left empty only when nothing else lies in it") {
    val replaced = Seq("5" -> Seq(slice("4")))
    def emptied(listed: String*): Boolean =
      files(commits, Some("6"), Nil, replaced = replaced, listed = listed).isEmptied
    assert(emptied("g@4", ".hoodie_partition_metadata.parquet"))
    assert(!emptied("g@4", "notes.txt"))
    assert(!emptied("g@4", "other@6"))
    assert(!files(commits, Some("6"), Seq(slice("7", group = "h")), replaced = replaced, listed = Seq("g@4")).isEmptied)
  }

  test("the number that is given chooses the policy, two of them need a name") {
    assertEquals(Services.of().cleaning.policy, CleaningPolicy.LatestCommits(10): CleaningPolicy)
    assertEquals(Services.of("hoodie.cleaner.hours.retained" -> "3").cleaning.policy,
      CleaningPolicy.LatestHours(3): CleaningPolicy)
    val both = Seq("hoodie.clean.fileversions.retained" -> "2", "hoodie.clean.commits.retained" -> "4")
    assertEquals(intercept[InvalidInput](Services.of(both: _*).cleaning.policy).condition,
      "INVALID_OPTION_VALUE")
    val named = both :+ ("hoodie.cleaner.policy" -> "keep_latest_file_versions")
    assertEquals(Services.of(named: _*).cleaning.policy, CleaningPolicy.LatestVersions(2): CleaningPolicy)
    for (bad <- Seq("hoodie.clean.policy" -> "KEEP_ALL", "hoodie.clean.commits.retained" -> "0",
        "hoodie.clean.hours.retained" -> "soon"))
      assertEquals(intercept[InvalidInput](Services.of(bad).cleaning.policy).condition,
        "INVALID_OPTION_VALUE")
  }
}

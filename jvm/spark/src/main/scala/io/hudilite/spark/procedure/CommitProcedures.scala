package io.hudilite.spark.procedure

import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CommitMetadata, Instant, WriteStat}

import java.util.Locale

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{DataType, LongType, StringType}

/** Procedures that say what commits did, file by file, in Hudi's columns. */
private[procedure] object CommitProcedures {

  private val Instants: Seq[(String, DataType)] =
    Seq("commit_time" -> StringType, "state_transition_time" -> StringType, "action" -> StringType)

  private val Totals: Seq[(String, DataType)] = longs("total_bytes_written", "total_files_added",
    "total_files_updated", "total_partitions_written", "total_records_written", "total_update_records_written",
    "total_errors")

  private val OfFile: Seq[(String, DataType)] =
    Seq[(String, DataType)]("partition" -> StringType, "file_id" -> StringType, "previous_commit" -> StringType) ++
      longs("num_writes", "num_inserts", "num_deletes", "num_update_writes", "total_errors", "total_log_blocks",
        "total_corrupt_log_blocks", "total_rollback_blocks", "total_log_records", "total_updated_records_compacted",
        "total_bytes_written")

  private def longs(names: String*): Seq[(String, DataType)] = names.map(_ -> LongType)

  private val Of = Parameter.text("instant_time", "the instant of the write")

  private val commits = Listing("show_commits", "Shows the completed writes, the newest first.",
    Seq(Parameter.Table, Parameter.limit(10)), Instants ++ Totals) { (table, _) =>
    written(table).map { case (i, metadata) => Row.fromSeq(instant(i) ++ totals(metadata)) }
  }

  private val metadata = Listing("show_commits_metadata",
    "Shows each file that the completed writes wrote, the newest write first.",
    Seq(Parameter.Table, Parameter.limit(10)), Instants ++ OfFile) { (table, _) => written(table).flatMap(files) }

  private val ofCommit = Seq(Parameter.Table, Parameter.limit(10), Of)

  private val commitFiles = Listing("show_commit_files", "Shows the files that a write wrote.", ofCommit,
    Seq[(String, DataType)]("action" -> StringType, "partition_path" -> StringType, "file_id" -> StringType,
      "previous_commit" -> StringType) ++ longs("total_records_updated", "total_records_written",
      "total_bytes_written", "total_errors", "file_size")) { (table, arguments) =>
    val (instant, metadata) = named(table, arguments)
    inOrder(metadata).iterator.map(s =>
      Row(instant.comparableAction, s.partitionPath, s.fileId, s.prevCommit,
        s.numUpdateWrites, s.numWrites, s.totalWriteBytes, s.totalWriteErrors, s.fileSizeInBytes))
  }

  private val commitPartitions = Listing("show_commit_partitions", "Shows the partitions that a write wrote to.",
    ofCommit,
    Seq[(String, DataType)]("action" -> StringType, "partition_path" -> StringType) ++ longs("total_files_added",
      "total_files_updated", "total_records_inserted", "total_records_updated", "total_bytes_written",
      "total_errors")) { (table, arguments) =>
    val (instant, metadata) = named(table, arguments)
    metadata.stats.toSeq.sortBy(_._1).iterator.map { case (partition, stats) =>
      val (added, updated) = stats.partition(_.prevCommit == WriteStat.NoPreviousCommit)
      Row(instant.comparableAction, partition, added.size.toLong, updated.size.toLong, stats.map(_.numInserts).sum,
        stats.map(_.numUpdateWrites).sum, stats.map(_.totalWriteBytes).sum, stats.map(_.totalWriteErrors).sum)
    }
  }

  private val commitStats = Listing("show_commit_write_stats", "Shows the bytes and records that a write wrote.",
    ofCommit,
    ("action" -> StringType) +: longs("total_bytes_written", "total_records_written", "avg_record_size")) {
    (table, arguments) =>
      val (instant, metadata) = named(table, arguments)
      val (bytes, records) = (metadata.allStats.map(_.totalWriteBytes).sum, metadata.allStats.map(_.numWrites).sum)
      Iterator(Row(instant.comparableAction, bytes, records,
          if (records == 0L) 0L else math.ceil(bytes.toDouble / records).toLong))
  }

  private val extra = Listing("show_commit_extra_metadata", "Shows the free keys of a write.",
    Seq(Parameter.Table, Parameter.limit(100),
      Parameter.text("instant_time", "the instant of the write; the newest by default"),
      Parameter.text("metadata_key", "the only key to show")),
    Seq("instant_time", "action", "metadata_key", "metadata_value").map(_ -> StringType)) { (table, arguments) =>
    val of = if (arguments.text(Of.name).isDefined) Iterator(named(table, arguments)) else written(table).take(1)
    for {
      (instant, metadata) <- of
      (key, value) <- metadata.extra.toSeq.sorted if arguments.text("metadata_key").forall(_ == key)
    } yield Row(instant.time, instant.comparableAction, key, value)
  }

  private val amplification = Listing("stats_wa",
    "Shows how many records writes wrote for each record that they changed, the oldest write first.",
    Seq(Parameter.Table, Parameter.limit(10)),
    Seq[(String, DataType)]("commit_time" -> StringType, "total_upserted" -> LongType, "total_written" -> LongType,
      "write_amplification_factor" -> StringType)) { (table, _) =>
    val changes = table.store.readCommits(table.timeline.writes).map { case (instant, metadata) =>
      (instant.time, metadata.allStats.map(_.numUpdateWrites).sum, metadata.allStats.map(_.numWrites).sum)
    }.filter(_._2 > 0L)
    def row(time: String, upserted: Long, written: Long) = Row(time, upserted, written,
      if (upserted == 0L) "0" else "%.2f".formatLocal(Locale.ROOT, written.toDouble / upserted))
    (changes.map((row _).tupled) :+ row("Total", changes.map(_._2).sum, changes.map(_._3).sum)).iterator
  }

  private val since = Seq(Parameter.text("start_ts", "the first instant to show"),
    Parameter.text("end_ts", "the last instant to show"))

  private val archived = Listing("show_archived_commits", "Shows the archived writes, the newest first.",
    Seq(Parameter.Table, Parameter.limit(10)) ++ since, Instants.filterNot(_._1 == "action") ++ Totals) {
    (table, arguments) =>
      inArchive(table, arguments).map { case (i, metadata) => Row.fromSeq(instant(i).init ++ totals(metadata)) }
  }

  private val archivedMetadata = Listing("show_archived_commits_metadata",
    "Shows each file that the archived writes wrote, the newest write first.",
    Seq(Parameter.Table, Parameter.limit(10)) ++ since, Instants ++ OfFile)((table, arguments) =>
    inArchive(table, arguments).flatMap(files))

  private val compare = Procedure("commits_compare", "Says by how many writes one table is ahead of another.",
    Seq(Parameter.Table, Parameter.text("path", "the path of the other table")), Seq("compare_detail" -> StringType)) {
    (session, arguments) =>
      def opened(path: String) = ServiceCall(session, path).onTable((table, _) => table)
      val source = opened(TableArgument.pathOf(session, arguments.needed("table")))
      Seq(Row(CommitsCompared.of(source, opened(arguments.needed("path")))))
  }

  val All: Seq[Procedure] = Seq(commits, metadata, commitFiles, commitPartitions, commitStats, extra, amplification,
    archived, archivedMetadata, compare)

  /** The completed writes, newest first, each read when it is asked for. */
  private def written(table: Table): Iterator[(Instant, CommitMetadata)] =
    table.timeline.writes.reverse.grouped(AtOnce).flatMap(table.store.readCommits(_))

  private val AtOnce = 16

  private def inArchive(table: Table, arguments: Arguments): Iterator[(Instant, CommitMetadata)] = {
    val archive = table.store.archive.now()
    val (start, end) = (arguments.text("start_ts"), arguments.text("end_ts"))
    archive.completed.filter(i => Action.Writes(i.action) && start.forall(_ <= i.time) && end.forall(i.time <= _))
      .reverse.grouped(AtOnce).flatMap { some =>
        val known = archive.commits(some.map(_.time).toSet)
        some.flatMap(i => known.get(i.time).map(i -> _))
      }
  }

  private def named(table: Table, arguments: Arguments): (Instant, CommitMetadata) = {
    val time = arguments.needed(Of.name)
    val instant = table.timeline.write(time).getOrElse(throw arguments.invalid(Of.name, time,
        "the timeline has no completed write of this instant; show_commits shows them"))
    instant -> table.store.readCommit(instant)
  }

  private def instant(of: Instant): Seq[Any] = Seq(of.time, of.completionTime.orNull, of.comparableAction)

  private def inOrder(metadata: CommitMetadata): Seq[WriteStat] =
    metadata.allStats.sortBy(s => (s.partitionPath, s.fileId))

  private def files(of: (Instant, CommitMetadata)): Seq[Row] = inOrder(of._2).map { s =>
    Row.fromSeq(instant(of._1) ++ Seq(s.partitionPath, s.fileId, s.prevCommit, s.numWrites, s.numInserts,
      s.numDeletes, s.numUpdateWrites, s.totalWriteErrors, s.logScan.blocks, s.logScan.corruptBlocks,
      s.logScan.rollbackBlocks, s.logScan.records, s.logScan.updatedRecords, s.totalWriteBytes))
  }

  // Hudi's totals: bytes, files added and updated, partitions, records, updated records, errors.
  private def totals(metadata: CommitMetadata): Seq[Any] = {
    val stats = metadata.allStats
    def total(count: WriteStat => Long): Long = stats.map(count).sum
    val (added, updated) = stats.partition(_.prevCommit == WriteStat.NoPreviousCommit)
    Seq(total(_.totalWriteBytes), added.size.toLong, updated.size.toLong, metadata.stats.size.toLong,
      total(_.numWrites), total(_.numUpdateWrites), total(_.totalWriteErrors))
  }
}

/** Two tables of one pipeline, by the times of their writes. */
private[procedure] object CommitsCompared {

  def of(source: Table, other: Table): String = {
    val (newest, reached) = (last(source), last(other))
    if (reached > newest) told(source, "behind", other, newest) else told(source, "ahead", source, reached)
  }

  private def last(table: Table): String = table.timeline.lastCompleted.map(_.time).getOrElse("")

  private def told(source: Table, where: String, of: Table, after: String): String = {
    val missing = of.timeline.writes.map(_.time).filter(_ > after)
    s"Source ${source.config.name} is $where by ${missing.size} commits. Commits to catch up - " +
      missing.mkString("[", ", ", "]")
  }
}

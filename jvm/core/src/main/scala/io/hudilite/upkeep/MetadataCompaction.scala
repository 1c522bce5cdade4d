package io.hudilite.upkeep

import io.hudilite.filegroup.{FileSlice, FileSystemView}
import io.hudilite.metadata.{GroupRecords, MetadataPartition, RecordCodec, RecordSchema}
import io.hudilite.metadata.MetadataPayload.{Bloom, Pair}
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.timeline.{Action, Timeline, WriteStat}
import io.hudilite.timeline.plan.{CompactionOperation, CompactionPlan}

/** Compactions of a metadata table: base files with all records, in the place of log files. The caller holds the lock of
  * the table.
  */
private[upkeep] final class MetadataCompaction(home: MetadataHome) {

  import MetadataCompaction._

  /** Runs what is planned, and then plans and runs another when one is due.
    *
    * @param data
    *   timeline of the table
    * @param deltas
    *   number of delta commits that make one due
    */
  def runIfDue(data: Timeline, deltas: Int): Seq[String] = {
    val own = OwnTimeline.of(home)
    new OwnWrites(home).dropInitialisations(own.timeline)
    val planned = home.store.pendingCompactions(own.timeline)
    planned.foreach { case (instant, plan) => again(instant.time, plan, data) }
    // Others lay their log files out by a plan without content, or fold them, and only they can end that.
    val isHeld = planned.size < own.timeline.pendingCompactions.size || own.timeline.pendingLogCompactions.nonEmpty
    val another = if (planned.nonEmpty || isHeld || own.sinceCompaction.size < deltas || own.open(data)) None
    else own.serviceInstant(OwnTimeline.CompactionSuffix)(home.store.newInstantTime)
    planned.map(_._1.time) ++ another.filter(first(_, data))
  }

  private def first(instant: String, data: Timeline): Boolean = {
    val table = new MetadataTable(home.data, data)
    val slices = table.listed.flatMap(MetadataPartition.of).flatMap(table.slices).filter(s =>
      s.logs.nonEmpty && KeyFiles.mayHaveBase(s.fileId))
    val plan = CompactionPlan(slices.map(s =>
        CompactionOperation(s.partition, s.fileId, s.instant, s.base.map(_.name), s.logs.map(_.name))))
    if (slices.nonEmpty) {
      home.store.requestCompaction(instant, plan)
      run(instant, slices, table, data, begun = false)
    }
    slices.nonEmpty
  }

  /** Runs a plan whose runner is gone. Log files that came later stay on top. */
  private def again(instant: String, plan: CompactionPlan, data: Timeline): Unit = {
    val table = new MetadataTable(home.data, data)
    val slices = plan.operations.groupBy(_.partition).toSeq.flatMap { case (name, operations) =>
      // It may have gone, or have been made again.
      val partition = MetadataPartition.of(name).filter(home.partitions.contains).toSeq
      partition.flatMap(leftovers(_, instant)).foreach(path => home.storage.delete(path))
      for {
        slice <- partition.flatMap(table.slices)
        names = slice.logs.map(_.name).toSet
        op <- operations if op.fileId == slice.fileId && op.logFiles.forall(names)
      } yield slice.copy(logs = slice.logs.filter(log => op.logFiles.contains(log.name)))
    }
    run(instant, slices, table, data, home.timeline.pending.exists(i => i.time == instant && home.store.isBegun(i)))
  }

  private def leftovers(partition: MetadataPartition, instant: String): Seq[String] = {
    val folder = home.folderOf(partition)
    FileSystemView.baseFiles(partition.name, home.storage.list(folder)).filter(_.instant == instant)
      .map(base => s"$folder/${base.name}")
  }

  private def run(instant: String, slices: Seq[FileSlice], table: MetadataTable, data: Timeline, begun: Boolean)
      : Unit = {
    if (!begun) home.store.toInflight(instant, Action.Compaction)
    val files = new GroupFiles(home)
    val filters = home.expressions.filter(_.isFilter).map(_.partition).toSet
    // Base files of these may be larger than memory.
    def streamed(partition: MetadataPartition) = new KeyFiles(home.storage, home.folder, home.version, partition)
    val stats: Seq[WriteStat] = slices.map { slice =>
      val partition = MetadataPartition.of(slice.partition).get
      val stat =
        if (partition == MetadataPartition.RecordIndex)
          streamed(partition).ofEncoded(slice.fileId, instant, table.sorted(slice))
        else if (filters(partition) || partition.isSecondary)
          streamed(partition).ofEncoded(slice.fileId, instant, table.sorted(slice).filterNot(r => isGone(r._2)))
        else {
          val number = slice.fileId.stripPrefix(partition.prefix).takeWhile(_ != '-').toInt
          files.base(GroupRecords(partition, number, GroupFiles.ordered(table.records(slice))), instant)
        }
      stat.copy(prevCommit = slice.instant)
    }
    MetadataWriter.complete(home, instant, Action.Compaction, Operation, data, stats)
    ()
  }
}

private object MetadataCompaction {
  val Operation = "COMPACT"

  // A filter is longer, and not decoded to find that out.
  private val MostOfGone = 4096

  private lazy val codec = RecordCodec.of(RecordSchema.ofFiles)

  /** The filter of a file that has been deleted, or a pair that no row has any more. */
  private def isGone(record: Array[Byte]): Boolean =
    record.length < MostOfGone &&
      (codec.decode("", record, 0, record.length).payload match {
        case Bloom(_, _, _, isDeleted) => isDeleted
        case Pair(isDeleted) => isDeleted
        case _ => false
      })
}

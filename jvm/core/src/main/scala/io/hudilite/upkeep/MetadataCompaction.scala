package io.hudilite.upkeep

import io.hudilite.filegroup.{FileSlice, FileSystemView}
import io.hudilite.metadata.MetadataPartition
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.timeline.{Action, Timeline}
import io.hudilite.timeline.plan.{CompactionOperation, CompactionPlan}

/** Compactions of a metadata table: base files with all records, in the place of log files. The caller holds the lock of
  * the table.
  *
  * @param jobs
  *   makes the base files
  */
private[upkeep] final class MetadataCompaction(home: MetadataHome, jobs: KeyJobs,
    pay: CompactionPay = CompactionPay()) {

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
    lazy val table = new MetadataTable(home.data, data)
    val another =
      if (planned.nonEmpty || isHeld || own.open(data) ||
        !pay.isDue(own.sinceCompaction.size, deltas, indexes(table))) None
      else own.serviceInstant(OwnTimeline.CompactionSuffix)(home.store.newInstantTime)
    planned.map(_._1.time) ++ another.filter(first(_, table, data))
  }

  // By a listing: what writes say of their files is not asked for a compaction that waits.
  private def indexes(table: MetadataTable): Seq[FileSlice] = {
    val names = home.partitions.filter(partition =>
      partition == MetadataPartition.RecordIndex || partition == MetadataPartition.BloomFilters ||
        partition.isSecondary).map(_.name)
    if (names.isEmpty) Nil
    else {
      val listing = home.storage.list(names.map(name => s"${home.folder}/$name"))
        .map { case (path, files) => path.substring(path.lastIndexOf('/') + 1) -> files }
      FileSystemView.slices(table.view, listing).values.flatten.filter(_.logs.nonEmpty).toSeq
    }
  }

  private def first(instant: String, table: MetadataTable, data: Timeline): Boolean = {
    val slices = table.listed.flatMap(MetadataPartition.of).flatMap(table.slices).filter(_.logs.nonEmpty)
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
    val filters = home.expressions.filter(_.isFilter).map(_.partition).toSet
    val work = for (slice <- slices; partition <- MetadataPartition.of(slice.partition)) yield {
      val merge = if (partition == MetadataPartition.RecordIndex) GroupCompaction.Streamed
      else if (filters(partition) || partition.isSecondary) GroupCompaction.StreamedLeft
      else GroupCompaction.InMemory
      GroupCompaction(home.folder, home.version, instant, partition, slice, merge, table.stored)
    }
    MetadataWriter.complete(home, instant, Action.Compaction, Operation, data, jobs.made(work, home.storage))
    ()
  }
}

private object MetadataCompaction {
  val Operation = "COMPACT"
}

/** If a compaction of a metadata table pays, which writes all base files anew (docs/format.md#metadata-table): pure.
  *
  * Plans take all file groups with log files: an archiving takes the instants before a compaction away, and with them Apache
  * Hudi would pass over log files that are left from before it.
  *
  * @param leastBytes
  *   of base files that are looked at; smaller ones are soon written
  * @param share
  *   bytes of base files for one of log files
  * @param most
  *   times the number of delta commits, after which one is due in any case
  */
private[upkeep] final case class CompactionPay(leastBytes: Long = CompactionPay.LeastBytes,
    share: Int = CompactionPay.Share, most: Int = CompactionPay.Most) {

  /** @param since
    *   delta commits since the last compaction
    * @param deltas
    *   number of them that make one due
    * @param indexes
    *   slices with log files of indexes that are asked for keys
    */
  def isDue(since: Int, deltas: Int, indexes: => Seq[FileSlice]): Boolean =
    since >= deltas && (since >= deltas.toLong * most || pays(indexes))

  private def pays(indexes: Seq[FileSlice]): Boolean = {
    val bases = indexes.flatMap(_.base).map(_.length).sum
    bases < leastBytes || indexes.flatMap(_.logs).map(_.length).sum * share >= bases
  }
}

private[upkeep] object CompactionPay {

  /** Some 100,000 keys, a tenth of a second. */
  val LeastBytes: Long = 4L << 20

  val Share = 4

  /** Readers of names have that many small files to merge. */
  val Most = 3
}

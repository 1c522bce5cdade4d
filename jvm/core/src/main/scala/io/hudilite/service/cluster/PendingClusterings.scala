package io.hudilite.service.cluster

import io.hudilite.config.service.ClusteringOptions
import io.hudilite.error.{CommitConflict, CorruptTable, InvalidInput, Listed, UnsupportedTable}
import io.hudilite.filegroup.{FileGroupId, FileNames, FileSlice, Partitions}
import io.hudilite.index.BucketIndex
import io.hudilite.table.{BucketMoves, Table}
import io.hudilite.timeline.{Instant, State}
import io.hudilite.timeline.plan.{ClusteringInput, ClusteringPlan}
import io.hudilite.transaction.{Transaction, TransactionOptions}

/** A planned clustering with its slices as they lie on storage.
  *
  * @param params
  *   options in the plan, by their names
  * @param buckets
  *   bucket index by which the plan deals rows
  */
final case class PendingClustering(instant: Instant, groups: Seq[ClusteringGroup], params: Map[String, String],
    buckets: Option[BucketIndex] = None) {

  def slices: Seq[FileSlice] = groups.flatMap(_.slices)

  /** Ids of the file groups that the clustering replaces, by partition path. */
  def replaced: Map[String, Seq[String]] =
    slices.groupBy(_.partition).map { case (partition, found) => partition -> found.map(_.fileId) }
}

/** Clusterings of a table that are planned and have not completed. */
object PendingClusterings {

  /** Requested clusterings, which can be run, oldest first. */
  def runnable(table: Table): Seq[Instant] = all(table).map(_._1).filter(_.state == State.Requested)

  /** The pending clustering of this instant. Raises `InvalidInput` when there is none. */
  def named(table: Table, instant: String): Instant = {
    val pending = all(table).map(_._1)
    pending.find(_.time == instant).getOrElse {
      val times = pending.map(_.time).sorted
      throw InvalidInput("CLUSTERING_NOT_FOUND", "path" -> table.basePath, "instant" -> instant,
        "pending" -> Listed.of(times))
    }
  }

  /** Reads the plan and finds its files.
    *
    * Raises `CorruptTable` when a file is gone, `CommitConflict` when a file group has changed since it was planned or
    * two plans take it, and `UnsupportedTable` for a plan of anything but files that are put together.
    */
  def open(table: Table, instant: Instant): PendingClustering = {
    val plan = planOf(table, instant)
    checkStrategy(table, instant, plan)
    outdated(table, instant).foreach(reason => throw conflict(table, instant, reason))
    val inputs = plan.groups.flatten
    val files = Partitions.list(table.storage, table.basePath, inputs.map(_.partition).distinct)
    for (input <- inputs; name <- input.baseFile.toList ++ input.logFiles)
      if (!files.getOrElse(input.partition, Nil).exists(_.name == name))
        throw CorruptTable("CORRUPT_FILE",
          "path" -> s"${Partitions.directory(table.basePath, input.partition)}/$name",
          "reason" -> s"it is gone, and the planned clustering ${instant.time} needs it")
    val slices = present(table, inputs)
    val outputs = plan.facts.map(_.outputs)
    PendingClustering(instant,
      plan.groups.zip(outputs).collect {
        case (group, n) if group.nonEmpty =>
          ClusteringGroup(group.map(i => slices.getOrElse(id(i), throw conflict(table, instant, changed(i)))), n)
      }, plan.params, BucketMoves.of(plan))
  }

  /** Bucket index by which a plan deals rows; `None` when it has none. */
  def buckets(table: Table, instant: Instant): Option[BucketIndex] = BucketMoves.of(planOf(table, instant))

  /** Reason why a clustering can no longer be run: a file group is not as it was planned, so that rows would be lost or
    * there is nothing to cluster.
    */
  def outdated(table: Table, instant: Instant): Option[String] = {
    val plan = planOf(table, instant)
    val inputs = plan.groups.flatten
    val slices = present(table, inputs)
    val others = all(table).filter(_._1.time < instant.time).flatMap { case (_, plan) => plan.groups.flatten.map(id) }
    inputs.find(i => table.replacedAt.contains(id(i)) || slices.get(id(i)).exists(hasMoved(_, i))).map(changed)
      .orElse(inputs.find(i => others.contains(id(i))).map(i =>
          s"an older clustering takes the file group ${i.fileId} in '${i.partition}', too"))
      .orElse(BucketMoves.of(plan).flatMap(index =>
          unplanned(table, inputs, index).orElse(BucketMoves.outrun(table, instant.time, index))))
  }

  // Rows of unplanned file groups would lie among buckets of another number.
  private def unplanned(table: Table, inputs: Seq[ClusteringInput], index: BucketIndex): Option[String] = {
    val (planned, partitions) = (inputs.map(id).toSet, inputs.map(_.partition).toSet)
    def changes(partition: String): Boolean = BucketMoves.changes(table, index, partition)
    val slices = table.files.iterator()
      .filter { case (p, _) => index.rule.isEmpty || partitions(p) || changes(p) }.flatMap(_._2)
    slices.find(slice => !planned(slice.groupId)).map(slice =>
      s"the file group ${slice.fileId} in '${slice.partition}' is newer than the plan, and buckets are moved all at once")
  }

  /** Takes back planned clusterings that can no longer be run, and returns their times with the reasons. */
  def withdrawOutdated(table: Table, options: TransactionOptions = TransactionOptions()): Seq[(String, String)] = {
    val found = runnable(table).flatMap(instant => outdated(table, instant).map(instant.time -> _))
    found.foreach { case (time, _) => withdraw(table, time, options) }
    found
  }

  /** Takes a planned clustering back. Raises `InvalidInput` when there is none of this instant, and `CommitConflict`
    * while somebody runs it.
    */
  def withdraw(table: Table, time: String, options: TransactionOptions = TransactionOptions()): Unit = {
    named(table, time)
    Transaction.preparedNow(table, options) { now =>
      now.store.delete(withdrawable(now, time))
    }
  }

  /** The planned clustering that [[withdraw]] takes back. Raises the errors of that. */
  def withdrawable(now: Table, time: String): Instant = {
    val instant = named(now, time)
    if (instant.state != State.Requested) throw CommitConflict("INSTANT_TAKEN", "instant" -> time,
      "path" -> now.basePath, "reason" -> "a process runs the clustering")
    instant
  }

  private def all(table: Table): Seq[(Instant, ClusteringPlan)] = table.store.pendingClusterings(table.timeline)

  private def planOf(table: Table, instant: Instant): ClusteringPlan =
    all(table).collectFirst { case (i, plan) if i.time == instant.time => plan }
      .getOrElse(throw CorruptTable("CORRUPT_FILE", "path" -> s"${table.store.folder}/${instant.fileName}",
          "reason" -> "the requested file of the clustering holds no plan"))

  private def checkStrategy(table: Table, instant: Instant, plan: ClusteringPlan): Unit = {
    val name = plan.strategy.substring(plan.strategy.lastIndexOf('.') + 1)
    if (name.nonEmpty && plan.strategy != BucketMoves.Execution && !ClusteringOptions.Executions.contains(name))
      throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath,
        "feature" -> s"the clustering ${instant.time} by ${plan.strategy}",
        "reason" -> "hudilite runs only clusterings that sort rows and put files together",
        "way" -> "Run it with Apache Hudi, or take it back by rollback_to_instant")
  }

  private def present(table: Table, inputs: Seq[ClusteringInput]): Map[FileGroupId, FileSlice] =
    table.found(inputs.map(_.partition).distinct).values.flatten.map(s => s.groupId -> s).toMap

  // A slice older than the planned one shows only when a file of the planned one is gone.
  private def hasMoved(slice: FileSlice, input: ClusteringInput): Boolean = {
    val planned = input.baseFile.flatMap(FileNames.parseBaseFile).map(_.instant).getOrElse("")
    slice.instant >= planned &&
    (slice.base.map(_.name) != input.baseFile || !slice.logs.map(_.name).toSet.subsetOf(input.logFiles.toSet))
  }

  private def id(input: ClusteringInput): FileGroupId = FileGroupId(input.partition, input.fileId)

  private def changed(input: ClusteringInput): String =
    s"the file group ${input.fileId} in '${input.partition}' has changed since it was planned"

  private def conflict(table: Table, instant: Instant, reason: String): CommitConflict =
    CommitConflict("COMMIT_CONFLICT", "instant" -> instant.time, "path" -> table.basePath, "reason" -> reason)
}

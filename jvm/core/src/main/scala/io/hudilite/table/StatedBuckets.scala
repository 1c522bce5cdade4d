package io.hudilite.table

import io.hudilite.config.{BucketRule, PlannedBuckets, WriteOptions}
import io.hudilite.index.{BucketIndex, HashRings}
import io.hudilite.timeline.{CommitMetadata, Instant, Timeline, TimelineStore}
import io.hudilite.timeline.plan.ClusteringPlan

/** A commit's word on the bucket index of its table. */
private[hudilite] final case class BucketStatement(instant: String, index: BucketIndex)

/** The bucket index of a table as its commits state it in their extra metadata (docs/format.md#indexes). The number of
  * buckets stands nowhere else in a table. All of hudilite's commits state it, also those of services and those without
  * rows, so the newest one counts. Commits of other writers in between do not change it.
  */
object StatedBuckets {

  val Count = "hudilite.bucket.index.num.buckets"
  val HashFields = "hudilite.bucket.index.hash.field"

  /** Says that every row of the table lies where the stated index has it. */
  val Whole = "hudilite.bucket.index.whole"

  /** In the place of the number, where partitions have numbers of their own: the rule, and the number of all others. */
  val Rule = "hudilite.bucket.index.partition.expressions"
  val Default = "hudilite.bucket.index.partition.default"

  /** In the place of the number, where partitions have hash rings: the engine, and the number that they begin with. */
  val Engine = "hudilite.bucket.index.engine"

  /** Commits looked at, newest first, where other writers than hudilite write to the table. */
  private val Commits = 20

  /** The index in the newest commit that states it. `None` when none does, or when a commit without a statement has
    * replaced file groups since.
    *
    * @param mayHaveRings
    *   partitions may have hash rings, so that older commits are looked at; asked where no statement is found without
    */
  def of(store: TimelineStore, timeline: Timeline, mayHaveRings: => Boolean): Option[BucketIndex] =
    newest(store, timeline, mayHaveRings).map(_.index)

  /** As [[of]], with the instant of that commit. */
  private[hudilite] def newest(store: TimelineStore, timeline: Timeline, mayHaveRings: => Boolean)
      : Option[BucketStatement] = {
    def found(wanted: CommitMetadata => Boolean): Option[BucketStatement] = for {
      (instant, commit) <- newestThat(store, timeline)(wanted)
      index <- indexIn(commit)
    } yield BucketStatement(instant.time, index)
    // File groups of hash rings have ids like any other, and are replaced as rings change.
    found(commit => states(commit) || isOther(commit)).orElse(
      if (mayHaveRings) found(states).filter(_.index.isConsistent) else None)
  }

  /** The index that every row of the table has been dealt by, so that a reader may look for a key in its bucket alone.
    * `None` when the newest commit that states one does not say so, or when another writer has brought rows since.
    */
  def ofAllRows(store: TimelineStore, timeline: Timeline): Option[BucketIndex] = {
    for {
      (last, commit) <- newestThat(store, timeline)(commit => states(commit) || bringsRows(commit))
      index <- indexIn(commit) if commit.extra.get(Whole).contains("true")
      if finishedLater(timeline, last).map(store.readCommit).forall(c =>
        !bringsRows(c) || indexIn(c).exists(_.isSame(index)))
    } yield index
  }

  private def newestThat(store: TimelineStore, timeline: Timeline)(wanted: CommitMetadata => Boolean)
      : Option[(Instant, CommitMetadata)] =
    timeline.writes.reverseIterator.take(Commits).map(i => i -> store.readCommit(i)).find { case (_, c) => wanted(c) }

  /** Writes that had begun before this one, and completed after it. */
  private def finishedLater(timeline: Timeline, last: Instant): Seq[Instant] =
    timeline.writes.filter(i => i.time < last.time && last.completionTime.exists(t => i.completionTime.exists(_ > t)))

  /** A compaction leaves each row in its file group. */
  private[hudilite] def bringsRows(commit: CommitMetadata): Boolean =
    !commit.compacted && commit.operation != CommitMetadata.Compact && !commit.isLogCompaction &&
      commit.allStats.nonEmpty

  /** The index as entries of a commit's extra metadata.
    *
    * @param whole
    *   every row of the table lies where the index has it
    */
  def entries(index: BucketIndex, whole: Boolean): Map[String, String] = {
    val counts =
      if (index.isConsistent) Map(Engine -> WriteOptions.ConsistentHashing, Default -> index.count.toString)
      else if (index.rule.isEmpty) Map(Count -> index.count.toString)
      else Map(Rule -> index.rule.text, Default -> index.count.toString)
    counts ++ Map(HashFields -> index.hashFields.mkString(",")) ++
      (if (whole) Some(Whole -> "true") else None)
  }

  private def states(commit: CommitMetadata): Boolean =
    Seq(Count, Rule, Engine).exists(commit.extra.contains)

  private def indexIn(commit: CommitMetadata): Option[BucketIndex] =
    in(commit).orElse(byPartition(commit)).orElse(byRings(commit))

  private[table] def in(commit: CommitMetadata): Option[BucketIndex] = dealt(commit, Count)

  private def byPartition(commit: CommitMetadata): Option[BucketIndex] = for {
    rule <- commit.extra.get(Rule).flatMap(text => scala.util.Try(BucketRule.of(text)).toOption)
    index <- dealt(commit, Default)
  } yield index.copy(rule = rule)

  private def byRings(commit: CommitMetadata): Option[BucketIndex] =
    if (!commit.extra.get(Engine).contains(WriteOptions.ConsistentHashing)) None
    else dealt(commit, Default).map(_.copy(rings = Some(HashRings.Unread)))

  private def dealt(commit: CommitMetadata, number: String): Option[BucketIndex] = for {
    count <- commit.extra.get(number).flatMap(text => scala.util.Try(text.toInt).toOption).filter(_ > 0)
    fields <- commit.extra.get(HashFields)
  } yield BucketIndex(count, fields.split(',').toSeq)

  /** True when the commit does not state buckets and older statements do not hold after it: it wrote to file groups of
    * no bucket, or replaced file groups.
    */
  private def isOther(commit: CommitMetadata): Boolean =
    commit.allStats.exists(stat => BucketIndex.bucketOfFile(stat.fileId).isEmpty) ||
      commit.replaced.values.exists(_.nonEmpty)
}

/** Clusterings that deal the rows of a table with a bucket index to another number of buckets. */
object BucketMoves {

  /** A class that only hudilite knows. Run by another engine, the plan would make file groups that belong to no bucket.
    */
  val Execution = "io.hudilite.BucketMove"

  /** The buckets that a plan deals rows to; `None` for other plans. */
  def of(plan: ClusteringPlan): Option[BucketIndex] =
    if (plan.strategy == Execution) PlannedBuckets.of(plan.params).map(p => BucketIndex(p.count, p.hashFields, p.rule))
    else None

  /** These are other buckets of the partition than the table states. */
  def changes(table: Table, index: BucketIndex, partition: String): Boolean =
    table.statedBuckets.exists(was => !was.in(partition).isSame(index.in(partition)))

  /** Reason why buckets that a plan gives to some partitions can no longer be stated: rows of others lie, by the word of a
    * later commit, in buckets by the former numbers.
    */
  def outrun(table: Table, instant: String, index: BucketIndex): Option[String] =
    if (index.rule.isEmpty) None
    else table.bucketStatement.filter(_.instant > instant).map(stated =>
      s"the later write ${stated.instant} has stated the buckets of the table")
}

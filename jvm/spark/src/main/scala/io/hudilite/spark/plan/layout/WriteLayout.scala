package io.hudilite.spark.plan.layout

import io.hudilite.config.WriteConf
import io.hudilite.filegroup.FileSlice
import io.hudilite.index.{BucketIndex, FileKeys}
import io.hudilite.record.{MetaFields, ReservedNames, RowPlace}
import io.hudilite.spark.row.{KeyToCome, KeysToCome, RecordKey}
import io.hudilite.spark.stage.RowNumber
import io.hudilite.spark.write.RowLevelWrite
import io.hudilite.spark.write.attempt.LateGroups
import io.hudilite.spark.write.job.{BucketSlots, WriteGroups}
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.table.{Buckets, Table}

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Ascending,
  Attribute,
  Coalesce,
  Descending,
  Expression,
  IsNull,
  Literal,
  NamedExpression,
  NullsLast,
  SortOrder
}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ByteType, DateType, IntegerType, ShortType}

/** Keeps one of the rows that are equal by `keys`, in the order of these. All of them have come together by `place`. */
trait KeepsLatest {
  def apply(keys: Seq[Expression], place: Expression, rows: LogicalPlan): LogicalPlan
}

/** The order in which rows must reach the writers: which task, and in which sequence there.
  *
  * The keys that decide it are computed once, as columns below the exchange; a write's `RequiresDistributionAndOrdering`
  * would have Spark evaluate them again for every comparison of the sort.
  */
object WriteLayout {

  /** Columns that an append hands to its writer behind the table's columns. */
  val KeyColumn: String = ReservedNames.InternalPrefix + "key"
  val PartitionColumn: String = ReservedNames.InternalPrefix + "partition"
  private val PlaceColumn = ReservedNames.InternalPrefix + "place"
  private[plan] val TaskColumn = ReservedNames.InternalPrefix + "task"

  /** Rows with their record key and partition path behind the table's columns.
    *
    * @param numbered
    *   and with their number behind that, see `RowNumber`
    */
  def keyed(rows: LogicalPlan, target: WriteTarget, numbered: Boolean): LogicalPlan = {
    def missing: Nothing = throw new IllegalStateException(s"no key columns in ${rows.output}")
    val key =
      if (target.generatesKeys) KeysToCome.OfAll else target.keys.recordKey(named(rows)).getOrElse(missing)
    val partition = target.keys.partitionPath(named(rows), toWrite = true).getOrElse(missing)
    val number = if (numbered) Seq(RowNumber()) else Nil
    Project(rows.output ++ Seq(Alias(key, KeyColumn)(), Alias(partition, PartitionColumn)()) ++ number, rows)
  }

  /** Keyed rows, those without a key yet with a stand-in for it that deals rows of a partition to several writers. */
  def dealt(keyed: LogicalPlan, target: WriteTarget): LogicalPlan =
    if (!target.generatesKeys) keyed
    else {
      val share = keyToCome(keyed, target).getOrElse(KeysToCome.OfAll)
      Project(keyed.output.map(a => if (a.name == KeyColumn) Alias(share, KeyColumn)() else a), keyed)
    }

  /** `None` where the rows have no columns of the table. */
  private def keyToCome(rows: LogicalPlan, target: WriteTarget): Option[Expression] = {
    val columns = KeysToCome.columns(target.schema).map(named(rows))
    if (columns.forall(_.isDefined)) Some(KeyToCome(columns.flatten)) else None
  }

  /** The rows without their number. */
  def unnumbered(rows: LogicalPlan): LogicalPlan = Project(rows.output.filterNot(_.name == RowNumber.Column), rows)

  def column(rows: LogicalPlan, name: String): Attribute =
    rows.output.find(_.name == name).getOrElse(throw new IllegalStateException(s"no column $name in ${rows.output}"))

  /** The columns of rows by their names, as the session compares names. */
  private[plan] def named(rows: LogicalPlan): String => Option[Attribute] =
    name => rows.output.find(a => SQLConf.get.resolver(a.name, name))

  /** Row changes as Spark's row-level rewrite makes them, brought to their file groups in key order. Of the changes of a key
    * in a group those of rows that are there come before rows that are new.
    *
    * @param newestFirst
    *   and of several new ones that which is newest by its ordering values is the first
    */
  def changes(query: LogicalPlan, target: WriteTarget, groups: LateGroups, newestFirst: Boolean): LogicalPlan = {
    val (key, partition) = placesOf(query, target)
    changes(query, partition, key, groups, if (newestFirst) ofOrdering(query, target) else Nil)
  }

  /** By ordering values, the largest first, behind changes of rows that are there: a delete has no such values. */
  def ofOrdering(changes: LogicalPlan, target: WriteTarget): Seq[SortOrder] =
    SortOrder(IsNull(column(changes, RowPlace.FileId)), Ascending) +:
      orderingOf(changes, target).map(SortOrder(_, Descending, NullsLast, Nil))

  /** The ordering values of rows, to be sorted by with nulls as the least: in the order of `MergeRule`. */
  def orderingOf(rows: LogicalPlan, target: WriteTarget): Seq[Expression] =
    orderingColumns(rows, target).map(inOrder)

  /** These values as they are. */
  private[plan] def orderingColumns(rows: LogicalPlan, target: WriteTarget): Seq[Expression] =
    target.config.orderingFields.flatMap(f => rows.resolve(f.split('.').toSeq, SQLConf.get.resolver)).map(valueOf)

  /** The value with nulls where `MergeRule` has them. */
  private[plan] def inOrder(value: Expression): Expression = value.dataType match {
    case IntegerType | ShortType | ByteType | DateType if value.nullable =>
      Coalesce(Seq(value, Literal.default(value.dataType)))
    case _ => value
  }

  /** Row changes whose record key and partition path are known, columns or not, brought to their file groups likewise. */
  def changes(query: LogicalPlan, partition: NamedExpression, key: NamedExpression,
      groups: LateGroups, thenBy: Seq[SortOrder]): LogicalPlan = {
    val byPlace = query.output.filter(_.name == RowPlace.Position).map(SortOrder(_, Ascending, NullsLast, Nil))
    val inOrder =
      inGroups(query, column(query, RowPlace.FileId), partition, key, groups, thenBy = byPlace ++ thenBy)
    val columns = query.output.filterNot(a => a.exprId == partition.exprId || a.exprId == key.exprId)
    // Spark hands changes to their writer by the numbers of columns, so that more of them may follow; to leave these out
    // would copy each row.
    if (inOrder.output.startsWith(columns)) inOrder else Project(columns, inOrder)
  }

  /** Record key and partition path of row changes. A row that was found says where it is; only inserts need theirs
    * computed. A DELETE has no inserts, and no data columns.
    */
  def placesOf(changes: LogicalPlan, target: WriteTarget): (Alias, Alias) = {
    val columns = named(changes)
    val ofNew = if (target.generatesKeys) keyToCome(changes, target) else target.keys.recordKey(columns)
    val key = Coalesce(column(changes, RowLevelWrite.keyColumn(target)) +: ofNew.toSeq)
    val partition =
      Coalesce(column(changes, MetaFields.PartitionPath) +: target.keys.partitionPath(columns, toWrite = true).toSeq)
    (Alias(key, KeyColumn)(), Alias(partition, PartitionColumn)())
  }

  /** Keyed rows brought to their buckets, or to small files that take them.
    *
    * @param latest
    *   leaves one row of each key; `None` = all rows stay
    */
  def grouped(rows: LogicalPlan, groups: LateGroups, latest: Option[KeepsLatest] = None): LogicalPlan = {
    val inOrder =
      inGroups(rows, WritePlace.NoFile, column(rows, PartitionColumn), column(rows, KeyColumn), groups, latest)
    Project(rows.output.filterNot(_.name == RowNumber.Column), inOrder)
  }

  // One projection for all that is computed: each would copy the rows, and Spark evaluates what they share once.
  private def inGroups(rows: LogicalPlan, fileId: Expression, partition: NamedExpression, key: NamedExpression,
      groups: LateGroups, latest: Option[KeepsLatest] = None, thenBy: Seq[SortOrder] = Nil): LogicalPlan = {
    val place = WritePlace(Seq(fileId, valueOf(partition), valueOf(key)), groups)
    val computed = Seq(partition, key).collect { case a: Alias if latest.isDefined || atHand(a.child).isEmpty => a } ++
      Seq(Alias(place, PlaceColumn)(), Alias(WriteTask(place, groups), TaskColumn)())
    val placed = Project(rows.output ++ computed, rows)
    val dealt = RepartitionByExpression(Seq(column(placed, TaskColumn)), placed, Some(groups.tasks), None)
    latest match {
      case Some(keeps) =>
        keeps(Seq(column(placed, PlaceColumn), partition.toAttribute, key.toAttribute), column(placed, TaskColumn),
          dealt)
      case None =>
        val order = column(placed, PlaceColumn) +: Seq(partition, key).map {
          case a: Alias => atHand(a.child).getOrElse(a.toAttribute)
          case attribute => attribute
        }
        Sort(order.map(SortOrder(_, Ascending)) ++ thenBy, global = false, dealt)
    }
  }

  /** The value as columns have it, so that a comparison may ask for it each time and no exchange need carry it. */
  private def atHand(value: Expression): Option[Expression] = value match {
    case column: Attribute => Some(column)
    case Coalesce(values) =>
      val all = values.map(atHand)
      if (all.forall(_.isDefined)) Some(Coalesce(all.flatten)) else None
    case key: RecordKey => key.column.flatMap(atHand)
    case _ => None
  }

  private[layout] def valueOf(column: NamedExpression): Expression = column match {
    case Alias(value, _) => value
    case attribute => attribute
  }

  /** The groups of a write into `slices`.
    *
    * @param incoming
    *   largest number and size of new rows
    * @param asked
    *   tasks that options ask for
    * @param cores
    *   tasks that the cluster runs at once
    */
  def groups(slices: Seq[FileSlice], conf: WriteConf, incoming: IncomingSize, asked: Option[Int], cores: Int,
      table: InsertTakers = InsertTakers.Rewritten()): WriteGroups = {
    val all = sorted(slices)
    val spread = spreadOf(conf, incoming.most, cores)
    val spreads = incoming.byPartition.map { case (partition, bytes) =>
      partition -> spreadOf(conf, Some(bytes), cores)
    }
    val sizes = all.map(s => s.base.filter(_ => takesInserts(s, conf, table)).map(_.bytes))
    val small = all.indices.filter(i => sizes(i).isDefined).groupBy(i => all(i).partition)
      .map { case (partition, slots) =>
        partition -> smallest(slots, i => sizes(i).getOrElse(0L), conf.files.maxBytes, incoming.of(partition))
          .take(table.most)
      }.filter(_._2.nonEmpty)
    WriteGroups(all, small, spread, tasks(all.length, spread, incoming.all, asked, table.mostTasks(cores)),
      spreads = spreads)
  }

  /** New rows may be put into a group's base file, which is small. */
  private[layout] def takesInserts(slice: FileSlice, conf: WriteConf, takers: InsertTakers): Boolean =
    slice.base.exists(_.bytes < conf.packing.smallFileBytes) && takers.takes(slice)

  private def spreadOf(conf: WriteConf, inputBytes: Option[BigInt], cores: Int): Int =
    inputBytes.map(b => (b / conf.files.maxBytes + 1).min(BigInt(cores)).toInt).getOrElse(1)
      .min(WriteGroups.MostSpread)

  /** The groups of a write whose lookup finds out while it runs which slices they are, and whose rows are counted by
    * then; the parameters are those of [[groups]]. How many tasks there are is planned before, and does not depend on
    * more files than there are tasks, which in many partitions there may be.
    *
    * @param files
    *   how many files there are, as far as it matters for so many tasks
    * @param estimated
    *   size of the rows by Spark's statistics, when known
    */
  def lateGroups(files: Int => Int, slices: () => Seq[FileSlice], conf: WriteConf, estimated: Option[BigInt],
      counted: () => IncomingSize, asked: Option[Int], cores: Int, takers: InsertTakers): LateGroups = {
    val most = takers.mostTasks(cores)
    new LateGroups(tasks(files(most), spreadOf(conf, estimated, cores), estimated, asked, most),
      () => groups(slices(), conf, counted(), asked, cores, takers))
  }

  /** The groups of a write with a bucket index into `slices`, which must be what the index says.
    *
    * @param counted
    *   the partitions that there are rows for, where only these were looked at
    */
  def bucketGroups(slices: Seq[FileSlice], index: BucketIndex, keys: FileKeys, table: Table, tasks: Int,
      counted: Option[Set[String]]): WriteGroups = {
    val all = sorted(slices)
    inBuckets(all, BucketSlots(index, Buckets(table).slots(all, index, keys), counted), tasks)
  }

  /** The groups of a write that begins all its buckets anew. */
  def newBuckets(index: BucketIndex, tasks: Int): WriteGroups =
    inBuckets(Array.empty, BucketSlots(index, Map.empty), tasks)

  private def inBuckets(slices: Array[FileSlice], slots: BucketSlots, tasks: Int): WriteGroups =
    WriteGroups(slices, Map.empty, spread = 1, tasks, Some(slots))

  private def sorted(slices: Seq[FileSlice]): Array[FileSlice] =
    slices.sortBy(s => (s.partition, s.base.map(_.name).getOrElse(""), s.fileId)).toArray

  /** As many of the small files as the inserts fill, smallest first. */
  private def smallest(slots: Seq[Int], size: Int => Long, maxBytes: Long, inputBytes: Option[BigInt]): Array[Int] = {
    val bySize = slots.sortBy(size)
    val room = bySize.scanLeft(BigInt(0))((sum, i) => sum + (maxBytes - size(i))).tail
    val enough = room.takeWhile(r => inputBytes.exists(_ > r)).size + 1
    bySize.take(enough).toArray
  }

  /** Enough tasks for the file groups that there are, and for the new rows: how many partitions these are in is not known,
    * but rows that are known to be few keep few tasks busy.
    */
  private def tasks(files: => Int, spread: Int, inputBytes: Option[BigInt], asked: Option[Int], most: Int): Int =
    asked.getOrElse {
      val busy = inputBytes.fold(BigInt(most))(_ / NewBytesPerTask)
      (busy + files + spread).min(BigInt(most)).toInt.max(1)
    }

  /** New rows that are worth a task of their own. */
  private val NewBytesPerTask = 1L << 20
}

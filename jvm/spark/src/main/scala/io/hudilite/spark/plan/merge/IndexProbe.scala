package io.hudilite.spark.plan.merge

import io.hudilite.record.{MetaFields, RowPlace}
import io.hudilite.spark.lookup.{KeyColumns, KeyShard, ProbeTarget}
import io.hudilite.spark.plan.layout.WriteLayout
import io.hudilite.spark.row.{PathValue, SessionConf, ValueInKey}
import io.hudilite.spark.stage.OfSnapshot
import io.hudilite.spark.write.RowLevelWrite
import io.hudilite.table.{LookupShards, RowCounts, Table}

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Statistics, UnaryNode}
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage
import org.apache.spark.sql.execution.hudilite.SharedShuffle
import org.apache.spark.sql.types.{LongType, StringType}

/** The target side of an indexed join: rows of the table whose record key occurs among the keys of `child`.
  *
  * It stands where the scan of the table stood. Its rows are a superset of the matching ones (the join above decides)
  * and, unless they are many, it reads only files, and of them only pages, that can hold one of the keys.
  *
  * @param key
  *   record key (string) of a row of `child`
  * @param partition
  *   partition path of a row of `child`; `None` looks in every partition (global index)
  * @param shared
  *   counts the rows of `child`, which also are the other side of the join
  * @param output
  *   the table's attributes that the join needs, meta columns included
  * @param target
  *   table and files to look in
  * @param asksForSome
  *   the keys are some of the rows that are counted, and may be few: those of rows that move
  */
final case class IndexProbe(
    key: Expression,
    partition: Option[Expression],
    shared: SharedShuffle,
    output: Seq[Attribute],
    target: ProbeTarget,
    child: LogicalPlan,
    asksForSome: Boolean = false)
    extends UnaryNode with OfSnapshot {

  override lazy val references: AttributeSet = child.outputSet

  override def producedAttributes: AttributeSet = AttributeSet(output)

  override def maxRows: Option[Long] = None

  /** Large until the keys are known to be few: an adaptive plan first materialises them, then sees the true size and
    * joins by broadcast; the other way round it would not give the broadcast up again. A scan for many keys finds more
    * than they are, and is counted when it is done.
    */
  override def stats: Statistics = {
    val rowBytes = output.map(_.dataType.defaultSize + 8).sum
    val known = keysMaterialised || !conf.adaptiveExecutionEnabled
    if (known && KeyLookup.is(this)) Statistics(sizeInBytes = (keyCount * rowBytes).max(1), rowCount = Some(keyCount))
    else Statistics(sizeInBytes = conf.defaultSizeInBytes)
  }

  /** The rows whose keys are looked up. */
  def rows: LogicalPlan = child match {
    case IndexedKeys(_, _, _, _, _, Project(_, of)) => of
    case other => other
  }

  /** The table has a record index that has the place of every row. */
  def indexed: Option[IndexedKeys] = child match {
    case keys: IndexedKeys => Some(keys)
    case stage: LogicalQueryStage => Some(stage.logicalPlan).collect { case keys: IndexedKeys => keys }
    case _ => None
  }

  /** Adaptive execution has counted the keys. */
  def keysMaterialised: Boolean = shared.statistics.isDefined

  /** An upper estimate of the number of keys. */
  def keyCount: BigInt = shared.statistics.flatMap(_.rowCount).getOrElse(
    rows.stats.rowCount.getOrElse(rows.stats.sizeInBytes / rows.output.map(_.dataType.defaultSize).sum.max(8)))

  override protected def withNewChildInternal(newChild: LogicalPlan): IndexProbe = copy(child = newChild)
}

/** Columns of a lookup that are not read, but made of the key and the place of a row: partition columns that no file holds,
  * and others that these tell for sure.
  *
  * @param inKey
  *   names of the others that the key tells
  * @param inPath
  *   names of the others that the path of the partition tells
  */
private[plan] final class ToldByPlaces(relation: LogicalPlan, table: Table, inKey: Set[String] = Set.empty,
    inPath: Set[String] = Set.empty) {

  private def told(a: Attribute): Option[Expression] =
    if (!relation.output.exists(_.exprId == a.exprId)) None
    else if (table.config.droppedColumns.contains(a.name) || inPath(a.name)) Some(ofPath(a))
    else if (inKey(a.name)) Some(ValueInKey(meta(MetaFields.RecordKey), a.dataType, table.basePath))
    else None

  private def ofPath(a: Attribute): Expression =
    PathValue(meta(MetaFields.PartitionPath), table.config.partitionFields, a.name, a.dataType, table.basePath)

  private def meta(name: String): Attribute = relation.output.find(_.name == name).getOrElse(
    throw new IllegalStateException(s"no $name in ${relation.output}"))

  /** The columns to read where these are needed. */
  def read(needed: Seq[Attribute]): Seq[Attribute] = {
    val left = needed.filter(told(_).isEmpty)
    val of = needed.flatMap(told(_).toSeq).flatMap(_.references.toSeq).distinct
    left ++ of.filterNot(a => left.exists(_.exprId == a.exprId))
  }

  /** The columns that are needed, of those that were read. */
  def shown(needed: Seq[Attribute], lookup: LogicalPlan): LogicalPlan =
    if (needed.forall(told(_).isEmpty)) lookup
    else Project(needed.map(a => told(a).fold[NamedExpression](a)(Alias(_, a.name)(a.exprId))), lookup)
}

private[plan] object ToldByPlaces {

  /** Columns of this projection that are made of keys and places above a lookup. */
  def of(columns: Seq[NamedExpression]): Seq[Attribute] = columns.collect {
    case a @ Alias(_: PathValue | _: ValueInKey, _) => a.toAttribute
  }
}

/** The columns of old rows that record keys and partition paths tell for sure, so that a record index answers without the
  * files. Where a file has to be opened for others, it is read for these, too.
  */
private[plan] final class ToldColumns(relation: LogicalPlan, table: Table, operation: RowLevelWrite,
    probed: ProbeTarget) {

  private val keys = operation.target.keys.settings

  /** @param needed
    *   columns that are asked for
    */
  def of(needed: Seq[Attribute]): ToldByPlaces = {
    val none = new ToldByPlaces(relation, table)
    val (inKey, inPath) = (needed.filter(isInKey), needed.filter(isInPath))
    val told = new ToldByPlaces(relation, table, inKey.map(_.name).toSet, inPath.map(_.name).toSet)
    if (inKey.isEmpty && inPath.isEmpty || !told.read(needed).forall(probed.isPlace) || !tellAll(inPath)) none else told
  }

  private def isInKey(column: Attribute): Boolean =
    keys.recordKeyFields == Seq(column.name) && ValueInKey.tells(keys, column.dataType)

  // In queries the folder of a row says their values, too (docs/format.md#partitions).
  private def isInPath(column: Attribute): Boolean = keys.partitionFields.exists(_.name == column.name) &&
    !isInKey(column) && !table.config.droppedColumns.contains(column.name)

  private def tellAll(columns: Seq[Attribute]): Boolean = columns.isEmpty ||
    operation.target.keyed.getOrElse(table).allSlices().keysIterator.forall(path =>
      PathValue.isSure(path, keys, columns.map(c => c.name -> c.dataType)))
}

/** The choice between a lookup of the keys of a probe in files, each by itself, and a scan of the table's keys. */
private[plan] object KeyLookup {

  /** Fewer are looked up at no cost to speak of. */
  val FewKeys = 50000

  /** Rows of the table for each key. A lookup costs about as much a key as a scan does for so many rows: it
    * sends the key to every task, puts it in order there and looks for it in each file of its partition.
    */
  val RowsPerKey = 4

  /** To open a file costs a scan as much as so many rows. A lookup opens only files of the partitions of its keys. */
  val RowsPerFile = 1000

  /** The keys are looked up. Adaptive execution asks again as soon as the keys are counted, before anything was done
    * with them.
    */
  def is(probe: IndexProbe): Boolean = (probe.conf.adaptiveExecutionEnabled && !probe.keysMaterialised) ||
    ((probe.indexed.isDefined || probe.keyCount <= SessionConf.maxBroadcastKeys) && !isLarge(probe))

  /** By the keys as they were counted and the rows as commits counted them. A lookup in files knows the numbers of rows
    * and passes over what log files delete, which cost more in a scan.
    */
  private def isLarge(probe: IndexProbe): Boolean =
    probe.keyCount >= FewKeys && !probe.asksForSome && !probe.output.exists(_.name == RowPlace.Position) &&
      hasAtMost(probe.target, probe.keyCount * RowsPerKey)

  /** Folders are listed until their files alone are too many. */
  private def hasAtMost(target: ProbeTarget, rows: BigInt): Boolean = {
    val most = (rows / RowsPerFile).min(Int.MaxValue - 1).toInt
    val slices = target.table.files.iterator(target.within).flatMap(_._2).take(most + 1).toVector
    slices.size <= most && slices.forall(_.logs.isEmpty) &&
    RowCounts.estimate(target.table, slices.flatMap(_.base)).exists(_ + slices.size * RowsPerFile <= rows)
  }
}

/** Keys of an index probe, looked up in the record index of the table: what it says stands in the place of the keys.
  *
  * @param keys
  *   columns of `child`
  * @param output
  *   record key, partition path and file id
  * @param shared
  *   counts the rows that the keys are of
  */
final case class IndexedKeys(keys: KeyColumns, output: Seq[Attribute], shards: LookupShards, shared: SharedShuffle,
    target: ProbeTarget, child: LogicalPlan) extends UnaryNode with OfSnapshot {

  override lazy val references: AttributeSet = child.outputSet
  override def producedAttributes: AttributeSet = AttributeSet(output)
  override def maxRows: Option[Long] = None

  /** Adaptive execution has counted them, and they are too few for tasks of their own. */
  def areFew: Boolean = conf.adaptiveExecutionEnabled &&
    shared.statistics.flatMap(_.rowCount).exists(_ <= IndexedKeys.FewKeys)

  /** Where adaptive execution has not counted the keys of each partition, nobody knows their partitions. */
  def counted: Option[() => Map[String, Long]] = keys.partition.map(_ => () => shared.countedByPartition)

  override protected def withNewChildInternal(newChild: LogicalPlan): IndexedKeys = copy(child = newChild)
}

private[plan] object IndexedKeys {

  /** The driver looks so many up. */
  val FewKeys = 1000

  /** @param rows
    *   to look up the keys of
    * @param found
    *   the columns that the probe is asked for
    */
  def apply(key: Expression, partition: Option[Expression], found: Seq[Attribute], shards: LookupShards,
      shared: SharedShuffle, target: ProbeTarget, rows: LogicalPlan): IndexedKeys = {
    val keyColumn = Alias(key, "key")()
    val partitionColumn = partition.map(Alias(_, "partition")())
    val goesTo = if (partition.isDefined) None else rows.output.find(_.name == WriteLayout.PartitionColumn)
    val shard = Alias(KeyShard(key +: partition.toSeq, shards), "shard")()
    val columns: Seq[NamedExpression] = Seq(keyColumn, shard) ++ partitionColumn ++ goesTo
    val places = Seq(MetaFields.RecordKey, MetaFields.PartitionPath, RowPlace.FileId).map(name =>
      found.find(_.name == name).getOrElse(AttributeReference(name, StringType)()))
    IndexedKeys(KeyColumns(keyColumn.toAttribute, shard.toAttribute, partitionColumn.map(_.toAttribute), goesTo),
      places,
      shards, shared, target, Project(columns, rows))
  }

  /** The columns of a probe as the index knows them. A row has no number there, for the writer of a log finds it. */
  def columns(probe: IndexProbe): Seq[NamedExpression] = probe.output.map {
    case a if a.name == RowPlace.Position => Alias(Literal.create(null, LongType), a.name)(a.exprId)
    case a if a.name == RowPlace.Gone => Alias(Literal.FalseLiteral, a.name)(a.exprId)
    case a => a
  }
}

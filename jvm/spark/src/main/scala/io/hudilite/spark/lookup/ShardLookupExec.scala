package io.hudilite.spark.lookup

import io.hudilite.filegroup.{FileGroupId, Lots}
import io.hudilite.spark.row.{SessionConf, SharedConf}
import io.hudilite.spark.shim.PlanNodes
import io.hudilite.table.LookupShards

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{SQLExecution, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.hudilite.Rdds
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/** Columns of the keys that are looked for.
  *
  * @param shard
  *   its number, see [[KeyShard]]
  * @param partition
  *   in which the key is looked for; `None` = anywhere
  * @param goesTo
  *   in which its row belongs, where that is known and the key is looked for anywhere
  */
final case class KeyColumns(key: Attribute, shard: Attribute, partition: Option[Attribute], goesTo: Option[Attribute])

/** Looks the keys of its child up in the record index of the table: record key, partition path and file group of each one
  * that is there. No data file is opened.
  *
  * Spark brings keys to their shards, in order, and a task reads of a shard only the blocks that may have one of them. A few
  * keys are looked up by the driver.
  *
  * @param output
  *   record key, partition path and file id
  * @param counted
  *   numbers of keys by partition, where they are counted by it
  */
final case class ShardLookupExec(keys: KeyColumns, output: Seq[Attribute], shards: LookupShards, areFew: Boolean,
    @transient looked: LookedIn, @transient counted: Option[() => Map[String, Long]], child: SparkPlan)
    extends UnaryExecNode {

  override def producedAttributes: AttributeSet = AttributeSet(output)
  override def outputPartitioning: Partitioning = UnknownPartitioning(0)

  override def requiredChildDistribution: Seq[Distribution] =
    if (areFew) Seq(UnspecifiedDistribution)
    else Seq(PlanNodes.build(classOf[ClusteredDistribution], Seq(Seq(keys.shard))))

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(if (areFew) Nil else Seq(keys.shard, keys.key).map(SortOrder(_, Ascending)))

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "shardsAsked" -> SQLMetrics.createMetric(sparkContext, "shards asked"),
    "keysAsked" -> SQLMetrics.createMetric(sparkContext, "keys asked"),
    "fileGroups" -> SQLMetrics.createMetric(sparkContext, "file groups with keys found on the driver"),
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "keys found"))

  private def ordinal(column: Attribute): Int = child.output.indexWhere(_.exprId == column.exprId)

  override protected def doExecute(): RDD[InternalRow] =
    if (areFew) onDriver()
    else {
      counted.foreach(looked.tellCounted)
      val (shards, key, shard) = (this.shards, ordinal(keys.key), ordinal(keys.shard))
      val conf = SharedConf(SessionConf.parquet(session))
      val (asked, opened, found) = (longMetric("keysAsked"), longMetric("shardsAsked"), longMetric("numOutputRows"))
      Rdds.mapPartitions(child.execute())(rows =>
        new FoundInShards(rows, key, shard, shards, conf, ShardMetrics(asked, opened, found)))
    }

  private def onDriver(): RDD[InternalRow] = {
    val rows = child.executeCollect()
    val (key, shard) = (ordinal(keys.key), ordinal(keys.shard))
    val byShard = rows.filter(_.getInt(shard) != KeyShard.Nowhere).groupBy(_.getInt(shard)).map { case (at, some) =>
      at -> some.map(_.getUTF8String(key).toString).toSet
    }
    val found = shards.places(byShard, SessionConf.parquet(session))
    tell(rows, found)
    val made = new PlaceRow
    val lots = Lots.deal(found.groupBy(_._2).toSeq.sortBy(g => (g._1.partition, g._1.fileId)),
      sparkContext.defaultParallelism)(_ => 1L)
      .map(_.flatMap { case (group, keys) => inOrder(keys.map(_._1)).map(made(_, group).copy(): InternalRow) }.toArray)
    count(Map("shardsAsked" -> byShard.size, "keysAsked" -> rows.length, "numOutputRows" -> found.size,
        "fileGroups" -> found.map(_._2).distinct.size))
    if (lots.isEmpty) sparkContext.emptyRDD[InternalRow]
    else sparkContext.parallelize(lots, lots.size).flatMap(_.iterator)
  }

  // As those ask for them who look for keys in files.
  private def inOrder(keys: Seq[String]): Array[UTF8String] = {
    val bytes = keys.map(UTF8String.fromString).toArray
    KeySort.sort(bytes)
    bytes
  }

  private def count(numbers: Map[String, Int]): Unit = {
    numbers.foreach { case (name, number) => longMetric(name) += number.toLong }
    SQLMetrics.postDriverMetricUpdates(sparkContext,
      sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY), numbers.keys.map(longMetric).toSeq)
  }

  private def tell(rows: Array[InternalRow], found: Seq[(String, FileGroupId)]): Unit = {
    val at = keys.partition.orElse(keys.goesTo).map(ordinal)
    val counts = at.map(i =>
      rows.filterNot(_.isNullAt(i)).groupBy(_.getUTF8String(i)).map { case (path, own) =>
        path.toString -> own.length.toLong
      })
    looked.tellFound(found.map(_._2.partition).distinct, counts, byPartition = keys.partition.isDefined)
  }

  override protected def stringArgs: Iterator[Any] = Iterator(keys.key, output, shards) ++
    (if (areFew) Iterator("by the driver") else Iterator.empty)

  override protected def withNewChildInternal(newChild: SparkPlan): ShardLookupExec = copy(child = newChild)
}

private[lookup] final case class ShardMetrics(asked: SQLMetric, opened: SQLMetric, found: SQLMetric)

/** Makes rows of places, each valid until the next. */
private final class PlaceRow {

  private val project = UnsafeProjection.create(Array[DataType](StringType, StringType, StringType))
  private val row = new GenericInternalRow(3)
  private val texts = new java.util.HashMap[String, UTF8String]

  // hot path: texts of a group are made once for its keys
  def apply(key: UTF8String, group: FileGroupId): UnsafeRow = {
    row.update(0, key)
    row.update(1, text(group.partition))
    row.update(2, text(group.fileId))
    project(row)
  }

  private def text(of: String): UTF8String = {
    if (texts.size > PlaceRow.MostTexts) texts.clear()
    texts.computeIfAbsent(of, s => UTF8String.fromString(s))
  }
}

private object PlaceRow {
  private val MostTexts = 10000
}

/** Looks up the keys of rows that come by shard and key, some thousands at once. */
private final class FoundInShards(rows: Iterator[InternalRow], key: Int, shard: Int, shards: LookupShards,
    conf: SharedConf, metrics: ShardMetrics, most: Int = FoundInShards.KeysAtOnce) extends Iterator[InternalRow] {

  private val made = new PlaceRow
  private var ahead: InternalRow = _ // hot path: valid until the next is taken
  private var text = Array.emptyByteArray // its key
  private var found: Iterator[(String, FileGroupId)] = Iterator.empty
  private var open = KeyShard.Nowhere
  private var reader: (IndexedSeq[Array[Byte]] => Iterator[(String, FileGroupId)]) = _
  advance()

  private def advance(): Unit = {
    ahead = if (rows.hasNext) rows.next() else null
    if (ahead != null && ahead.getInt(shard) != KeyShard.Nowhere)
      text = ahead.getUTF8String(key).toString.getBytes(UTF_8)
  }

  override def hasNext: Boolean = {
    while (!found.hasNext && ahead != null) found = nextKeys()
    found.hasNext
  }

  private def nextKeys(): Iterator[(String, FileGroupId)] = {
    val of = ahead.getInt(shard)
    val keys = Vector.newBuilder[Array[Byte]]
    var count = 0
    var last: Array[Byte] = null
    // Rows of a key are never parted, or its place would be found twice.
    def goesOn: Boolean = count < most || (last != null && Arrays.equals(text, last))
    while (ahead != null && ahead.getInt(shard) == of && goesOn) { // hot path
      if (of != KeyShard.Nowhere && (last == null || !Arrays.equals(text, last))) {
        last = text
        keys += last
      }
      count += 1
      advance()
    }
    metrics.asked += count
    if (of == KeyShard.Nowhere) Iterator.empty else in(of)(FoundInShards.ascending(keys.result()))
  }

  private def in(shard: Int): IndexedSeq[Array[Byte]] => Iterator[(String, FileGroupId)] = {
    if (shard != open) {
      val of = shards.reader(shard, conf.value)
      reader = keys => of.places(keys)
      open = shard
      metrics.opened += 1
    }
    reader
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more keys")
    val (key, group) = found.next()
    metrics.found += 1
    made(UTF8String.fromString(key), group)
  }
}

private object FoundInShards {

  /** Keys that are in memory. They come in the order of the shard, so that each of its blocks is read once or twice. */
  val KeysAtOnce = 50000

  /** Keys as they come, unless bytes that are no text had another order before they were made one. */
  def ascending(keys: Vector[Array[Byte]]): Vector[Array[Byte]] = {
    val pairs = keys.iterator.zip(keys.iterator.drop(1))
    if (pairs.forall { case (a, b) => Arrays.compareUnsigned(a, b) < 0 }) keys
    else keys.map(new String(_, UTF_8)).distinct.map(_.getBytes(UTF_8)).sortWith((a, b) =>
      Arrays.compareUnsigned(a, b) < 0)
  }
}

package io.hudilite.spark.lookup

import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.{FileGroupId, FileSlice, PathSelection}
import io.hudilite.record.MetaFields
import io.hudilite.spark.shim.PlanNodes

import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Ascending, Attribute, AttributeSet, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.hudilite.Rdds
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.mutable

/** Reads the rows whose places its child has found: of each file group with one of the keys only the pages that can hold it.
  *
  * @param places
  *   record key, partition path and file id, columns of the child
  * @param areFew
  *   the child has put places of a file group together
  */
final case class RowsAtPlacesExec(output: Seq[Attribute], places: Seq[Attribute], areFew: Boolean,
    @transient target: ProbeTarget, child: SparkPlan) extends UnaryExecNode {

  override def producedAttributes: AttributeSet = AttributeSet(output)
  override def outputPartitioning: Partitioning = UnknownPartitioning(0)

  override def requiredChildDistribution: Seq[Distribution] =
    if (areFew) Seq(UnspecifiedDistribution)
    else Seq(PlanNodes.build(classOf[ClusteredDistribution], Seq(places.takeRight(1))))

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(if (areFew) Nil else (places.tail ++ places.take(1)).map(SortOrder(_, Ascending)))

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "filesInRange" -> SQLMetrics.createMetric(sparkContext, "files with keys in range"),
    "bloomHits" -> SQLMetrics.createMetric(sparkContext, "keys that bloom filters let pass"),
    "falsePositives" -> SQLMetrics.createMetric(sparkContext, "keys of the index not found"),
    "filesOpened" -> SQLMetrics.createMetric(sparkContext, "files opened for rows"),
    "rowsRead" -> SQLMetrics.createMetric(sparkContext, "key rows read"),
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "rows found"))

  override protected def doExecute(): RDD[InternalRow] = {
    val found = child.execute() // tells of a few keys where they are
    val slices = target.placed
    val probe = target.probe(output, session, slices).copy(byKey = false)
    val at = places.map(a => child.output.indexWhere(_.exprId == a.exprId)).toArray
    val known = sparkContext.broadcast(slices.map(s => s.groupId -> s).toMap)
    val metrics = ProbeMetrics.of(this)
    val isWhole = target.within eq PathSelection.All
    val groups = new PlacedGroups(known, probe, metrics, target.basePath, isWhole)
    Rdds.mapPartitions(found)(rows => groups.rows(rows, at))
  }

  override protected def stringArgs: Iterator[Any] = Iterator(output, target)

  override protected def withNewChildInternal(newChild: SparkPlan): RowsAtPlacesExec = copy(child = newChild)
}

/** Looks into the file groups of places that come group by group, in the order of their keys.
  *
  * @param isWhole
  *   all file groups of the table are known: a place in another one is an error
  */
private final class PlacedGroups(known: Broadcast[Map[FileGroupId, FileSlice]], probe: SliceProbe,
    metrics: ProbeMetrics, basePath: String, isWhole: Boolean) extends Serializable {

  /** @param at
    *   ordinals of record key, partition path and file id
    */
  def rows(places: Iterator[InternalRow], at: Array[Int]): Iterator[InternalRow] =
    new KeysOfGroups(places, at).flatMap { case (group, keys) =>
      known.value.get(group) match {
        case Some(slice) =>
          val found = probe.rows(ProbedSlice(slice, addedInLogs = false), keys, metrics, TaskContext.get())
          // Log files may take rows out in ways that no index hears of.
          if (slice.logs.nonEmpty || keyAt < 0) found else complete(found, group, keys)
        case None => if (isWhole) throw PlacedGroups.unknown(basePath, group) else Iterator.empty
      }
    }

  private val keyAt = probe.output.fieldNames.indexOf(MetaFields.RecordKey)

  /** The rows; an error at their end where one of the keys has none. */
  private def complete(found: Iterator[InternalRow], group: FileGroupId, keys: Array[UTF8String])
      : Iterator[InternalRow] = {
    val left = new java.util.HashSet[UTF8String](java.util.Arrays.asList(keys: _*))
    found.map { row =>
      left.remove(row.getUTF8String(keyAt))
      row
    } ++ {
      if (!left.isEmpty) throw PlacedGroups.missing(basePath, group, left.iterator.next())
      Iterator.empty
    }
  }
}

private object PlacedGroups {

  def unknown(basePath: String, group: FileGroupId): CorruptTable = wrong(basePath,
    s"it names the file group ${group.fileId} of '${group.partition}', which the table does not have")

  def missing(basePath: String, group: FileGroupId, key: UTF8String): CorruptTable = wrong(basePath,
    s"it has the key '$key' in the file group ${group.fileId} of '${group.partition}', which does not have it")

  private def wrong(basePath: String, reason: String): CorruptTable = CorruptTable("CORRUPT_FILE",
    "path" -> s"$basePath/.hoodie/metadata/record_index", "reason" -> reason)
}

/** The keys of each file group, one group after the other. */
private final class KeysOfGroups(places: Iterator[InternalRow], at: Array[Int])
    extends Iterator[(FileGroupId, Array[UTF8String])] {

  private var ahead: InternalRow = _ // hot path: valid until the next is taken
  advance()

  private def advance(): Unit = ahead = if (places.hasNext) places.next() else null

  override def hasNext: Boolean = ahead != null

  override def next(): (FileGroupId, Array[UTF8String]) = {
    if (ahead == null) throw new NoSuchElementException("no more places")
    val (partition, file) = (ahead.getUTF8String(at(1)).copy(), ahead.getUTF8String(at(2)).copy())
    val keys = mutable.ArrayBuffer.empty[UTF8String]
    while (ahead != null && ahead.getUTF8String(at(2)) == file && ahead.getUTF8String(at(1)) == partition) {
      keys += ahead.getUTF8String(at(0)).copy()
      advance()
    }
    FileGroupId(partition.toString, file.toString) -> keys.toArray
  }
}

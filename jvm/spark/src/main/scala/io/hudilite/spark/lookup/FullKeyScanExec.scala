package io.hudilite.spark.lookup

import io.hudilite.filegroup.FileSlice
import io.hudilite.record.RowPlace

import org.apache.spark.{Partition, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  AttributeSet,
  Expression,
  Literal,
  UnsafeProjection
}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.hudilite.Rdds
import org.apache.spark.sql.types.BooleanType

/** Reads every row of the table for an index probe with more keys than are worth a lookup. Where that is what a lookup
  * would find, rows of base files that log files have deleted come, too, one of each key that is nowhere else.
  *
  * @param columns
  *   those that the probe has
  */
final case class FullKeyScanExec(child: SparkPlan, columns: Seq[Attribute], @transient target: ProbeTarget,
    global: Boolean) extends UnaryExecNode {

  private val told: Option[Attribute] = columns.find(_.name == RowPlace.Gone)

  override def output: Seq[Attribute] = child.output ++ told
  override def producedAttributes: AttributeSet = AttributeSet(told.toSeq)

  override protected def doExecute(): RDD[InternalRow] = {
    val deleting = if (told.isDefined || target.byKeyWith(columns)) target.deleting else Nil
    if (deleting.nonEmpty) withGone(deleting)
    else if (told.isEmpty) child.execute()
    else projected(child.execute(), child.output, child.output :+ Literal.FalseLiteral)
  }

  override def outputPartitioning: Partitioning = UnknownPartitioning(0)

  private def withGone(slices: Seq[FileSlice]): RDD[InternalRow] = {
    val all = child.output :+
      told.getOrElse(AttributeReference(RowPlace.Gone, BooleanType, nullable = false)())
    val there = projected(child.execute(), child.output, child.output :+ Literal.FalseLiteral)
    val probe = target.probe(all, session, slices)
    val gone = new GoneRDD(sparkContext, slices, probe, ProbeMetrics.registered(sparkContext))
    val rows = new FoundRows(sparkContext.union(there, gone), all, global, conf.numShufflePartitions).once()
    if (told.isDefined) rows else projected(rows, all, child.output)
  }

  private def projected(rows: RDD[InternalRow], from: Seq[Attribute], to: Seq[Expression]): RDD[InternalRow] =
    Rdds.mapPartitions(rows) { of =>
      val project = UnsafeProjection.create(to, from)
      of.map(project)
    }

  override protected def withNewChildInternal(newChild: SparkPlan): FullKeyScanExec = copy(child = newChild)
}

/** One task for each file slice: its rows that log files delete. */
private final class GoneRDD(sc: SparkContext, @transient private val slices: Seq[FileSlice], probe: SliceProbe,
    metrics: ProbeMetrics) extends RDD[InternalRow](sc, Nil) {

  override protected def getPartitions: Array[Partition] = slices.zipWithIndex.map { case (slice, i) =>
    new GonePartition(i, slice): Partition
  }.toArray

  override def compute(split: Partition, context: TaskContext): Iterator[InternalRow] =
    probe.gone(split.asInstanceOf[GonePartition].slice, metrics, context)
}

private final class GonePartition(override val index: Int, val slice: FileSlice) extends Partition

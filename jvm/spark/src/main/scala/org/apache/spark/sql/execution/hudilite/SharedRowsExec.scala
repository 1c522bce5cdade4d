package org.apache.spark.sql.execution.hudilite

import org.apache.spark.MapOutputStatistics
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.Statistics
import org.apache.spark.sql.catalyst.plans.physical.{HashPartitioning, Partitioning}
import org.apache.spark.sql.execution.{LeafExecNode, ShufflePartitionSpec, SparkPlan}
import org.apache.spark.sql.execution.exchange.{REPARTITION_BY_COL, ShuffleExchangeLike, ShuffleOrigin}

import scala.concurrent.{Await, Future}
import scala.concurrent.duration.Duration

/** Writes rows that a plan uses in two places, or has to count before it goes on. Reads them in the first place.
  *
  * @param countedBy
  *   the column with the partition path by which they are counted; `None` = all together
  * @param lost
  *   error to raise where rows that were read would have to be evaluated again; `None` where they come out equal
  */
final case class SharedRowsExec(keys: Seq[Expression], @transient shared: SharedShuffle,
    @transient lost: Option[() => RuntimeException], countedBy: Option[Attribute], child: SparkPlan)
    extends OwnShuffle {

  @transient private lazy val execution = shared.current(sparkContext)

  // Held here, as Spark forgets counts without a holder.
  @transient private lazy val counts: RowsByPartition = {
    val byPartition = new RowsByPartition
    sparkContext.register(byPartition)
    byPartition
  }

  private[hudilite] def rowsByPartition: Map[String, Long] = counts.value

  override def nodeName: String = "SharedExchange"
  override def shuffleOrigin: ShuffleOrigin = REPARTITION_BY_COL
  override lazy val outputPartitioning: Partitioning = HashPartitioning(keys, conf.numShufflePartitions)
  override protected def dealing: Partitioning = outputPartitioning

  // Adaptive execution plans many instances. The one that is prepared is executed.
  override protected def doPrepare(): Unit = {
    execution.writer.trySuccess(this)
    ()
  }

  override protected def rows: RDD[InternalRow] = {
    val evaluated = lost.fold(child.execute())(new RowsOnce(child.execute(), () => execution.isWritten, _))
    countedBy.fold(evaluated) { column =>
      RowsByPartition.counting(evaluated, child.output.indexWhere(_.exprId == column.exprId), counts)
    }
  }

  override protected def begun(job: Future[MapOutputStatistics]): Unit = execution.begun(job)

  override protected def withNewChildInternal(newChild: SparkPlan): SharedRowsExec = copy(child = newChild)
}

/** Reads shared rows in the other place. For Spark it is an exchange, too: adaptive execution waits for the rows before
  * it plans the nodes above, and knows how many there are.
  */
final case class SharedRowsAgainExec(@transient shared: SharedShuffle, child: SparkPlan) extends ShuffleExchangeLike {

  @transient private lazy val execution = shared.current(sparkContext)

  private def writer: SharedRowsExec = Await.result(execution.writer.future, Duration.Inf)

  override def nodeName: String = "ReusedSharedExchange"
  override def shuffleOrigin: ShuffleOrigin = REPARTITION_BY_COL
  override def advisoryPartitionSize: Option[Long] = None

  @transient override lazy val mapOutputStatisticsFuture: Future[MapOutputStatistics] = execution.written.future

  def shuffleId: Int = writer.shuffleId
  override def numMappers: Int = writer.numMappers
  override def numPartitions: Int = writer.numPartitions
  override def getShuffleRDD(specs: Array[ShufflePartitionSpec]): RDD[InternalRow] = writer.getShuffleRDD(specs)
  override def runtimeStatistics: Statistics = writer.runtimeStatistics

  // Without adaptive execution nobody has waited for the rows.
  override protected def doExecute(): RDD[InternalRow] = writer.execute()

  override protected def withNewChildInternal(newChild: SparkPlan): SharedRowsAgainExec = copy(child = newChild)
}

/** Stands below a [[SharedRowsAgainExec]], where an exchange has a child, and is never executed. */
final case class SharedColumnsExec(output: Seq[Attribute]) extends LeafExecNode {
  override protected def doExecute(): RDD[InternalRow] =
    throw new IllegalStateException("shared rows are evaluated in one place")
}

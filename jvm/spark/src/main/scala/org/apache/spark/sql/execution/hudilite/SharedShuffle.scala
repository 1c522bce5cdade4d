package org.apache.spark.sql.execution.hudilite

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.{MapOutputStatistics, SparkContext}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.Statistics
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.util.ThreadUtils

import scala.collection.JavaConverters._
import scala.concurrent.{Future, Promise}

/** One shuffle whose rows a plan reads in two places, or counts. Each execution of the plan has its own. Lives on the
  * driver.
  */
final class SharedShuffle {

  import SharedShuffle._

  private val executions = new ConcurrentHashMap[String, Execution]

  /** The execution that the calling thread works for. */
  private[hudilite] def current(context: SparkContext): Execution =
    executions.computeIfAbsent(executionId(context), _ => new Execution)

  /** Size and number of the rows, once all of them have been written. */
  def statistics: Option[Statistics] = for {
    session <- SparkSession.getActiveSession
    execution <- Option(executions.get(executionId(session.sparkContext))) if execution.isWritten
    writer <- execution.writer.future.value
  } yield writer.get.runtimeStatistics

  /** Size and number of the rows where the calling thread works for no execution, or for one of its own. A plan that
    * writes is executed once, so any rows that were written are meant.
    */
  def counted: Option[Statistics] = statistics.orElse(written.map(_.runtimeStatistics))

  /** Upper bound of the number of rows by partition path, where they are counted by it. */
  def countedByPartition: Map[String, Long] = written.fold(Map.empty[String, Long])(_.rowsByPartition)

  private def written: Option[SharedRowsExec] =
    executions.values.asScala.filter(_.isWritten).flatMap(_.writer.future.value).headOption.map(_.get)

  override def toString: String = "shared"
}

private[hudilite] object SharedShuffle {

  final class Execution {

    /** The node that writes the rows, once it is prepared. */
    val writer: Promise[SharedRowsExec] = Promise()

    /** Kept when all rows have been written; no statistics when there were no tasks to do so. */
    val written: Promise[MapOutputStatistics] = Promise()

    private val jobs: Promise[Future[MapOutputStatistics]] = Promise()

    def begun(job: Future[MapOutputStatistics]): Unit = {
      jobs.trySuccess(job)
      job.onComplete(written.tryComplete)(ThreadUtils.sameThread)
    }

    // Asks the job itself: threads that wait for it may go on before the promise is kept.
    def isWritten: Boolean = jobs.future.value.exists(_.get.value.exists(_.isSuccess))
  }

  private def executionId(context: SparkContext): String =
    String.valueOf(context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY))
}

package io.hudilite.spark.plan

import io.hudilite.error.{HudiliteException, InvalidInput}
import io.hudilite.spark.shim.{CachedPlans, Sessions}
import io.hudilite.spark.write.TableWrite
import io.hudilite.spark.write.attempt.{AfterCommit, CommittedWrite}

import scala.annotation.tailrec
import scala.util.{Failure, Try}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.datasources.v2.V2CommandExec

/** Runs a write, once more where an attempt is to be followed by another, and then the work that follows it.
  *
  * A row that breaks a rule fails a task, its job, and all that waits for the job, and each of them says so in many lines;
  * the error that is raised here is hudilite's itself. (Of a statement with several writes adaptive execution runs stages
  * above this node, where Spark's error stays.)
  *
  * @param write
  *   of the command below
  */
final case class WriteLoopExec(@transient write: TableWrite, @transient after: AfterCommit, child: SparkPlan)
    extends V2CommandExec with UnaryExecNode {

  override def nodeName: String = "WriteLoop"

  override def output: Seq[Attribute] = child.output

  override protected def run(): Seq[InternalRow] = attempted(write, child)

  @tailrec private def attempted(write: TableWrite, command: SparkPlan): Seq[InternalRow] = {
    // A failure may come after the commit, too, for which Spark then reads cached plans again.
    val rows = Try(HudiliteException.unwrapping(command.executeCollect().toSeq)).recoverWith {
      case SeveralMatches(error) => Failure(SeveralMatches.refused(write, error))
    }
    write.next.map(planned) match {
      case Some(next) => attempted(next.write, next.child)
      case None =>
        write.committed.foreach(follow)
        rows.get
    }
  }

  // Within the execution that the first attempt belongs to, by which it finds the rows that this one has evaluated.
  private def planned(command: LogicalPlan): WriteLoopExec = Sessions.plan(session, command) match {
    case loop: WriteLoopExec => loop
    case other => throw new IllegalStateException(s"the next attempt of a write is another command: $other")
  }

  // Plans that are cached must not show the state before the write meanwhile, nor files that services have replaced.
  private def follow(committed: CommittedWrite): Unit = {
    val path = committed.target.basePath
    try CachedPlans.refresh(session, path)
    finally
      try after(session, committed)
      finally CachedPlans.refresh(session, path)
  }

  override protected def stringArgs: Iterator[Any] = Iterator.empty

  override protected def withNewChildInternal(newChild: SparkPlan): WriteLoopExec = copy(child = newChild)
}

/** Spark's error for several rows of a source that match one row of the table. Up to 3.5 it is the trace of a job. */
private[plan] object SeveralMatches {

  private val Condition = "MERGE_CARDINALITY_VIOLATION"

  def unapply(error: Throwable): Option[Throwable] = Iterator.iterate(error)(_.getCause).takeWhile(_ != null).take(16)
    .filter(cause => Option(cause.getMessage).exists(_.contains(Condition))).toList.lastOption

  def refused(write: TableWrite, cause: Throwable): Throwable = InvalidInput.because(cause, "STATEMENT_NOT_SUPPORTED",
    "statement" -> s"MERGE with several rows of the source for one of the table ($Condition)",
    "path" -> write.basePath,
    "reason" ->
      ("none of them is known to be the newest; leave one row of each key in the source, or match all of the " +
        "record key in a table with an ordering field"))
}

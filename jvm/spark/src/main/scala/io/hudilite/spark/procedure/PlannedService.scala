package io.hudilite.spark.procedure

import io.hudilite.spark.service.RunningService

import org.apache.spark.sql.Row

/** A service on one table that plans first and runs the plan then.
  *
  * @tparam P
  *   a plan that there is, or would be made
  * @tparam D
  *   what running one plan did
  */
private[spark] trait PlannedService[P, D] {

  /** Plans, to be run later, here or elsewhere; `None` when there is nothing to do.
    *
    * @param dryRun
    *   only say what would be planned
    */
  def schedule(dryRun: Boolean = false): Option[P]

  /** What [[start]] would run: the plans that there are, else the one that it would make. */
  def preview(instant: Option[String] = None): Seq[P]

  /** Starts in the background.
    *
    * @param instant
    *   the plan to run; `None` runs all pending ones or, when there are none, makes one and runs it
    */
  def start(instant: Option[String] = None): RunningService[Seq[D]]

  /** When a plan was made; `None` when it was only asked for. */
  def instantOf(plan: P): Option[String]

  /** A plan as a row of the answer. */
  def planned(plan: P): Row

  /** What was done as a row of the answer. */
  def done(run: D): Row

  /** Does what the arguments ask for: plans, runs what is planned, or only says what would be done. */
  final def answer(operation: String, arguments: Arguments): Seq[Row] = operation match {
    case PlannedWork.Schedule => schedule(arguments.dryRun).toSeq.map(planned)
    case PlannedWork.DryRun => preview().map(planned)
    case PlannedWork.Execute => PlannedWork.named(arguments).getOrElse(preview().flatMap(p => instantOf(p)))
        .flatMap(time => runOrShow(Some(time), arguments))
    case _ => runOrShow(None, arguments)
  }

  private def runOrShow(instant: Option[String], arguments: Arguments): Seq[Row] =
    if (arguments.dryRun) preview(instant).map(planned)
    else PlannedWork.finished(arguments, start(instant)).map(done)
}

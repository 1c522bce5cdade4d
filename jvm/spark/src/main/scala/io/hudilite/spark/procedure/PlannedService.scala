package io.hudilite.spark.procedure

import io.hudilite.spark.service.{RunningService, RunningServices}

import org.apache.spark.sql.Row

/** A service on one table that plans first and runs the plan then.
  *
  * @tparam P
  *   an existing or possible plan
  * @tparam D
  *   result of one plan that was run
  */
private[spark] trait PlannedService[P, D] {

  import PlannedService._

  /** Plans, to be run later, here or elsewhere; `None` when there is nothing to do.
    *
    * @param dryRun
    *   only say what would be planned
    */
  def schedule(dryRun: Boolean = false): Option[P]

  /** The runs of [[start]]: the plans that there are, else the one that it would make. */
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

  /** A run as a row of the answer. */
  def done(run: D): Row

  /** Does what the arguments ask for: plans, runs what is planned, or only says what would be done. */
  final def answer(operation: String, arguments: Arguments): Seq[Row] = operation match {
    case Schedule => schedule(arguments.dryRun).toSeq.map(planned)
    case DryRun => preview().map(planned)
    case Execute => most(arguments, named(arguments).getOrElse(preview().flatMap(p => instantOf(p))))
        .flatMap(time => runOrShow(Some(time), arguments))
    case _ if limit(arguments).isDefined =>
      val planned = preview().flatMap(p => instantOf(p))
      if (planned.isEmpty) runOrShow(None, arguments)
      else most(arguments, planned).flatMap(time => runOrShow(Some(time), arguments))
    case _ => runOrShow(None, arguments)
  }

  private def most(arguments: Arguments, plans: Seq[String]): Seq[String] =
    limit(arguments).fold(plans)(plans.take)

  private def runOrShow(instant: Option[String], arguments: Arguments): Seq[Row] =
    if (arguments.dryRun) preview(instant).map(planned)
    else finished(arguments, start(instant)).map(done)
}

private[procedure] object PlannedService {

  /** Runs what is planned or, when nothing is, plans and runs. */
  val Run = "run"
  val Schedule = "schedule"

  /** Runs what is planned, and only that. */
  val Execute = "execute"
  val DryRun = "dry_run"

  // Hudi's name for the first; `run` is an older one.
  private val ScheduleAndExecute = "scheduleAndExecute"

  val Limit: Parameter = Parameter.integer("limit", "so many of what is planned are run at most")

  def limit(arguments: Arguments): Option[Int] = arguments.integer(Limit.name).map(_ => arguments.limit)

  val Op: Parameter =
    Parameter.text("op", Run, "run, schedule, execute, or dry_run, which only says what run would take")

  /** The argument `op`; naming plans asks to run them, and nothing else. */
  def operation(arguments: Arguments): String = {
    val op = arguments.oneOf("op", Seq(Run, Schedule, Execute, DryRun, ScheduleAndExecute)).getOrElse(Run)
    if (named(arguments).isEmpty) if (op == ScheduleAndExecute) Run else op
    else if (op == Run || op == Execute) Execute
    else throw arguments.invalid("op", op, "the named instant is planned already; leave op out")
  }

  /** Waits for the end of a service; it is stopped with the statement. */
  def finished[T](arguments: Arguments, running: RunningService[T]): T =
    RunningServices.finished(arguments.text(Parameter.RunAs.name), running)

  /** The plans that are to be run, by `timestamp` or `instants`. */
  def named(arguments: Arguments): Option[Seq[String]] = {
    val one = arguments.values.get("timestamp").flatMap(_ => arguments.text("timestamp"))
    one.map(Seq(_)).orElse(arguments.list("instants"))
  }
}

package io.hudilite.spark.procedure

import io.hudilite.spark.service.{RunningService, RunningServices}

/** What a call wants of a service that plans first and runs the plan then. */
private[procedure] object PlannedWork {

  /** Runs what is planned or, when nothing is, plans and runs. */
  val Run = "run"
  val Schedule = "schedule"

  /** Runs what is planned, and only that. */
  val Execute = "execute"
  val DryRun = "dry_run"

  // Hudi's name for the first; `run` is an older one.
  private val ScheduleAndExecute = "scheduleAndExecute"

  /** The argument `op`; naming plans asks to run them, and nothing else. */
  def operation(arguments: Arguments): String = {
    val op = arguments.oneOf("op", Seq(Run, Schedule, Execute, DryRun, ScheduleAndExecute)).getOrElse(Run)
    if (named(arguments).isEmpty) if (op == ScheduleAndExecute) Run else op
    else if (op == Run || op == Execute) Execute
    else throw arguments.invalid("op", op, "what is named to be run is planned already; leave op out")
  }

  /** Waits for what a service did; it is stopped with the statement. */
  def finished[T](arguments: Arguments, running: RunningService[T]): T =
    RunningServices.finished(arguments.text(Parameter.RunAs.name), running)

  /** The plans that are to be run, by `timestamp` or `instants`. */
  def named(arguments: Arguments): Option[Seq[String]] = {
    val one = arguments.values.get("timestamp").flatMap(_ => arguments.text("timestamp"))
    one.map(Seq(_)).orElse(arguments.list("instants"))
  }
}

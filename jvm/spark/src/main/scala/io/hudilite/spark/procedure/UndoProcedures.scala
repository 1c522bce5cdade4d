package io.hudilite.spark.procedure

import io.hudilite.service.cluster.PendingClusterings
import io.hudilite.service.undo.{
  EndedWrites,
  RestoredTable,
  Restores,
  Rollbacks,
  RolledBackWrite,
  SavedState,
  Savepoints
}
import io.hudilite.spark.keys.KeyedOptions
import io.hudilite.spark.service.{RunningService, RunningServices}
import io.hudilite.table.Table
import io.hudilite.timeline.Action
import io.hudilite.transaction.TransactionOptions

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{ArrayType, BooleanType, DataType, IntegerType, LongType, StringType}

private[spark] object UndoProcedures {

  private val Instant = Parameter.text("instant_time", "the instant of the write")

  private val Saved = Seq[(String, DataType)]("savepoint_time" -> StringType, "user" -> StringType,
    "epoch_milliseconds" -> LongType, "comments" -> StringType, "files" -> IntegerType)

  // Writes of dead writers, which are taken back before.
  private val DeadWrites: (String, DataType) = "dead_writes" -> ArrayType(StringType)

  private val Damage: (String, DataType) = "damage" -> StringType

  // Of a damaged one nothing but its instant is known.
  private def row(saved: SavedState): Row = saved.damage match {
    case None => Row(saved.instant, saved.by, saved.atEpochMs, saved.comment, saved.files, null)
    case Some(damage) => Row(saved.instant, null, null, null, null, damage)
  }

  private val create = Procedure("create_savepoint", "Saves the state as of a write from cleaning and archiving.",
    Seq(Parameter.Table, Parameter.text("commit_time", "the instant of the write; the newest by default"),
      Parameter.text("user", "who saves it; the user of the session by default"),
      Parameter.text("comments", "what it is saved for"), Parameter.Path, Parameter.Options, Parameter.DryRun),
    Seq[(String, DataType)]("create_savepoint_result" -> BooleanType, "savepoint_time" -> StringType) ++ Saved.tail) {
    (session, arguments) =>
      val (instant, comment) = (arguments.text("commit_time"), arguments.verbatim("comments").getOrElse(""))
      val user = arguments.text("user").getOrElse(session.sparkContext.sparkUser)
      val saved = ServiceCall.of(session, arguments).onTable { (table, conf) =>
        if (arguments.dryRun) Savepoints.preview(table, instant, user, comment)
        else Savepoints.create(table, instant, user, comment, TransactionOptions.of(conf.commit))
      }
      Seq(Row.fromSeq(!arguments.dryRun +: row(saved).toSeq.init))
  }

  private val delete = Procedure("delete_savepoint", "Gives a saved state free.",
    Seq(Parameter.Table, Instant, Parameter.Path, Parameter.Options, Parameter.DryRun),
    Seq[(String, DataType)]("delete_savepoint_result" -> BooleanType) ++ Saved :+ Damage) { (session, arguments) =>
    val (call, instant) = (ServiceCall.of(session, arguments), arguments.needed("instant_time"))
    val freed = call.onTable { (table, conf) =>
      if (arguments.dryRun) Savepoints.find(table, instant)
      else Savepoints.delete(table, instant, TransactionOptions.of(conf.commit))
    }
    Seq(Row.fromSeq(!arguments.dryRun +: row(freed).toSeq))
  }

  private val show = Procedure("show_savepoints", "Shows the saved states, the oldest first.",
    Seq(Parameter.Table, Parameter.Path),
    Saved :+ Damage) { (session, arguments) =>
    savepoints(ServiceCall.of(session, arguments)).map(row)
  }

  private val rollback = Procedure("rollback_to_instant", "Takes the newest write back, or a planned clustering.",
    Seq(Parameter.Table, Parameter.text("instant_time", "the instant of the write; the newest by default"),
      Parameter.Path, Parameter.Options, Parameter.DryRun),
    Seq("rollback_result" -> BooleanType, "rollback_time" -> StringType, "files" -> IntegerType,
      "write" -> StringType, "action" -> StringType, DeadWrites)) {
    (session, arguments) =>
      val (instant, dryRun) = (arguments.text("instant_time"), arguments.dryRun)
      val done = ServiceCall.of(session, arguments).changing(dryRun)((table, conf) =>
        rolledBack(table, instant, KeyedOptions.of(session, table.basePath, conf.commit), dryRun))
      Seq(Row(!dryRun, Option(done.instant).filter(_.nonEmpty).orNull, done.files, done.write,
          done.action, done.deadWrites))
  }

  private val restoreSaved = Procedure("rollback_to_savepoint",
    "Brings a saved state back: every write after it is taken back.",
    Seq(Parameter.Table, Parameter.text("instant_time", "the saved state; the newest by default"), Parameter.Path,
      Parameter.Options),
    Seq("rollback_savepoint_result" -> BooleanType, "restore_time" -> StringType, "writes" -> IntegerType)) {
    (session, arguments) =>
      val call = ServiceCall.of(session, arguments)
      val saved = savepoints(call).map(_.instant)
      val to = arguments.text("instant_time").orElse(saved.lastOption).getOrElse("")
      if (!saved.contains(to)) throw arguments.invalid("instant_time", to,
        if (saved.isEmpty) "the table has no savepoint; create one first"
        else s"the table has no such savepoint; name one of ${saved.mkString(", ")}")
      val done = RunningServices.finished(None, restore(call, to))
      Seq(Row(true, Option(done.instant).filter(_.nonEmpty).orNull, done.writes.size))
  }

  private val restoreTo = Procedure("restore_to_instant",
    "Brings the state as of a write back: every write after it is taken back.",
    Seq(Parameter.Table, Instant, Parameter.Path, Parameter.Options, Parameter.DryRun, Parameter.RunAs),
    Seq[(String, DataType)]("restore_time" -> StringType, "restored_to" -> StringType,
      "writes" -> ArrayType(StringType), DeadWrites)) { (session, arguments) =>
    val (call, to) = (ServiceCall.of(session, arguments), arguments.needed("instant_time"))
    val done =
      if (arguments.dryRun)
        call.onTable((table, conf) => Restores.preview(table, to, TransactionOptions.of(conf.commit)))
      else PlannedService.finished(arguments, restore(call, to))
    Seq(Row(Option(done.instant).filter(_.nonEmpty).orNull, done.to, done.writes.map(_.time),
        done.deadWrites))
  }

  val All: Seq[Procedure] = Seq(create, delete, show, rollback, restoreSaved, restoreTo)

  /** Brings the state as of a write back, in the background. One that is cancelled ends before the next write that it would
    * take back, and is ended by the next call.
    */
  def restore(call: ServiceCall, to: String): RunningService[RestoredTable] =
    call.start("restore", call.onTable((table, _) => Restores.later(table, to).size)) { (done, isCancelled) =>
      call.changing()((table, conf) =>
        Restores.run(table, to, KeyedOptions.of(call.session, table.basePath, conf.commit), () => done.add(1L),
          isCancelled))
    }

  private def savepoints(call: ServiceCall): Seq[SavedState] = call.onTable((table, _) => Savepoints.list(table))

  // A planned clustering need not be the newest: nothing rests on it.
  private def rolledBack(table: Table, instant: Option[String], options: TransactionOptions, dryRun: Boolean)
      : RolledBackWrite =
    instant.filter(time => table.pendingClusterings.values.exists(_ == time) && !Rollbacks.isBegun(table, time)) match {
      case Some(time) =>
        RolledBackWrite("", time, Action.Clustering, files = 0, withdrawn(table, time, options, dryRun))
      case None if dryRun => Rollbacks.preview(table, instant, options)
      case None => Rollbacks.run(table, instant, options)
    }

  /** Takes a planned clustering back; the dead writes that would be taken back before, where that is only asked for. */
  private def withdrawn(table: Table, time: String, options: TransactionOptions, dryRun: Boolean): Seq[String] =
    if (dryRun) {
      val (now, dead) = EndedWrites.preview(table, options)
      PendingClusterings.withdrawable(now, time)
      dead
    } else {
      PendingClusterings.withdraw(table, time, options)
      Nil
    }
}

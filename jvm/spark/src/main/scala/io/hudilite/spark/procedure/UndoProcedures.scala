package io.hudilite.spark.procedure

import io.hudilite.service.undo.SavedState
import io.hudilite.spark.service.{RunningServices, Undos}

import java.util.{Map => JMap}

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{ArrayType, BooleanType, DataType, IntegerType, LongType, StringType}

import scala.collection.JavaConverters._

private[procedure] object UndoProcedures {

  private val Instant = Parameter.text("instant_time", "the instant of the write")

  private def options(arguments: Arguments): JMap[String, String] = arguments.options.asJava

  private val Saved = Seq[(String, DataType)]("savepoint_time" -> StringType, "user" -> StringType,
    "epoch_milliseconds" -> LongType, "comments" -> StringType, "files" -> IntegerType)

  // What dead writers left, which is taken back before.
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
      val saved = Undos.savepoint(session, TableArgument.pathOf(session, arguments), options(arguments),
        arguments.text("commit_time"), arguments.verbatim("comments").getOrElse(""), arguments.text("user"),
        arguments.flag("dry_run"))
      Seq(Row.fromSeq(!arguments.flag("dry_run") +: row(saved).toSeq.init))
  }

  private val delete = Procedure("delete_savepoint", "Gives a saved state free.",
    Seq(Parameter.Table, Instant, Parameter.Path, Parameter.Options, Parameter.DryRun),
    Seq[(String, DataType)]("delete_savepoint_result" -> BooleanType) ++ Saved :+ Damage) { (session, arguments) =>
    val freed = Undos.deleteSavepoint(session, TableArgument.pathOf(session, arguments), options(arguments),
      arguments.needed("instant_time"), arguments.flag("dry_run"))
    Seq(Row.fromSeq(!arguments.flag("dry_run") +: row(freed).toSeq))
  }

  private val show = Procedure("show_savepoints", "Shows the saved states, the oldest first.",
    Seq(Parameter.Table, Parameter.Path),
    Saved :+ Damage) { (session, arguments) =>
    Undos.savepoints(session, TableArgument.pathOf(session, arguments), Map.empty[String, String].asJava)
      .map(row)
  }

  private val rollback = Procedure("rollback_to_instant", "Takes the newest write back, or a planned clustering.",
    Seq(Parameter.Table, Parameter.text("instant_time", "the instant of the write; the newest by default"),
      Parameter.Path, Parameter.Options, Parameter.DryRun),
    Seq("rollback_result" -> BooleanType, "rollback_time" -> StringType, "files" -> IntegerType,
      "write" -> StringType, "action" -> StringType, DeadWrites)) {
    (session, arguments) =>
      val done = Undos.rollback(session, TableArgument.pathOf(session, arguments), options(arguments),
        arguments.text("instant_time"), arguments.flag("dry_run"))
      Seq(Row(!arguments.flag("dry_run"), Option(done.instant).filter(_.nonEmpty).orNull, done.files, done.write,
          done.action, done.deadWrites))
  }

  private val restore = Procedure("rollback_to_savepoint",
    "Brings a saved state back: every write after it is taken back.",
    Seq(Parameter.Table, Parameter.text("instant_time", "the saved state; the newest by default"), Parameter.Path,
      Parameter.Options),
    Seq("rollback_savepoint_result" -> BooleanType, "restore_time" -> StringType, "writes" -> IntegerType)) {
    (session, arguments) =>
      val path = TableArgument.pathOf(session, arguments)
      val saved = Undos.savepoints(session, path, options(arguments)).map(_.instant)
      val to = arguments.text("instant_time").orElse(saved.lastOption).getOrElse("")
      if (!saved.contains(to)) throw arguments.invalid("instant_time", to,
        if (saved.isEmpty) "no state of the table is saved" else s"saved are ${saved.mkString(", ")}")
      val done = RunningServices.finished(None, Undos.restore(session, path, options(arguments), to))
      Seq(Row(true, Option(done.instant).filter(_.nonEmpty).orNull, done.writes.size))
  }

  private val restoreTo = Procedure("restore_to_instant",
    "Brings the state as of a write back: every write after it is taken back.",
    Seq(Parameter.Table, Instant, Parameter.Path, Parameter.Options, Parameter.DryRun, Parameter.RunAs),
    Seq[(String, DataType)]("restore_time" -> StringType, "restored_to" -> StringType,
      "writes" -> ArrayType(StringType), DeadWrites)) { (session, arguments) =>
    val (path, to) = (TableArgument.pathOf(session, arguments), arguments.needed("instant_time"))
    val done =
      if (arguments.flag("dry_run")) Undos.previewRestore(session, path, options(arguments), to)
      else PlannedWork.finished(arguments, Undos.restore(session, path, options(arguments), to))
    Seq(Row(Option(done.instant).filter(_.nonEmpty).orNull, done.to, done.writes.map(_.time),
        done.deadWrites))
  }

  val All: Seq[Procedure] = Seq(create, delete, show, rollback, restore, restoreTo)
}

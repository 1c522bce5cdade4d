package io.hudilite.spark.procedure

import io.hudilite.spark.service.RunningServices
import io.hudilite.spark.service.inline.InlineServices

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{BooleanType, DataType, LongType, StringType}

/** Procedures about services that run while they are called. */
private[procedure] object RunningProcedures {

  private val RunAs = Parameter.text(Parameter.RunAs.name, "the name that a run was given")

  private val progress = Procedure("show_progress", "Shows how far the runs are that were given a name.", Seq(RunAs),
    Seq[(String, DataType)]("run_as" -> StringType, "service" -> StringType, "done" -> LongType, "total" -> LongType)) {
    (_, arguments) =>
      RunningServices.all.filter(r => arguments.text(RunAs.name).forall(_ == r._1)).map { case (name, running) =>
        Row(name, running.name, running.done, running.total.toLong)
      }
  }

  private val cancel = Procedure("cancel_service",
    "Stops a run that was given a name: it ends with an error, and its plan stays.", Seq(RunAs),
    Seq("cancelled" -> BooleanType)) { (_, arguments) =>
    Seq(Row(RunningServices.cancel(arguments.needed(RunAs.name))))
  }

  private val await = Procedure("wait_for_services",
    "Waits until the services beside this application's writes to the table have ended.",
    Seq(Parameter.Table, Parameter.Path, Parameter.long("milliseconds", 600000L, "so long at most")),
    Seq("ended" -> BooleanType)) { (session, arguments) =>
    val millis = arguments.long("milliseconds").getOrElse(0L)
    val call = ServiceCall.of(session, arguments)
    Seq(Row(call.onTable((table, _) => InlineServices.await(session, table, millis))))
  }

  val All: Seq[Procedure] = Seq(progress, cancel, await)
}

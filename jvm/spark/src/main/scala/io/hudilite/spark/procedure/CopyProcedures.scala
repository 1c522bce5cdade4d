package io.hudilite.spark.procedure

import io.hudilite.config.ReadOptions
import io.hudilite.service.partition.{PartitionDrops, PartitionExpiry}
import io.hudilite.config.service.PartitionTtlOptions
import io.hudilite.error.InvalidInput
import io.hudilite.spark.keys.KeyedOptions

import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.types.{BooleanType, DataType, IntegerType, LongType, StringType}

/** Procedures that copy a table's rows elsewhere, or take rows and facts of it away. */
private[procedure] object CopyProcedures {

  private val Status: Seq[(String, DataType)] = Seq("status" -> IntegerType)

  private val state = Seq(
    Parameter.text("begin_instance_time", "the begin of the instants for the query type incremental"),
    Parameter.text("end_instance_time", "their end"),
    Parameter.text("as_of_instant", "the state as of this instant, for the query type snapshot"))

  private val QueryType = Parameter.text("query_type", "snapshot", "snapshot, read_optimized or incremental")

  private val toTable = Procedure("copy_to_table", "Copies the rows into a table of the session's catalog.",
    Seq(Parameter.Table, QueryType, Parameter.text("new_table", "the name of the table that gets the rows")) ++
      state ++ Seq(Parameter.text("save_mode", "overwrite", "overwrite, append, errorifexists or ignore"),
        Parameter.text("columns", "the only columns, separated by commas"), Parameter.Path), Status) {
    (session, arguments) =>
      val (rows, to) = (read(session, arguments), arguments.needed("new_table"))
      val columns = arguments.list("columns").fold(rows)(names => rows.select(names.map(rows(_)): _*))
      val mode = arguments.oneOf("save_mode", Seq("overwrite", "append", "errorifexists", "ignore"))
      // Spark drops a table that is overwritten before it reads.
      if (mode.forall(_ == "overwrite") && TableArgument.find(session, to).nonEmpty)
        throw arguments.invalid("new_table", to,
          "it is a table of Hudi's format; name another one, or use save_mode => " +
            "'append'")
      columns.write.mode(mode.getOrElse("overwrite")).saveAsTable(to)
      Seq(Row(0))
  }

  private val toView = Procedure("copy_to_temp_view", "Gives the rows a name in the session.",
    Seq(Parameter.Table, QueryType, Parameter.text("view_name", "the name of the view")) ++ state ++ Seq(
      Parameter.flag("replace", "a view of that name is replaced"),
      Parameter.flag("global", "the view is seen by other sessions of the application"), Parameter.Path), Status) {
    (session, arguments) =>
      val (rows, to) = (read(session, arguments), arguments.needed("view_name"))
      (arguments.flag("global"), arguments.flag("replace")) match {
        case (true, true) => rows.createOrReplaceGlobalTempView(to)
        case (true, false) => rows.createGlobalTempView(to)
        case (false, true) => rows.createOrReplaceTempView(to)
        case (false, false) => rows.createTempView(to)
      }
      Seq(Row(0))
  }

  private def read(session: SparkSession, arguments: Arguments): DataFrame = {
    val kind = arguments.oneOf(QueryType.name, Seq("snapshot", "read_optimized", "incremental"))
    val asked = Seq(ReadOptions.QueryType.name -> kind,
      ReadOptions.BeginInstant.name -> arguments.text("begin_instance_time"),
      ReadOptions.EndInstant.name -> arguments.text("end_instance_time"),
      ReadOptions.AsOfInstant.name -> arguments.text("as_of_instant"))
    session.read.format("hudilite").options(asked.collect { case (name, Some(value)) => name -> value }.toMap)
      .load(TableArgument.pathOf(session, arguments))
  }

  private val truncate = Procedure("truncate_table", "Takes all rows of the table out, or those of some partitions.",
    Seq(Parameter.Table, Parameter.text("partitions", "paths of partitions below the table, separated by commas"),
      Parameter.Path), Seq[(String, DataType)]("result" -> StringType, "time_cost" -> LongType)) {
    (session, arguments) =>
      val before = System.nanoTime()
      arguments.verbatim("partitions").filter(_.trim.isEmpty).foreach(said =>
        throw arguments.invalid("partitions", said, "it names no partition; leave it out to truncate the whole table"))
      arguments.list("partitions") match {
        case Some(partitions) => ServiceCall.of(session, arguments).changing() { (table, conf) =>
            PartitionDrops.run(table, partitions, KeyedOptions.of(session, table.basePath, conf.commit))
          }
        case None =>
          session.sql(s"TRUNCATE TABLE hudilite.`${TableArgument.pathOf(session, arguments).replace("`", "``")}`")
      }
      Seq(Row("SUCCESS", (System.nanoTime() - before) / 1000000L))
  }

  private val ttl = Procedure("run_ttl", "Drops the partitions to which nobody has written for some days.",
    Seq(Parameter.Table, Parameter.text("ttl_policy", "KEEP_BY_TIME, the time since the last write to a partition"),
      Parameter.integer("retain_days", "days since the last write"), Parameter.Options, Parameter.Path),
    Seq("deleted_partitions" -> StringType)) { (session, arguments) =>
    arguments.oneOf("ttl_policy", Seq("KEEP_BY_TIME"))
    val days = arguments.integer("retain_days").map(n => PartitionTtlOptions.DaysRetain.name -> n.toString)
    val done = ServiceCall.of(session, arguments, days).changing() { (table, conf) =>
      PartitionExpiry.run(table, conf.services.expiry.checked, KeyedOptions.of(session, table.basePath, conf.commit))
    }
    done.fileGroups.keys.toSeq.sorted.map(Row(_))
  }

  private val upgrade = versioned("upgrade_table", "Says that the table has a version, and makes none.")
  private val downgrade = versioned("downgrade_table", "Says that the table has a version, and makes none.")

  // Other programs may write to the table meanwhile, and must not meet a version that they do not know.
  private def versioned(name: String, summary: String): Procedure = Procedure(name, summary,
    Seq(Parameter.Table, Parameter.text("to_version", "a version as a number or as Hudi spells it, such as NINE"),
      Parameter.Path), Seq("result" -> BooleanType)) { (session, arguments) =>
    val asked = arguments.needed("to_version")
    val version = Spelled.indexWhere(_.equalsIgnoreCase(asked)) match {
      case -1 => asked
      case number => number.toString
    }
    ServiceCall.of(session, arguments).onTable { (table, _) =>
      if (table.config.version.toString != version)
        throw InvalidInput("STATEMENT_NOT_SUPPORTED", "statement" -> s"$name to $asked", "path" -> table.basePath,
          "reason" ->
            (s"it has the version ${table.config.version}, which writes keep; Apache Hudi changes versions, " +
              "and hudilite reads and writes 6, 8 and 9"))
    }
    Seq(Row(true))
  }

  private lazy val Spelled =
    Seq("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")

  val All: Seq[Procedure] = Seq(toTable, toView, truncate, ttl, upgrade, downgrade)
}

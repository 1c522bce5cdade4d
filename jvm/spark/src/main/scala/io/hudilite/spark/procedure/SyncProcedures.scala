package io.hudilite.spark.procedure

import io.hudilite.error.InvalidInput
import io.hudilite.spark.sync.MetastoreSync
import io.hudilite.sync.{SyncConf, SyncOptions}

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.types.{BooleanType, DataType, IntegerType, StringType}

/** The names of a table in the session's catalog, brought up to date. */
private[procedure] object SyncProcedures {

  private val Success = "hive sync success."

  private val sync = Procedure("hive_sync",
    "Registers a table in the session's catalog, or brings its columns and partitions there up to date.",
    Seq(Parameter.Table, Parameter.text("metastore_uri", "the metastore, which must be the session's"),
      Parameter.text("username", "Hudi's user of Hive, of whom nothing is asked"),
      Parameter.text("password", "his password"), Parameter.text("use_jdbc", "refused where it is true"),
      Parameter.text("mode", "hms, for which the session's catalog stands"),
      Parameter.text("partition_fields", "partition columns of the names; those of the table by default"),
      Parameter.text("partition_extractor_class", "Hudi's class that takes partition values from paths"),
      Parameter.text("strategy", "names of a merge-on-read table: ALL, RO or RT"),
      Parameter.text("sync_incremental", "false looks at all partitions"), Parameter.Options, Parameter.Path),
    Seq[(String, DataType)]("result" -> StringType, "name" -> StringType, "created" -> BooleanType,
      "columns_changed" -> BooleanType, "partitions_added" -> IntegerType, "partitions_dropped" -> IntegerType)) {
    (session, arguments) =>
      ServiceCall.of(session, arguments, asked(session, arguments)).onTable { (table, conf) =>
        MetastoreSync.run(session, table, needed(conf.sync)).map(done =>
          Row(Success, done.name, done.created, done.columns, done.added, done.dropped))
      }
  }

  private def needed(conf: Option[SyncConf]): SyncConf = conf.getOrElse(throw InvalidInput.option(
      SyncOptions.Hive.name, "false", "the call is to do it; leave the option out"))

  private val Arguments = Seq("metastore_uri" -> SyncOptions.Uris, "use_jdbc" -> SyncOptions.UsesJdbc,
    "mode" -> SyncOptions.Mode, "partition_fields" -> SyncOptions.PartitionFields,
    "partition_extractor_class" -> SyncOptions.ExtractorClass, "strategy" -> SyncOptions.Strategy,
    "sync_incremental" -> SyncOptions.Incremental)

  /** Options for the arguments. A table that is called by its name gets the names of its database. */
  private def asked(session: SparkSession, arguments: Arguments): Seq[(String, String)] = {
    val said = Arguments.flatMap { case (argument, key) => arguments.text(argument).map(key.name -> _) }
    val names = TableArgument.synced(session, arguments).toSeq.filterNot { case (name, _) =>
      arguments.options.keys.exists(_.equalsIgnoreCase(name))
    }
    (SyncOptions.Hive.name -> "true") +: (names ++ said)
  }

  val All: Seq[Procedure] = Seq(sync)
}

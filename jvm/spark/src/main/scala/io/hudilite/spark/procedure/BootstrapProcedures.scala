package io.hudilite.spark.procedure

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.IntegerType

/** A new table of the rows in Parquet files, by the name that Hudi has for it. */
private[procedure] object BootstrapProcedures {

  private val Selectors = "org.apache.hudi.client.bootstrap.selector."
  private val FullRecord = s"${Selectors}FullRecordBootstrapModeSelector"

  private val run = Procedure("run_bootstrap",
    "Copies the rows of Parquet files, which stay as they are, into a new table.",
    Seq(Parameter.text("table", "the name that the table keeps in its properties"),
      Parameter.text("table_type", "COPY_ON_WRITE or MERGE_ON_READ"),
      Parameter.text("bootstrap_path", "the folder of the Parquet files"),
      Parameter.text("base_path", "the path of the new table"),
      Parameter.text("rowKey_field", "the fields of the record key, separated by commas"),
      Parameter.text("base_file_format", "PARQUET", "PARQUET"),
      Parameter.text("partition_path_field", "the partition columns, separated by commas"),
      Parameter.text("bootstrap_index_class", "not read: whole rows need no index"),
      Parameter.text("selector_class", s"${Selectors}MetadataOnlyBootstrapModeSelector", FullRecord),
      Parameter.text("key_generator_class", "a key generator of Hudi's; by default as in other writes"),
      Parameter.text("full_bootstrap_input_provider", "not read: Spark reads the files"),
      Parameter.text("schema_provider_class", "refused: the columns are those of the files"),
      Parameter.text("payload_class", "a payload class that hudilite knows"),
      Parameter.integer("parallelism", "not read: Spark decides how many tasks there are"),
      Parameter.flag("enable_hive_sync", "the table gets its name in the session's catalog"),
      Parameter.text("props_file_path", "refused: say its lines in options"),
      Parameter.flag("bootstrap_overwrite", "a table at base_path is replaced"), Parameter.Options),
    Seq("status" -> IntegerType)) { (session, arguments) =>
    val (source, target) = (arguments.needed("bootstrap_path"), arguments.needed("base_path"))
    val options = optionsOf(arguments)
    val mode = if (arguments.flag("bootstrap_overwrite")) "overwrite" else "errorifexists"
    session.read.parquet(source).write.format("hudilite").options(options).mode(mode).save(target)
    Seq(Row(0))
  }

  private def optionsOf(arguments: Arguments): Map[String, String] = {
    checkModes(arguments)
    val kind = arguments.oneOf("table_type", Seq("COPY_ON_WRITE", "MERGE_ON_READ")).getOrElse(
      arguments.needed("table_type"))
    val named = Seq("hoodie.datasource.write.partitionpath.field" -> arguments.text("partition_path_field"),
      "hoodie.datasource.write.keygenerator.class" -> arguments.text("key_generator_class"),
      "hoodie.datasource.write.payload.class" -> arguments.text("payload_class"),
      "hoodie.datasource.hive_sync.enable" -> Some("true").filter(_ => arguments.flag("enable_hive_sync")))
    Map("hoodie.datasource.write.operation" -> "bulk_insert", "hoodie.table.name" -> arguments.needed("table"),
      "hoodie.datasource.write.table.type" -> kind,
      "hoodie.datasource.write.recordkey.field" -> arguments.needed("rowKey_field")) ++
      named.collect { case (name, Some(value)) => name -> value } ++ arguments.options
  }

  /** Refuses all that would not make a table of whole rows. */
  private def checkModes(arguments: Arguments): Unit = {
    arguments.oneOf("base_file_format", Seq("PARQUET"))
    val selector = arguments.needed("selector_class")
    if (selector != FullRecord) throw arguments.invalid("selector_class", selector,
      s"hudilite copies whole rows and makes no skeletons of meta columns: say $FullRecord, or call hudilite.convert " +
        "in Python, which also keeps the partitions of the files")
    Seq("schema_provider_class" -> "the columns are those of the files",
      "props_file_path" -> "say its lines in options").foreach { case (name, reason) =>
      arguments.text(name).foreach(value => throw arguments.invalid(name, value, reason))
    }
  }

  val All: Seq[Procedure] = Seq(run)
}

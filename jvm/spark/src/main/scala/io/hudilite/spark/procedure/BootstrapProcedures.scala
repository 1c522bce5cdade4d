package io.hudilite.spark.procedure

import io.hudilite.config.{BootstrapIndexName, BootstrapOptions, TableKeys}
import io.hudilite.filegroup.{BootstrapMapping, BootstrapMappings}
import io.hudilite.spark.row.SchemaConversion
import io.hudilite.table.Table

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.types.{IntegerType, StringType, StructType}

/** Tables of the rows in Parquet files, by Hudi's names. */
private[procedure] object BootstrapProcedures {

  private val Selectors = "org.apache.hudi.client.bootstrap.selector."

  private val run = Procedure("run_bootstrap",
    "Makes a new table of the rows in Parquet files, which stay as they are.",
    Seq(Parameter.text("table", "the name that the table keeps in its properties"),
      Parameter.text("table_type", "COPY_ON_WRITE or MERGE_ON_READ"),
      Parameter.text("bootstrap_path", "the folder of the Parquet files"),
      Parameter.text("base_path", "the path of the new table"),
      Parameter.text("rowKey_field", "the fields of the record key, separated by commas"),
      Parameter.text("base_file_format", "PARQUET", "PARQUET"),
      Parameter.text("partition_path_field", "the partition columns, separated by commas"),
      Parameter.text("bootstrap_index_class", BootstrapIndexName.Class, "Hudi's index in HFiles, the only one"),
      Parameter.text("selector_class", s"${Selectors}MetadataOnlyBootstrapModeSelector",
        "where rows are to be: hoodie.bootstrap.mode.selector"),
      Parameter.text("key_generator_class", "a key generator of Hudi's; by default as in other writes"),
      Parameter.text("full_bootstrap_input_provider", "not read: Spark reads the files"),
      Parameter.text("schema_provider_class", "refused: the columns are those of the files"),
      Parameter.text("payload_class", "a payload class that hudilite knows"),
      Parameter.integer("parallelism", "not read: Spark decides how many tasks there are"),
      Parameter.flag("enable_hive_sync", "the table gets its name in the session's catalog"),
      Parameter.text("props_file_path", "refused: say its lines in options"),
      Parameter.flag("bootstrap_overwrite", "whole rows replace a table at base_path"), Parameter.Options),
    Seq("status" -> IntegerType)) { (session, arguments) =>
    val options = optionsOf(arguments)
    val mode = if (arguments.flag("bootstrap_overwrite")) "overwrite" else "errorifexists"
    session.emptyDataFrame.write.format("hudilite").options(options).mode(mode).save(arguments.needed("base_path"))
    Seq(Row(0))
  }

  private def optionsOf(arguments: Arguments): Map[String, String] = {
    checkOthers(arguments)
    val kind = arguments.oneOf("table_type", Seq("COPY_ON_WRITE", "MERGE_ON_READ")).getOrElse(
      arguments.needed("table_type"))
    val named = Seq("hoodie.datasource.write.partitionpath.field" -> arguments.text("partition_path_field"),
      "hoodie.datasource.write.keygenerator.class" -> arguments.text("key_generator_class"),
      "hoodie.datasource.write.payload.class" -> arguments.text("payload_class"),
      "hoodie.datasource.hive_sync.enable" -> Some("true").filter(_ => arguments.flag("enable_hive_sync")))
    Map("hoodie.datasource.write.operation" -> BootstrapOptions.Operation,
      BootstrapOptions.BasePath.name -> arguments.needed("bootstrap_path"),
      BootstrapOptions.Selector.name -> arguments.needed("selector_class"),
      "hoodie.table.name" -> arguments.needed("table"), "hoodie.datasource.write.table.type" -> kind,
      "hoodie.datasource.write.recordkey.field" -> arguments.needed("rowKey_field")) ++
      named.collect { case (name, Some(value)) => name -> value } ++ arguments.options
  }

  /** Refuses what would ask for other rows, columns or files. */
  private def checkOthers(arguments: Arguments): Unit = {
    arguments.oneOf("base_file_format", Seq("PARQUET"))
    arguments.text("bootstrap_index_class").filterNot(BootstrapIndexName.isClass).foreach(other =>
      throw arguments.invalid("bootstrap_index_class", other,
        s"hudilite makes no other index than ${BootstrapIndexName.Short}"))
    Seq("schema_provider_class" -> "the columns are those of the files",
      "props_file_path" -> "say its lines in options").foreach { case (name, reason) =>
      arguments.text(name).foreach(value => throw arguments.invalid(name, value, reason))
    }
  }

  private val importing = Procedure("hdfs_parquet_import", "Writes the rows of Parquet files into a table.",
    Seq(Parameter.text("table", "the name that a new table keeps in its properties"),
      Parameter.text("table_type", "COPY_ON_WRITE or MERGE_ON_READ"),
      Parameter.text("src_path", "the folder of the Parquet files"),
      Parameter.text("target_path", "the path of the table"),
      Parameter.text("row_key", "the fields of the record key, separated by commas"),
      Parameter.text("partition_key", "the partition columns, separated by commas, as they are"),
      Parameter.text("schema_file_path",
        "a file with an Avro schema, whose columns are taken; empty: those of the files"),
      Parameter.text("command", "insert", "insert or bulkinsert into a new table, or upsert"),
      Parameter.integer("retry", 0, "not read: Spark repeats tasks"),
      Parameter.integer("parallelism", "not read: Spark decides how many tasks there are"),
      Parameter.text("props_file_path", "refused: say its lines in options"), Parameter.Options),
    Seq("import_result" -> IntegerType)) { (session, arguments) =>
    arguments.text("props_file_path").foreach(file =>
      throw arguments.invalid("props_file_path", file, "say its lines in options"))
    val (source, target) = (arguments.needed("src_path"), arguments.needed("target_path"))
    val command = arguments.oneOf("command", Seq("insert", "upsert", "bulkinsert", "bulk_insert")).getOrElse("insert")
    val options = importOptions(arguments, command)
    val rows = columns(session, arguments).fold(session.read)(session.read.schema(_)).parquet(source)
    rows.write.format("hudilite").options(options).mode(if (command == "upsert") "append" else "errorifexists")
      .save(target)
    Seq(Row(0))
  }

  private def importOptions(arguments: Arguments, command: String): Map[String, String] = {
    val kind = arguments.oneOf("table_type", Seq("COPY_ON_WRITE", "MERGE_ON_READ")).getOrElse(
      arguments.needed("table_type"))
    Map("hoodie.table.name" -> arguments.needed("table"), "hoodie.datasource.write.table.type" -> kind,
      "hoodie.datasource.write.recordkey.field" -> arguments.needed("row_key"),
      "hoodie.datasource.write.operation" -> (if (command == "bulkinsert") "bulk_insert" else command)) ++
      arguments.text("partition_key").map("hoodie.datasource.write.partitionpath.field" -> _) ++ arguments.options
  }

  private def columns(session: SparkSession, arguments: Arguments): Option[StructType] =
    arguments.text("schema_file_path").map { file =>
      val text = FilesOf(session).read(file).getOrElse(throw arguments.invalid("schema_file_path", file,
          "there is no such file"))
      SchemaConversion.columns(new String(text, UTF_8))
    }

  private def index(table: Table, arguments: Arguments): Iterator[BootstrapMapping] =
    new BootstrapMappings(table.storage, table.basePath).find().getOrElse(throw arguments.invalid("table",
        table.basePath, "no bootstrap of meta columns left an index there"))

  private val Mapping = Seq("partition", "file_id", "source_base_path", "source_partition", "source_file")

  private val mapping = Procedure("show_bootstrap_mapping",
    "Shows the source files of a table that was made by a bootstrap of meta columns.",
    Seq(Parameter.Table, Parameter.Path, Parameter.text("partition_path", "the only partition"),
      Parameter.text("file_ids", "the only file groups of that partition, separated by commas"), Parameter.limit(10),
      Parameter.text("sort_by", "partition", s"one of ${Mapping.mkString(", ")}"),
      Parameter.flag("desc", "in descending order"), Listing.Filter), Mapping.map(_ -> StringType)) {
    (session, arguments) =>
      val (partition, ids) = (arguments.text("partition_path"), arguments.list("file_ids").map(_.toSet))
      if (ids.isDefined && partition.isEmpty)
        throw arguments.invalid("file_ids", arguments.needed("file_ids"), "they need partition_path")
      val sortBy = Mapping.indexOf(arguments.oneOf("sort_by", Mapping).getOrElse("partition"))
      ServiceCall.of(session, arguments).onTable { (table, _) =>
        val root = table.config.properties.getOrElse(TableKeys.BootstrapBasePath, "")
        val rows = index(table, arguments).filter(m => partition.forall(_ == m.partition) && ids.forall(_(m.fileId)))
          .map(m => Row(m.partition, m.fileId, root, m.sourcePartition, m.sourceFile))
        val sorted = rows.toSeq.sortBy(row => (row.getString(sortBy), row.getString(0), row.getString(1)))
        Listing.limited(session, arguments, Mapping.map(_ -> StringType),
          (if (arguments.flag("desc")) sorted.reverse else sorted).iterator)
      }
  }

  private val partitions = Listing("show_bootstrap_partitions",
    "Shows the partitions of a table that was made by a bootstrap of meta columns.",
    Seq(Parameter.Table, Parameter.Path, Listing.Filter), Seq("indexed_partitions" -> StringType)) {
    (table, arguments) => index(table, arguments).map(_.partition).toSeq.distinct.sorted.iterator.map(Row(_))
  }

  val All: Seq[Procedure] = Seq(run, importing, mapping, partitions)
}

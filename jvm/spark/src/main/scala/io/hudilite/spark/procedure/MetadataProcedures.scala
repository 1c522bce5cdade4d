package io.hudilite.spark.procedure

import io.hudilite.error.InvalidInput
import io.hudilite.metadata.{MetadataKeys, MetadataPartition, MetadataPayload, MetadataRecord, StatValue}
import io.hudilite.metadata.check.MetadataValidator
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.record.MetaFields
import io.hudilite.service.advise.ColumnOverlaps
import io.hudilite.spark.keys.KeyedOptions
import io.hudilite.table.Table
import io.hudilite.transaction.{MetadataTablePolicy, MetadataUpkeep, TransactionOptions}

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{BooleanType, DataType, DoubleType, IntegerType, LongType, StringType}

/** Procedures on the metadata table beside a table, in Hudi's columns. */
private[procedure] object MetadataProcedures {

  private def changing(name: String, summary: String, more: Parameter*)(
      body: (Table, TransactionOptions, Arguments) => String): Procedure =
    Procedure(name, summary, (Parameter.Table +: more) ++ Seq(Parameter.Path, Parameter.Options),
      Seq("result" -> StringType)) { (session, arguments) =>
      ServiceCall.of(session, arguments).onTable { (table, conf) =>
        val began = System.nanoTime
        val done = body(table, KeyedOptions.of(session, table.basePath, conf.commit), arguments)
        Seq(Row(s"$done ${folder(table)} (duration=${(System.nanoTime - began) / 1000000 / 1000.0}secs)"))
      }
    }

  private val create = changing("create_metadata_table",
    "Makes a metadata table with the partition files, which each write keeps up from then on.") {
    (table, options, arguments) =>
      if (listed(table).nonEmpty) throw refused(table, arguments, s"it has a metadata table: ${listed(table)}")
      MetadataUpkeep.prepareNow(table, options.copy(keepsMetadata = Some(true)))
      if (listed(reopened(table)).isEmpty)
        throw refused(table, arguments, "an action is pending, or has ended meanwhile; call this again after it")
      "Created Metadata Table in"
  }

  private val init = changing("init_metadata_table",
    "Opens the metadata table, and runs those of its services that are due.",
    Parameter.flag("read_only", "only open it")) { (table, options, arguments) =>
    there(table, arguments).checkNames()
    if (arguments.flag("read_only")) "Opened Metadata Table in"
    else {
      MetadataUpkeep.prepareNow(table, options.copy(keepsMetadata = Some(true)))
      "Initialized Metadata Table in"
    }
  }

  private val delete = changing("delete_metadata_table",
    "Removes the metadata table with all that is in it; reads list folders from then on.") {
    (table, options, arguments) =>
      if (listed(table).isEmpty) throw missing(table, arguments)
      // A caller knows that all of it goes.
      MetadataUpkeep.prepareNow(table,
        options.copy(keepsMetadata = Some(false), metadata = MetadataTablePolicy.DropAll))
      "Deleted Metadata Table at"
  }

  private val files = Listing("show_metadata_table_files",
    "Shows the files of a partition that the metadata table names.",
    Seq(Parameter.Table, Parameter.Path, Parameter.text("partition", "the partition; the whole table by default"),
      Parameter.limit(100), Listing.Filter), Seq("file_path" -> StringType)) { (table, arguments) =>
    val key = arguments.text("partition").map(MetadataKeys.ofPartition)
    names(table, ofPartitions = false).filter { case (of, _) => key.forall(_ == of) }.flatMap(_._2).map(Row(_))
  }

  private val partitions = Listing("show_metadata_table_partitions",
    "Shows the partitions that the metadata table names.",
    Seq(Parameter.Table, Parameter.Path, Listing.Filter), Seq("partition" -> StringType))((table, _) =>
    names(table, ofPartitions = true).flatMap(_._2).map(key => Row(MetadataKeys.path(key))))

  private val stats = Listing("show_metadata_table_stats",
    "Shows numbers and lengths of the files of the metadata table itself, partition by partition.",
    Seq(Parameter.Table, Parameter.Path, Listing.Filter), Seq("stat_key" -> StringType, "stat_value" -> StringType)) {
    (table, arguments) =>
      val metadata = there(table, arguments)
      for {
        partition <- metadata.listed.sorted.flatMap(MetadataPartition.of).iterator
        slices = metadata.slices(partition)
        (name, value) <- Seq(
          "totalBaseFileSizeInBytes" -> slices.flatMap(_.base).map(_.length).sum,
          "totalLogFileSizeInBytes" -> slices.flatMap(_.logs).map(_.length).sum,
          "baseFileCount" -> slices.count(_.base.isDefined).toLong,
          "logFileCount" -> slices.map(_.logs.size).sum.toLong)
      } yield Row(s"${partition.name}.$name", value.toString)
  }

  private val columns = Listing("show_metadata_table_column_stats",
    "Shows bounds and nulls of columns of the newest files, as the metadata table has them.",
    Seq(Parameter.Table, Parameter.Path, Parameter.text("partition", "the only partition to look at"),
      Parameter.text("targetColumns", "columns, separated by commas; all by default"), Listing.Filter),
    Seq[(String, DataType)]("file_name" -> StringType, "column_name" -> StringType, "min_value" -> StringType,
      "max_value" -> StringType, "null_number" -> LongType)) { (table, arguments) =>
    val metadata = withStatistics(table, arguments)
    val asked = arguments.list("targetColumns").map(_.toSet)
    val ofPartition = arguments.text("partition")
    val newest = table.allSlices().values.flatten.filter(slice => ofPartition.forall(_ == slice.partition))
      .flatMap(slice => slice.base.map(_.name) ++ slice.logs.map(_.name)).toSet
    metadata.records(MetadataPartition.ColumnStats).collect {
      case MetadataRecord(_, MetadataPayload.Statistics(of, false))
          if newest(of.file) && !of.isDeleted && asked.forall(_(of.column)) =>
        Row(of.file, of.column, of.min.map(StatValue.text).orNull, of.max.map(StatValue.text).orNull, of.nulls)
    }
  }

  private def overlap(name: String): Procedure = Listing(name,
    "Shows how many files a filter on a value of a column reads, by bounds of base files in the metadata table.",
    Seq(Parameter.Table, Parameter.Path,
      Parameter.text("partition", "the only partitions, separated by commas, with all below them"),
      Parameter.text("targetColumns", "columns, separated by commas; all by default"), Listing.Filter),
    Overlaps) { (table, arguments) =>
    val metadata = withStatistics(table, arguments)
    val asked = arguments.list("targetColumns").map(_.toSet)
    val prefixes = arguments.list("partition")
    val slices = table.allSlices().filter { case (partition, _) => prefixes.forall(_.exists(partition.startsWith)) }
    val partitionOf = slices.toSeq.flatMap { case (p, some) => some.flatMap(_.base).map(_.name -> p) }.toMap
    val bounds = metadata.records(MetadataPartition.ColumnStats).collect {
      case MetadataRecord(_, MetadataPayload.Statistics(of, false))
          if partitionOf.contains(of.file) && !of.isDeleted && !MetaFields.all.contains(of.column) &&
            asked.forall(_(of.column)) =>
        (partitionOf(of.file), of.column) -> of.min.zip(of.max)
    }.toSeq.groupBy(_._1)
    val rows = for {
      ((partition, column), found) <- bounds.toSeq
      of <- ColumnOverlaps.of(found.flatMap(_._2))
    } yield Row(partition, column, of.average, of.most, slices(partition).size, of.percentile(50), of.percentile(75),
      of.percentile(95), of.percentile(99), of.counts.size)
    rows.sortBy(row => (row.getString(1), row.getDouble(2), row.getString(0))).iterator
  }

  private def withStatistics(table: Table, arguments: Arguments): MetadataTable = {
    val metadata = there(table, arguments)
    if (!metadata.hasColumnStatistics)
      throw refused(table, arguments,
        "its metadata table has no column_stats; the metadata table files has rows and keys")
    metadata
  }

  private lazy val Overlaps: Seq[(String, DataType)] = Seq[(String, DataType)]("Partition path" -> StringType,
    "Field name" -> StringType, "Average overlap" -> DoubleType, "Maximum file overlap" -> IntegerType,
    "Total file number" -> IntegerType, "50% overlap" -> IntegerType, "75% overlap" -> IntegerType,
    "95% overlap" -> IntegerType, "99% overlap" -> IntegerType, "Total value number" -> IntegerType)

  private val validate = Procedure("validate_metadata_table_files",
    "Compares the names and lengths of files in the metadata table with the folders, and changes nothing.",
    Seq(Parameter.Table, Parameter.flag("verbose", "also those that are alike"), Parameter.Path),
    Seq[(String, DataType)]("partition" -> StringType, "file_name" -> StringType, "is_present_in_fs" -> BooleanType,
      "is_present_in_metadata" -> BooleanType, "fs_size" -> LongType, "metadata_size" -> LongType)) {
    (session, arguments) =>
      ServiceCall.of(session, arguments).onTable { (table, _) =>
        there(table, arguments)
        new MetadataValidator(table).filesOfBoth()
          .filter(file => arguments.flag("verbose") || !file.agrees).map(file =>
            Row(file.partition, file.name, file.inFolder.isDefined, file.named.isDefined, file.inFolder.getOrElse(0L),
              file.named.getOrElse(0L)))
      }
  }

  val All: Seq[Procedure] = Seq(create, init, delete, files, partitions, stats, columns,
    overlap("show_column_stats_overlap"), overlap("show_metadata_column_stats_overlap"), validate)

  private def folder(table: Table): String = s"${table.basePath.stripSuffix("/")}/.hoodie/metadata"

  private def listed(table: Table): String = table.config.metadataPartitions.mkString(", ")

  private def reopened(table: Table): Table = Table.open(table.storage, table.basePath)

  /** Raises `InvalidInput` where there is none. */
  private def there(table: Table, arguments: Arguments): MetadataTable =
    if (listed(table).isEmpty) throw missing(table, arguments) else new MetadataTable(table.store, table.timeline)

  private def missing(table: Table, arguments: Arguments): InvalidInput =
    refused(table, arguments, "it has no metadata table; create_metadata_table makes one")

  private def refused(table: Table, arguments: Arguments, reason: String): InvalidInput =
    arguments.invalid("table", table.basePath, reason)

  /** Names by the key of a record of the partition `files`. */
  private def names(table: Table, ofPartitions: Boolean): Iterator[(String, Seq[String])] =
    if (table.config.metadataPartitions.isEmpty) Iterator.empty
    else new MetadataTable(table.store, table.timeline).records(MetadataPartition.Files).collect {
      case MetadataRecord(key, names: MetadataPayload.Names) if names.ofPartitions == ofPartitions =>
        key -> names.entries.toSeq.collect { case (name, file) if !file.isDeleted => name }.sorted
    }
}

package io.hudilite.spark.procedure

import io.hudilite.config.{CommitNotes, MergeMode, ReadOptions, TableType, WriteConf, WriteOptions}
import io.hudilite.config.service.ServiceOptions
import io.hudilite.error.{CommitConflict, HudiliteException, UnsupportedTable}
import io.hudilite.record.MetaFields
import io.hudilite.service.doctor.{Doctor, Finding, ReplacedProperties}
import io.hudilite.service.undo.Rollbacks
import io.hudilite.spark.keys.KeyedOptions
import io.hudilite.spark.row.RowKeys
import io.hudilite.spark.service.clean.FileDeletion
import io.hudilite.spark.shim.Sessions
import io.hudilite.spark.write.table.{NeededColumns, WriteTarget}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CommitMetadata, Instant}
import io.hudilite.transaction.TransactionOptions

import java.util.UUID

import org.apache.commons.io.IOUtils
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.spark.sql.{Column, DataFrame, Row, SparkSession}
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions.{col, length, row_number}
import org.apache.spark.sql.types.{BooleanType, StringType}

/** Hudi's procedures that repair one thing of a table. */
private[procedure] object RepairProcedures {

  private val cleanings = Procedure("repair_corrupted_clean_files",
    "Ends cleanings of which a file of the timeline cannot be read, as doctor with fix does.",
    Seq(Parameter.Table, Parameter.Path, Parameter.Options), Seq("result" -> BooleanType)) { (session, arguments) =>
    ServiceCall.of(session, arguments).atPath { (storage, basePath, conf) =>
      val deletion = new FileDeletion(session, session.sparkContext.longAccumulator)
      val found = new Doctor(storage, basePath, TransactionOptions.of(conf.commit), deletion.delete,
        Finding.isOfBrokenCleaning).run(fix = true)
      Seq(Row(found.forall(_.isMended)))
    }
  }

  private val NewProperties = "new_props_file_path"

  private val properties = Procedure("repair_overwrite_hoodie_props",
    "Replaces the properties of the table by those of a file that leaves all facts of the table as they are.",
    Seq(Parameter.Table, Parameter.text(NewProperties, "a file of Java's property format"), Parameter.Path,
      Parameter.Options), Seq("property", "old_value", "new_value").map(_ -> StringType)) { (session, arguments) =>
    val file = arguments.needed(NewProperties)
    ServiceCall.of(session, arguments).onTable { (table, conf) =>
      val content = FilesOf(session).read(file).getOrElse(throw arguments.invalid(NewProperties, file,
          "there is no such file"))
      val (before, now) =
        ReplacedProperties.run(table, NewProperties, file, content, TransactionOptions.of(conf.commit))
      (before.keySet ++ now.keySet).toSeq.sorted.map(key =>
        Row(key, before.getOrElse(key, "null"), now.getOrElse(key, "null")))
    }
  }

  private val Partition = "duplicated_partition_path"
  private val Output = "repaired_output_path"
  private val Types = Seq("insert_type", "update_type", "upsert_type")

  private val deduplicate = Procedure("repair_deduplicate",
    "Leaves one row of each record key in a partition: of its last commit that with the greatest ordering value. No " +
      "row is lost.",
    Seq(Parameter.Table, Parameter.text(Partition, "the path of the partition; empty for a table without partitions"),
      Parameter.text(Output,
        "a new folder of Parquet files outside of the table: the rows that would stay or, when they " +
          "are deduplicated, those that are taken out"),
      Parameter("dry_run", BooleanType, "true", "only write the rows that would stay"),
      Parameter.text("dedupe_type", Types.head, s"${Types.mkString(", ")}: all have one meaning here"),
      Parameter.Path, Parameter.Options), Seq("result" -> StringType)) { (session, arguments) =>
    arguments.oneOf("dedupe_type", Types)
    val call = ServiceCall.of(session, arguments)
    call.onTable((table, conf) => new Deduplication(session, call, table, conf, arguments).run())
  }

  private final class Deduplication(session: SparkSession, call: ServiceCall, table: Table, conf: WriteConf,
      arguments: Arguments) {

    private val partition = arguments.verbatim(Partition).getOrElse(arguments.needed(Partition)).trim
    private val output = arguments.needed(Output)

    def run(): Seq[Row] = {
      check()
      val (staying, others) = split()
      if (arguments.dryRun) staying.write.mode("errorifexists").parquet(output)
      else {
        checkPaths(staying)
        others.write.mode("errorifexists").parquet(output)
        if (!session.read.schema(others.schema).parquet(output).isEmpty) overwrite(staying)
      }
      Seq(Row(s"Deduplicated files placed in: ${if (arguments.dryRun) output else partition}."))
    }

    private def check(): Unit = {
      if (!table.config.populateMetaFields) throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE",
        "path" -> table.basePath, "feature" -> "rows without meta columns",
        "reason" -> "its rows have no stored record keys to compare", "way" -> UnsupportedTable.ByHudi)
      if (!table.partitions().contains(partition))
        throw arguments.invalid(Partition, partition, "the table has no such partition")
      if (FilesOf(session).isBelow(output, table.basePath))
        throw arguments.invalid(Output, output, "it lies in the table")
      if (FilesOf(session).exists(output)) throw arguments.invalid(Output, output, "it is there; name a new folder")
    }

    /** The newest row of each key, and all others, of the state of the table as it was opened. */
    private def split(): (DataFrame, DataFrame) = {
      val rows = session.read.format("hudilite").option(ReadOptions.MetaColumns.name, "true")
        .option(ReadOptions.QueryType.name, "snapshot").load(table.basePath)
        .where(col(MetaFields.PartitionPath) === partition)
      val number = Iterator.from(0).map(n => s"copy_$n").find(!rows.columns.contains(_)).get
      val numbered = rows.withColumn(number,
        row_number().over(Window.partitionBy(MetaFields.RecordKey).orderBy(age.map(_.desc): _*)))
      (numbered.where(col(number) === 1).drop(number), numbered.where(col(number) > 1).drop(number))
    }

    /** Of rows of one key the greatest by these stays. The last number of a sequence number is not padded. */
    private def age: Seq[Column] = {
      val compared = if (table.config.mergeMode == MergeMode.EventTime) table.config.orderingFields else Nil
      val number = col(MetaFields.CommitSeqno)
      (col(MetaFields.CommitTime) +: compared.map(quoted)) ++ Seq(length(number), number, col(MetaFields.FileName))
    }

    private def quoted(name: String): Column = col(s"`${name.replace("`", "``")}`")

    /** Refuses rows that a write would lay elsewhere: it would replace the rows of that partition. */
    private def checkPaths(staying: DataFrame): Unit = {
      val target = WriteTarget.of(table.basePath, table.storage, Some(table), conf,
        staying.drop(MetaFields.all: _*).schema, NeededColumns.All, () => Sessions.hadoopConf(session))
      val settings = target.shape.keySettings.copy(recordKeyFields = Nil)
      val columns = staying.select(settings.partitionFields.map(_.name.takeWhile(_ != '.')).distinct.map(quoted): _*)
      val (schema, named) = (columns.schema, partition)
      val others = columns.queryExecution.toRdd.mapPartitions { rows =>
        val keys = new RowKeys(schema, settings, toWrite = true)
        rows.map(keys.partitionPath(_).toString).filter(_ != named)
      }
      others.take(1).foreach(path =>
        throw arguments.invalid(Partition, partition,
          s"some of its rows would be written to the partition '$path', by their columns and the options"))
    }

    // A write that completes before the overwrite begins may be overwritten, too, so that is taken back then.
    private def overwrite(staying: DataFrame): Unit = {
      val seen = writes(table).map(_._1.time).toSet
      refuse(since(seen).map(_._1))
      val mark = UUID.randomUUID().toString
      staying.drop(MetaFields.all: _*).write.format("hudilite").options(call.options ++ marked(mark))
        .option(WriteOptions.Operation.name, "insert_overwrite").option(ServiceOptions.Services.name, "false")
        .mode("append").save(table.basePath)
      val (own, others) = since(seen).partition(_._2.extra.values.exists(_ == mark))
      val (write, _) = own.headOption.getOrElse(
        throw new IllegalStateException(s"the overwrite of $partition has left no commit"))
      takeBack(write, others.map(_._1).filter(mayBeBefore(_, write)))
    }

    /** The other write may have completed before this one took its instant. Version 6 has no completion times but those
      * of files, which go by another clock.
      */
    private def mayBeBefore(other: Instant, own: Instant): Boolean = other.time < own.time &&
      (table.config.layout == 1 || other.completionTime.forall(_ <= own.time))

    /** An entry of the commit by which it is known. */
    private def marked(mark: String): Map[String, String] = {
      val prefix = Some(CommitNotes.prefixOf(conf.options)).filter(_.nonEmpty).getOrElse("_")
      Map(WriteOptions.NotesPrefix.name -> prefix, s"${prefix}repair" -> mark)
    }

    private def takeBack(own: Instant, others: Seq[Instant]): Unit = if (others.nonEmpty) {
      try call.onTable((now, conf) =>
          Rollbacks.run(now, Some(own.time), KeyedOptions.of(call.session, now.basePath, conf.commit)))
      catch {
        case e: HudiliteException =>
          throw changed(others, s", and the overwrite ${own.time} could not be taken back: ${e.getMessage}")
      }
      refuse(others)
    }

    private def since(seen: Set[String]): Seq[(Instant, CommitMetadata)] =
      writes(table.refresh()).filterNot { case (write, _) => seen(write.time) }

    /** The writes of rows: those of services bring none. */
    private def writes(of: Table): Seq[(Instant, CommitMetadata)] =
      of.store.readCommits(of.timeline.writes).filterNot { case (write, metadata) =>
        metadata.operation == CommitMetadata.Cluster || metadata.isLogCompaction ||
        (of.config.tableType == TableType.MergeOnRead && write.action == Action.Commit)
      }

    private def refuse(others: Seq[Instant]): Unit = if (others.nonEmpty) throw changed(others, "")

    private def changed(others: Seq[Instant], more: String): CommitConflict = CommitConflict("TABLE_CHANGED",
      "path" -> table.basePath, "change" -> s"the write ${others.map(_.time).mkString(", ")} completed meanwhile$more")
  }

  val All: Seq[Procedure] = Seq(cleanings, properties, deduplicate)
}

/** Files that a call names by their paths. */
private[procedure] final case class FilesOf(session: SparkSession) {

  private def qualified(path: String): (FileSystem, Path) = {
    val at = new Path(path)
    val files = at.getFileSystem(Sessions.hadoopConf(session))
    files -> files.makeQualified(at)
  }

  def exists(path: String): Boolean = qualified(path) match { case (files, at) => files.exists(at) }

  /** The path is the folder itself, or lies in it. */
  def isBelow(path: String, folder: String): Boolean =
    s"${qualified(path)._2}/".startsWith(s"${qualified(folder)._2.toString.stripSuffix("/")}/")

  /** The content of a small file; `None` where there is none. */
  def read(path: String): Option[Array[Byte]] = {
    val (files, at) = qualified(path)
    if (!files.exists(at) || files.getFileStatus(at).isDirectory) None
    else {
      val in = files.open(at)
      try Some(IOUtils.toByteArray(in))
      finally in.close()
    }
  }
}

package io.hudilite.spark.procedure

import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.{BaseFileFooter, FileNames, FileSlice, PathSelection}
import io.hudilite.spark.inspect.Inspection
import io.hudilite.spark.row.SharedConf
import io.hudilite.spark.shim.Sessions
import io.hudilite.spark.task.{TaskJob, TaskWork}
import io.hudilite.storage.TablePath
import io.hudilite.table.{PartitionVersions, Table}

import java.io.FileNotFoundException
import java.util.regex.Pattern

import org.apache.hadoop.fs.ChecksumException
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.types.{DataType, DoubleType, IntegerType, LongType, StringType}

import scala.util.Try

/** Procedures that say which files a table has, in Hudi's columns. */
private[procedure] object FileProcedures {

  private val properties = Listing("show_table_properties", "Shows the properties of the table, by their names.",
    Seq(Parameter.Table, Parameter.Path, Parameter.limit(10), Listing.Filter),
    Seq("key" -> StringType, "value" -> StringType))((table, _) => Inspection.Properties.rows(table))

  private val Slice: Seq[(String, DataType)] = Seq("partition" -> StringType, "file_id" -> StringType,
    "base_instant" -> StringType, "data_file" -> StringType, "data_file_size" -> LongType,
    "num_delta_files" -> LongType, "total_delta_file_size" -> LongType)

  private val ofViews = Seq(Parameter.Table, Parameter.Path,
    Parameter.text("max_instant", "the state before this instant"),
    Parameter.flag("include_max", "the write of max_instant, too"),
    Parameter.flag("include_in_flight", "files of writes that have not completed, too: not read"),
    Parameter.flag("exclude_compaction", "without file groups that a compaction is planned for"), Parameter.limit(10),
    Parameter.text("path_regex", AllPartitions, "partitions by a regular expression, or with * for a level"),
    Listing.Filter)

  private val all = Listing("show_fsview_all", "Shows the file slices of all states that are kept, group by group.",
    ofViews, Slice :+ ("delta_files" -> StringType)) { (table, arguments) =>
    val (wanted, included) = (selection(arguments), upTo(arguments))
    val busy = excluded(table, arguments)
    for {
      partition <- table.partitions().iterator if wanted.wants(partition)
      versions <- PartitionVersions.of(table, Seq(partition))
      slice <- versions.groups.flatten if included(slice.instant) && !busy(slice)
    } yield Row.fromSeq(columns(table, slice) :+ logs(table, slice))
  }

  private val latest = Listing("show_fsview_latest", "Shows the newest file slice of each file group.",
    ofViews ++ Seq(Parameter.text("partition_path", AllPartitions, "the only partition to look at"),
      Parameter("merge", org.apache.spark.sql.types.BooleanType, "true",
        "slices with the logs of planned compactions, which is how they are read")),
    Slice ++ Seq[(String, DataType)]("delta_size_compaction_scheduled" -> LongType,
      "delta_size_compaction_unscheduled" -> LongType, "delta_to_base_radio_compaction_scheduled" -> DoubleType,
      "delta_to_base_radio_compaction_unscheduled" -> DoubleType, "delta_files_compaction_scheduled" -> StringType,
      "delta_files_compaction_unscheduled" -> StringType)) { (table, arguments) =>
    if (!arguments.flag("merge")) throw arguments.invalid("merge", "false", "slices are shown as they are read")
    val one = arguments.text("partition_path").filter(_ != AllPartitions)
    val busy = excluded(table, arguments)
    for {
      (_, slices) <- state(table, arguments).iterator(one.fold(selection(arguments))(PathSelection.named))
      slice <- slices if !busy(slice)
    } yield Row.fromSeq(columns(table, slice) ++ byPlan(table, slice))
  }

  private val sizes = Procedure("stats_file_sizes",
    "Shows the sizes of the newest files, by the write that made them.",
    Seq(Parameter.Table, Parameter.text("partition_path", "the only partitions, with * for a level"),
      Parameter.limit(10), Parameter.Path),
    Seq[(String, DataType)]("commit_time" -> StringType, "min" -> LongType, "10th" -> DoubleType,
      "50th" -> DoubleType, "avg" -> DoubleType, "95th" -> DoubleType, "max" -> LongType, "num_files" -> IntegerType,
      "std_dev" -> DoubleType)) { (session, arguments) =>
    SizeStatistics.of(session, TableArgument.pathOf(session, arguments), selection(arguments, "partition_path"))
      .take(arguments.limit).toList
  }

  private val invalid = Procedure("show_invalid_parquet",
    "Shows the Parquet files in the partitions of a table whose footers cannot be read, whether they count or not.",
    Seq(Parameter.Path, Parameter.integer("parallelism", 100, "not read: Spark decides how many tasks there are"),
      Parameter.limit(100),
      Parameter.flag("needDelete",
        "refused: what a file had is told by the commit that names it; doctor with fix => " +
          "true removes what dead writers left"),
      Parameter.text("partitions", "the only partitions, separated by commas"),
      Parameter.text("instants", "the only instants in the names of files, separated by commas"), Listing.Filter),
    Seq("path" -> StringType)) { (session, arguments) =>
    if (arguments.flag("needDelete")) throw arguments.invalid("needDelete", "true",
      "a file that a commit names is not deleted; doctor with fix => true removes what dead writers left")
    ServiceCall(session, arguments.needed("path")).onTable((table, _) =>
      Listing.limited(session, arguments, Seq("path" -> StringType), new InvalidFiles(session, table, arguments).rows))
  }

  val All: Seq[Procedure] = Seq(properties, all, latest, sizes, invalid)

  private lazy val AllPartitions = "ALL_PARTITIONS"

  private def selection(arguments: Arguments, name: String = "path_regex"): PathSelection =
    arguments.text(name).filter(_ != AllPartitions).fold(PathSelection.All)(new PathPattern(_))

  private def upTo(arguments: Arguments): String => Boolean = {
    if (arguments.flag("include_in_flight"))
      throw arguments.invalid("include_in_flight", "true", "files of writes that have not completed are not shown")
    arguments.text("max_instant").fold((_: String) => true)(max =>
      if (arguments.flag("include_max")) _ <= max else _ < max)
  }

  private def state(table: Table, arguments: Arguments): io.hudilite.table.TableFiles = {
    val included = upTo(arguments)
    if (arguments.text("max_instant").isEmpty) table.files
    else table.filesAsOf(table.timeline.writes.map(_.time).filter(included).lastOption.getOrElse(""))
  }

  private def excluded(table: Table, arguments: Arguments): FileSlice => Boolean =
    if (arguments.flag("exclude_compaction")) slice => table.pendingCompactions.contains(slice.groupId)
    else _ => false

  private def columns(table: Table, slice: FileSlice): Seq[Any] = Seq(slice.partition, slice.fileId, slice.instant,
    slice.base.map(b => s"${table.basePath}/${b.relativePath}").getOrElse(""), slice.base.map(_.length).getOrElse(-1L),
    slice.logs.size.toLong, slice.logs.map(_.length).sum)

  private def logs(table: Table, slice: FileSlice): String =
    slice.logs.map(log => s"${table.basePath}/${log.relativePath}").mkString("[", ", ", "]")

  // Logs of a slice are one: they are planned, or none of them is.
  private def byPlan(table: Table, slice: FileSlice): Seq[Any] = {
    val planned = table.pendingCompactions.contains(slice.groupId)
    val bytes = slice.logs.map(_.length).sum
    val ratio = slice.base.filter(_.length > 0).fold(0.0)(bytes.toDouble / _.length)
    def either(value: Any, none: Any): Seq[Any] = if (planned) Seq(value, none) else Seq(none, value)
    Seq[Seq[Any]](either(bytes, 0L), either(ratio, 0.0), either(logs(table, slice), "[]")).flatten
  }
}

/** Partitions by a text: a regular expression for their whole path, or `*` for any text of a level. */
private[procedure] final class PathPattern(text: String) extends PathSelection {

  private val levels = text.split('/').map(level => Pattern.quote(level).replace("*", "\\E[^/]*\\Q")).mkString("/")
  private val patterns = Seq(Some(Pattern.compile(levels)), Try(Pattern.compile(text)).toOption).flatten

  override def mayLead(folder: String): Boolean = true

  override def wants(partition: String): Boolean = patterns.exists(_.matcher(partition).matches())
}

/** Sizes of files by write, which tasks add up. */
private[procedure] object SizeStatistics {

  def of(session: SparkSession, path: String, wanted: PathSelection): Iterator[Row] = {
    val files =
      session.sql(s"SELECT * FROM hudilite_metadata(${SqlTexts.literal(path)}, 'files')")
    val selected = if (wanted eq PathSelection.All) files
    else {
      val found = files.select("partition").distinct().collect().map(_.getString(0)).filter(wanted.wants)
      files.where(files("partition").isInCollection(found.toSeq))
    }
    selected.selectExpr("instant", "bytes").rollup("instant").agg(
      expr("min(bytes)"), expr("percentile(bytes, 0.1)"), expr("percentile(bytes, 0.5)"), expr("avg(bytes)"),
      expr("percentile(bytes, 0.95)"), expr("max(bytes)"), expr("cast(count(*) AS int)"),
      expr("coalesce(stddev_samp(bytes), 0)")).orderBy(expr("instant IS NULL"), expr("instant")).collect().iterator
      .map(row => if (row.isNullAt(0)) Row.fromSeq("ALL" +: row.toSeq.tail) else row)
  }

  private def expr(text: String) = org.apache.spark.sql.functions.expr(text)
}

/** The Parquet files of some partitions without a footer that can be read; tasks read the footers. */
private[procedure] final class InvalidFiles(session: SparkSession, table: Table, arguments: Arguments) {

  private val root = table.basePath.stripSuffix("/")

  private lazy val partitions: Seq[String] = arguments.list("partitions").getOrElse(table.partitions())
  private lazy val instants = arguments.list("instants").map(_.toSet)

  def rows: Iterator[Row] = {
    partitions.find(path => path.nonEmpty && !TablePath.isNormal(path)).foreach(path =>
      throw arguments.invalid("partitions", path, "it is no path of a partition below the table"))
    val work = FooterCheck(SharedConf(Sessions.hadoopConf(session)))
    if (arguments.limit == 0) Iterator.empty
    else files.grouped(FooterCheck.FilesOfJob).flatMap(some =>
      TaskJob.run(session, "footers of Parquet files", work,
        some.grouped(FooterCheck.FilesOfTask).map(batch =>
          FooterBatch(batch.toList)).toList)).map(Row(_))
  }

  private def files: Iterator[(String, Long)] = for {
    some <- partitions.grouped(FooterCheck.FoldersAtOnce)
    found <- table.storage.list(some.map(path => if (path.isEmpty) root else s"$root/$path")).toSeq.sortBy(_._1)
    file <- found._2.sortBy(_.name) if !file.isDirectory && file.name.endsWith(FileNames.BaseExtension)
    if instants.forall(wanted => FileNames.parseBaseFile(file.name).exists(name => wanted(name.instant)))
  } yield file.path -> file.length
}

/** Paths and lengths of Parquet files. */
private[procedure] final case class FooterBatch(files: Seq[(String, Long)])

/** Paths of the files whose footers cannot be read. Storage that does not answer raises its own error. */
private[procedure] final case class FooterCheck(conf: SharedConf) extends TaskWork[FooterBatch, String] {

  override def apply(batch: FooterBatch): Seq[String] =
    batch.files.collect { case (path, length) if !isReadable(path, length) => path }

  private def isReadable(path: String, length: Long): Boolean =
    try {
      BaseFileFooter.metadata(conf.value, path, length)
      true
    } catch {
      // Its bytes are not those that were written, or fewer.
      case _: CorruptTable | _: ChecksumException => false
      case _: FileNotFoundException => true // it was deleted meanwhile
    }
}

private[procedure] object FooterCheck {
  val FoldersAtOnce = 64
  val FilesOfTask = 64
  val FilesOfJob = 4096
}

package io.hudilite.spark.procedure

import io.hudilite.filegroup.FileNames
import io.hudilite.spark.logfile.show.{MergedRecords, ShownBlock, ShownBlocks, ShownFile, ShownRecords, ShownSlice}
import io.hudilite.spark.row.SharedConf
import io.hudilite.spark.shim.Sessions
import io.hudilite.spark.task.TaskJob
import io.hudilite.table.{PartitionVersions, Table}

import java.io.IOException

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.types.{DataType, IntegerType, StringType}

/** Procedures that say what is in log files, in Hudi's columns. Tasks read the files. */
private[procedure] object LogProcedures {

  private val Pattern = Parameter.text("log_file_path_pattern",
    "the log files, by their whole paths, with *, ?, [ab] and {a,b} for names")

  private val named = Seq(Parameter.Table, Parameter.Path, Pattern)

  private def showing(name: String, summary: String, parameters: Seq[Parameter], columns: Seq[(String, DataType)])(
      rows: Shown => Iterator[Row]): Procedure = Procedure(name, summary, parameters, columns) {
    (session, arguments) =>
      val pattern = arguments.needed(Pattern.name)
      val call = ServiceCall.of(session, arguments)
      call.onTable { (table, _) =>
        // With a filter all rows are looked at, and then limited.
        val most = if (arguments.text(Listing.Filter.name).isDefined) Int.MaxValue else arguments.limit
        val files = new LogFilesOf(session, table, arguments, pattern).found
        Listing.limited(session, arguments, columns, rows(Shown(session, table, arguments, files, most)))
      }
  }

  private final case class Shown(session: SparkSession, table: Table, arguments: Arguments, files: Seq[ShownFile],
      most: Int) {
    def conf: SharedConf = SharedConf(Sessions.hadoopConf(session))

    /** Files of a job: some at a time, since the first ones may be enough. */
    def inTurns[I, T](items: Seq[I])(read: Seq[I] => Seq[T]): Iterator[T] =
      if (most == 0) Iterator.empty
      else items.grouped(session.sparkContext.defaultParallelism.max(1) * FilesOfCore).flatMap(read)
  }

  private val FilesOfCore = 4

  private val metadata = showing("show_logfile_metadata", "Shows the blocks of log files, file by file.",
    named ++ Seq(Parameter.limit(10), Listing.Filter),
    Seq[(String, DataType)]("instant_time" -> StringType, "record_count" -> IntegerType, "block_type" -> StringType,
      "header_metadata" -> StringType, "footer_metadata" -> StringType)) { shown =>
    val blocks = shown.inTurns(shown.files)(files =>
      TaskJob.run(shown.session, "blocks of log files", ShownBlocks(shown.conf, shown.most), files))
    numbered(blocks).map { case (instant, block) =>
      Row(instant, block.records.map(Int.box).orNull, block.kind, block.headers, block.footers)
    }
  }

  // Blocks that name no instant have a number, as in Hudi.
  private def numbered(blocks: Iterator[ShownBlock]): Iterator[(String, ShownBlock)] = {
    var (damaged, unnamed) = (0, 0)
    blocks.map { block =>
      val instant = block.instant.getOrElse {
        if (block.isDamage) { damaged += 1; s"corrupt_block_$damaged" }
        else { unnamed += 1; s"dummy_instant_time_$unnamed" }
      }
      instant -> block
    }
  }

  private val records = showing("show_logfile_records",
    "Shows the records of log files as JSON texts, as the files have them or merged among themselves.",
    named ++ Seq(Parameter.flag("merge", "one record a key, by the table's rule, of writes that have completed"),
      Parameter.limit(10), Listing.Filter), Seq("records" -> StringType)) { shown =>
    val texts =
      if (shown.arguments.flag("merge")) shown.inTurns(slices(shown))(some =>
        TaskJob.run(shown.session, "records of log files",
          MergedRecords.of(shown.table, shown.conf, shown.most), some))
      else shown.inTurns(shown.files)(files =>
        TaskJob.run(shown.session, "records of log files", ShownRecords(shown.conf, shown.most), files))
    texts.map(Row(_))
  }

  /** The slices of the files, of all states that are kept, with these log files alone. */
  private def slices(shown: Shown): Seq[ShownSlice] = {
    val root = s"${shown.table.basePath.stripSuffix("/")}/"
    val wanted = shown.files.map(_.path.stripPrefix(root)).toSet
    val partitions = wanted.map(path => path.substring(0, path.lastIndexOf('/').max(0))).toSeq.sorted
    for {
      versions <- PartitionVersions.of(shown.table, partitions)
      slice <- (versions.groups ++ versions.replaced.map(_._2)).flatten
      logs = slice.logs.filter(log => wanted(log.relativePath)) if logs.nonEmpty
    } yield ShownSlice(slice.copy(base = None, logs = logs))
  }

  val All: Seq[Procedure] = Seq(metadata, records)
}

/** The log files of a table that a pattern of paths names. */
private[procedure] final class LogFilesOf(session: SparkSession, table: Table, arguments: Arguments, pattern: String) {

  private val place = new Path(pattern)
  private val files = place.getFileSystem(Sessions.hadoopConf(session))
  private val root = s"${files.makeQualified(new Path(table.basePath)).toString.stripSuffix("/")}/"

  /** Sorted by their paths; raises `InvalidInput` where there is none, or one that is not of the table. */
  def found: Seq[ShownFile] = {
    val matching = listed.filter(f => f.isFile && FileNames.parseLogFile(f.getPath.getName).isDefined)
      .map(f => ShownFile(files.makeQualified(f.getPath).toString, f.getLen)).sortBy(_.path)
    matching.find(!_.path.startsWith(root)).foreach(other =>
      throw invalid(s"${other.path} lies outside of the table ${table.basePath}"))
    val own = matching.filterNot(_.path.startsWith(s"$root.hoodie/"))
    if (own.isEmpty) throw invalid("no log file of the table has such a path")
    own
  }

  private def listed: Seq[FileStatus] =
    try Option(files.globStatus(place)).toSeq.flatten
    catch {
      case e: IOException if e.getMessage != null && e.getMessage.contains("pattern") => throw invalid(e.getMessage)
    }

  private def invalid(reason: String) = arguments.invalid("log_file_path_pattern", pattern, reason)
}

package io.hudilite.spark.catalog.statement

import io.hudilite.config.{BootstrapOptions, TableOptions, WriteOptions}
import io.hudilite.error.InvalidInput

import java.net.URI
import java.util.regex.{Pattern, PatternSyntaxException}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{DataFrame, SaveMode, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.SaveIntoDataSourceCommand
import org.apache.spark.sql.hudilite.Datasets

/** The operation `bootstrap` of a DataFrame's writer: a new table of the rows in Parquet files, which stay as they are. The
  * DataFrame has no rows of its own.
  */
private[statement] final class BootstrapRows(session: SparkSession) {

  import BootstrapOptions._

  /** The options and the write of the rows that it takes; any other write as it is. */
  def taken(save: SaveIntoDataSourceCommand, asked: Map[String, String])
      : (Map[String, String], SaveIntoDataSourceCommand) =
    if (!areAsked(asked)) (asked, save)
    else {
      BootstrapOptions.all.foreach(_.get(asked))
      val source = BasePath.get(asked).filter(_.nonEmpty).getOrElse(throw InvalidInput("MISSING_OPTION",
          "option" -> BasePath.name, "reason" -> "a bootstrap takes the rows of the Parquet files there"))
      checkRows(save.query)
      val rows = session.read.parquet(source)
      checkModes(asked, source, rows)
      // A table that is there has rows, and a bootstrap makes one.
      val mode = if (save.mode == SaveMode.Append) SaveMode.ErrorIfExists else save.mode
      (optionsOf(asked), save.copy(query = rows.queryExecution.analyzed, mode = mode))
    }

  private def optionsOf(asked: Map[String, String]): Map[String, String] = {
    val taken = (BootstrapOptions.all :+ WriteOptions.Operation).flatMap(_.names)
    val keys = Seq(TableOptions.KeyGeneratorClass -> KeyGenerator, TableOptions.KeyGeneratorName -> KeyGeneratorName)
      .flatMap { case (option, own) => own.get(asked).filterNot(_ => option.isSet(asked)).map(option.name -> _) }
    asked.filterNot { case (name, _) => taken.exists(_.equalsIgnoreCase(name)) } ++ keys +
      (WriteOptions.Operation.name -> "bulk_insert")
  }

  /** Raises `InvalidInput` unless all partitions are taken over with whole rows. */
  private def checkModes(asked: Map[String, String], source: String, rows: DataFrame): Unit = Selector(asked) match {
    case FullRecord =>
    case ByRegex =>
      val matching = pattern(Regex(asked))
      val whole = RegexMode(asked) == "FULL_RECORD"
      folders(source, rows).find(matching.matcher(_).matches != whole).foreach(folder =>
        throw refused(ByRegex, s"of the partition '$folder' it takes the meta columns alone"))
    case other => throw refused(other, "it takes the meta columns alone")
  }

  /** Paths of the folders with files, below the source. */
  private def folders(source: String, rows: DataFrame): Seq[String] = {
    val top = new Path(source).toUri.getPath
    rows.inputFiles.toSeq.map(file => new Path(new URI(file)).getParent.toUri.getPath).distinct
      .map(_.stripPrefix(top).stripPrefix("/")).sorted
  }

  private def refused(selector: String, reason: String): InvalidInput = InvalidInput.option(Selector.name, selector,
    s"$reason, and hudilite makes no skeletons: say $FullRecord, which copies whole rows, or call hudilite.convert")

  private def pattern(regex: String): Pattern =
    try Pattern.compile(regex)
    catch { case e: PatternSyntaxException => throw InvalidInput.option(Regex.name, regex, e.getDescription) }

  // Rows of a DataFrame would be lost in silence.
  private def checkRows(query: LogicalPlan): Unit =
    if (query.output.nonEmpty && !Datasets.ofRows(session, query).isEmpty) throw InvalidInput.option(
      WriteOptions.Operation.name, Operation,
      s"the DataFrame has rows, and a bootstrap takes those at ${BasePath.name} alone; write an empty one")
}

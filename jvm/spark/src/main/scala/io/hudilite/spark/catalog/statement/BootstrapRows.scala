package io.hudilite.spark.catalog.statement

import io.hudilite.config.{BootstrapOptions, TableOptions, WriteOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.spark.bootstrap.{BootstrapPlan, SourceFolder}
import io.hudilite.spark.write.attempt.AfterCommit

import java.util.regex.{Pattern, PatternSyntaxException}

import org.apache.spark.SparkException
import org.apache.spark.sql.{DataFrame, SaveMode, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.SaveIntoDataSourceCommand
import org.apache.spark.sql.hudilite.Datasets

/** The operation `bootstrap` of a DataFrame's writer: a new table of the rows in Parquet files, which stay as they are. The
  * DataFrame has no rows of its own.
  *
  * @param after
  *   the work that follows a write
  */
private[statement] final class BootstrapRows(session: SparkSession, after: AfterCommit) {

  import BootstrapOptions._

  /** Where rows are copied, the options and the write of them; any other write as it is. The statement of a bootstrap that
    * leaves rows where they are.
    */
  def taken(save: SaveIntoDataSourceCommand, asked: Map[String, String])
      : Either[LogicalPlan, (Map[String, String], SaveIntoDataSourceCommand)] =
    if (!areAsked(asked)) Right((asked, save))
    else {
      BootstrapOptions.all.foreach(_.get(asked))
      val source = BasePath.get(asked).filter(_.nonEmpty).getOrElse(throw InvalidInput("MISSING_OPTION",
          "option" -> BasePath.name, "reason" -> "a bootstrap takes the rows of the Parquet files there"))
      checkRows(save.query)
      val rows = rowsAt(source)
      // A table that is there has rows, and a bootstrap makes one.
      val mode = if (save.mode == SaveMode.Append) SaveMode.ErrorIfExists else save.mode
      val (whole, staying) = if (Selector(asked) == FullRecord) (Nil, Nil) else dealt(asked, source, rows)
      if (staying.isEmpty) Right((optionsOf(asked), save.copy(query = rows.queryExecution.analyzed, mode = mode)))
      else Left(statement(asked, mode, source, rows, whole, staying))
    }

  // Spark tells in many lines of a file that it takes for one with the columns of all.
  private def rowsAt(source: String): DataFrame =
    try session.read.parquet(source)
    catch {
      case e: SparkException =>
        val first = Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).toSeq.last
        throw InvalidInput.because(e, "INVALID_OPTION_VALUE", "option" -> BasePath.name, "value" -> source,
          "reason" -> s"a file there is not of Parquet: ${String.valueOf(first.getMessage).takeWhile(_ != '\n')}")
    }

  private def statement(asked: Map[String, String], mode: SaveMode, source: String, rows: DataFrame,
      whole: Seq[SourceFolder], staying: Seq[SourceFolder]): LogicalPlan = {
    checkPaths(asked, staying)
    val told = columnsOf(staying.head.partition).flatMap(name => rows.columns.find(_.equalsIgnoreCase(name)))
    BootstrapStatement(optionsOf(asked) ++ spelling(asked, told, whole ++ staying), mode,
      BootstrapPlan(source, staying.flatMap(_.files), told), rows.schema, whole.map(_.path), after)
  }

  /** Names of the columns that the levels of a path tell as Spark and Hive have them; none where it is none of theirs. */
  private def columnsOf(partition: String): Seq[String] = {
    val levels = partition.split('/').toSeq
    if (levels.forall(_.indexOf('=') > 0)) levels.map(_.takeWhile(_ != '=')) else Nil
  }

  /** Folders of the source are the partitions of the table, as Spark and Hive spell them. */
  private def spelling(asked: Map[String, String], told: Seq[String], all: Seq[SourceFolder]): Map[String, String] =
    if (told.isEmpty) Map.empty
    else Seq(TableOptions.HiveStyle -> true, TableOptions.UrlEncode -> all.exists(_.partition.contains('%')))
      .collect { case (option, true) if !option.isSet(asked) => option.name -> "true" }.toMap

  private def checkPaths(asked: Map[String, String], staying: Seq[SourceFolder]): Unit = Translator.get(asked)
    .filter(name => name.contains("Decoded") && staying.exists(_.partition.contains('%'))).foreach(name =>
      throw InvalidInput.option(Translator.name, name,
        "partitions keep the paths of their folders where rows stay in these"))

  private def optionsOf(asked: Map[String, String]): Map[String, String] = {
    val taken = (BootstrapOptions.all :+ WriteOptions.Operation).flatMap(_.names)
    val keys = Seq(TableOptions.KeyGeneratorClass -> KeyGenerator, TableOptions.KeyGeneratorName -> KeyGeneratorName)
      .flatMap { case (option, own) => own.get(asked).filterNot(_ => option.isSet(asked)).map(option.name -> _) }
    asked.filterNot { case (name, _) => taken.exists(_.equalsIgnoreCase(name)) } ++ keys +
      (WriteOptions.Operation.name -> "bulk_insert")
  }

  /** Folders whose rows are copied, and those whose rows stay there. */
  private def dealt(asked: Map[String, String], source: String, rows: DataFrame)
      : (Seq[SourceFolder], Seq[SourceFolder]) = {
    val all = SourceFolder.all(session, source, rows.inputFiles.toSeq)
    if (Selector(asked) == MetadataOnly) (Nil, all)
    else {
      val matching = pattern(Regex(asked))
      val whole = RegexMode(asked) == "FULL_RECORD"
      all.partition(folder => matching.matcher(folder.partition).matches == whole)
    }
  }

  private def pattern(regex: String): Pattern =
    try Pattern.compile(regex)
    catch { case e: PatternSyntaxException => throw InvalidInput.option(Regex.name, regex, e.getDescription) }

  // Rows of a DataFrame would be lost in silence.
  private def checkRows(query: LogicalPlan): Unit =
    if (query.output.nonEmpty && !Datasets.ofRows(session, query).isEmpty) throw InvalidInput.option(
      WriteOptions.Operation.name, Operation,
      s"the DataFrame has rows, and a bootstrap takes those at ${BasePath.name} alone; write an empty one")
}

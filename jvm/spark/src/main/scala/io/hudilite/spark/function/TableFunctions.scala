package io.hudilite.spark.function

import io.hudilite.config.ReadOptions
import io.hudilite.error.InvalidInput
import io.hudilite.spark.catalog.{HudiliteCatalog, HudiliteTable}
import io.hudilite.spark.inspect.{InspectTable, Inspection}
import io.hudilite.spark.procedure.TableArgument

import java.util.Locale

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Functions in FROM, by Hudi's names. Their first argument is a table by a name that the session knows, or its path. */
object TableFunctions {

  private val Changes = "hudi_table_changes"
  private val Timeline = "hudi_query_timeline"
  private val Metadata = "hudilite_metadata"
  private val MetadataOfHudi = "hudi_metadata"
  private val FileSystemView = "hudi_filesystem_view"

  // The states of a row that the read shows, in Hudi's words.
  private val LatestState = "latest_state"
  private val Cdc = "cdc"

  def inject(extensions: SparkSessionExtensions): Unit = {
    register(extensions, Changes, "(table, 'latest_state', begin[, end]): rows that commits after begin wrote")(changes)
    register(extensions, Metadata, "(table, name): a metadata table of a table, such as 'history'")(metadata)
    register(extensions, Timeline, "(table[, 'true']): the instants of the timeline, with the archived ones")(timeline)
    register(extensions, FileSystemView, "(table[, partition]): the newest file slices")(fileSystemView)
    register(extensions, MetadataOfHudi, "(table): the records of its metadata table")(metadataOfHudi)
  }

  private def register(extensions: SparkSessionExtensions, name: String, usage: String)(
      table: (SparkSession, Seq[String]) => Table)
      : Unit =
    extensions.injectTableFunction((FunctionIdentifier(name),
        new ExpressionInfo(getClass.getName, null, name, s"$name$usage", "", "", "", "", "", "", "built-in"),
        (arguments: Seq[Expression]) => relation(table(SparkSession.active, arguments.map(textOf(name, _))))))

  private def relation(table: Table): LogicalPlan = DataSourceV2Relation.create(table, None, None)

  private def changes(session: SparkSession, arguments: Seq[String]): Table = arguments match {
    case Seq(table, state, begin, end @ _*) if end.size <= 1 =>
      val path = TableArgument.pathOf(session, table)
      if (!Set(LatestState, Cdc)(state.toLowerCase(Locale.ROOT)))
        throw invalid(Changes, state, s"it must be $LatestState")
      if (state.equalsIgnoreCase(Cdc))
        throw invalid(Changes, state, s"images before and after a change cannot be read; use $LatestState")
      opened(session, path,
        Map(ReadOptions.QueryType.name -> "incremental", ReadOptions.BeginInstant.name -> begin) ++
          end.map(ReadOptions.EndInstant.name -> _))
    case _ => throw invalid(Changes, arguments.mkString(", "), s"write $Changes(table, '$LatestState', begin[, end])")
  }

  private def metadata(session: SparkSession, arguments: Seq[String]): Table = arguments match {
    // Where Apache Hudi's function has the name.
    case Seq(name, what) if what.equalsIgnoreCase(MetadataOfHudi) => metadataOfHudi(session, Seq(name))
    case Seq(name, what) => metadataTable(session, name, Inspection.named(what))
    case _ => throw invalid(Metadata, arguments.mkString(", "), s"write $Metadata(table, name)")
  }

  private def metadataTable(session: SparkSession, name: String, what: Inspection): Table = {
    val path = TableArgument.pathOf(session, name)
    HudiliteCatalog.table(session, path, Map.empty, dataFrame = false).table.map(InspectTable(_, what)(session))
      .getOrElse(throw notFound(path))
  }

  private def timeline(session: SparkSession, arguments: Seq[String]): Table = arguments match {
    case Seq(name) => metadataTable(session, name, Inspection.Timeline)
    case Seq(name, Flag(archived)) =>
      metadataTable(session, name, if (archived) Inspection.WholeTimeline else Inspection.Timeline)
    case _ => throw invalid(Timeline, arguments.mkString(", "),
        s"write $Timeline(table[, archived]), where archived is 'true' or 'false'")
  }

  private object Flag {
    def unapply(text: String): Option[Boolean] =
      Some(text.toLowerCase(Locale.ROOT)).filter(Set("true", "false")).map(_.toBoolean)
  }

  private def fileSystemView(session: SparkSession, arguments: Seq[String]): Table = arguments match {
    case Seq(name) => metadataTable(session, name, Inspection.FileGroups)
    case _ => throw invalid(FileSystemView, arguments.mkString(", "),
        s"write $FileSystemView(table), and select partitions by WHERE partition LIKE ...")
  }

  // The records of the metadata table, which hudilite_metadata has as facts on files.
  private def metadataOfHudi(session: SparkSession, arguments: Seq[String]): Table = arguments match {
    case Seq(name) => metadataTable(session, name, Inspection.HudiMetadata) match {
        case found: InspectTable if found.table.config.metadataPartitions.isEmpty =>
          throw invalid(MetadataOfHudi, name,
            "it has no metadata table; CALL hudilite.system.create_metadata_table makes one")
        case found => found
      }
    case _ => throw invalid(MetadataOfHudi, arguments.mkString(", "), s"write $MetadataOfHudi(table)")
  }

  private def opened(session: SparkSession, path: String, options: Map[String, String]): HudiliteTable = {
    val found = HudiliteCatalog.table(session, path, options, dataFrame = false)
    if (found.table.isEmpty) throw notFound(path) else found
  }

  private def notFound(path: String): InvalidInput = InvalidInput("TABLE_NOT_FOUND", "path" -> path)

  private def textOf(function: String, argument: Expression): String =
    if (!argument.foldable) throw invalid(function, argument.sql, "arguments of a table function must be constants")
    else Option(argument.eval()).getOrElse(throw invalid(function, "NULL",
        "arguments of a table function must not be null")).toString

  private def invalid(function: String, value: String, reason: String): InvalidInput =
    InvalidInput("INVALID_OPTION_VALUE", "option" -> s"arguments of $function", "value" -> value, "reason" -> reason)
}

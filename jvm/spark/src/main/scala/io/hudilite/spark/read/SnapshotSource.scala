package io.hudilite.spark.read

import io.hudilite.config.{Options, ReadOptions, TableConfig}
import io.hudilite.error.{InvalidInput, UnsupportedTable}
import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.record.MetaFields
import io.hudilite.spark.row.SchemaConversion
import io.hudilite.table.{IncrementalRange, Table}
import io.hudilite.timeline.InstantTime
import org.apache.spark.sql.types.{StringType, StructField, StructType}

/** Which state of a table a query reads. */
sealed trait Query

object Query {

  /** The newest committed rows. */
  case object Snapshot extends Query

  /** The rows as of an instant, by requested time and inclusive. */
  final case class AsOf(instant: String) extends Query

  /** The rows that writes of a range left behind. */
  final case class Incremental(range: IncrementalRange) extends Query

  /** The query that read options ask for; base files are all there is, so `read_optimized` is a snapshot. */
  def of(options: Map[String, String], config: TableConfig): Query = {
    Options.check(options)
    if (ReadOptions.QueryType(options) == "incremental") incremental(options, config)
    else ReadOptions.AsOfInstant.get(options) match {
      case Some(text) => AsOf(InstantTime.parseUserInput(text, config.zone))
      case None => Snapshot
    }
  }

  private def incremental(options: Map[String, String], config: TableConfig): Query = {
    val begin = ReadOptions.BeginInstant.get(options).getOrElse(throw InvalidInput("MISSING_OPTION",
        "option" -> ReadOptions.BeginInstant.name, "reason" -> "an incremental read begins there"))
    Incremental(IncrementalRange(position(begin, config), ReadOptions.EndInstant.get(options).map(position(_, config))))
  }

  // `000`, `0` and `earliest` lie before every instant.
  private def position(text: String, config: TableConfig): String =
    if (text.forall(_ == '0') || text.equalsIgnoreCase("earliest")) "0"
    else InstantTime.parseUserInput(text, config.zone)
}

/** The base files that a query looks at.
  *
  * @param commitTimes
  *   of an incremental query: only rows with one of these commit times count
  */
final case class SourceFiles(files: Seq[BaseFile], commitTimes: Option[Set[String]])

/** One table in the state that a query asks for. Files are listed once, when first needed. */
final class SnapshotSource(val table: Table, val query: Query) {

  /** Data columns of the state read; an empty table without a schema has none. */
  lazy val dataSchema: StructType = {
    val json = query match {
      case Query.AsOf(instant) => table.store.schema(table.timeline.upTo(instant)).orElse(table.schemaJson)
      case _ => table.schemaJson
    }
    json.map(SchemaConversion.toSpark).getOrElse(new StructType())
  }

  /** Data columns, behind the meta columns when those are to be seen. */
  def schema(withMeta: Boolean): StructType =
    if (withMeta) StructType(MetaFields.all.map(StructField(_, StringType)) ++ dataSchema.fields) else dataSchema

  lazy val files: SourceFiles = query match {
    case Query.Snapshot => SourceFiles(bases(table.allSlices()), None)
    case Query.AsOf(instant) => SourceFiles(bases(table.allSlices(Some(instant))), None)
    case Query.Incremental(range) =>
      val changed = table.incremental(range)
      SourceFiles(bases(changed.slices), Some(changed.instants))
  }

  private def bases(slices: Map[String, Seq[FileSlice]]): Seq[BaseFile] = slices.toSeq.sortBy(_._1).flatMap {
    case (_, ofPartition) => ofPartition.flatMap { slice =>
        if (slice.logs.nonEmpty) throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath,
          "feature" -> s"the log file ${slice.logs.head.name}", "reason" -> "log files are not read")
        slice.base
      }
  }

  def describe: String = query match {
    case Query.Snapshot => "snapshot"
    case Query.AsOf(instant) => s"as of $instant"
    case Query.Incremental(range) => s"incremental after ${range.begin}" +
        range.end.map(e => s" up to $e").getOrElse("")
  }
}

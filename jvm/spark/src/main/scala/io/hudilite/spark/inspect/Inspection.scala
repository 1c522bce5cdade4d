package io.hudilite.spark.inspect

import io.hudilite.error.UnknownName
import io.hudilite.filegroup.PathSelection
import io.hudilite.spark.basefile.read.{FilterOutcomes, PossibleValues, ScanFilter}
import io.hudilite.storage.TablePath
import io.hudilite.table.Table

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{DataType, IntegerType, LongType, MapType, StringType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Rows that tell something of a table: what a metadata table, a procedure and the calls from Python all show.
  *
  * @param name
  *   by which it is asked for
  * @param summary
  *   meaning of a row
  * @param columns
  *   their names with types, in order
  */
sealed abstract class Inspection(val name: String, val summary: String, columns: (String, DataType)*)
    extends Product with Serializable {

  /** All columns may be null as far as Spark knows. */
  val schema: StructType = StructType(columns.map { case (column, dataType) => StructField(column, dataType) })
}

/** One whose rows the driver makes, of what it knows of the table or reads of the timeline. */
sealed abstract class DriverInspection(name: String, summary: String, columns: (String, DataType)*)
    extends Inspection(name, summary, columns: _*) {
  def rows(table: Table, asked: RowsAsked = RowsAsked.All): Iterator[Row]
}

/** One row or more of each file slice: as many as a large table has files, so that tasks make them.
  *
  * @param footerColumns
  *   columns for which the footers of base files are opened
  */
sealed abstract class SliceInspection(name: String, summary: String, val footerColumns: Set[String],
    columns: (String, DataType)*) extends Inspection(name, summary, columns: _*)

object Inspection {

  /** The records of the metadata table beside a table, in Hudi's columns: only a function asks for them. */
  case object HudiMetadata extends Inspection("hudi_metadata", "a record of the metadata table",
        MetadataColumns.All: _*)

  case object History extends DriverInspection("history", "a completed write with what it did, the newest first",
        "time" -> StringType, "completion_time" -> StringType, "action" -> StringType, "operation" -> StringType,
        "partitions" -> IntegerType, "files" -> IntegerType, "rows" -> LongType, "inserts" -> LongType,
        "updates" -> LongType, "deletes" -> LongType, "bytes" -> LongType, "replaced" -> IntegerType,
        "metadata" -> MapType(StringType, StringType)) {
    override def rows(table: Table, asked: RowsAsked): Iterator[Row] = TimelineRows.history(table, asked)
  }

  case object Timeline extends DriverInspection("timeline", "an instant of the active timeline, the oldest first",
        "time" -> StringType, "completion_time" -> StringType, "action" -> StringType, "state" -> StringType,
        "file" -> StringType) {
    override def rows(table: Table, asked: RowsAsked): Iterator[Row] = TimelineRows.timeline(table)
  }

  /** With the archive, which is read as a whole: only a function asks for it. */
  case object WholeTimeline extends DriverInspection("whole_timeline", "an instant of the timeline, the oldest first",
        "time" -> StringType, "completion_time" -> StringType, "action" -> StringType, "state" -> StringType,
        "file" -> StringType) {
    override def rows(table: Table, asked: RowsAsked): Iterator[Row] = TimelineRows.whole(table)
  }

  case object Compactions extends DriverInspection("compactions",
        "a compaction of the active timeline, planned or done, the oldest first",
        "time" -> StringType, "completion_time" -> StringType, "action" -> StringType, "state" -> StringType,
        "file_groups" -> IntegerType, "log_files" -> LongType, "bytes" -> LongType) {
    override def rows(table: Table, asked: RowsAsked): Iterator[Row] = TimelineRows.compactions(table, asked)
  }

  case object Properties extends DriverInspection("properties", "a property of the table, by its name",
        "key" -> StringType, "value" -> StringType) {
    override def rows(table: Table, asked: RowsAsked): Iterator[Row] =
      table.config.properties.toSeq.sorted.iterator.map { case (key, value) => Row(key, value) }
  }

  case object Partitions extends DriverInspection("partitions",
        "a partition of the newest snapshot with what lies in it",
        "partition" -> StringType, "file_groups" -> IntegerType, "base_files" -> IntegerType,
        "log_files" -> IntegerType, "bytes" -> LongType) {
    // Partition by partition: of one that has been counted nothing but its row stays.
    override def rows(table: Table, asked: RowsAsked): Iterator[Row] =
      table.files.iterator(asked.partitions).map { case (partition, slices) =>
        Row(partition, slices.size, slices.count(_.base.isDefined), slices.map(_.logs.size).sum,
          slices.map(_.totalLength).sum)
      }
  }

  case object FileGroups extends SliceInspection("file_groups", "a file group with its newest file slice", Set.empty,
        "partition" -> StringType, "file_id" -> StringType, "instant" -> StringType, "base_file" -> StringType,
        "base_bytes" -> LongType, "log_files" -> IntegerType, "log_bytes" -> LongType)

  case object Files extends SliceInspection("files",
        "a file of the newest snapshot; rows and keys are those of base files",
        Set("rows", "min_key", "max_key"),
        "partition" -> StringType, "file_id" -> StringType, "instant" -> StringType, "kind" -> StringType,
        "rows" -> LongType, "bytes" -> LongType, "min_key" -> StringType, "max_key" -> StringType,
        "name" -> StringType)

  val All: Seq[Inspection] = Seq(History, Timeline, Files, FileGroups, Partitions, Compactions, Properties)

  def find(name: String): Option[Inspection] = All.find(_.name.equalsIgnoreCase(name))

  /** The one of a name in any case; raises `UNKNOWN_NAME`. */
  def named(name: String): Inspection = find(name).getOrElse {
    throw UnknownName.of("metadata table", name, All.map(_.name))
  }
}

/** Rows of a metadata table that a query asks for, so that nothing is read for others alone.
  *
  * @param filters
  *   Spark applies them again
  * @param limit
  *   so many rows are enough
  */
final case class RowsAsked(filters: Seq[ScanFilter] = Nil, limit: Option[Int] = None) {

  /** A row with these texts, null for none, may pass; other columns may have any value. */
  def mayHold(texts: (String, String)*): Boolean = maybe(texts.map { case (column, text) =>
    Seq(column) -> PossibleValues.OneOfThese(Seq(if (text == null) null else UTF8String.fromString(text)))
  }.toMap)

  /** The partitions that the column `partition` may name. */
  def partitions: PathSelection =
    if (!filters.exists(_.columns.contains(RowsAsked.Partition))) PathSelection.All
    else new PathSelection {
      override def mayLead(folder: String): Boolean = folder.isEmpty ||
        maybe(Map(RowsAsked.Partition -> PossibleValues.TextFrom(UTF8String.fromString(folder))))

      override def wants(partition: String): Boolean = mayHold(RowsAsked.Partition.head -> partition)

      // No partition has a path that is not in its one form.
      override lazy val only: Option[Seq[String]] = ScanFilter.conjuncts(filters).collectFirst {
        case ScanFilter.Comparison(RowsAsked.Partition, ScanFilter.Equal, path) => Seq(path)
        case ScanFilter.OneOf(RowsAsked.Partition, paths) => paths
      }.map(_.map(_.toString).filter(TablePath.isNormal))
    }

  /** A row with one of these values in the column may pass. */
  def mayBe(column: Seq[String], values: Seq[Any]): Boolean = maybe(Map(column -> PossibleValues.OneOfThese(values)))

  private def maybe(values: Map[Seq[String], PossibleValues]): Boolean =
    filters.forall(FilterOutcomes.of(_, values).isTrue)
}

object RowsAsked {

  val All: RowsAsked = RowsAsked()

  private val Partition: Seq[String] = Seq("partition")
}

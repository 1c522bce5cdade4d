package io.hudilite.spark.logfile.read

import io.hudilite.config.DeleteMarker
import io.hudilite.error.UnsupportedTable
import io.hudilite.filegroup.{FileSlice, SliceLogs}
import io.hudilite.log.{BlockInstants, BlockSelection, LogBlock, LogFiles}
import io.hudilite.merge.MergeRule
import io.hudilite.schema.{ColumnNames, EvolvedColumns}
import io.hudilite.spark.row.SchemaConversion
import io.hudilite.table.{Table, TableSupport}

import java.nio.ByteBuffer

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.types._

/** How records of a table's logs are decoded and merged; ships to tasks.
  *
  * @param rule
  *   compares those ordering fields that are columns of the table
  * @param dataSchema
  *   columns of the table without the meta columns
  * @param evolved
  *   names of these columns in blocks, where some have changed
  */
final case class LogJob(
    basePath: String,
    instants: BlockInstants,
    rule: MergeRule,
    deleteMarker: Option[DeleteMarker],
    dataSchema: StructType,
    evolved: Option[EvolvedColumns] = None) {

  /** Under which names the columns are in the blocks that the write of this instant made. */
  def namesIn(instant: String): ColumnNames = evolved.fold(ColumnNames.Same: ColumnNames)(_.namesIn(instant))

  /** A job for all blocks of slices, whichever writes an incremental query looks at. */
  def ofAllWrites: LogJob = copy(instants = instants.copy(chosen = None))

  /** The columns that hold the ordering values, none when nothing is compared. */
  def orderingColumns: Seq[StructField] = rule.fields.map(dataSchema(_))
}

object LogJob {

  /** The job for the table as it was opened. A rule for merging that hudilite does not have raises `UnsupportedTable`.
    *
    * @param support
    *   facts on the columns that are read
    * @param asOf
    *   greatest instant, by requested time, whose blocks count
    */
  def of(table: Table, support: TableSupport, asOf: Option[String]): LogJob = {
    val config = table.config
    refuse(table)
    val schema = support.schema.map(s => SchemaConversion.columns(s.avroJson)).getOrElse(new StructType())
    val asked = MergeRule.of(config)
    val rule = asked.copy(fields = asked.fields.filter(schema.fieldNames.contains))
    LogJob(table.basePath, table.blockInstants(asOf), rule, config.deleteMarker, schema, support.columns)
  }

  private def refuse(table: Table): Unit = {
    val config = table.config
    def unless(fine: Boolean, feature: String, reason: String): Unit =
      if (!fine) throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath, "feature" -> feature,
        "reason" -> reason, "way" -> "Compact the table with Apache Hudi, then read it")
    unless(config.populateMetaFields, "log files without meta columns", "records without keys cannot be merged")
    unless(config.knownMergeMode.isDefined, config.customMergeName, "its rule for records with one key is not known")
    config.unknownPartialMode.foreach(mode =>
      unless(fine = false, s"partial updates in the mode $mode", "what the columns of an update say is not known"))
    config.unknownMergeProperty.foreach(key =>
      unless(fine = false, s"the merge property $key", "this property may change the result of a merge"))
    config.droppedComparison.foreach(field =>
      unless(fine = false, s"the dropped partition column $field as an ordering or delete field",
        "log files are merged by columns that they hold"))
    config.orderingFields.find(_.contains('.')).foreach(field =>
      unless(fine = false, s"the nested ordering field $field", "log files are merged by top-level columns only"))
  }
}

/** The blocks of a slice's log files that count, oldest first; their contents are not read yet. */
final class LogBlocks private (val selected: Seq[LogBlock], val baseInstant: Option[String], files: LogFiles) {

  /** Instants that wrote the blocks, in the order of the blocks. */
  def instants: Seq[String] = selected.map(_.instant).distinct

  def content(block: LogBlock): Array[Byte] = files.content(block)

  /** The content to be looked at only. */
  def view(block: LogBlock): ByteBuffer = files.view(block)

  /** Some records have only the columns that they change. */
  def havePartial: Boolean = selected.exists(_.isPartial)

  /** Every block says which rows of the slice's base file it replaces. */
  val havePositions: Boolean =
    selected.nonEmpty && baseInstant.isDefined && selected.forall(_.positionsBase.exists(baseInstant.contains(_)))
}

object LogBlocks {

  def of(job: LogJob, slice: FileSlice, conf: Configuration): LogBlocks = {
    val files = LogFiles.of(conf)
    val selected = BlockSelection.select(SliceLogs.blocks(files, job.basePath, slice), job.instants)
    new LogBlocks(selected, slice.base.map(_.instant), files)
  }
}

package io.hudilite.spark.basefile.read

import io.hudilite.filegroup.{BaseFile, BaseFileFooter, FooterCache}
import io.hudilite.record.MetaFields
import io.hudilite.schema.{ColumnNames, EvolvedColumns}
import io.hudilite.spark.row.SharedConf
import io.hudilite.stats.FileStatistics
import io.hudilite.storage.KnownPath

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.mapred.FileSplit
import org.apache.parquet.filter2.predicate.FilterPredicate
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ParquetMetadata}
import org.apache.spark.TaskContext
import org.apache.spark.sql.types.StructType

import scala.collection.JavaConverters._

/** Opener of base files in which keys are looked for.
  *
  * @param hadoop
  *   Hadoop's configuration with the session's Parquet settings in it
  * @param evolved
  *   names of the columns in the files, where some have changed
  * @param folders
  *   columns of skeletons that folders tell
  */
private[spark] final case class KeyBatches(basePath: String, hadoop: SharedConf, offHeap: Boolean, batchRows: Int,
    evolved: Option[EvolvedColumns] = None, folders: FolderColumns = FolderColumns(Nil, urlEncode = false)) {

  def conf: Configuration = hadoop.value

  @transient private[spark] lazy val contexts = new ReaderContexts(conf, caseSensitive = false)

  /** Facts of the files that are known without their rows. */
  @transient lazy val statistics: FileStatistics = FileStatistics.at(basePath, conf)

  /** Some of the columns lie in the source of the file, outside of the table. */
  def needSource(file: BaseFile, columns: StructType): Boolean =
    file.sourceOfSkeleton.isDefined && !columns.fieldNames.forall(KeyBatches.Unchanging)

  private def pathOf(file: BaseFile): String = s"$basePath/${file.relativePath}"

  private def footer(file: BaseFile): ParquetMetadata = FooterCache.metadata(conf, pathOf(file), file.length)

  /** Estimated number of pages of the record keys of a file.
    *
    * @param own
    *   true when hudilite wrote the file
    */
  def pages(file: BaseFile, own: Boolean): Long =
    footer(file).getBlocks.asScala.map(KeyBatches.pages(_, own)).sum

  /** Batches of `columns`, then of the id of the file group. They are closed with the task at the latest.
    *
    * @param filter
    *   filter by which row groups and pages are skipped; rows that do not pass it may remain
    */
  def open(file: BaseFile, columns: StructType, filter: Option[FilterPredicate], context: TaskContext)
      : FileBatches = {
    val whole = footer(file)
    val inFile = columnsOf(file, whole, columns)
    val split = new FileSplit(new KnownPath(pathOf(file), file.length), 0, file.length, Array.empty[String])
    val batches = new FileBatches(split, whole, inFile, contexts.of(inFile.requested, filter), FileCalendar.of(whole),
      BatchRows.of(whole.getBlocks.asScala.toSeq, inFile.requested, batchRows), offHeap,
      Seq(FileBatches.constantId(file.fileId)))
    context.addTaskCompletionListener[Unit](_ => batches.close())
    batches
  }

  /** Columns as they come out of a file. Only Hudi's own columns are alike in every file. */
  private def columnsOf(file: BaseFile, footer: ParquetMetadata, columns: StructType): FileColumns =
    if (columns.fieldNames.forall(KeyBatches.Unchanging))
      FileColumns(columns, columns.map(_ => Conversion.AsIs).toIndexedSeq)
    else contexts.columns(footer.getFileMetaData.getSchema, columns,
      evolved.fold(ColumnNames.Same: ColumnNames)(_.namesIn(file.instant)), s"the base file ${pathOf(file)}")
}

private[spark] object KeyBatches {

  private val Unchanging = MetaFields.all.toSet + RowReader.RowIndex.name

  // Writers begin another page at the first of two limits, which are Parquet's defaults.
  private val PageRows = 20000
  private val PageBytes = 1L << 20

  def pages(block: BlockMetaData, own: Boolean): Long = {
    val rows = if (own) BaseFileFooter.KeyPageRows else PageRows
    val bytes = block.getColumns.asScala.find(_.getPath.toDotString == MetaFields.RecordKey).map(
      _.getTotalUncompressedSize)
    (block.getRowCount / rows).max(bytes.getOrElse(0L) / PageBytes) + 1
  }
}

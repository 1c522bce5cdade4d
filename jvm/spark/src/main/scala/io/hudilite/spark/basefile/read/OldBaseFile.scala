package io.hudilite.spark.basefile.read

import io.hudilite.filegroup.{BaseFile, BaseFileFooter, Partitions}
import io.hudilite.record.MetaFields
import io.hudilite.schema.{ColumnNames, EvolvedColumns}
import io.hudilite.spark.row.KeptRows
import io.hudilite.storage.KnownPath

import java.io.Closeable

import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.parquet.io.SeekableInputStream
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import scala.collection.JavaConverters._

/** The base file that a merge replaces: its footer, and its rows by column. */
private[spark] final class OldBaseFile(
    basePath: String, val file: BaseFile, val dataSchema: StructType, contexts: ReaderContexts,
    evolved: Option[EvolvedColumns])
    extends Closeable {

  /** Under which names the columns of the table are in the file. */
  val names: ColumnNames = evolved.fold(ColumnNames.Same: ColumnNames)(_.namesIn(file.instant))

  val path = new KnownPath(s"${Partitions.directory(basePath, file.partition)}/${file.name}", file.length)

  private[spark] val reader: ParquetFileReader = BaseFileFooter.open(contexts.conf, path.toString, file.length)

  val blocks: IndexedSeq[BlockMetaData] = reader.getFooter.getBlocks.asScala.toIndexedSeq
  val rows: Long = blocks.map(_.getRowCount).sum

  def parquetSchema: MessageType = reader.getFooter.getFileMetaData.getSchema

  /** An entry of the footer's metadata. */
  def footer(key: String): Option[String] = Option(reader.getFooter.getFileMetaData.getKeyValueMetaData.get(key))

  val sortedByKey: Boolean = footer(BaseFileFooter.SortedByKey).contains("true")

  /** It is known that no two rows have the same key. */
  val uniqueKeys: Boolean = footer(BaseFileFooter.UniqueKeys).contains("true")

  /** Its days and times are in the calendar of today, as those of all files are that hudilite writes. */
  def hasPresentCalendar: Boolean = {
    val entry = (key: String) => reader.getFooter.getFileMetaData.getKeyValueMetaData.get(key)
    DataSourceUtils.datetimeRebaseSpec(entry, "CORRECTED").mode.toString == "CORRECTED"
  }

  /** How the columns of `KeptRows.schema` come out of the file. */
  lazy val columns: FileColumns = columnsOf(KeptRows.schema(dataSchema))

  private def columnsOf(wanted: StructType): FileColumns = FileColumns.plan(
    new ParquetToSparkSchemaConverter(SQLConf.get).convert(parquetSchema), wanted, caseSensitive = false, names)

  /** Ordinals in `fileSchema`, of another version of the file, of columns whose values were too many for a dictionary. To try one again would
    * cost more than to read the values.
    */
  def columnsWithoutDictionary(fileSchema: StructType): Set[Int] = fileSchema.fieldNames.indices.filter { i =>
    val chunks = blocks.flatMap(_.getColumns.asScala.find(_.getPath.toDotString == fileSchema(i).name))
    chunks.exists(OldBaseFile.hasPlainPages)
  }.toSet

  /** Old rows of these row groups, neighbours, in batches of the columns of `KeptRows.schema`. */
  def batches(of: Seq[BlockMetaData]): OldBatches = new OldBatches(path, reader.getFooter, of, columns, contexts)

  /** Some columns of `KeptRows.schema`, by their ordinals there, in batches of as many rows as those of all columns. */
  def batches(of: Seq[BlockMetaData], ordinals: Array[Int]): OldBatches = {
    val all = KeptRows.schema(dataSchema)
    new OldBatches(path, reader.getFooter, of, columnsOf(StructType(ordinals.map(all(_)))), contexts, Some(columns))
  }

  /** The keys of these row groups, neighbours, in batches of one column. */
  def keys(of: Seq[BlockMetaData]): OldBatches =
    new OldBatches(path, reader.getFooter, of, BaseKeys.KeyColumn, contexts)

  def newStream(): SeekableInputStream =
    BaseFileFooter.input(contexts.conf, path.toString, file.length).newStream()

  override def close(): Unit = reader.close()
}

private[spark] object OldBaseFile {

  /** Smallest and largest key of a row group by their bytes, unless the writer left them out. */
  def keyRange(block: BlockMetaData): Option[(Array[Byte], Array[Byte])] =
    Option(column(block, MetaFields.RecordKey).getStatistics).filter(s => s.hasNonNullValue && s.getMinBytes != null)
      .map(s => (s.getMinBytes, s.getMaxBytes))

  private def hasPlainPages(chunk: ColumnChunkMetaData): Boolean =
    Option(chunk.getEncodingStats).fold(!chunk.getEncodings.asScala.exists(_.usesDictionary))(
      _.hasNonDictionaryEncodedPages)

  def column(block: BlockMetaData, name: String): ColumnChunkMetaData =
    block.getColumns.asScala.find(_.getPath.toDotString == name).getOrElse(
      throw new IllegalStateException(s"a base file without the column $name"))
}

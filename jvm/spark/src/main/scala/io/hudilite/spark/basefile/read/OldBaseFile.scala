package io.hudilite.spark.basefile.read

import io.hudilite.filegroup.{BaseFile, BaseFileFooter, Partitions}
import io.hudilite.record.MetaFields
import io.hudilite.schema.{ColumnNames, EvolvedColumns}
import io.hudilite.spark.row.{CarriedSchema, KeySettings}
import io.hudilite.storage.KnownPath

import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData, ParquetMetadata}
import org.apache.parquet.io.SeekableInputStream
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.types.StructType

import scala.collection.JavaConverters._

/** The base file that a merge replaces: its footer, and its rows by column. Nothing of it stays open.
  *
  * @param keysToMake
  *   how the record keys of its rows are made of their columns, where they are not stored
  */
private[spark] class OldBaseFile(
    basePath: String, val file: BaseFile, val dataSchema: StructType, contexts: ReaderContexts,
    evolved: Option[EvolvedColumns], val keysToMake: Option[KeySettings] = None) {

  /** Names of the table's columns in the file. */
  val names: ColumnNames = evolved.fold(ColumnNames.Same: ColumnNames)(_.namesIn(file.instant))

  val path = new KnownPath(s"${Partitions.directory(basePath, file.partition)}/${file.name}", file.length)

  private def place: String = s"the base file $path"

  private val whole: ParquetMetadata = BaseFileFooter.metadata(contexts.conf, path.toString, file.length)
  private val facts = whole.getFileMetaData

  val blocks: IndexedSeq[BlockMetaData] = whole.getBlocks.asScala.toIndexedSeq
  val rows: Long = blocks.map(_.getRowCount).sum

  def parquetSchema: MessageType = facts.getSchema

  /** An entry of the footer's metadata. */
  def footer(key: String): Option[String] = Option(facts.getKeyValueMetaData.get(key))

  /** Estimated memory of the footer. Most of it is the text of the bloom filter. */
  def footerBytes: Long = facts.getKeyValueMetaData.asScala.values.map(_.length.toLong).sum +
    blocks.map(_.getColumns.size).sum * OldBaseFile.ChunkBytes

  val sortedByKey: Boolean = footer(BaseFileFooter.SortedByKey).contains("true")

  /** True when it is known that no two rows have equal keys. */
  val uniqueKeys: Boolean = footer(BaseFileFooter.UniqueKeys).contains("true")

  /** True when its days and times are in the calendar of today, as in all files that hudilite writes. */
  def hasPresentCalendar: Boolean = FileCalendar.of(whole).isPresent

  /** Columns of `CarriedSchema.schema` as they come out of the file. */
  lazy val columns: FileColumns = contexts.columns(parquetSchema, CarriedSchema.schema(dataSchema), names, place)

  /** Columns whose values were too many for a dictionary, by their ordinals in `fileSchema`, that of another version of
    * the file. A second try would cost more than a read of the values.
    */
  def columnsWithoutDictionary(fileSchema: StructType): Set[Int] = fileSchema.fieldNames.indices.filter { i =>
    val chunks = blocks.flatMap(_.getColumns.asScala.find(_.getPath.toDotString == fileSchema(i).name))
    chunks.exists(OldBaseFile.hasPlainPages)
  }.toSet

  /** Row groups to read for the rows of the wanted ones. */
  def blocksFor(wanted: BlockMetaData => Boolean): Seq[BlockMetaData] = blocks.filter(wanted)

  /** Old rows of these neighbouring row groups, in batches of the columns of `CarriedSchema.schema`. */
  def batches(of: Seq[BlockMetaData]): OldRows = FileBatches.of(path, whole, of, columns, contexts)

  /** Some columns of `CarriedSchema.schema`, by their ordinals there, in batches of as many rows as batches of all
    * columns have.
    */
  def batches(of: Seq[BlockMetaData], ordinals: Array[Int]): OldRows = {
    val all = CarriedSchema.schema(dataSchema)
    val some = contexts.columns(parquetSchema, StructType(ordinals.map(all(_))), names, place)
    FileBatches.of(path, whole, of, some, contexts, Some(columns))
  }

  /** Keys of these neighbouring row groups, in batches of one column. */
  def keys(of: Seq[BlockMetaData]): FileBatches =
    FileBatches.of(path, whole, of, BaseKeys.KeyColumn, contexts)

  def newStream(): SeekableInputStream =
    BaseFileFooter.input(contexts.conf, path.toString, file.length).newStream()

  /** Page indexes of this row group's columns, both null for a column that has none.
    *
    * @param in
    *   stream of the file
    */
  def pageIndexes(block: BlockMetaData, in: SeekableInputStream): Seq[PageIndexes] =
    PageIndexes.read(in, block.getColumns.asScala.toIndexedSeq)
}

private[spark] object OldBaseFile {

  private val ChunkBytes = 1024L

  /** Smallest and largest key of a row group by their bytes; `None` when the writer left them out. */
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

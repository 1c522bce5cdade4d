package io.hudilite.spark.basefile.encode

import io.hudilite.record.MetaFields
import io.hudilite.spark.shim.PageStores

import org.apache.parquet.bytes.HeapByteBufferAllocator
import org.apache.parquet.column.{ColumnWriteStore, ParquetProperties}
import org.apache.parquet.hadoop.{CodecFactory, ColumnChunkPageWriteStore, ParquetFileWriter}
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.ColumnIOFactory
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.{MessageType, Type}
import org.apache.spark.sql.types._

/** The open row group of a base file. Encodes values column by column and compresses full pages in memory.
  *
  * @param plain
  *   columns to be written without a dictionary
  * @param taken
  *   counts the bytes of the values
  */
private[spark] final class RowGroupBuffer(schema: StructType, parquetSchema: MessageType, settings: FileSettings,
    codecs: CodecFactory, plain: Set[Int], taken: TakenBytes) {

  private val pages = PageStores.open(codecs, CompressionCodecName.fromConf(settings.codec), parquetSchema,
    RowGroupBuffer.Allocator, ParquetProperties.DEFAULT_COLUMN_INDEX_TRUNCATE_LENGTH)

  /** One for each top-level column. */
  val sinks: Array[ColumnSink] =
    schema.fields.indices.map(i => sink(schema(i), parquetSchema.getType(i), pages, plain(i))).toArray

  private val fixedBytes = schema.map(field => RowGroupBuffer.fixedBytes(field.dataType)).sum
  private var count = 0L

  /** Number of rows that every sink has got. */
  def rows: Long = count

  /** To be called after every sink has got so many rows more. */
  def added(more: Int): Unit = {
    count += more
    taken.count += fixedBytes * more
  }

  /** Bytes of encoded values, those of finished pages compressed. */
  def bufferedBytes: Long = {
    var bytes = 0L
    var i = 0
    while (i < sinks.length) {
      bytes += sinks(i).bufferedBytes
      i += 1
    }
    bytes
  }

  /** Appends the rows to the file as one row group. The buffer is of no use afterwards. */
  def flushTo(file: ParquetFileWriter): Unit = {
    file.startBlock(rows)
    sinks.foreach(_.finish())
    pages.flushToFileWriter(file)
    file.endBlock()
  }

  /** Appends a column chunk of one text to the row group that `file` has open. This buffer stays unchanged. */
  def appendConstant(ordinal: Int, value: Binary, count: Long, file: ParquetFileWriter): Unit = {
    val message = new MessageType(parquetSchema.getName, parquetSchema.getType(ordinal))
    val own = PageStores.open(codecs, CompressionCodecName.fromConf(settings.codec), message, RowGroupBuffer.Allocator,
      ParquetProperties.DEFAULT_COLUMN_INDEX_TRUNCATE_LENGTH)
    val column = message.getColumns.get(0)
    ConstantChunk.write(own.getPageWriter(column), column, value, Math.toIntExact(count))
    own.flushToFileWriter(file)
  }

  /** Columns without a dictionary, and text columns whose values were too many for one. */
  def withoutDictionary: Set[Int] = sinks.indices.filter { i =>
    plain(i) ||
    (sinks(i) match {
      case text: StringSink => text.dictionaryFailed
      case _ => false
    })
  }.toSet

  private def sink(
      field: StructField, parquetType: Type, pages: ColumnChunkPageWriteStore, plain: Boolean): ColumnSink = {
    val message = new MessageType(parquetSchema.getName, parquetType)
    field.dataType match {
      case _: StringType =>
        val text = new TextValues(!plain && RowGroupBuffer.hasDictionary(field.name),
          ascending = field.name == MetaFields.RecordKey)
        val properties = RowGroupBuffer.properties(field.name, settings).withValuesWriterFactory(text)
        val store = RowGroupBuffer.checkOften(properties).build().newColumnWriteStore(message, pages, pages)
        val level = if (field.nullable) 1 else 0
        val column = message.getColumns.get(0)
        new StringSink(store, store.getColumnWriter(column), field.name, level, text, taken,
          ConstantChunk.write(pages.getPageWriter(column), column, _, _))
      case _ =>
        val properties = RowGroupBuffer.properties(field.name, settings)
        if (plain) properties.withDictionaryEncoding(false)
        if (RowGroupBuffer.fixedBytes(field.dataType) == 0) RowGroupBuffer.checkOften(properties)
        val store = properties.build().newColumnWriteStore(message, pages, pages)
        RowGroupBuffer.sink(field, message, store, taken)
    }
  }
}

private[spark] object RowGroupBuffer {

  val Allocator = new HeapByteBufferAllocator

  /** Greatest number of rows of a text column between Parquet's looks at the size of the page. */
  private val RowsBetweenPageChecks = 256

  /** Keys and sequence numbers are all different, so a dictionary would only be filled to be thrown away. */
  def hasDictionary(column: String): Boolean = column != MetaFields.RecordKey && column != MetaFields.CommitSeqno

  def properties(column: String, settings: FileSettings): ParquetProperties.Builder = {
    val builder = ParquetProperties.builder()
      .withWriterVersion(ParquetProperties.WriterVersion.PARQUET_1_0)
      .withPageSize(settings.pageBytes)
      .withDictionaryPageSize(settings.pageBytes)
      .withDictionaryEncoding(hasDictionary(column))
      .withAllocator(Allocator)
    if (column == MetaFields.RecordKey) builder.withPageRowCountLimit(settings.keyPageRows) else builder
  }

  /** By default Parquet first looks at the size of the page after 100 rows. By their size it fixes the next look, which
    * may be 5000 rows later: too many for values of different sizes.
    */
  private[encode] def checkOften(properties: ParquetProperties.Builder): ParquetProperties.Builder =
    properties.withMinRowCountForPageSizeCheck(1).withMaxRowCountForPageSizeCheck(RowsBetweenPageChecks)

  /** Bytes of each value of a type of fixed width. 0 for other types, whose sinks count them. */
  private def fixedBytes(dataType: DataType): Long = dataType match {
    case _: StringType | BinaryType | _: StructType | _: ArrayType | _: MapType => 0L
    case other => other.defaultSize.toLong
  }

  def sink(field: StructField, message: MessageType, store: ColumnWriteStore, taken: TakenBytes): ColumnSink = {
    lazy val writer = store.getColumnWriter(message.getColumns.get(0))
    val name = field.name
    val level = if (field.nullable) 1 else 0
    field.dataType match {
      case BooleanType => new BooleanSink(store, writer, name, level)
      case ByteType => new IntSink(store, writer, name, level, 1)
      case ShortType => new IntSink(store, writer, name, level, 2)
      case IntegerType | DateType => new IntSink(store, writer, name, level, 4)
      case LongType | TimestampType | TimestampNTZType => new LongSink(store, writer, name, level)
      case FloatType => new FloatSink(store, writer, name, level)
      case DoubleType => new DoubleSink(store, writer, name, level)
      case BinaryType => new BinarySink(store, writer, name, level, taken)
      case decimal: DecimalType => new DecimalSink(store, writer, name, level, decimal)
      case _ =>
        val consumer = new ColumnIOFactory().getColumnIO(message).getRecordWriter(store)
        new NestedSink(store, new NestedRecord(consumer, field, taken))
    }
  }
}

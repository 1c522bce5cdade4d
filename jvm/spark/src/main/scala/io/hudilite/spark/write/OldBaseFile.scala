package io.hudilite.spark.write

import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.{BaseFile, BaseFileFooter, Partitions}
import io.hudilite.record.MetaFields
import io.hudilite.spark.row.FileColumns
import io.hudilite.transaction.rollback.Markers

import java.io.{Closeable, IOException}

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.SeekableInputStream
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StringType, StructField, StructType}

import scala.collection.JavaConverters._
import scala.util.control.NonFatal

/** The base file that a merge replaces: its footer, and its rows by column. */
private[write] final class OldBaseFile(output: TaskOutput, val file: BaseFile) extends Closeable {

  val job: WriteJob = output.job

  val path = new Path(s"${Partitions.directory(job.basePath, file.partition)}/${file.name}")

  private val input = HadoopInputFile.fromStatus(
    new FileStatus(file.length, false, 1, OldBaseFile.BlockBytes, 0L, path), job.conf.value)

  private[write] val reader: ParquetFileReader =
    try ParquetFileReader.open(input)
    catch {
      case e: IOException => throw e
      case NonFatal(e) => throw CorruptTable.because(e, "CORRUPT_FILE", "path" -> path.toString,
          "reason" -> s"its Parquet footer cannot be read (${e.getMessage})")
    }

  val blocks: IndexedSeq[BlockMetaData] = reader.getFooter.getBlocks.asScala.toIndexedSeq
  val rows: Long = blocks.map(_.getRowCount).sum

  def parquetSchema: MessageType = reader.getFooter.getFileMetaData.getSchema

  /** An entry of the footer's metadata. */
  def footer(key: String): Option[String] = Option(reader.getFooter.getFileMetaData.getKeyValueMetaData.get(key))

  val sortedByKey: Boolean = footer(BaseFileFooter.SortedByKey).contains("true")

  /** How the columns of `OldBaseFile.schema` come out of the file. */
  lazy val columns: FileColumns = FileColumns.plan(
    new ParquetToSparkSchemaConverter(SQLConf.get).convert(parquetSchema), OldBaseFile.schema(job),
    caseSensitive = false)

  /** Opens the next base file of the file group. It takes over the bloom filter where it can. */
  def successor(): BaseFileWriter = {
    val carried = BloomCarry.of(this)
    val keys = new KeySummary(carried.getOrElse(job.bloom.create()), carried.isDefined)
    val writer = output.open(file.partition, file.fileId, Markers.Merge, keys, columnsWithoutDictionary)
    if (carried.isDefined) keys.widenBy(this)
    writer
  }

  /** Ordinals in the new file's schema of columns whose values were too many for a dictionary. To try one again would
    * cost more than to read the values.
    */
  private def columnsWithoutDictionary: Set[Int] = job.fileSchema.fieldNames.indices.filter { i =>
    val chunks = blocks.flatMap(_.getColumns.asScala.find(_.getPath.toDotString == job.fileSchema(i).name))
    chunks.exists(OldBaseFile.hasPlainPages)
  }.toSet

  /** Old rows of these row groups, neighbours, in batches of the columns of `OldBaseFile.schema`. */
  def batches(of: Seq[BlockMetaData]): OldBatches = new OldBatches(path, reader.getFooter, of, columns, output.readers)

  def newStream(): SeekableInputStream = input.newStream()

  override def close(): Unit = reader.close()
}

private[write] object OldBaseFile {

  private val BlockBytes = 128L * 1024 * 1024

  /** Meta columns that a kept row takes along; its file name is that of the new file. */
  val KeptMeta: Seq[String] =
    Seq(MetaFields.CommitTime, MetaFields.CommitSeqno, MetaFields.RecordKey, MetaFields.PartitionPath)
  val KeyOrdinal = 2

  /** Columns of old rows: the kept meta columns, then the data columns. */
  def schema(job: WriteJob): StructType = StructType(KeptMeta.map(StructField(_, StringType)) ++ job.dataSchema.fields)

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

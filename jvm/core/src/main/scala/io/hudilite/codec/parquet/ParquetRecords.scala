package io.hudilite.codec.parquet

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.api.{InitContext, ReadSupport}
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.io.{ColumnIOFactory, InputFile, RecordReader}

import java.util.Collections

import scala.collection.JavaConverters._

/** Records of a Parquet file that is opened once, by Parquet's own record assembly.
  *
  * Parquet's own `ParquetReader` opens the file itself and reads the footer a second time. Its builder parses Hadoop's
  * default settings from XML, which takes longer than to read a small file.
  *
  * @param conf
  *   settings of Parquet, without defaults where it has none
  */
final class ParquetRecords(file: InputFile, conf: Configuration) extends AutoCloseable {

  private val reader = ParquetFileReader.open(file, HadoopReadOptions.builder(conf).build())

  val footer: ParquetMetadata = reader.getFooter

  /** The records as `support` makes them, of the columns that it asks for. The iterator may hand out one object again
    * and again.
    */
  def of[T](support: ReadSupport[T]): Iterator[T] = {
    val metadata = footer.getFileMetaData
    val schema = metadata.getSchema
    val context = support.init(new InitContext(conf,
        metadata.getKeyValueMetaData.asScala.map { case (key, value) => key -> Collections.singleton(value) }.asJava,
        schema))
    val converter = Materializers.of(support, conf, metadata.getKeyValueMetaData, schema, context)
    reader.setRequestedSchema(context.getRequestedSchema)
    val columns = new ColumnIOFactory(metadata.getCreatedBy).getColumnIO(context.getRequestedSchema, schema, true)
    new Iterator[T] {
      private var group: RecordReader[T] = _
      private var left = 0L // records of the group

      override def hasNext: Boolean = {
        while (left == 0 && open()) {}
        left > 0
      }

      private def open(): Boolean = {
        val pages = reader.readNextRowGroup()
        if (pages != null) {
          left = pages.getRowCount
          group = columns.getRecordReader(pages, converter)
        }
        pages != null
      }

      override def next(): T = {
        if (!hasNext) throw new NoSuchElementException(file.toString)
        left -= 1
        group.read()
      }
    }
  }

  override def close(): Unit = reader.close()
}

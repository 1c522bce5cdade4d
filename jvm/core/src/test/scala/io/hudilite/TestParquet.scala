package io.hudilite

import io.hudilite.codec.parquet.MemoryFile
import io.hudilite.filegroup.BaseFileFooter

import java.nio.charset.StandardCharsets.ISO_8859_1

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.schema.MessageTypeParser

import scala.collection.JavaConverters._

/** Base files with one row, in whose columns the instant of the file is the value. */
object TestParquet {

  private val Instant = "0" * 17
  private val Filter = "a filter of 00000000000000000"

  private val schema = MessageTypeParser.parseMessageType(
    """message m { required binary _hoodie_commit_time (UTF8); required binary _hoodie_record_key (UTF8);
      |required binary _hoodie_partition_path (UTF8); required binary id (UTF8); }""".stripMargin)

  // Values lie in the file and in its footer as they are.
  private lazy val template: String = {
    val made = new MemoryFile(1000L, "template")
    val writer = ExampleParquetWriter.builder(made).withConf(new Configuration(false)).withType(schema)
      .withCompressionCodec(CompressionCodecName.UNCOMPRESSED).withDictionaryEncoding(false)
      .withExtraMetaData(Map(BaseFileFooter.Bloom -> Filter, BaseFileFooter.BloomTypeCode -> "SIMPLE").asJava).build()
    val row = new SimpleGroupFactory(schema).newGroup()
    Seq("_hoodie_commit_time", "_hoodie_record_key", "id").foreach(row.append(_, Instant))
    writer.write(row.append("_hoodie_partition_path", "p"))
    writer.close()
    made.written((bytes, length) => new String(bytes, 0, length, ISO_8859_1))
  }

  /** Text for instants of another length, whose files nobody looks into. */
  def of(instant: String): Array[Byte] =
    if (instant.length != Instant.length) s"rows of $instant".getBytes(ISO_8859_1)
    else template.replace(Instant, instant).getBytes(ISO_8859_1)
}

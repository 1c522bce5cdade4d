package io.hudilite.timeline

import io.hudilite.codec.parquet.{MemoryFile, ParquetImage, ParquetRecords}

import java.util.Arrays

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.api.ReadSupport
import org.apache.parquet.hadoop.example.{ExampleParquetWriter, GroupReadSupport}
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.MessageTypeParser

import scala.collection.JavaConverters._

/** One completed instant in the archived timeline of layout 2.
  *
  * @param metadata
  *   content of its completed file
  * @param plan
  *   content of its requested file, for the actions that have a plan
  */
private[timeline] final case class HistoryRow(time: String, completionTime: Option[String], action: String,
    metadata: Option[Array[Byte]], plan: Option[Array[Byte]]) {

  /** Its approximate size in bytes. */
  def bytes: Long = (metadata ++ plan).map(_.length.toLong).sum

  def instant: Instant = {
    val name = Action.completed(action)
    Instant(time, name, State.Completed, completionTime, s"${time}_${completionTime.getOrElse(time)}.$name")
  }
}

/** Rows of the archived timeline's files to and from Parquet, with the columns and the Avro schema that Hudi's have. */
private[timeline] object HistoryRows {

  private val Instants = "optional binary instantTime (UTF8); optional binary completionTime (UTF8); " +
    "optional binary action (UTF8);"
  private val Metadata = "optional binary metadata;"
  private val All = s"$Instants $Metadata optional binary plan; required int32 version;"

  private val Name = "a file of the archived timeline"

  // Above the length of an instant. Statistics of metadata and plans would otherwise hold whole values, uncompressed,
  // in the footer.
  private val StatisticsBytes = 32

  private def message(columns: String): String =
    s"message org.apache.hudi.avro.model.HoodieLSMTimelineInstant { $columns }"

  private val AvroSchema: Map[String, String] = {
    def optional(name: String, of: String): String = s"""{"name":"$name","type":["null",$of],"default":null}"""
    val text = """{"type":"string","avro.java.string":"String"}"""
    val fields = Seq("instantTime", "completionTime", "action").map(optional(_, text)) ++
      Seq("metadata", "plan").map(optional(_, "\"bytes\"")) :+ """{"name":"version","type":"int","default":1}"""
    Map("parquet.avro.schema" ->
      ("""{"type":"record","name":"HoodieLSMTimelineInstant",""" +
        s""""namespace":"org.apache.hudi.avro.model","fields":[${fields.mkString(",")}]}"""))
  }

  /** The rows without metadata and plans. */
  def instants(parquet: Array[Byte]): Seq[HistoryRow] = read(parquet, Instants)

  /** The rows without plans. */
  def commits(parquet: Array[Byte]): Seq[HistoryRow] = read(parquet, s"$Instants $Metadata")

  def all(parquet: Array[Byte]): Seq[HistoryRow] = read(parquet, All)

  private def read(parquet: Array[Byte], columns: String): Seq[HistoryRow] = {
    val conf = new Configuration(false)
    conf.set(ReadSupport.PARQUET_READ_SCHEMA, message(columns))
    val records = new ParquetRecords(new ParquetImage(parquet, Name), conf)
    try records.of(new GroupReadSupport()).flatMap(row).toList
    finally records.close()
  }

  private def row(group: Group): Option[HistoryRow] = {
    def bytes(field: String): Option[Array[Byte]] =
      if (!group.getType.containsField(field) || group.getFieldRepetitionCount(field) == 0) None
      else Some(group.getBinary(field, 0).getBytes)
    def text(field: String): Option[String] = bytes(field).map(Binary.fromConstantByteArray(_).toStringUsingUTF8)
    for (time <- text("instantTime"); action <- text("action"))
      yield HistoryRow(time, text("completionTime"), action, bytes("metadata"), bytes("plan"))
  }

  /** A file of these rows, in their order. */
  def write(rows: Seq[HistoryRow]): Array[Byte] = {
    val schema = MessageTypeParser.parseMessageType(message(All))
    val groups = new SimpleGroupFactory(schema)
    val out = new MemoryFile(rows.map(_.bytes).sum, Name)
    val writer = ExampleParquetWriter.builder(out).withType(schema).withExtraMetaData(AvroSchema.asJava)
      .withConf(new Configuration(false)).withCompressionCodec(CompressionCodecName.GZIP)
      .withStatisticsTruncateLength(StatisticsBytes).build()
    try rows.foreach(row => writer.write(group(groups.newGroup(), row)))
    finally writer.close()
    out.written(Arrays.copyOf)
  }

  private def group(group: Group, row: HistoryRow): Group = {
    group.append("instantTime", row.time)
    row.completionTime.foreach(group.append("completionTime", _))
    group.append("action", row.action)
    row.metadata.foreach(bytes => group.append("metadata", Binary.fromConstantByteArray(bytes)))
    row.plan.foreach(bytes => group.append("plan", Binary.fromConstantByteArray(bytes)))
    group.append("version", 1)
  }
}

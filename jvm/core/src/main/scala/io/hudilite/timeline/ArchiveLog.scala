package io.hudilite.timeline

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

import io.hudilite.storage.Storage
import org.apache.avro.generic.{GenericDatumReader, GenericRecord}
import org.apache.avro.io.DecoderFactory
import org.apache.avro.{JsonProperties, Schema}

import scala.collection.JavaConverters._

/** The archived timeline of layout 1: files `.commits_.archive.N` of log blocks (docs/format.md, log blocks).
  *
  * {{{
  * "#HUDI#" | int64 block length | int32 version | int32 type | int32 n | n x (int32 key, int32 length, UTF-8)
  * int64 content length | content | int32 m | m x footer entry | int64 trailer
  * content of type 3: int32 version | int32 count | count x (int32 length, Avro binary)
  * }}}
  *
  * Each instant has a record a state; only the completed ones matter here.
  */
private[timeline] object ArchiveLog {

  private val FileName = "\\.commits_\\.archive\\.\\d+(_.*)?".r
  private val Magic = "#HUDI#".getBytes(UTF_8)
  private val AvroData = 3
  private val SchemaHeader = 2

  def read(storage: Storage, folder: String): Seq[Instant] = {
    val paths = storage.list(folder).filter(f => FileName.pattern.matcher(f.name).matches()).map(_.path)
    val contents = storage.readAll(paths)
    paths.flatMap(p => contents.get(p).toList.flatMap(bytes => CommitCodec.guarded(p)(instants(bytes))))
      .distinct.sortBy(i => (i.time, i.action))
  }

  private def instants(bytes: Array[Byte]): Seq[Instant] = {
    val in = ByteBuffer.wrap(bytes)
    val found = Seq.newBuilder[Instant]
    while (in.remaining > 0) found ++= block(in)
    found.result()
  }

  private def block(in: ByteBuffer): Seq[Instant] = {
    val magic = new Array[Byte](Magic.length)
    in.get(magic)
    if (!magic.sameElements(Magic)) throw new IllegalArgumentException("a log block does not begin with #HUDI#")
    val blockLength = in.getLong
    val end = in.position() + Math.toIntExact(blockLength)
    in.getInt // version of the log format
    val blockType = in.getInt
    val headers = (0 until in.getInt).map(_ => in.getInt -> text(in)).toMap
    val content = in.slice()
    val length = content.getLong
    content.limit(content.position() + Math.toIntExact(length))
    in.position(end)
    if (blockType != AvroData) Nil
    else records(content, headers.getOrElse(SchemaHeader, throw new IllegalArgumentException("a block has no schema")))
  }

  private def text(in: ByteBuffer): String = new String(take(in, in.getInt), UTF_8)

  private def take(in: ByteBuffer, length: Int): Array[Byte] = {
    if (length < 0 || length > in.remaining) throw new IllegalArgumentException(s"a length of $length bytes")
    val bytes = new Array[Byte](length)
    in.get(bytes)
    bytes
  }

  private def records(content: ByteBuffer, schemaJson: String): Seq[Instant] = {
    val written = new Schema.Parser().parse(schemaJson)
    val reader = new GenericDatumReader[GenericRecord](written, projection(written))
    content.getInt // version of the block's content
    val decoders = DecoderFactory.get
    (0 until content.getInt).flatMap { _ =>
      val record = take(content, content.getInt)
      completed(new AvroFields(reader.read(null, decoders.binaryDecoder(record, null))))
    }
  }

  /** Only what an instant needs; the large metadata fields are skipped unparsed. */
  private def projection(written: Schema): Schema = {
    val optionalText = Schema.createUnion(Schema.create(Schema.Type.NULL), Schema.create(Schema.Type.STRING))
    val fields = Seq("commitTime", "actionType", "actionState")
      .map(new Schema.Field(_, optionalText, null, JsonProperties.NULL_VALUE))
    Schema.createRecord(written.getName, null, written.getNamespace, false, fields.asJava)
  }

  private def completed(entry: AvroFields): Option[Instant] =
    for {
      time <- entry.text("commitTime")
      action <- entry.text("actionType")
      if entry.text("actionState").forall(_ == State.Completed.name)
    } yield {
      val name = Action.completed(action)
      Instant(time, name, State.Completed, None, s"$time.$name")
    }
}

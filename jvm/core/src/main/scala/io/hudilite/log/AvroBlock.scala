package io.hudilite.log

import java.nio.ByteBuffer

import io.hudilite.error.{CorruptTable, UnsupportedTable}

/** Content of Avro data blocks: `int32 version | int32 count | count x (int32 length, Avro binary)`. */
object AvroBlock {

  /** The version of the content that is written. */
  val ContentVersion = 3

  /** Bytes of the version and the number of records. */
  val PrefixBytes: Int = 2 * Integer.BYTES

  /** Bytes of the length before each record. */
  val LengthBytes: Int = Integer.BYTES

  /** A cursor over the records of a block's content, which stays as it is.
    *
    * @param path
    *   of the log file, for errors
    */
  def records(content: Array[Byte], path: String): AvroRecords = {
    def damaged(reason: String): CorruptTable = CorruptTable("CORRUPT_FILE", "path" -> path, "reason" -> reason)
    if (content.length < PrefixBytes) throw damaged("an Avro block ends in its version")
    val version = ByteBuffer.wrap(content).getInt
    if (version == 0) throw UnsupportedTable("UNSUPPORTED_LOG_BLOCK", "path" -> path,
      "feature" -> "an Avro block of content version 0",
      "reason" -> "only the earliest versions of Apache Hudi wrote such blocks")
    if (version < 0 || version > ContentVersion) throw damaged(s"an Avro block has the unknown version $version")
    val count = ByteBuffer.wrap(content, Integer.BYTES, Integer.BYTES).getInt
    if (count < 0 || count > (content.length - PrefixBytes) / LengthBytes)
      throw damaged(s"an Avro block of ${content.length} bytes says that it has $count records")
    new AvroRecords(content, count, path)
  }

  /** The content of a block of these records, each in Avro's binary encoding. */
  def encode(records: Seq[Array[Byte]]): Array[Byte] = {
    val out = ByteBuffer.allocate(PrefixBytes + records.map(LengthBytes + _.length).sum)
    out.putInt(ContentVersion).putInt(records.size)
    records.foreach(r => out.putInt(r.length).put(r))
    out.array()
  }
}

/** The records of one Avro block, one after the other: after `next()` the record is the `length` bytes of the block's
  * content from `offset` on.
  */
final class AvroRecords private[log] (content: Array[Byte], val count: Int, path: String) {

  // hot path: no allocation for a record.
  private val buffer = ByteBuffer.wrap(content)
  private var read = 0
  private var position = AvroBlock.PrefixBytes
  private var bytes = 0

  def offset: Int = position
  def length: Int = bytes

  /** Number of the present record in the block, from 0 on. */
  def index: Int = read - 1

  def next(): Boolean = {
    val at = position + bytes
    if (read == count) {
      if (at != content.length) throw damaged(s"has ${content.length - at} bytes after its last record")
      false
    } else {
      if (content.length - at < AvroBlock.LengthBytes) throw damaged(s"ends before its record ${read + 1} of $count")
      val size = buffer.getInt(at)
      if (size < 0 || size > content.length - at - AvroBlock.LengthBytes) throw damaged(s"has a record of $size bytes")
      position = at + AvroBlock.LengthBytes
      bytes = size
      read += 1
      true
    }
  }

  private def damaged(reason: String): CorruptTable =
    CorruptTable("CORRUPT_FILE", "path" -> path, "reason" -> s"an Avro block $reason")
}

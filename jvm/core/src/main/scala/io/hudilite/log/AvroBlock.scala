package io.hudilite.log

import io.hudilite.error.{CorruptTable, UnsupportedTable}

import java.nio.ByteBuffer

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
  def records(content: Array[Byte], path: String): AvroRecords = records(ByteBuffer.wrap(content), path)

  /** A cursor over content that is part of an array, from the buffer's beginning to its limit. */
  def records(content: ByteBuffer, path: String): AvroRecords = {
    def damaged(reason: String): CorruptTable = CorruptTable("CORRUPT_FILE", "path" -> path, "reason" -> reason)
    val length = content.limit()
    if (length < PrefixBytes) throw damaged("an Avro block ends in its version")
    val version = content.getInt(0)
    if (version == 0) throw UnsupportedTable("UNSUPPORTED_LOG_BLOCK", "path" -> path,
      "feature" -> "an Avro block of content version 0",
      "reason" -> "only the earliest versions of Apache Hudi wrote such blocks")
    if (version < 0 || version > ContentVersion) throw damaged(s"an Avro block has the unknown version $version")
    val count = content.getInt(Integer.BYTES)
    if (count < 0 || count > (length - PrefixBytes) / LengthBytes)
      throw damaged(s"an Avro block of $length bytes says that it has $count records")
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

/** The records of one Avro block, one after the other: after `next()` the record is the `length` bytes of `bytes` from
  * `offset` on.
  */
final class AvroRecords private[log] (content: ByteBuffer, val count: Int, path: String) {

  /** The array that offsets count in. */
  val bytes: Array[Byte] = content.array

  // hot path: no allocation for a record.
  private val first = content.arrayOffset
  private val end = content.limit()
  private var read = 0
  private var position = AvroBlock.PrefixBytes
  private var recordBytes = 0

  def offset: Int = first + position
  def length: Int = recordBytes

  def next(): Boolean = {
    val at = position + recordBytes
    if (read == count) {
      if (at != end) throw damaged(s"has ${end - at} bytes after its last record")
      false
    } else {
      if (end - at < AvroBlock.LengthBytes) throw damaged(s"ends before its record ${read + 1} of $count")
      val size = content.getInt(at)
      if (size < 0 || size > end - at - AvroBlock.LengthBytes) throw damaged(s"has a record of $size bytes")
      position = at + AvroBlock.LengthBytes
      recordBytes = size
      read += 1
      true
    }
  }

  private def damaged(reason: String): CorruptTable =
    CorruptTable("CORRUPT_FILE", "path" -> path, "reason" -> s"an Avro block $reason")
}

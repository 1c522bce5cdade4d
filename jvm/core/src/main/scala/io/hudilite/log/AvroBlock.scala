package io.hudilite.log

import java.io.OutputStream
import java.nio.ByteBuffer

import io.hudilite.error.{CorruptTable, UnsupportedTable}

/** Content of Avro data blocks: `int32 version | int32 count | count x (int32 length, Avro binary)`. */
object AvroBlock {

  private[log] val ContentVersion = 3
  private[log] val PrefixBytes: Int = 2 * Integer.BYTES

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
    if (count < 0 || count > (content.length - PrefixBytes) / Integer.BYTES)
      throw damaged(s"an Avro block of ${content.length} bytes says that it has $count records")
    new AvroRecords(content, count, path)
  }

  /** Collects the content of a block, one record at a time. */
  final class Builder {

    private val out = new GrowingBytes
    private var records = 0
    out.reserve(PrefixBytes)

    /** Records so far. */
    def count: Int = records

    /** Bytes of the content so far. */
    def sizeInBytes: Int = out.size

    /** Adds what `encode` writes to its stream as one record. */
    def add(encode: OutputStream => Unit): Unit = {
      val start = out.size
      out.reserve(Integer.BYTES)
      encode(out)
      out.putInt(start, out.size - start - Integer.BYTES)
      records += 1
    }

    /** The content; the builder begins anew. */
    def result(): Array[Byte] = {
      out.putInt(0, ContentVersion)
      out.putInt(Integer.BYTES, records)
      val content = out.toByteArray
      out.reset()
      out.reserve(PrefixBytes)
      records = 0
      content
    }
  }

  /** The content of a block of these records, each in Avro's binary encoding. */
  def encode(records: Seq[Array[Byte]]): Array[Byte] = {
    val builder = new Builder
    records.foreach(r => builder.add(_.write(r)))
    builder.result()
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
      if (content.length - at < Integer.BYTES) throw damaged(s"ends before its record ${read + 1} of $count")
      val size = buffer.getInt(at)
      if (size < 0 || size > content.length - at - Integer.BYTES) throw damaged(s"has a record of $size bytes")
      position = at + Integer.BYTES
      bytes = size
      read += 1
      true
    }
  }

  private def damaged(reason: String): CorruptTable =
    CorruptTable("CORRUPT_FILE", "path" -> path, "reason" -> s"an Avro block $reason")
}

/** An array that grows, with places to fill in later. */
private[log] final class GrowingBytes extends java.io.ByteArrayOutputStream {

  /** Leaves room for `bytes` bytes. */
  def reserve(bytes: Int): Unit = (0 until bytes).foreach(_ => write(0))

  def putInt(at: Int, value: Int): Unit = { ByteBuffer.wrap(buf).putInt(at, value); () }
}

package io.hudilite.log

import io.hudilite.error.CorruptTable
import io.hudilite.storage.{OpenFile, Storage}

import java.io.EOFException
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

/** Finds the blocks of log files. Memory is bounded by the headers, and by the one content that is asked for. */
object LogFileReader {

  /** The blocks of a file in its order; contents are not read.
    *
    * Bytes that are no whole block, left by a writer that died or damaged later, come as [[BlockKind.Corrupt]]. A file
    * that does not begin with a block, or has a whole block that nobody can read, is a `CorruptTable`.
    *
    * @param length
    *   bytes of the file that count, as it was listed
    */
  def blocks(storage: Storage, path: String, length: Long): Seq[LogBlock] = {
    val file = storage.open(path, length)
    try blocks(file, path, length)
    finally file.close()
  }

  /** The blocks of an open file, which stays open. */
  def blocks(file: OpenFile, path: String, length: Long): Seq[LogBlock] =
    complete(path)(new LogFileReader(path, new FileWindow(file, length)).blocks())

  /** The content of a block.
    *
    * @param length
    *   bytes of the file, as it was listed
    */
  def content(storage: Storage, block: LogBlock, length: Long): Array[Byte] = {
    val file = storage.open(block.path, length)
    try content(file, block)
    finally file.close()
  }

  /** The content of a block of an open file, which stays open. */
  def content(file: OpenFile, block: LogBlock): Array[Byte] = {
    val bytes = new Array[Byte](contentBytes(block))
    complete(block.path)(file.readFully(block.contentOffset, bytes))
    bytes
  }

  /** The content of a block of an open file, for reading only. Where the file is in memory, it is not copied. */
  def view(file: OpenFile, block: LogBlock): ByteBuffer =
    complete(block.path)(file.bytes(block.contentOffset, contentBytes(block)))

  private def contentBytes(block: LogBlock): Int =
    if (block.contentLength <= MaxContentBytes) block.contentLength.toInt
    else throw damaged(block.path, s"the content at offset ${block.contentOffset} has ${block.contentLength} bytes")

  /** The file in memory. */
  private[log] def whole(storage: Storage, path: String, length: Long): OpenFile =
    complete(path) {
      val file = storage.open(path, length)
      val content = new Array[Byte](length.toInt)
      try file.readFully(0L, content)
      finally file.close()
      OpenFile.of(path, content)
    }

  // Greatest length of an array. Writers stay far below.
  private val MaxContentBytes: Long = Int.MaxValue - 64L

  // The schema of a wide table and the positions of a million records need a tenth of this.
  private val MaxHeaderBytes = 64 * 1024 * 1024

  private def damaged(path: String, reason: String): CorruptTable =
    CorruptTable("CORRUPT_FILE", "path" -> path, "reason" -> reason)

  private def complete[T](path: String)(read: => T): T =
    try read
    catch {
      case e: EOFException => throw CorruptTable.because(e, "CORRUPT_FILE", "path" -> path,
          "reason" ->
            s"it ends early: ${Option(e.getMessage).getOrElse("fewer bytes than were listed")}")
    }
}

private final class LogFileReader(path: String, file: FileWindow) {

  import LogFileReader._
  import LogLayout._

  // Blocks of a file mostly share their schema, which is their longest text.
  private val texts = scala.collection.mutable.Map.empty[String, String]

  def blocks(): Seq[LogBlock] = {
    val found = Seq.newBuilder[LogBlock]
    var start = 0L
    while (start < file.length) {
      val end = endOfWhole(start).getOrElse(-1L)
      if (end >= 0) {
        found += whole(start, end)
        start = end
      } else {
        val next = file.nextMagic(start + MagicBytes)
        found += LogBlock(path, BlockKind.Corrupt, Map.empty, start, next - start)
        start = next
      }
    }
    found.result()
  }

  /** End of the block, if both its ends tell one length and another block or nothing follows. */
  private def endOfWhole(start: Long): Option[Long] = {
    val left = file.length - start
    if (left >= MagicBytes && !isMagic(start)) throw damaged(path, s"no log block begins at offset $start")
    if (left < LengthEnd) None
    else {
      val blockLength = file.long(start + MagicBytes)
      if (blockLength < SmallestBlock - LengthEnd || blockLength > left - LengthEnd) None
      else {
        val end = start + LengthEnd + blockLength
        file.touch(end - TrailerBytes - Integer.BYTES)
        val closed = file.long(end - TrailerBytes) - MagicBytes == blockLength
        Some(end).filter(_ => closed && (file.length - end < MagicBytes || isMagic(end)))
      }
    }
  }

  private def isMagic(position: Long): Boolean = file.bytes(position, MagicBytes).sameElements(Magic)

  private def whole(start: Long, end: Long): LogBlock = {
    def wrong(reason: String): CorruptTable = damaged(path, s"the log block at offset $start $reason")
    val version = file.int(start + LengthEnd)
    if (version != FormatVersion) throw wrong(s"has the unknown format version $version")
    val code = file.int(start + LengthEnd + Integer.BYTES)
    val kind = BlockKind.of(code).filter(_ != BlockKind.Corrupt).getOrElse(throw wrong(s"has the unknown type $code"))
    val limit = end - TrailerBytes
    val (headers, afterHeaders) = entries(start + LengthEnd + 2 * Integer.BYTES, limit, wrong)
    headers.keySet.find(k => k < 0 || k > HeaderKey.Last).foreach(k => throw wrong(s"has the unknown header $k"))
    if (limit - afterHeaders < java.lang.Long.BYTES) throw wrong("ends in its headers")
    val contentLength = file.long(afterHeaders)
    val content = afterHeaders + java.lang.Long.BYTES
    if (contentLength < 0 || contentLength > limit - content) throw wrong(s"has a content length of $contentLength")
    val (footers, afterFooters) = entries(content + contentLength, limit, wrong)
    if (afterFooters != limit) throw wrong(s"has ${limit - afterFooters} bytes too many")
    if (kind == BlockKind.Command) checkCommand(headers, wrong)
    LogBlock(path, kind, headers, content, contentLength, footers)
  }

  private def checkCommand(headers: Map[Int, String], wrong: String => CorruptTable): Unit =
    headers.get(HeaderKey.CommandType) match {
      case Some(HeaderKey.Rollback) =>
        if (!headers.contains(HeaderKey.TargetInstant)) throw wrong("takes back an instant that it does not name")
      case other => throw wrong(s"holds the unknown command ${other.getOrElse("without a type")}")
    }

  /** Headers or footers and the position after them. */
  private def entries(from: Long, limit: Long, wrong: String => CorruptTable): (Map[Int, String], Long) = {
    var position = from
    def int(): Int = {
      if (limit - position < Integer.BYTES) throw wrong("ends in its headers")
      val value = file.int(position)
      position += Integer.BYTES
      value
    }
    val count = int()
    if (count < 0 || count > MaxEntries) throw wrong(s"has $count headers")
    var total = 0L
    val found = (0 until count).map { _ =>
      val key = int()
      val size = int()
      total += size
      if (size < 0 || size > limit - position || total > MaxHeaderBytes) throw wrong(s"has a header of $size bytes")
      val text = new String(file.bytes(position, size), UTF_8)
      position += size
      key -> texts.getOrElseUpdate(text, text)
    }
    (found.toMap, position)
  }
}

/** Bytes of a log block (docs/format.md#log-files), all integers big-endian:
  *
  * {{{
  * "#HUDI#" | int64 bytes that follow this field | int32 format version | int32 kind
  * int32 n | n x (int32 key, int32 length, UTF-8) | int64 length | content
  * int32 m | m x footer, as the headers | int64 bytes that precede this field
  * }}}
  */
private[log] object LogLayout {

  val Magic: Array[Byte] = "#HUDI#".getBytes(UTF_8)
  val MagicBytes: Int = Magic.length
  val FormatVersion = 1

  /** End of the field of the block's length, which the length counts from. */
  val LengthEnd: Int = MagicBytes + java.lang.Long.BYTES
  val TrailerBytes: Int = java.lang.Long.BYTES

  /** A block without headers, content and footers. */
  val SmallestBlock: Int = LengthEnd + 3 * Integer.BYTES + java.lang.Long.BYTES + Integer.BYTES + TrailerBytes

  /** Nine keys are known; more entries than this are damage. */
  val MaxEntries = 1024

  /** First place of the magic in `bytes` from `from` on, or -1. */
  def indexOfMagic(bytes: Array[Byte], from: Int): Int = {
    // hot path
    val last = bytes.length - MagicBytes
    var at = from
    while (at <= last && !(bytes(at) == Magic(0) && matches(bytes, at))) at += 1
    if (at <= last) at else -1
  }

  private def matches(bytes: Array[Byte], at: Int): Boolean = {
    var i = 1
    while (i < MagicBytes && bytes(at + i) == Magic(i)) i += 1
    i == MagicBytes
  }
}

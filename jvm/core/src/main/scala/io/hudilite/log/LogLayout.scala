package io.hudilite.log

import java.nio.charset.StandardCharsets.UTF_8

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

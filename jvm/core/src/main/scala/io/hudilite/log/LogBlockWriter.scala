package io.hudilite.log

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

/** Log blocks to bytes: `header`, the content and `trailer` one after the other are a block. */
object LogBlockWriter {

  import LogLayout._

  private val NoFooters = 0

  /** The headers of a data or delete block that table version `version` allows.
    *
    * @param positions
    *   rows of the base file at the given instant that the records replace, ascending and one a record; none when it
    *   has no row of their keys. Version 6 has no place for them and leaves them out
    * @param folded
    *   instants whose blocks this one replaces; all blocks of its instant must name the same
    * @param partial
    *   true when the records have only the columns of the schema, and leave the others as they are
    */
  def headers(version: Int, instant: String, schemaJson: String, positions: Option[(String, Array[Long])] = None,
      folded: Seq[String] = Nil, partial: Boolean = false): Map[Int, String] = {
    val always = Map(HeaderKey.InstantTime -> instant, HeaderKey.Schema -> schemaJson) ++
      (if (folded.isEmpty) None else Some(HeaderKey.CompactedTimes -> folded.mkString(","))) ++
      (if (partial) Some(HeaderKey.IsPartial -> "true") else None)
    val placed = positions.filter(_ => version >= FirstVersionWithPositions).toList.flatMap { case (base, rows) =>
      Seq(HeaderKey.RecordPositions -> RecordPositions.encode(rows), HeaderKey.PositionsBaseInstant -> base)
    }
    always ++ placed
  }

  /** The headers of a command block that takes back `target`. */
  def rollbackHeaders(instant: String, target: String): Map[Int, String] = Map(
    HeaderKey.InstantTime -> instant, HeaderKey.TargetInstant -> target, HeaderKey.CommandType -> HeaderKey.Rollback)

  private val FirstVersionWithPositions = 8

  /** The bytes before the content of `contentLength` bytes. */
  def header(kind: BlockKind, headers: Map[Int, String], contentLength: Long): Array[Byte] = {
    val entries = headers.toSeq.sortBy(_._1).map { case (key, text) => key -> text.getBytes(UTF_8) }
    val length = LengthEnd + 3 * Integer.BYTES + entries.map(2 * Integer.BYTES + _._2.length).sum +
      java.lang.Long.BYTES
    val out = ByteBuffer.allocate(length)
    out.put(Magic).putLong(length - LengthEnd + contentLength + Integer.BYTES + TrailerBytes)
    out.putInt(FormatVersion).putInt(kind.code).putInt(entries.size)
    entries.foreach { case (key, text) => out.putInt(key).putInt(text.length).put(text) }
    out.putLong(contentLength).array()
  }

  /** The bytes after the content. */
  def trailer(headerLength: Int, contentLength: Long): Array[Byte] =
    ByteBuffer.allocate(Integer.BYTES + TrailerBytes).putInt(NoFooters)
      .putLong(headerLength + contentLength + Integer.BYTES).array()

  /** A whole block. */
  def bytes(kind: BlockKind, headers: Map[Int, String], content: Array[Byte]): Array[Byte] = {
    val before = header(kind, headers, content.length.toLong)
    before ++ content ++ trailer(before.length, content.length.toLong)
  }
}

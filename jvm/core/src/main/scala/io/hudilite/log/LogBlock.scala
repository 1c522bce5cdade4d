package io.hudilite.log

import io.hudilite.error.CorruptTable

/** One block as found in a log file; its content is not read yet.
  *
  * @param path
  *   absolute path of the file
  * @param contentOffset
  *   position of the content, in bytes from the beginning of the file; of a corrupt block, position of its bytes
  * @param contentLength
  *   bytes of content; of a corrupt block, bytes up to the next block
  * @param footers
  *   texts behind the content, which no reader heeds
  */
final case class LogBlock(
    path: String, kind: BlockKind, headers: Map[Int, String], contentOffset: Long, contentLength: Long,
    footers: Map[Int, String] = Map.empty) {

  /** Requested time of the write that appended the block. */
  def instant: String = header(HeaderKey.InstantTime, "instant")

  /** Avro schema of the records, meta columns included. */
  def schemaJson: String = header(HeaderKey.Schema, "schema")

  /** The instant that a command block takes back. */
  def rolledBack: String = header(HeaderKey.TargetInstant, "instant to roll back")

  /** The records hold only the columns that change. */
  def isPartial: Boolean = headers.get(HeaderKey.IsPartial).exists(_.equalsIgnoreCase("true"))

  /** Holds records, or keys to delete, that take part in a merge. */
  def isMergeable: Boolean = kind match {
    case BlockKind.AvroData | BlockKind.HFileData | BlockKind.ParquetData | BlockKind.Delete => true
    case BlockKind.Command | BlockKind.Corrupt | BlockKind.ChangeData => false
  }

  /** Instants whose blocks this block replaces; empty unless a log compaction wrote it. */
  def compactedInstants: Seq[String] =
    headers.get(HeaderKey.CompactedTimes).toList.flatMap(_.split(',')).map(_.trim).filter(_.nonEmpty)

  /** Instant of the base file that [[positions]] count rows of. */
  def positionsBase: Option[String] = headers.get(HeaderKey.PositionsBaseInstant)

  /** Rows of the base file at `base` that the records replace, one a record and ascending; no rows when that file has
    * none of their keys. `None` when the block does not say it of that base file and of all records: keys must be
    * compared then.
    */
  def positions(base: String, records: Int): Option[Array[Long]] =
    headers.get(HeaderKey.RecordPositions).filter(_ => positionsBase.contains(base))
      .map(text => CorruptTable.guard(path)(RecordPositions.decode(text, records)))
      .filter(rows => rows.length == records || rows.isEmpty)

  /** The base file has none of the records' keys. */
  def isOfNewKeys: Boolean = headers.get(HeaderKey.RecordPositions).contains(RecordPositions.NoRows)

  private def header(key: Int, name: String): String = headers.getOrElse(key,
    throw CorruptTable("CORRUPT_FILE", "path" -> path,
      "reason" -> s"the block with content at offset $contentOffset names no $name"))
}

/** The kind of a log block, by the code in its header (docs/format.md#log-files).
  *
  * @param name
  *   Hudi's name of it
  */
sealed abstract class BlockKind(val code: Int, val name: String) extends Product with Serializable

object BlockKind {

  /** An order to the reader. The only one takes back an earlier instant. */
  case object Command extends BlockKind(0, "COMMAND_BLOCK")
  case object Delete extends BlockKind(1, "DELETE_BLOCK")

  /** Bytes that are no whole block; never written, only found. */
  case object Corrupt extends BlockKind(2, "CORRUPT_BLOCK")
  case object AvroData extends BlockKind(3, "AVRO_DATA_BLOCK")
  case object HFileData extends BlockKind(4, "HFILE_DATA_BLOCK")
  case object ParquetData extends BlockKind(5, "PARQUET_DATA_BLOCK")

  /** Change data capture; not part of a table's rows. */
  case object ChangeData extends BlockKind(6, "CDC_DATA_BLOCK")

  val All: Seq[BlockKind] = Seq(Command, Delete, Corrupt, AvroData, HFileData, ParquetData, ChangeData)

  def of(code: Int): Option[BlockKind] = All.find(_.code == code)
}

/** Keys of a block's headers. Values are text. */
object HeaderKey {

  /** Instant of the write that appended the block. */
  val InstantTime = 0

  /** Instant that a command block takes back. */
  val TargetInstant = 1

  /** Avro schema of the records, meta columns included. */
  val Schema = 2
  val CommandType = 3

  /** Instants whose blocks a log compaction folded into this one, with commas. */
  val CompactedTimes = 4

  /** Rows of the base file that the records replace, see [[RecordPositions]]. */
  val RecordPositions = 5

  /** `true` when the records hold only the columns that change. */
  val IsPartial = 7

  /** Instant of the base file that the positions count rows of. */
  val PositionsBaseInstant = 8

  val Last: Int = PositionsBaseInstant

  /** Hudi's names of the keys, in their order. */
  val Names: Seq[String] = Seq("INSTANT_TIME", "TARGET_INSTANT_TIME", "SCHEMA", "COMMAND_BLOCK_TYPE",
    "COMPACTED_BLOCK_TIMES", "RECORD_POSITIONS", "BLOCK_IDENTIFIER", "IS_PARTIAL",
    "BASE_FILE_INSTANT_TIME_OF_RECORD_POSITIONS")

  /** The command type of a rollback. */
  val Rollback = "0"
}

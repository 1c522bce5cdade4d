package io.hudilite.log

/** The kind of a log block, by the code in its header (docs/format.md#log-files). */
sealed abstract class BlockKind(val code: Int) extends Product with Serializable

object BlockKind {

  /** An order to the reader. The only one takes back an earlier instant. */
  case object Command extends BlockKind(0)
  case object Delete extends BlockKind(1)

  /** Bytes that are no whole block; never written, only found. */
  case object Corrupt extends BlockKind(2)
  case object AvroData extends BlockKind(3)
  case object HFileData extends BlockKind(4)
  case object ParquetData extends BlockKind(5)

  /** Change data capture; not part of a table's rows. */
  case object ChangeData extends BlockKind(6)

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
  val BlockIdentifier = 6

  /** `true` when the records hold only the columns that change. */
  val IsPartial = 7

  /** Instant of the base file that the positions count rows of. */
  val PositionsBaseInstant = 8

  val Last: Int = PositionsBaseInstant

  /** The command type of a rollback. */
  val Rollback = "0"
}

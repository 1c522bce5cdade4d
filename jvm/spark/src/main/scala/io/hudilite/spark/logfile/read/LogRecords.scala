package io.hudilite.spark.logfile.read

import io.hudilite.codec.hfile.HFile
import io.hudilite.error.{CorruptTable, HudiliteException, UnsupportedTable}
import io.hudilite.log.{AvroBlock, BlockKind, DeleteBlock, HeaderKey, LogBlock, RowPosition}
import io.hudilite.merge.Version

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.avro.Schema
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, JoinedRow, SpecificInternalRow, UnsafeRow}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{IntegerType, LongType}
import org.apache.spark.unsafe.types.UTF8String

import scala.util.control.NonFatal

/** Reads the records of blocks one after the other, in the order in which they were written.
  *
  * @param positions
  *   records carry the row of the base file that they replace
  * @param bounds
  *   limits that the ordering values of the base file do not exceed, if they are known
  */
private[spark] final class LogRecords(
    rows: LogRowLayout, blocks: LogBlocks, conf: Configuration, positions: Boolean, bounds: Option[IndexedSeq[Any]]) {

  private val bookkeeping = new SpecificInternalRow(Seq(LongType, IntegerType, LongType))
  private val joined = new JoinedRow()
  private val timeZone = SQLConf.get.sessionLocalTimeZone
  private val emitted = new LogRecord(rows)
  private val greatest = new Version {
    override def ordering(field: Int): Any = bounds.get(field)
  }
  private var sequence = 0L
  private var winners = bounds.isDefined
  private var places: Array[Long] = _ // hot path: null without positions, of no rows where the base file has none
  private var inBlock = 0

  /** Records read so far. */
  def count: Long = sequence

  /** Each record read so far wins over every row of the base file. */
  def winOverBase: Boolean = winners

  /** Hands each record to `consume`, which must copy it; `false` as soon as a block lacks positions that are wanted. */
  def foreach(consume: UnsafeRow => Unit): Boolean = blocks.selected.forall { block =>
    inBlock = 0
    block.kind match {
      case BlockKind.AvroData => avro(block, consume)
      case BlockKind.HFileData => hfile(block, blocks.content(block), consume)
      case BlockKind.ParquetData => parquet(block, blocks.content(block), consume)
      case BlockKind.Delete => deletes(block, blocks.content(block), consume)
      case other => throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> rows.job.basePath,
          "feature" -> s"a block of kind $other in the log file ${block.path}",
          "reason" -> "its records are in a format that is not read", "way" -> UnsupportedTable.ByHudi)
    }
  }

  private def avro(block: LogBlock, consume: UnsafeRow => Unit): Boolean = {
    val records = AvroBlock.records(blocks.view(block), block.path)
    val plan = planOf(block)
    val decoder = new AvroRowDecoder(plan)
    val columns = columnsOf(block, plan.present)
    placed(block, records.count) {
      while (records.next()) { // hot path
        val record = guarded(block)(decoder.decode(records.bytes, records.offset, records.length))
        emit(record, rows.flagsOf(record) | columns, block, consume)
      }
    }
  }

  /** Records lie in the order of their keys, which no positions can follow, and may leave the key to their cell. */
  private def hfile(block: LogBlock, content: Array[Byte], consume: UnsafeRow => Unit): Boolean = !positions && {
    places = null
    val cells = HFile.of(content, block.path).scan
    val plan = planOf(block)
    val decoder = new AvroRowDecoder(plan)
    val columns = columnsOf(block, plan.present)
    while (cells.next()) { // hot path
      val record = guarded(block)(decoder.decode(cells.buffer, cells.offset, cells.length))
      record.update(rows.keyInRead, UTF8String.fromBytes(cells.key))
      emit(record, rows.flagsOf(record) | columns, block, consume)
    }
    true
  }

  private def parquet(block: LogBlock, content: Array[Byte], consume: UnsafeRow => Unit): Boolean = {
    val name = s"${block.path} at byte ${block.contentOffset}"
    val names = rows.job.namesIn(block.instant)
    val source = guarded(block)(new ParquetBlockRows(content, name, rows.read, names, conf, timeZone))
    val columns = columnsOf(block, source.present)
    try placed(block, source.rows) {
        var record = guarded(block)(source.next())
        while (record != null) { // hot path
          emit(record, rows.flagsOf(record) | columns, block, consume)
          record = guarded(block)(source.next())
        }
      }
    finally source.close()
  }

  private def deletes(block: LogBlock, content: Array[Byte], consume: UnsafeRow => Unit): Boolean = {
    val records = DeleteBlock.decode(content, block.path)
    val names = rows.job.namesIn(block.instant)
    val written = rows.job.orderingColumns.map(f => f.copy(name = names.of(f.name).fold(f.name)(_.name)))
    val ordering = new DeleteOrdering(written,
      if (rows.job.rule.compares && block.headers.contains(HeaderKey.Schema)) Some(schemaOf(block)) else None)
    val row = new GenericInternalRow(rows.read.length)
    placed(block, records.size) {
      records.foreach { record => // hot path
        val values = ordering.of(record.ordering)
        rows.deleted(row, UTF8String.fromBytes(record.key.getBytes(UTF_8)), values.getOrElse(IndexedSeq.empty))
        val unordered = if (values.isEmpty) LogRowLayout.Unordered else 0
        emit(row, LogRowLayout.Delete | LogRowLayout.KeyOnly | unordered, block, consume)
      }
    }
  }

  /** Runs the body with the positions of the block's records, if they are wanted and there. */
  private def placed(block: LogBlock, records: Int)(body: => Unit): Boolean = {
    places = if (positions) blocks.baseInstant.flatMap(block.positions(_, records)).orNull else null
    val possible = !positions || places != null
    if (possible) body
    possible
  }

  private def emit(record: InternalRow, flags: Int, block: LogBlock, consume: UnsafeRow => Unit): Unit = {
    if (record.isNullAt(rows.keyInRead)) throw damaged(block, "it has no record key", null)
    bookkeeping.setLong(LogRowLayout.Sequence, sequence)
    bookkeeping.setInt(LogRowLayout.Flags, flags)
    bookkeeping.setLong(LogRowLayout.Position, place)
    sequence += 1
    inBlock += 1
    val row = rows.toUnsafe(joined(bookkeeping, record))
    if (winners) winners = rows.job.rule.wins(emitted.moveTo(row), greatest)
    consume(row)
  }

  private def place: Long =
    if (places == null) RowPosition.Unknown else if (places.length == 0) RowPosition.Absent else places(inBlock)

  /** In the flags of the block's records: which columns they have, when they have not all of them. */
  private def columnsOf(block: LogBlock, present: => Array[Boolean]): Int =
    if (block.isPartial) rows.flagOf(present) else 0

  private def planOf(block: LogBlock): AvroRowPlan = {
    val names = rows.job.namesIn(block.instant)
    rows.plans.getOrElseUpdate(block.schemaJson -> names,
      new AvroRowPlan(schemaOf(block), rows.read, block.path, names))
  }

  private def schemaOf(block: LogBlock): Schema = rows.schemas.getOrElseUpdate(block.schemaJson,
    try new Schema.Parser().parse(block.schemaJson)
    // Avro has several families of errors for what is no schema.
    catch { case NonFatal(e) => throw damaged(block, s"its schema cannot be read (${e.getMessage})", e) })

  private def guarded[T](block: LogBlock)(read: => T): T =
    try read
    catch {
      case e: HudiliteException => throw e
      case e: java.io.IOException => throw damaged(block, e.getMessage, e) // of bytes that are in memory
      case NonFatal(e) => throw damaged(block, Option(e.getMessage).getOrElse(e.getClass.getName), e)
    }

  private def damaged(block: LogBlock, reason: String, cause: Throwable): CorruptTable =
    CorruptTable.because(cause, "CORRUPT_FILE", "path" -> block.path,
      "reason" -> s"record $inBlock of the block whose content begins at byte ${block.contentOffset}: $reason")
}

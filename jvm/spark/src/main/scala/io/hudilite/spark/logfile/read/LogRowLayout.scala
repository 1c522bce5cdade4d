package io.hudilite.spark.logfile.read

import io.hudilite.record.MetaFields
import io.hudilite.schema.ColumnNames
import io.hudilite.spark.row.{ColumnGaps, MissingOrdering, RowDeletes}

import org.apache.avro.Schema
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.mutable

/** The rows that log records are sorted and merged as: three columns of bookkeeping, then what is read of a record.
  *
  * One instance serves all slices that a task reads alike: it keeps what is made once, and is for one thread.
  *
  * @param columns
  *   meta and data columns that are wanted
  */
private[spark] final case class LogRowLayout(job: LogJob, columns: StructType) {

  import LogRowLayout._

  private val deleteColumns: Seq[StructField] = {
    val flag = job.dataSchema.fields.find(_.name == MetaFields.IsDeleted)
      .fold(Option(StructField(MetaFields.IsDeleted, BooleanType)))(f => Some(f).filter(_.dataType == BooleanType))
    val custom = job.deleteMarker.map(marker =>
      job.dataSchema.fields.find(_.name == marker.field).getOrElse(StructField(marker.field, StringType)))
    flag.toSeq ++ Seq(StructField(MetaFields.Operation, StringType)) ++ custom
  }

  /** Columns that are read of a record: the wanted ones, and those that the merge looks at. */
  val read: StructType = {
    val merged = StructField(MetaFields.RecordKey, StringType) +: (job.orderingColumns ++ deleteColumns)
    val all = columns.fields.toSeq ++ merged.filterNot(f => columns.fieldNames.contains(f.name))
    StructType(all.groupBy(_.name).values.map(_.head).toSeq.sortBy(f => all.indexWhere(_.name == f.name))
        .map(f => f.copy(nullable = true)))
  }

  val schema: StructType = StructType(Bookkeeping ++ read.fields)

  private[spark] lazy val toUnsafe: UnsafeProjection = UnsafeProjection.create(schema)

  // By the schema as the blocks have it. A decoder is not kept: it holds on to the last block that it read.
  private[spark] val schemas = mutable.Map.empty[String, Schema]
  private[spark] val plans = mutable.Map.empty[(String, ColumnNames), AvroRowPlan]

  // Which of the columns that are read partial records have; of a whole record nobody asks.
  private val columnSets = mutable.ArrayBuffer(Array.fill(read.length)(true))

  /** Flags of records that have these of the columns that are read, by their positions, and no others. */
  private[spark] def flagOf(present: Array[Boolean]): Int = {
    val known = columnSets.indexWhere(_.sameElements(present), 1)
    if (known < 0) columnSets += present
    (if (known < 0) columnSets.size - 1 else known) << ColumnSetShift
  }

  /** The columns that a record has, by their positions among those that are read. */
  private[spark] def present(row: UnsafeRow): Array[Boolean] = columnSets(columnSet(row))

  /** The wanted columns that are among a set of columns, by its number; their positions in ascending order. */
  private[spark] def columnsOf(set: Int): Seq[Int] =
    columnOrdinals.indices.filter(i => columnSets(set)(columnOrdinals(i) - BookkeepingColumns))

  /** Values of the wanted columns that leave them to another version. */
  private[read] val gaps: Option[ColumnGaps] = ColumnGaps.of(columns, job.rule.partial)
  private val gapsOfRead: ColumnGaps = ColumnGaps.of(read, job.rule.partial).orNull // hot path

  private def value(row: UnsafeRow, column: Int): Any = {
    val at = Bookkeeping.size + column
    if (row.isNullAt(at)) null else row.get(at, read(column).dataType)
  }

  private lazy val overlaid = new GenericInternalRow(schema.length)

  /** A record on top of another one, neither of them a delete: its columns, and the other's for those that it has not or
    * that it leaves to others. The row is reused.
    */
  private[spark] def overlay(top: UnsafeRow, bottom: UnsafeRow): UnsafeRow = {
    val (above, below) = (present(top), present(bottom))
    def isGap(row: UnsafeRow, i: Int): Boolean = gapsOfRead != null && gapsOfRead.isGap(value(row, i), i)
    read.fields.indices.foreach { i => // hot path
      val leaves = !above(i) || (below(i) && isGap(top, i) && !isGap(bottom, i))
      overlaid.update(Bookkeeping.size + i, value(if (leaves) bottom else top, i))
    }
    val position = top.getLong(Position)
    overlaid.update(Sequence, top.getLong(Sequence))
    overlaid.update(Position, if (position >= 0) position else bottom.getLong(Position))
    overlaid.update(Flags, if (isPartial(bottom)) flagOf(above.zip(below).map { case (a, b) => a || b }) else 0)
    toUnsafe(overlaid)
  }

  /** Where a column that is read is in a row. */
  def ordinal(name: String): Int = Bookkeeping.size + read.fieldIndex(name)

  val keyOrdinal: Int = ordinal(MetaFields.RecordKey)
  val columnOrdinals: IndexedSeq[Int] = columns.fieldNames.map(ordinal).toIndexedSeq
  val orderingOrdinals: Array[Int] = job.orderingColumns.map(f => ordinal(f.name)).toArray
  val orderingTypes: Array[DataType] = job.orderingColumns.map(_.dataType).toArray

  val keyInRead: Int = read.fieldIndex(MetaFields.RecordKey)
  private val orderingInRead = orderingOrdinals.map(_ - Bookkeeping.size)
  private val missing = new MissingOrdering(orderingInRead, orderingTypes)
  private val operationInRead = read.fieldIndex(MetaFields.Operation)
  private val deletes = new RowDeletes(read, job.deleteMarker)
  private val ownDeletes = new RowDeletes(read, job.deleteMarker, among = job.dataSchema.fieldNames.toSet)

  /** The flags of a record in a data block, as it was read. */
  def flagsOf(record: InternalRow): Int =
    if (!isDelete(record)) 0
    else Delete | (if (lacksOrdering(record)) Unordered else 0) | (if (ownDeletes(record)) ByColumn else 0)

  private def isDelete(record: InternalRow): Boolean =
    deletes(record) ||
      (!record.isNullAt(operationInRead) && isDeleteOperation(record.getUTF8String(operationInRead)))

  private def lacksOrdering(record: InternalRow): Boolean = orderingInRead.isEmpty || missing(record)

  /** A row as it is read, with nothing in it but a key and ordering values: a record of a delete block. */
  def deleted(record: InternalRow, key: UTF8String, ordering: IndexedSeq[Any]): Unit = {
    record.update(keyInRead, key)
    orderingInRead.indices.foreach(i => record.update(orderingInRead(i), if (i < ordering.size) ordering(i) else null))
  }
}

private[spark] object LogRowLayout {

  val Sequence = 0
  val Flags = 1
  val Position = 2

  private val Bookkeeping: Seq[StructField] = Seq(StructField("sequence", LongType, nullable = false),
    StructField("flags", IntegerType, nullable = false), StructField("position", LongType, nullable = false))

  /** Columns before those that are read. */
  val BookkeepingColumns: Int = Bookkeeping.size

  /** The record deletes its key. */
  val Delete = 1

  /** A delete without ordering values: it wins over everything older and loses to everything newer. */
  val Unordered = 2

  /** Only a delete block's record has no values of its own. */
  val KeyOnly = 4

  /** Columns of the table, not those that a log may have besides, say that the record deletes its key. */
  val ByColumn = 8

  // Above the other flags is the number of the set of columns that a partial record has, 0 for all columns.
  private val ColumnSetShift = 8

  /** Only some columns of the record are there; it changes nothing in the others. */
  def isPartial(row: UnsafeRow): Boolean = columnSet(row) != 0

  /** Number of the set of columns that a record has. */
  def columnSet(row: UnsafeRow): Int = row.getInt(Flags) >>> ColumnSetShift

  private val DeleteOperation = UTF8String.fromString("D")
  private val BeforeUpdate = UTF8String.fromString("-U")

  private def isDeleteOperation(text: UTF8String): Boolean = text == DeleteOperation || text == BeforeUpdate

  def has(row: UnsafeRow, flag: Int): Boolean = (row.getInt(Flags) & flag) != 0
}

package io.hudilite.spark.lookup

import io.hudilite.record.{MetaFields, RowPlace}
import io.hudilite.spark.row.{ExternalSort, SortColumn}

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.sql.execution.hudilite.DealtRows
import org.apache.spark.sql.hudilite.Rdds
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Rows that a lookup has found, brought together by their keys. */
private[lookup] final class FoundRows(found: RDD[InternalRow], columns: Seq[Attribute], global: Boolean, tasks: Int) {

  private val layout = FoundLayout(StructType(columns.map(a => StructField(a.name, a.dataType, a.nullable))), global)

  // Written once, however often they are read.
  private lazy val dealt: RDD[InternalRow] =
    DealtRows(found, columns, columns.filter(_.name == MetaFields.RecordKey), tasks)

  /** Those of keys that are in several file groups, without the rows of their other keys. */
  def twice(): Seq[FoundPlace] = {
    val of = layout
    Rdds.mapPartitions(dealt)(rows => new FoundTwice(of.sorted(rows), of).places).collect().toSeq.distinct
  }

  /** All but those at places that do not count. */
  def without(dead: DeadPlaces): RDD[InternalRow] =
    if (dead.isEmpty) dealt
    else {
      val (of, places) = (layout, dealt.sparkContext.broadcast(dead))
      Rdds.mapPartitions(dealt) { rows =>
        val dead = places.value
        rows.filterNot(row => dead.contains(of.partition(row), of.file(row), of.key(row)))
      }
    }

  /** The rows that are there, and of each key that nowhere is one row that a log file has deleted. */
  def once(): RDD[InternalRow] = {
    val of = layout
    Rdds.mapPartitions(dealt)(rows => new GoneOnce(of.sorted(rows), of))
  }
}

/** Where a lookup has found a key. */
private[lookup] final case class FoundPlace(partition: String, fileId: String, key: String)

/** Places of keys that do not count, as log files have deleted the keys there. */
private[lookup] final class DeadPlaces(places: Set[FoundPlace]) extends Serializable {

  private val keys: java.util.HashSet[UTF8String] = {
    val all = new java.util.HashSet[UTF8String](places.size * 2)
    places.foreach(p => all.add(UTF8String.fromString(p.key)))
    all
  }

  def isEmpty: Boolean = places.isEmpty

  // hot path: most keys are in one place
  def contains(partition: UTF8String, fileId: UTF8String, key: UTF8String): Boolean =
    keys.contains(key) && places(FoundPlace(partition.toString, fileId.toString, key.toString))
}

/** Where in a found row is what says where it is. */
private[lookup] final case class FoundLayout(schema: StructType, global: Boolean) {

  private val keyAt = schema.fieldIndex(MetaFields.RecordKey)
  private val partitionAt = schema.fieldIndex(MetaFields.PartitionPath)
  private val fileAt = schema.fieldNames.indexOf(RowPlace.FileId)
  private val goneAt = schema.fieldNames.indexOf(RowPlace.Gone)

  def key(row: InternalRow): UTF8String = row.getUTF8String(keyAt)
  def partition(row: InternalRow): UTF8String = row.getUTF8String(partitionAt)
  def file(row: InternalRow): UTF8String = row.getUTF8String(fileAt)
  def isGone(row: InternalRow): Boolean = row.getBoolean(goneAt)

  /** The rows of a key one after the other, in the order of their partitions. */
  def sorted(rows: Iterator[InternalRow]): Iterator[InternalRow] =
    if (rows.isEmpty) rows
    else ExternalSort.sorter(schema, SortColumn.Text(keyAt), Some(SortColumn.Text(partitionAt)))
      .sort(rows.asInstanceOf[Iterator[UnsafeRow]])
}

/** Follows sorted rows from key to key: that of a partition or, with a global index, of the table. */
private final class KeyTurns(of: FoundLayout) {

  private var key: UTF8String = _ // hot path
  private var partition: UTF8String = _

  /** Of the first row of the key. */
  def firstPartition: String = partition.toString

  /** The row begins another key. */
  def isNext(row: InternalRow): Boolean = {
    val (next, place) = (of.key(row), of.partition(row))
    val turns = key == null || next != key || (!of.global && place != partition)
    if (turns) {
      key = next.copy()
      partition = place.copy()
    }
    turns
  }
}

/** Keys with rows in several file groups. */
private final class FoundTwice(rows: Iterator[InternalRow], of: FoundLayout) {

  private val turns = new KeyTurns(of)
  private var first: UTF8String = _ // file group of the first row of a key
  private var isTold = false

  def places: Iterator[FoundPlace] = rows.flatMap { row =>
    val file = of.file(row)
    if (turns.isNext(row)) {
      first = file.copy()
      isTold = false
      Nil
    } else if (file == first) Nil // several rows in one file group
    else {
      val others = if (isTold) Nil else Seq(place(row, first))
      isTold = true
      others :+ place(row, file)
    }
  }

  // With a global index the rows of a key come in the order of their partitions, the first of them first.
  private def place(row: InternalRow, file: UTF8String): FoundPlace =
    FoundPlace(if (file eq first) turns.firstPartition else of.partition(row).toString, file.toString,
      of.key(row).toString)
}

/** Sorted rows without those that are gone, but for one of each key that has no others. */
private final class GoneOnce(rows: Iterator[InternalRow], of: FoundLayout) extends Iterator[InternalRow] {

  private val turns = new KeyTurns(of)
  private var gone: InternalRow = _ // of the key that the last row had, as long as no other row of it came
  private var isThere = false
  private var current: InternalRow = _
  private var ready: InternalRow = _

  override def hasNext: Boolean = {
    while (ready == null && (current != null || rows.hasNext || gone != null)) step() // hot path
    ready != null
  }

  private def step(): Unit = {
    val row = if (current != null) current else if (rows.hasNext) rows.next() else null
    current = null
    if (row == null) release()
    else if (turns.isNext(row)) {
      isThere = false
      if (gone == null) take(row)
      else {
        release()
        current = row // it has been told from the others: `isNext` says no for it from now on
      }
    } else take(row)
  }

  private def release(): Unit = {
    ready = gone
    gone = null
  }

  private def take(row: InternalRow): Unit =
    if (!of.isGone(row)) {
      isThere = true
      gone = null
      ready = row
    } else if (!isThere && gone == null) gone = row.copy()

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more rows")
    val row = ready
    ready = null
    row
  }
}

package io.hudilite.spark.basefile.skeleton

import io.hudilite.spark.basefile.read.{BatchReader, RowReader, SelectedVector, SplitReader}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, JoinedRow, UnsafeProjection}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** A column of one of two files.
  *
  * @param side
  *   0 or 1
  */
private final case class JoinedPlace(side: Int, at: Int)

/** Rows of two files that have as many, each row from both. Row groups and batches of the two end where they like.
  *
  * Batches keep the vectors of the readers. Where they begin in the middle of one, they have views on them.
  */
private final class JoinedBatches(
    first: BatchReader, second: BatchReader, places: Seq[JoinedPlace], mostRows: Int)
    extends SplitReader[ColumnarBatch] {

  private val sides = Array(first, second)
  private val from = new Array[Int](sides.length) // rows of a side's batch that were delivered
  private val until = new Array[Int](sides.length) // rows of a side's batch
  private val chosen = Array.fill(sides.length)(new Array[Int](mostRows))
  private val vectors: Array[ColumnVector] = places.map(p => sides(p.side).get().column(p.at)).toArray
  private val whole = new ColumnarBatch(vectors)
  private val parts = new ColumnarBatch(places.toArray.map(p =>
      new SelectedVector(sides(p.side).get().column(p.at), chosen(p.side)): ColumnVector))
  private var current = whole

  override def next(): Boolean = {
    // hot path: once per batch
    val more = sides.indices.map(fill)
    if (more.contains(true) && more.contains(false))
      throw new IllegalStateException("two files of equal rows do not end together")
    more.forall(identity) && deliver()
  }

  private def fill(side: Int): Boolean = from(side) < until(side) || {
    val more = sides(side).next()
    from(side) = 0
    until(side) = if (more) sides(side).size else 0
    more
  }

  private def deliver(): Boolean = {
    val rows = math.min(until(0) - from(0), until(1) - from(1))
    val isWhole = sides.indices.forall(side => from(side) == 0 && until(side) == rows)
    if (!isWhole) sides.indices.foreach(choose(_, rows))
    current = if (isWhole) whole else parts
    current.setNumRows(rows)
    sides.indices.foreach(side => from(side) += rows)
    true
  }

  private def choose(side: Int, rows: Int): Unit = {
    // hot path
    val (selection, start) = (chosen(side), from(side))
    var row = 0
    while (row < rows) {
      selection(row) = start + row
      row += 1
    }
  }

  override def get(): ColumnarBatch = current

  override def size: Int = current.numRows

  override def close(): Unit =
    try first.close()
    finally second.close()
}

/** As [[JoinedBatches]], row by row. */
private final class JoinedRows(first: RowReader, second: RowReader, columns: StructType, places: Seq[JoinedPlace])
    extends SplitReader[InternalRow] {

  private val joined = new JoinedRow
  private val ofFirst = places.count(_.side == 0)
  private val projection = UnsafeProjection.create(columns.fields.toSeq.zip(places).map { case (field, place) =>
    BoundReference(place.side * ofFirst + place.at, field.dataType, nullable = true)
  })

  override def next(): Boolean = {
    // hot path
    val more = first.next()
    if (second.next() != more) throw new IllegalStateException("two files of equal rows do not end together")
    more
  }

  override def get(): InternalRow = projection(joined(first.get(), second.get()))

  override def size: Int = 1

  override def close(): Unit =
    try first.close()
    finally second.close()
}

private final class NoRows[T] extends SplitReader[T] {
  override def next(): Boolean = false
  override def get(): T = throw new IllegalStateException("no row: next() was not called")
  override def size: Int = 0
  override def close(): Unit = ()
}

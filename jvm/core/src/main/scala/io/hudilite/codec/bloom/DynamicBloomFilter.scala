package io.hudilite.codec.bloom

import java.nio.ByteBuffer
import java.util.Base64

/** Rows of bits, one more each time the last is full, until the rows hold `maxEntries` keys; from then on keys are
  * dealt to the rows in turn and the share of false answers rises.
  *
  * {{{
  * header of a row (13 bytes) | int32 keys of a full row | int32 keys in the last row | int32 rows | rows, each with header
  * }}}
  *
  * The turn is not stored: after reading, a full filter begins again with row 0, as Hudi's does.
  */
private[hudilite] final class DynamicBloomFilter(
    private val shape: Shape, private val entries: Int, maxEntries: Int, private var rows: Array[BitRow],
    private var inLastRow: Int)
    extends BloomFilter {

  private val queue = new KeyQueue(shape)
  private var reachedMax = false
  private var turn = 0

  override def typeCode: String = BloomFilter.Dynamic

  override def add(utf8: Array[Byte], offset: Int, length: Int): Unit = {
    if (length == 0) throw new IllegalArgumentException("an empty key cannot be added to a bloom filter")
    queue.add(nextRow(), utf8, offset, length)
    inLastRow += 1
  }

  private def nextRow(): BitRow =
    if (reachedMax) {
      val row = rows(turn % rows.length)
      turn += 1
      row
    } else if (inLastRow < entries) rows(rows.length - 1)
    else if (rows.length.toLong * entries < maxEntries) {
      rows = rows :+ BitRow.empty(shape)
      inLastRow = 0
      rows(rows.length - 1)
    } else {
      // The key that meets the bound goes to row 0; the turn starts with row 0 once more behind it.
      reachedMax = true
      rows(0)
    }

  override def absorb(other: BloomFilter): Boolean = other match {
    case dynamic: DynamicBloomFilter if dynamic.shape == shape && dynamic.entries == entries =>
      dynamic.queue.flush()
      dynamic.rows.init.foreach(absorb(_, entries))
      absorb(dynamic.rows.last, dynamic.inLastRow)
      true
    case _ => false
  }

  // Rows but the last are taken for full ones. Past the bound rows are dealt out in turn, as keys are.
  private def absorb(row: BitRow, keys: Int): Unit = {
    queue.flush()
    if (inLastRow + keys <= entries) {
      rows.last.absorb(row)
      inLastRow += keys
    } else if (rows.length.toLong * entries < maxEntries) {
      val own = BitRow.empty(shape)
      own.absorb(row)
      rows = if (keys <= inLastRow) rows :+ own else rows.init :+ own :+ rows.last
      inLastRow = inLastRow.min(keys)
    } else {
      reachedMax = true
      rows(turn % rows.length).absorb(row)
      turn += 1
      inLastRow += keys
    }
  }

  // hot path
  override def mightContain(utf8: Array[Byte], offset: Int, length: Int, mostHashes: Int): Boolean = {
    queue.flush()
    var i = 0
    while (i < rows.length && !rows(i).mightContain(utf8, offset, length, mostHashes)) i += 1
    i < rows.length
  }

  override def isLaidOutFor(wanted: Int, fpp: Double): Boolean = wanted == entries && shape == Shape.of(wanted, fpp)

  override def keyCount: Double = (rows.length - 1).toDouble * entries + inLastRow

  override def serialized: String = {
    queue.flush()
    val out = ByteBuffer.allocate(BitRow.HeaderBytes + 12 + rows.map(_.sizeInBytes).sum)
    BitRow.writeHeader(out, shape)
    out.putInt(entries).putInt(inLastRow).putInt(rows.length)
    rows.foreach(_.write(out))
    Base64.getEncoder.encodeToString(out.array)
  }
}

private[hudilite] object DynamicBloomFilter {

  def empty(shape: Shape, entries: Int, maxEntries: Int): DynamicBloomFilter =
    new DynamicBloomFilter(shape, entries, maxEntries, Array(BitRow.empty(shape)), 0)

  def read(in: ByteBuffer, maxEntries: Int): DynamicBloomFilter = {
    val shape = BitRow.readHeader(in)
    val entries = in.getInt
    val inLastRow = in.getInt
    val count = in.getInt
    if (entries < 1 || inLastRow < 0 || count < 1 || count.toLong * BitRow.HeaderBytes > in.remaining)
      throw new IllegalArgumentException(s"$count rows of $entries keys with $inLastRow in the last")
    val rows = Array.fill(count)(BitRow.read(in))
    if (rows.exists(_.shape != shape)) throw new IllegalArgumentException("the rows of the bloom filter differ in size")
    new DynamicBloomFilter(shape, entries, maxEntries, rows, inLastRow)
  }
}

package io.hudilite.codec.hfile

import java.nio.ByteBuffer

import scala.util.control.NonFatal

/** Records of an HFile, in the order of their keys: after `next()` the record of `key` is the `length` bytes of `buffer`
  * from `offset` on. Its own field for the key may be blank. One block of the HFile is in memory at a time, and the bytes
  * that were read with it; `buffer` is another array from one block to the next.
  *
  * @param expected
  *   number of records where all are read: the last `next()` fails where some are missing
  */
final class HFileRecords private[hfile] (
    blocks: DataBlocks, versioned: Boolean, expected: Option[Long], path: String) {

  import HFileRecords._

  // hot path: no allocation for a record.
  private var cells = ByteBuffer.allocate(0)
  private var array = cells.array
  private var wanted: Wanted = _ // null where all keys are
  private var ready = 0 // end of what is unpacked
  private var read = 0L
  private var keyFrom = 0
  private var keyUntil = 0
  private var at = 0
  private var bytes = 0
  private var last = array // the key before lies here
  private var lastFrom = 0
  private var lastUntil = 0

  /** The record key in UTF-8, in an array of its own. */
  def key: Array[Byte] = java.util.Arrays.copyOfRange(array, keyFrom, keyUntil)
  def buffer: Array[Byte] = array
  def offset: Int = at
  def length: Int = bytes

  /** The record, in an array of its own. */
  def value: Array[Byte] = java.util.Arrays.copyOfRange(array, at, at + bytes)

  /** The records that are left, each key with its record. */
  def iterator: Iterator[(Array[Byte], Array[Byte])] =
    Iterator.continually(next()).takeWhile(identity).map(_ => key -> value)

  def next(): Boolean =
    try {
      var found = false
      while (!found && more()) { // hot path
        readCell()
        found = wanted == null || wanted.has(array, keyFrom, keyUntil)
      }
      found
    } catch { case NonFatal(e) => throw HFile.damage(e, path) }

  /** Goes to the block of the next cell that may be wanted. */
  private def more(): Boolean = {
    var open = true
    while (open && (!cells.hasRemaining || wanted != null && wanted.isDone)) {
      open = blocks.next()
      if (open) enter(blocks.cells)
    }
    if (!open && expected.exists(_ != read))
      throw new IllegalArgumentException(s"an HFile does not hold its ${expected.mkString} cells, but $read")
    open
  }

  private def enter(block: ByteBuffer): Unit = {
    last = key
    lastFrom = 0
    lastUntil = last.length
    array = block.array
    cells = ByteBuffer.wrap(array, 0, block.arrayOffset + block.limit())
    cells.position(block.arrayOffset + block.position())
    wanted = blocks.wanted.orNull
    ready = blocks.unpackedTo(0)
  }

  private def reach(end: Int): Unit = if (end > ready) ready = blocks.unpackedTo(end)

  private def readCell(): Unit = {
    val start = cells.position()
    reach(start + 2 * Integer.BYTES)
    val keyLength = cells.getInt(start)
    val valueLength = cells.getInt(start + Integer.BYTES)
    val from = start + 2 * Integer.BYTES
    if (keyLength < KeyOverhead || valueLength < 0 || keyLength.toLong + valueLength > cells.limit() - from)
      throw new IllegalArgumentException(s"an HFile cell of $keyLength and $valueLength bytes")
    at = from + keyLength
    bytes = valueLength
    reach(at + bytes + MostVersionBytes)
    readKey(from)
    cells.position(at + bytes)
    if (versioned) skipVersion()
    read += 1
  }

  private def readKey(from: Int): Unit = {
    val rowLength = cells.getShort(from) & 0xffff
    if (rowLength > at - from - KeyOverhead) throw new IllegalArgumentException(s"an HFile key of $rowLength bytes")
    if (array(at - 1) != PutType) throw new IllegalArgumentException(s"an HFile cell of the type ${array(at - 1)}")
    keyFrom = from + java.lang.Short.BYTES
    keyUntil = keyFrom + rowLength
    if (KeyOrder.descends(last, lastFrom, lastUntil, array, keyFrom, keyUntil))
      throw new IllegalArgumentException(s"the key of cell ${read + 1} that was read of an HFile comes before the last")
    last = array
    lastFrom = keyFrom
    lastUntil = keyUntil
  }

  /** A number of one byte, or of as many as its first byte says. */
  private def skipVersion(): Unit = {
    val more = VariableNumber.bytesAfter(cells.get())
    cells.position(cells.position() + more)
  }
}

private object HFileRecords {

  val MostVersionBytes: Int = 1 + java.lang.Long.BYTES

  /** A key besides its row: length of the row, of the family, a time and a type. */
  val KeyOverhead: Int = java.lang.Short.BYTES + 1 + java.lang.Long.BYTES + 1

  /** A cell that holds a value, and deletes none. */
  val PutType: Byte = 4
}

package io.hudilite.codec.hfile

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable

/** Where a block lies.
  *
  * @param row
  *   no key of the block comes before it, and all keys of earlier blocks do
  */
private[hfile] final case class BlockPlace(offset: Long, size: Int, row: Array[Byte]) {
  def end: Long = offset + size
}

/** Finds the block that may hold a key. The root is in memory from the beginning; other levels, which only HBase's writer makes,
  * are read when a key leads to them, and kept.
  *
  * @param levels
  *   one where the root names blocks of data
  * @param load
  *   the entries of a block of the index
  */
private[hfile] final class BlockIndex(
    root: IndexedSeq[BlockPlace], levels: Int, load: BlockPlace => IndexedSeq[BlockPlace]) {

  private val loaded = mutable.LongMap.empty[IndexedSeq[BlockPlace]]

  /** The only block that may hold the key. */
  def find(key: Array[Byte], order: KeyOrder): Option[BlockPlace] = {
    @annotation.tailrec
    def down(entries: IndexedSeq[BlockPlace], level: Int): Option[BlockPlace] = {
      val at = floor(entries, key, order)
      if (at < 0) None
      else if (level == 1) Some(entries(at))
      else down(children(entries(at)), level - 1)
    }
    down(root, levels)
  }

  /** The blocks that may hold keys from `key` on. */
  def from(key: Array[Byte], order: KeyOrder): Iterator[BlockPlace] = {
    def down(entries: IndexedSeq[BlockPlace], level: Int, bounded: Boolean): Iterator[BlockPlace] = {
      val first = if (bounded) math.max(0, floor(entries, key, order)) else 0
      val places = entries.iterator.drop(first)
      if (level == 1) places
      else places.zipWithIndex.flatMap { case (p, n) => down(children(p), level - 1, bounded && n == 0) }
    }
    down(root, levels, bounded = true)
  }

  private def children(place: BlockPlace): IndexedSeq[BlockPlace] =
    loaded.getOrElseUpdate(place.offset, load(place))

  /** Number of the last entry that does not come after the key, -1 if all do. */
  private def floor(entries: IndexedSeq[BlockPlace], key: Array[Byte], order: KeyOrder): Int = {
    var low = 0
    var high = entries.length
    while (low < high) { // hot path
      val middle = (low + high) >>> 1
      if (order.compare(entries(middle).row, key) <= 0) low = middle + 1 else high = middle
    }
    low - 1
  }
}

private[hfile] object BlockIndex {

  /** Of a file without records. */
  val Empty: BlockIndex = new BlockIndex(Vector.empty, 1, _ => Vector.empty)

  private val PlaceBytes = java.lang.Long.BYTES + Integer.BYTES

  /** The block in the middle of a file whose index has several levels: its place, and a number in it. */
  private val MiddleBytes = PlaceBytes + Integer.BYTES

  /** The entries of a root: `count x (offset, size, length of the key, key)`.
    *
    * @param limit
    *   where the blocks that are named end at the latest
    */
  def root(content: ByteBuffer, trailer: HFileTrailer, limit: Long): IndexedSeq[BlockPlace] = {
    val count = trailer.rootEntries
    if (count > content.remaining / PlaceBytes)
      throw new IllegalArgumentException(s"the index of an HFile has $count entries in ${content.remaining} bytes")
    val places = Vector.newBuilder[BlockPlace]
    (0 until count).foreach { _ =>
      val offset = content.getLong
      val size = content.getInt
      val keyBytes = VariableNumber.read(content)
      if (keyBytes < java.lang.Short.BYTES || keyBytes > content.remaining) throw damagedKey(keyBytes)
      val end = content.position() + keyBytes.toInt
      places += BlockPlace(offset, size, row(content, end))
      content.position(end)
    }
    if (content.remaining != (if (trailer.levels > 1) MiddleBytes else 0))
      throw new IllegalArgumentException(s"the index of an HFile has more than its $count entries")
    checked(places.result(), limit)
  }

  /** Blocks with their names, in the form of a root: `count x (offset, size, length of the name, name)`.
    *
    * @param limit
    *   where the blocks that are named end at the latest
    */
  def named(content: ByteBuffer, count: Int, limit: Long): Seq[(String, BlockPlace)] = {
    if (count > content.remaining / PlaceBytes)
      throw new IllegalArgumentException(s"the index of an HFile has $count names in ${content.remaining} bytes")
    Seq.fill(count) {
      val (offset, size) = (content.getLong, content.getInt)
      val length = VariableNumber.read(content)
      if (length < 0 || length > content.remaining) throw damagedKey(length)
      val name = new Array[Byte](length.toInt)
      content.get(name)
      new String(name, UTF_8) -> checked(Vector(BlockPlace(offset, size, Array.emptyByteArray)), limit).head
    }
  }

  /** The entries of another level: `count, (count + 1) x where entry n begins, count x (offset, size, key)`. */
  def level(content: ByteBuffer, limit: Long): IndexedSeq[BlockPlace] = {
    val count = content.getInt
    if (count < 1 || count > content.remaining / (PlaceBytes + Integer.BYTES))
      throw new IllegalArgumentException(s"the index of an HFile has $count entries in ${content.remaining} bytes")
    val starts = IndexedSeq.fill(count + 1)(content.getInt)
    val first = content.position()
    checked(starts.zip(starts.tail).map { case (from, until) =>
        if (from < 0 || until - from < PlaceBytes + java.lang.Short.BYTES || until > content.limit() - first)
          throw damagedKey(until.toLong - from)
        content.position(first + from)
        BlockPlace(content.getLong, content.getInt, row(content, first + until))
      }, limit)
  }

  /** The row in a key that ends at `end`: its length, itself, and parts that only HBase's writer has. */
  private def row(content: ByteBuffer, end: Int): Array[Byte] = {
    val bytes = new Array[Byte](content.getShort & 0xffff)
    if (bytes.length > end - content.position()) throw damagedKey(bytes.length.toLong)
    content.get(bytes)
    bytes
  }

  private def damagedKey(bytes: Long): IllegalArgumentException =
    new IllegalArgumentException(s"the index of an HFile has a key of $bytes bytes")

  private def checked(places: IndexedSeq[BlockPlace], limit: Long): IndexedSeq[BlockPlace] = {
    var before: BlockPlace = null
    places.foreach { p => // hot path
      if (p.offset < 0 || p.size < HFileBlock.HeaderBytes || p.offset > limit - p.size)
        throw new IllegalArgumentException(s"the index of an HFile names ${p.size} bytes at offset ${p.offset}")
      if (before != null &&
        (before.end > p.offset ||
          KeyOrder.descends(before.row, 0, before.row.length, p.row, 0, p.row.length)))
        throw new IllegalArgumentException(
          s"the index of an HFile has offset ${p.offset} after ${before.offset}, out of order")
      before = p
    }
    places
  }
}

package io.hudilite.codec.hfile

import java.util.Arrays

import scala.collection.JavaConverters._
import scala.collection.mutable

/** Keys that are looked for in one block of data, ascending.
  *
  * @param prefixes
  *   they are beginnings of keys
  */
private[hfile] final class Wanted(val place: BlockPlace, keys: Array[Array[Byte]], prefixes: Boolean) {

  // In a file of the other order keys of one order may come before and after those of the other.
  private val ordered = keys.forall(KeyOrder.isPlain)
  private var at = 0

  /** No further key of the block is wanted. */
  def isDone: Boolean = at == keys.length

  /** The key is wanted; asked for one after the other, in the order of the block. */
  def has(bytes: Array[Byte], from: Int, until: Int): Boolean =
    if (!ordered) keys.exists(k => compare(k, bytes, from, until) == 0)
    else {
      var order = -1
      while (order < 0 && at < keys.length) { // hot path
        order = compare(keys(at), bytes, from, until)
        if (order < 0) at += 1
      }
      order == 0
    }

  private def compare(key: Array[Byte], bytes: Array[Byte], from: Int, until: Int): Int = {
    val end = if (prefixes) math.min(until, from + key.length) else until
    Arrays.compareUnsigned(key, 0, key.length, bytes, from, end)
  }
}

/** Finds the blocks in which keys are to be looked for. */
private[hfile] object KeySeek {

  /** @param keys
    *   ascending by their bytes
    */
  def keys(index: BlockIndex, keys: Seq[Array[Byte]]): Seq[Wanted] = {
    checkOrder(keys)
    if (keys.forall(KeyOrder.isPlain)) inOrder(index, keys)
    else {
      val found = new Found
      keys.foreach(key => orders(key).foreach(order => index.find(key, order).foreach(found.add(_, key))))
      found.wanted(prefixes = false)
    }
  }

  // In one order the blocks of ascending keys ascend, too.
  private def inOrder(index: BlockIndex, keys: Seq[Array[Byte]]): Seq[Wanted] = {
    val wanted = Vector.newBuilder[Wanted]
    var open: BlockPlace = null
    val some = mutable.ArrayBuffer.empty[Array[Byte]]
    def end(): Unit = if (open != null) wanted += new Wanted(open, some.toArray, prefixes = false)
    keys.foreach { key => // hot path
      val place = index.find(key, KeyOrder.Bytes).orNull
      if (place != null) {
        if (place ne open) {
          end()
          some.clear()
          open = place
        }
        some += key
      }
    }
    end()
    wanted.result()
  }

  /** @param prefixes
    *   ascending by their bytes; one that begins with another one adds nothing
    */
  def prefixes(index: BlockIndex, prefixes: Seq[Array[Byte]]): Seq[Wanted] = {
    checkOrder(prefixes)
    val shortest = prefixes.foldLeft(List.empty[Array[Byte]]) { (kept, p) =>
      if (kept.headOption.exists(KeyOrder.startsWith(p, _))) kept else p :: kept
    }.reverse
    val found = new Found
    for (prefix <- shortest; order <- orders(prefix); place <- blocks(index, prefix, order)) found.add(place, prefix)
    found.wanted(prefixes = true)
  }

  private def blocks(index: BlockIndex, prefix: Array[Byte], order: KeyOrder): Iterator[BlockPlace] =
    index.from(prefix, order).takeWhile(p =>
      order.compare(p.row, prefix) <= 0 || KeyOrder.startsWith(p.row, prefix))

  private def orders(key: Array[Byte]): Seq[KeyOrder] =
    if (KeyOrder.isPlain(key)) Seq(KeyOrder.Bytes) else Seq(KeyOrder.Bytes, KeyOrder.Strings)

  private def checkOrder(keys: Seq[Array[Byte]]): Unit = {
    var last: Array[Byte] = null
    keys.foreach { key => // hot path
      if (last != null && Arrays.compareUnsigned(last, key) >= 0)
        throw new IllegalStateException("keys are looked for that do not ascend by their bytes")
      last = key
    }
  }

  /** Blocks in the order of the file, each with its keys. */
  private final class Found {
    private val blocks = new java.util.TreeMap[Long, (BlockPlace, mutable.ArrayBuffer[Array[Byte]])]

    def add(place: BlockPlace, key: Array[Byte]): Unit = {
      val keys = blocks.computeIfAbsent(place.offset, _ => (place, mutable.ArrayBuffer.empty))._2
      if (!keys.lastOption.exists(_ eq key)) keys += key
    }

    def wanted(prefixes: Boolean): Seq[Wanted] =
      blocks.values.asScala.map { case (place, keys) => new Wanted(place, keys.toArray, prefixes) }.toList
  }
}

package io.hudilite.codec.bloom

/** Adds keys four at a time. Each bit of a key needs the hash before it, so one key alone leaves most of the processor
  * idle; four keys of one length are hashed side by side.
  *
  * A word of a key goes into every hash in the same mixed form, so it is mixed once.
  */
private[hudilite] final class KeyQueue(shape: Shape) {

  import KeyQueue._

  private var words = new Array[Int](Lanes * 16)
  private val tails = new Array[Int](Lanes)
  private val rows = new Array[BitRow](Lanes)
  private var length = 0
  private var count = 0

  /** Takes a copy of the key; its bits are set in `row` at the latest by the next `flush`. */
  def add(row: BitRow, key: Array[Byte], offset: Int, keyLength: Int): Unit = {
    if (count > 0 && keyLength != length) flush()
    length = keyLength
    if (words.length < (keyLength >> 2) * Lanes) words = new Array[Int]((keyLength >> 2) * Lanes * 2)
    store(key, offset)
    rows(count) = row
    count += 1
    if (count == Lanes) flush()
  }

  // hot path
  private def store(key: Array[Byte], offset: Int): Unit = {
    var slot = count
    var i = offset
    val wordsEnd = offset + (length & ~3)
    while (i < wordsEnd) {
      words(slot) = Murmur2.mixedWord(key, i)
      slot += Lanes
      i += 4
    }
    tails(count) = Murmur2.tail(key, offset, length)
  }

  /** Sets the bits of all keys taken so far. */
  def flush(): Unit = if (count > 0) {
    setBits()
    count = 0
  }

  // hot path: lanes beyond `count` hold old keys and are computed for nothing
  private def setBits(): Unit = {
    val end = (length >> 2) * Lanes
    var s0, s1, s2, s3 = 0
    var round = 0
    while (round < shape.hashes) {
      var h0 = s0 ^ length
      var h1 = s1 ^ length
      var h2 = s2 ^ length
      var h3 = s3 ^ length
      var w = 0
      while (w < end) {
        h0 = (h0 * Murmur2.M) ^ words(w)
        h1 = (h1 * Murmur2.M) ^ words(w + 1)
        h2 = (h2 * Murmur2.M) ^ words(w + 2)
        h3 = (h3 * Murmur2.M) ^ words(w + 3)
        w += Lanes
      }
      s0 = Murmur2.finish(h0, length, tails(0))
      s1 = Murmur2.finish(h1, length, tails(1))
      s2 = Murmur2.finish(h2, length, tails(2))
      s3 = Murmur2.finish(h3, length, tails(3))
      rows(0).set(s0)
      if (count > 1) rows(1).set(s1)
      if (count > 2) rows(2).set(s2)
      if (count > 3) rows(3).set(s3)
      round += 1
    }
  }
}

private[hudilite] object KeyQueue {
  private val Lanes = 4
}

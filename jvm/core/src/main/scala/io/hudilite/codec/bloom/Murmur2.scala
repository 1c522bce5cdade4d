package io.hudilite.codec.bloom

/** MurmurHash2 in the variant of Hadoop's key filters: tail bytes are sign-extended and taken from the end backwards. */
private[hudilite] object Murmur2 {

  final val M = 0x5bd1e995

  // hot path: called dozens of times for each key
  def hash(bytes: Array[Byte], offset: Int, length: Int, seed: Int): Int = {
    var h = seed ^ length
    val wordsEnd = offset + (length & ~3)
    var i = offset
    while (i < wordsEnd) {
      h = (h * M) ^ mixedWord(bytes, i)
      i += 4
    }
    finish(h, length, tail(bytes, offset, length))
  }

  /** Contribution of the four bytes at `i`; it does not depend on the seed. */
  def mixedWord(bytes: Array[Byte], i: Int): Int = {
    var k = (bytes(i) & 0xff) | ((bytes(i + 1) & 0xff) << 8) | ((bytes(i + 2) & 0xff) << 16) | (bytes(i + 3) << 24)
    k *= M
    k ^= k >>> 24
    k * M
  }

  /** Contribution of the one to three bytes behind the last whole word. */
  def tail(bytes: Array[Byte], offset: Int, length: Int): Int = {
    val end = offset + length
    (length & 3) match {
      case 0 => 0
      case 1 => bytes(end - 1).toInt
      case 2 => (bytes(end - 2).toInt << 8) ^ bytes(end - 1).toInt
      case _ => (bytes(end - 3).toInt << 16) ^ (bytes(end - 2).toInt << 8) ^ bytes(end - 1).toInt
    }
  }

  /** The hash from its state behind the last whole word. */
  def finish(state: Int, length: Int, tail: Int): Int = {
    var h = if ((length & 3) == 0) state else (state ^ tail) * M
    h ^= h >>> 13
    h *= M
    h ^ (h >>> 15)
  }
}

package io.hudilite.bloom

/** MurmurHash2 in the variant of Hadoop's key filters: tail bytes are sign-extended and taken from the end backwards. */
private[bloom] object Murmur2 {

  private val M = 0x5bd1e995

  // hot path: called dozens of times for each key
  def hash(bytes: Array[Byte], offset: Int, length: Int, seed: Int): Int = {
    var h = seed ^ length
    val wordsEnd = offset + (length & ~3)
    var i = offset
    while (i < wordsEnd) {
      var k = (bytes(i) & 0xff) | ((bytes(i + 1) & 0xff) << 8) | ((bytes(i + 2) & 0xff) << 16) | (bytes(i + 3) << 24)
      k *= M
      k ^= k >>> 24
      k *= M
      h = (h * M) ^ k
      i += 4
    }
    val tail = length & 3
    if (tail != 0) {
      val end = offset + length
      if (tail == 3) h ^= bytes(end - 3).toInt << 16
      if (tail >= 2) h ^= bytes(end - 2).toInt << 8
      h ^= bytes(end - 1).toInt
      h *= M
    }
    h ^= h >>> 13
    h *= M
    h ^ (h >>> 15)
  }
}

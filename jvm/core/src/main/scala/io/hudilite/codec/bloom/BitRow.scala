package io.hudilite.codec.bloom

import java.nio.ByteBuffer

/** Size of a row of bits and the number of bits that a key sets in it. */
private[hudilite] final case class Shape(bits: Int, hashes: Int)

private[hudilite] object Shape {

  /** For `entries` keys and a share `fpp` of false answers. */
  def of(entries: Int, fpp: Double): Shape = {
    if (entries < 1) throw new IllegalArgumentException(s"a bloom filter holds at least one key, not $entries")
    if (!(fpp > 0 && fpp < 1))
      throw new IllegalArgumentException(s"the false positive rate $fpp is not between 0 and 1")
    val ln2 = math.log(2)
    val bits = math.ceil(entries * (-math.log(fpp) / (ln2 * ln2)))
    if (bits > Int.MaxValue - 7) throw new IllegalArgumentException(s"a bloom filter of $bits bits is too large")
    Shape(bits.toInt, math.ceil(ln2 * bits / entries).toInt)
  }
}

/** One row of bits with its header.
  *
  * {{{
  * int32 -1 (version) | int32 hashes | int8 1 (Murmur) | int32 bits | byte[(bits + 7) / 8], bit i = byte i/8, 1 << i%8
  * }}}
  */
private[hudilite] final class BitRow(val shape: Shape, private val bytes: Array[Byte]) {

  // ceil(2^64 / bits): a remainder by two multiplications in place of a division
  private val reciprocal: Long = java.lang.Long.divideUnsigned(-1L, shape.bits.toLong) + 1

  /** Sets the bit that a hash stands for. */
  def set(hash: Int): Unit = {
    val bit = bitOf(hash)
    bytes(bit >> 3) = (bytes(bit >> 3) | (1 << (bit & 7))).toByte
  }

  /** Sets the bits of a row of the same shape, too. */
  def absorb(other: BitRow): Unit = {
    var i = 0
    while (i < bytes.length) { // hot path
      bytes(i) = (bytes(i) | other.bytes(i)).toByte
      i += 1
    }
  }

  // hot path: the hash of a key under one seed is the next seed
  def mightContain(key: Array[Byte], offset: Int, length: Int, mostHashes: Int): Boolean = {
    var seed = 0
    var left = shape.hashes.min(mostHashes)
    var found = true
    while (left > 0 && found) {
      seed = Murmur2.hash(key, offset, length, seed)
      val bit = bitOf(seed)
      found = (bytes(bit >> 3) & (1 << (bit & 7))) != 0
      left -= 1
    }
    found
  }

  // abs(hash % bits): with 64 fraction bits of hash / bits, exact for all 32-bit hashes (Lemire, Kaser, Kurz 2019)
  private[hudilite] def bitOf(hash: Int): Int = {
    val fraction = reciprocal * Math.abs(hash.toLong)
    (Math.multiplyHigh(fraction, shape.bits.toLong) + ((fraction >> 63) & shape.bits)).toInt
  }

  /** Estimated number of keys that set these bits. */
  def keyCount: Double = {
    var set = 0L
    var i = 0
    while (i < bytes.length) { // hot path
      set += Integer.bitCount(bytes(i) & 0xff)
      i += 1
    }
    if (set >= shape.bits) Double.MaxValue
    else -shape.bits.toDouble / shape.hashes * math.log1p(-set.toDouble / shape.bits)
  }

  def sizeInBytes: Int = BitRow.HeaderBytes + bytes.length

  def write(out: ByteBuffer): Unit = {
    BitRow.writeHeader(out, shape)
    out.put(bytes)
  }
}

private[hudilite] object BitRow {

  val HeaderBytes = 13
  private val Version = -1
  private val Murmur: Byte = 1

  // More hashes than the least share of false answers in a double asks for.
  private val MostHashes = 1100

  def empty(shape: Shape): BitRow = new BitRow(shape, new Array[Byte](byteCount(shape)))

  def writeHeader(out: ByteBuffer, shape: Shape): Unit =
    out.putInt(Version).putInt(shape.hashes).put(Murmur).putInt(shape.bits)

  def readHeader(in: ByteBuffer): Shape = {
    val version = in.getInt
    if (version != Version) throw new IllegalArgumentException(s"bloom filter version $version is not known")
    val hashes = in.getInt
    val hashType = in.get
    if (hashType != Murmur) throw new IllegalArgumentException(s"bloom filter hash type $hashType is not known")
    val bits = in.getInt
    if (hashes < 1 || hashes > MostHashes || bits < 1)
      throw new IllegalArgumentException(s"a bloom filter of $bits bits and $hashes hashes")
    Shape(bits, hashes)
  }

  def read(in: ByteBuffer): BitRow = {
    val shape = readHeader(in)
    if (byteCount(shape) > in.remaining) throw new IllegalArgumentException("the bloom filter is cut short")
    val bytes = new Array[Byte](byteCount(shape))
    in.get(bytes)
    new BitRow(shape, bytes)
  }

  private def byteCount(shape: Shape): Int = ((shape.bits + 7L) / 8).toInt
}

/** Adds keys four of one length at a time. Each bit of a key needs the hash before it, so one key alone leaves most of the
  * processor idle; four keys of one length are hashed side by side. Keys of other lengths that come between wait apart.
  */
private[hudilite] final class KeyQueue(shape: Shape) {

  private val lengths = new Array[KeyLanes](KeyQueue.Lengths)
  private var waiting = false

  /** Takes a copy of the key; its bits are set in `row` at the latest by the next `flush`. */
  def add(row: BitRow, key: Array[Byte], offset: Int, keyLength: Int): Unit = {
    val slot = keyLength & (KeyQueue.Lengths - 1)
    var lanes = lengths(slot)
    if (lanes == null) {
      lanes = new KeyLanes(shape)
      lengths(slot) = lanes
    }
    lanes.add(row, key, offset, keyLength)
    waiting = true
  }

  /** Sets the bits of all keys taken so far. */
  def flush(): Unit = if (waiting) {
    waiting = false
    var i = 0
    while (i < lengths.length) {
      if (lengths(i) != null) lengths(i).flush()
      i += 1
    }
  }
}

private[hudilite] object KeyQueue {

  /** Lengths that wait at once, told apart by their last bits: keys of numbers differ by a few bytes. */
  private val Lengths = 16
}

/** Up to four keys of one length. A word of a key goes into every hash in the same mixed form, so it is mixed once. */
private final class KeyLanes(shape: Shape) {

  import KeyLanes._

  private var words = new Array[Int](Lanes * 16)
  private val tails = new Array[Int](Lanes)
  private val rows = new Array[BitRow](Lanes)
  private var length = 0
  private var count = 0

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

private object KeyLanes {
  private val Lanes = 4
}

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

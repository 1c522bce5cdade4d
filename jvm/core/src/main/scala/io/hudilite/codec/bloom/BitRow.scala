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

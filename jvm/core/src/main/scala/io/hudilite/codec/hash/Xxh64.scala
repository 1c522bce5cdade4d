package io.hudilite.codec.hash

import java.lang.Long.rotateLeft
import java.nio.{ByteBuffer, ByteOrder}

/** The 64 bit xxHash of bytes. */
private[hudilite] object Xxh64 {

  private val Prime1 = 0x9e3779b185ebca87L
  private val Prime2 = 0xc2b2ae3d27d4eb4fL
  private val Prime3 = 0x165667b19e3779f9L
  private val Prime4 = 0x85ebca77c2b2ae63L
  private val Prime5 = 0x27d4eb2f165667c5L

  private val StripeBytes = 32

  def hash(bytes: Array[Byte], seed: Long): Long = {
    val in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    val start = if (bytes.length >= StripeBytes) ofStripes(in, seed) else seed + Prime5
    finished(ofRest(in, start + bytes.length))
  }

  private def ofStripes(in: ByteBuffer, seed: Long): Long = {
    // hot path
    var (a, b, c, d) = (seed + Prime1 + Prime2, seed + Prime2, seed, seed - Prime1)
    while (in.remaining >= StripeBytes) {
      a = round(a, in.getLong())
      b = round(b, in.getLong())
      c = round(c, in.getLong())
      d = round(d, in.getLong())
    }
    val together = rotateLeft(a, 1) + rotateLeft(b, 7) + rotateLeft(c, 12) + rotateLeft(d, 18)
    Seq(a, b, c, d).foldLeft(together)((sum, lane) => (sum ^ round(0L, lane)) * Prime1 + Prime4)
  }

  private def ofRest(in: ByteBuffer, start: Long): Long = {
    // hot path
    var sum = start
    while (in.remaining >= java.lang.Long.BYTES)
      sum = rotateLeft(sum ^ round(0L, in.getLong()), 27) * Prime1 + Prime4
    if (in.remaining >= Integer.BYTES)
      sum = rotateLeft(sum ^ Integer.toUnsignedLong(in.getInt()) * Prime1, 23) * Prime2 + Prime3
    while (in.hasRemaining) sum = rotateLeft(sum ^ (in.get() & 0xffL) * Prime5, 11) * Prime1
    sum
  }

  private def round(lane: Long, input: Long): Long = rotateLeft(lane + input * Prime2, 31) * Prime1

  private def finished(sum: Long): Long = {
    val once = (sum ^ (sum >>> 33)) * Prime2
    val twice = (once ^ (once >>> 29)) * Prime3
    twice ^ (twice >>> 32)
  }
}

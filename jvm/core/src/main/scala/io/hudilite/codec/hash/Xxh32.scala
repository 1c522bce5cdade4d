package io.hudilite.codec.hash

import java.lang.Integer.rotateLeft
import java.nio.charset.StandardCharsets.UTF_8

/** The 32 bit xxHash of bytes, with the seed 0. */
private[hudilite] object Xxh32 {

  private val Prime1 = 0x9e3779b1
  private val Prime2 = 0x85ebca77
  private val Prime3 = 0xc2b2ae3d
  private val Prime4 = 0x27d4eb2f
  private val Prime5 = 0x165667b1

  private val StripeBytes = 16

  def hash(text: String): Int = {
    val bytes = text.getBytes(UTF_8)
    hash(bytes, 0, bytes.length)
  }

  // hot path: called for each row of a write
  def hash(bytes: Array[Byte], offset: Int, length: Int): Int = {
    val end = offset + length
    var at = offset
    var sum = Prime5
    if (length >= StripeBytes) {
      var a = Prime1 + Prime2
      var b = Prime2
      var c = 0
      var d = -Prime1
      while (at <= end - StripeBytes) {
        a = round(a, word(bytes, at))
        b = round(b, word(bytes, at + 4))
        c = round(c, word(bytes, at + 8))
        d = round(d, word(bytes, at + 12))
        at += StripeBytes
      }
      sum = rotateLeft(a, 1) + rotateLeft(b, 7) + rotateLeft(c, 12) + rotateLeft(d, 18)
    }
    sum += length
    while (at <= end - 4) {
      sum = rotateLeft(sum + word(bytes, at) * Prime3, 17) * Prime4
      at += 4
    }
    while (at < end) {
      sum = rotateLeft(sum + (bytes(at) & 0xff) * Prime5, 11) * Prime1
      at += 1
    }
    finished(sum)
  }

  private def round(lane: Int, input: Int): Int = rotateLeft(lane + input * Prime2, 13) * Prime1

  private def word(bytes: Array[Byte], at: Int): Int =
    (bytes(at) & 0xff) | (bytes(at + 1) & 0xff) << 8 | (bytes(at + 2) & 0xff) << 16 | (bytes(at + 3) & 0xff) << 24

  private def finished(sum: Int): Int = {
    val once = (sum ^ (sum >>> 15)) * Prime2
    val twice = (once ^ (once >>> 13)) * Prime3
    twice ^ (twice >>> 16)
  }
}

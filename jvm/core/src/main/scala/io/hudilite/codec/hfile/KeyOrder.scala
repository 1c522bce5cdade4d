package io.hudilite.codec.hfile

import java.util.Arrays

/** An order of keys in UTF-8. */
private[hfile] sealed abstract class KeyOrder {

  /** Below, at or above zero, as the bytes of `a` come before, are or come after those of `b`. */
  def compare(a: Array[Byte], aFrom: Int, aUntil: Int, b: Array[Byte], bFrom: Int, bUntil: Int): Int

  final def compare(a: Array[Byte], b: Array[Byte]): Int = compare(a, 0, a.length, b, 0, b.length)
}

/** HFiles are sorted by the bytes of their keys. Hudi's writer takes keys as its sort of Java's strings gives them, which
  * puts a letter from U+10000 on before those from U+E000 to U+FFFF; in UTF-8 it comes after them. All other letters
  * compare alike in both orders.
  */
private[hfile] object KeyOrder {

  // Letters from U+E000 on begin with this byte or a greater one, no other byte is as great.
  private val Private = 0xee
  private val Supplementary = 0xf0

  /** By the bytes as they are. */
  object Bytes extends KeyOrder {
    override def compare(a: Array[Byte], aFrom: Int, aUntil: Int, b: Array[Byte], bFrom: Int, bUntil: Int): Int =
      Arrays.compareUnsigned(a, aFrom, aUntil, b, bFrom, bUntil)
  }

  /** As Java compares the strings. */
  object Strings extends KeyOrder {
    override def compare(a: Array[Byte], aFrom: Int, aUntil: Int, b: Array[Byte], bFrom: Int, bUntil: Int): Int = {
      val at = Arrays.mismatch(a, aFrom, aUntil, b, bFrom, bUntil)
      if (at < 0 || aFrom + at == aUntil || bFrom + at == bUntil) (aUntil - aFrom) - (bUntil - bFrom)
      else rank(a(aFrom + at) & 0xff) - rank(b(bFrom + at) & 0xff)
    }
    private def rank(byte: Int): Int = if (byte >= Private && byte < Supplementary) byte + 0x10 else byte
  }

  /** The key compares with every other one alike in both orders, so that either finds it. */
  def isPlain(key: Array[Byte]): Boolean = plainBytes(key) == key.length

  /** Number of the bytes before the first letter from U+E000 on. */
  def plainBytes(key: Array[Byte]): Int = {
    var at = 0
    while (at < key.length && isPlain(key(at))) at += 1 // hot path
    at
  }

  def isPlain(byte: Byte): Boolean = (byte & 0xff) < Private

  /** No file has the second key after the first one, in whichever order it is. */
  def descends(a: Array[Byte], aFrom: Int, aUntil: Int, b: Array[Byte], bFrom: Int, bUntil: Int): Boolean =
    Bytes.compare(a, aFrom, aUntil, b, bFrom, bUntil) > 0 && Strings.compare(a, aFrom, aUntil, b, bFrom, bUntil) > 0

  def startsWith(key: Array[Byte], prefix: Array[Byte]): Boolean =
    key.length >= prefix.length && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length)
}

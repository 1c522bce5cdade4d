package io.hudilite.codec.hfile

import java.nio.ByteBuffer

/** Numbers as Hadoop writes them: small ones are a byte, others have their length in the first byte. */
private[hfile] object VariableNumber {

  private val LastSmall = -112
  private val LastPositive = -120

  /** Bytes that follow the first one. */
  def bytesAfter(first: Byte): Int =
    if (first >= LastSmall) 0 else if (first < LastPositive) LastPositive - first else LastSmall - first

  /** A number that is not negative. */
  def read(in: ByteBuffer): Long = {
    val first = in.get()
    if (first < LastPositive || first >= LastSmall && first < 0)
      throw new IllegalArgumentException("a length in an HFile is negative")
    if (first >= 0) first.toLong else (0 until bytesAfter(first)).foldLeft(0L)((n, _) => n << 8 | in.get() & 0xffL)
  }
}

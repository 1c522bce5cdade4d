package io.hudilite.codec.bloom

import java.nio.ByteBuffer
import java.util.Base64

/** One row of bits; more keys than it was laid out for only raise the share of false answers. */
private[hudilite] final class SimpleBloomFilter(private val row: BitRow) extends BloomFilter {

  private val queue = new KeyQueue(row.shape)

  override def typeCode: String = BloomFilter.Simple

  override def add(utf8: Array[Byte], offset: Int, length: Int): Unit = {
    if (length == 0) throw new IllegalArgumentException("an empty key cannot be added to a bloom filter")
    queue.add(row, utf8, offset, length)
  }

  override def absorb(other: BloomFilter): Boolean = other match {
    case simple: SimpleBloomFilter if simple.row.shape == row.shape =>
      simple.queue.flush()
      row.absorb(simple.row)
      true
    case _ => false
  }

  override def mightContain(utf8: Array[Byte], offset: Int, length: Int, mostHashes: Int): Boolean = {
    queue.flush()
    row.mightContain(utf8, offset, length, mostHashes)
  }

  override def isLaidOutFor(wanted: Int, fpp: Double): Boolean = row.shape == Shape.of(wanted, fpp)

  override def keyCount: Double = {
    queue.flush()
    row.keyCount
  }

  override def serialized: String = {
    queue.flush()
    val out = ByteBuffer.allocate(row.sizeInBytes)
    row.write(out)
    Base64.getEncoder.encodeToString(out.array)
  }
}

package io.hudilite.codec.bloom

/** A filter that is laid out once the number of its keys is known.
  *
  * Hudi lays every filter out for its configured number of keys, which is most of a file of few rows. Here the first keys
  * are kept; when no others follow, the filter is laid out for them alone. Its header tells the layout to every reader.
  *
  * @param entries
  *   keys of a filter of full size
  * @param create
  *   an empty filter for a number of keys
  */
private[hudilite] final class FittedBloomFilter(override val typeCode: String, entries: Int, create: Int => BloomFilter)
    extends BloomFilter {

  import FittedBloomFilter._

  private val most = mostKeys(entries)
  private var full: BloomFilter = _
  private var bytes = new Array[Byte](FirstBytes)
  private var ends = new Array[Int](FirstKeys)
  private var count = 0

  // hot path
  override def add(utf8: Array[Byte], offset: Int, length: Int): Unit =
    if (full != null) full.add(utf8, offset, length)
    else if (length == 0) throw new IllegalArgumentException("an empty key cannot be added to a bloom filter")
    else if (count < most && used + length <= MostBytes) keep(utf8, offset, length)
    else {
      layOut()
      full.add(utf8, offset, length)
    }

  private def layOut(): Unit = {
    full = replayed(create(entries))
    bytes = Array.emptyByteArray
    ends = Array.emptyIntArray
  }

  override def absorb(other: BloomFilter): Boolean = {
    val target = if (full != null) full else create(entries)
    target.absorb(other) && {
      if (full == null) {
        layOut()
        full.absorb(other)
      }
      true
    }
  }

  private def used: Int = if (count == 0) 0 else ends(count - 1)

  private def keep(utf8: Array[Byte], offset: Int, length: Int): Unit = {
    val end = used + length
    if (end > bytes.length) bytes = java.util.Arrays.copyOf(bytes, (bytes.length * 2).max(end))
    if (count == ends.length) ends = java.util.Arrays.copyOf(ends, count * 2)
    System.arraycopy(utf8, offset, bytes, used, length)
    ends(count) = end
    count += 1
  }

  private def replayed(filter: BloomFilter): BloomFilter = {
    var (i, from) = (0, 0)
    while (i < count) {
      filter.add(bytes, from, ends(i) - from)
      from = ends(i)
      i += 1
    }
    filter
  }

  /** Made anew for each question about keys: files being written are asked for their text alone. */
  private def laidOut: BloomFilter = if (full != null) full else replayed(create(entriesFor(count, entries)))

  override def mightContain(utf8: Array[Byte], offset: Int, length: Int, mostHashes: Int): Boolean =
    laidOut.mightContain(utf8, offset, length, mostHashes)

  override def isLaidOutFor(wanted: Int, fpp: Double): Boolean = laidOut.isLaidOutFor(wanted, fpp)

  override def keyCount: Double = if (full != null) full.keyCount else count.toDouble

  override def serialized: String = laidOut.serialized
}

private[bloom] object FittedBloomFilter {

  /** A filter of an eighth of the keys is cheaper to build again with the next version of its file than to carry over. */
  private val SmallShare = 8

  /** The rounded shape of a filter of fewer keys would answer wrong more often. */
  private val FewestKeys = 16

  /** Keys that a filter for so few is laid out for, where one of full size holds `entries`. */
  def entriesFor(keys: Int, entries: Int): Int = keys.max(FewestKeys).min(entries)

  /** Greatest number of keys of a fitted filter; for more a filter of full size is made. */
  def mostKeys(entries: Int): Int = entries / SmallShare

  private val MostBytes = 1 << 20
  private val FirstBytes = 4096
  private val FirstKeys = 128
}

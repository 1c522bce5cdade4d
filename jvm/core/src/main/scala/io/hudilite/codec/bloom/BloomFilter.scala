package io.hudilite.codec.bloom

import java.nio.{BufferUnderflowException, ByteBuffer}
import java.util.Base64

/** A set of record keys that may take an absent key for a present one, never the other way round.
  *
  * Bits, growth and text are those of Hudi's base-file footers (docs/format.md, bloom filters). Keys are UTF-8 bytes;
  * an empty key is not allowed. Not safe for use by several threads while keys are added.
  */
trait BloomFilter {

  def add(utf8: Array[Byte], offset: Int, length: Int): Unit

  /** Adds all keys of another filter if it has the layout of this one at full size. Else returns false and does
    * nothing.
    */
  def absorb(other: BloomFilter): Boolean

  /** @param mostHashes
    *   number of a key's bits to look at; `n` of them take about one absent key in 2 to the power of `n` for a present
    *   one
    */
  def mightContain(utf8: Array[Byte], offset: Int, length: Int, mostHashes: Int): Boolean

  /** The filter has the layout of an empty one for `entries` keys of a row and the share `fpp` of false answers. */
  def isLaidOutFor(entries: Int, fpp: Double): Boolean

  /** Number of keys added; for a `SIMPLE` filter an estimate by its bits. */
  def keyCount: Double

  /** `SIMPLE` or `DYNAMIC_V0`, as in the footer. */
  def typeCode: String

  /** The text that goes into the footer: Base64 of the filter's bytes. */
  def serialized: String

  final def add(utf8: Array[Byte]): Unit = add(utf8, 0, utf8.length)

  final def mightContain(utf8: Array[Byte]): Boolean = mightContain(utf8, 0, utf8.length, Int.MaxValue)
}

object BloomFilter {

  val Simple = "SIMPLE"
  val Dynamic = "DYNAMIC_V0"

  /** An empty filter.
    *
    * @param entries
    *   keys of one row of bits
    * @param fpp
    *   share of absent keys taken for present ones when a row is full
    * @param maxEntries
    *   keys up to which a `DYNAMIC_V0` filter grows
    */
  def create(typeCode: String, entries: Int, fpp: Double, maxEntries: Int): BloomFilter = {
    val shape = check(typeCode, entries, fpp)
    if (typeCode == Simple) new SimpleBloomFilter(BitRow.empty(shape))
    else DynamicBloomFilter.empty(shape, entries, maxEntries)
  }

  private def check(typeCode: String, entries: Int, fpp: Double): Shape = {
    if (typeCode != Simple && typeCode != Dynamic)
      throw new IllegalArgumentException(s"unknown bloom filter type $typeCode")
    Shape.of(entries, fpp)
  }

  /** An empty filter that is laid out for fewer keys than `entries` when only few are added. */
  def fitted(typeCode: String, entries: Int, fpp: Double, maxEntries: Int): BloomFilter = {
    check(typeCode, entries, fpp)
    new FittedBloomFilter(typeCode, entries, create(typeCode, _, fpp, maxEntries))
  }

  /** Number of keys that a [[fitted]] filter of so many keys is laid out for; `None` for one of full size. */
  def fittedEntries(keys: Long, entries: Int): Option[Int] =
    if (keys > FittedBloomFilter.mostKeys(entries)) None
    else Some(FittedBloomFilter.entriesFor(keys.toInt, entries))

  /** The filter in a footer; keys can be added to it. `maxEntries` bounds the growth of a `DYNAMIC_V0` filter.
    *
    * Raises `IllegalArgumentException` with the reason when the text is not a filter of that type.
    */
  def read(text: String, typeCode: String, maxEntries: Int): BloomFilter = {
    val bytes = ByteBuffer.wrap(Base64.getDecoder.decode(text.trim))
    try {
      val filter = typeCode match {
        case Simple => new SimpleBloomFilter(BitRow.read(bytes))
        case Dynamic => DynamicBloomFilter.read(bytes, maxEntries)
        case other => throw new IllegalArgumentException(s"unknown bloom filter type $other")
      }
      if (bytes.hasRemaining) throw new IllegalArgumentException(s"${bytes.remaining} bytes behind the bloom filter")
      filter
    } catch {
      case e: BufferUnderflowException => throw new IllegalArgumentException("the bloom filter is cut short", e)
    }
  }

  def read(text: String, typeCode: String): BloomFilter = read(text, typeCode, DefaultMaxEntries)

  private val DefaultMaxEntries = 100000
}

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

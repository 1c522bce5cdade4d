package io.hudilite.spark.basefile.encode

import java.nio.ByteOrder

import org.apache.parquet.bytes.{ByteBufferAllocator, BytesInput}
import org.apache.parquet.column.{ColumnDescriptor, Encoding, ParquetProperties}
import org.apache.parquet.column.page.DictionaryPage
import org.apache.parquet.column.values.ValuesWriter
import org.apache.parquet.column.values.dictionary.DictionaryValuesWriter
import org.apache.parquet.column.values.factory.ValuesWriterFactory
import org.apache.parquet.column.values.fallback.FallbackValuesWriter
import org.apache.parquet.io.api.Binary
import org.apache.spark.unsafe.Platform

/** Encoders of one text column: parquet's encodings, bit for bit, without hashing and copying byte by byte.
  *
  * Parquet's column writer hands a value on as a `Binary`, which gives its bytes only as a copy. So the sink tells the
  * encoder the bytes, or their place in the dictionary, right before it calls the column writer.
  *
  * @param ascending
  *   true when most values are larger than the one before; the column writer's statistics would copy each of them
  */
private[encode] final class TextValues(useDictionary: Boolean, ascending: Boolean) extends ValuesWriterFactory {

  private var dictionary: TextDictionary = _
  private var plain: PlainText = _

  override def initialize(properties: ParquetProperties): Unit = {
    plain = new PlainText(properties.getPageSizeThreshold, ascending)
    if (useDictionary)
      dictionary = new TextDictionary(properties.getDictionaryPageSizeThreshold, properties.getAllocator)
  }

  override def newValuesWriter(column: ColumnDescriptor): ValuesWriter =
    if (useDictionary) FallbackValuesWriter.of[TextDictionary, PlainText](dictionary, plain) else plain

  /** True while values go to the dictionary. */
  def usesDictionary: Boolean = useDictionary && !dictionary.abandoned

  /** True when the dictionary was given up before it served a single page. */
  def dictionaryFailed: Boolean = useDictionary && dictionary.abandoned && !dictionary.usedByPages

  /** Place of a value in the dictionary. */
  def idOf(bytes: Array[Byte], offset: Int, length: Int): Int = dictionary.idOf(bytes, offset, length)

  /** Announces the value at this place of the dictionary as the next one. */
  def announce(id: Int): Unit = dictionary.announce(id)

  /** Announces this value as the next one; returns it for the column writer. */
  def announce(bytes: Array[Byte], offset: Int, length: Int): Binary =
    if (usesDictionary) {
      dictionary.announce(dictionary.idOf(bytes, offset, length))
      Binary.fromReusedByteArray(bytes, offset, length)
    } else plain.announce(bytes, offset, length)
}

/** Dictionary encoding. The values lie one after the other in one array and are found by open addressing. */
private[encode] final class TextDictionary(maxBytes: Int, allocator: ByteBufferAllocator)
    extends DictionaryValuesWriter(maxBytes, TextDictionary.PageEncoding, TextDictionary.PageEncoding, allocator) {

  private var pool = new Array[Byte](1024)
  private var ends = new Array[Int](64)
  private var hashes = new Array[Int](64)
  private var table = new Array[Int](256) // place in the dictionary + 1
  private var count = 0
  private var next = -1
  private var givenUp = false

  def abandoned: Boolean = givenUp

  def usedByPages: Boolean = lastUsedDictionarySize > 0

  def announce(id: Int): Unit = next = id

  override def writeBytes(value: Binary): Unit = {
    val id = if (next >= 0) next
    else {
      val bytes = value.getBytes
      idOf(bytes, 0, bytes.length)
    }
    next = -1
    encodedValues.add(id)
  }

  def idOf(bytes: Array[Byte], offset: Int, length: Int): Int = {
    val hash = TextDictionary.hash(bytes, offset, length)
    var slot = hash & (table.length - 1)
    var id = table(slot) - 1
    while (id >= 0 && !(hashes(id) == hash && holds(id, bytes, offset, length))) { // hot path
      slot = (slot + 1) & (table.length - 1)
      id = table(slot) - 1
    }
    if (id >= 0) id else add(hash, slot, bytes, offset, length)
  }

  private def start(id: Int): Int = if (id == 0) 0 else ends(id - 1)

  private def holds(id: Int, bytes: Array[Byte], offset: Int, length: Int): Boolean =
    java.util.Arrays.equals(pool, start(id), ends(id), bytes, offset, offset + length)

  private def add(hash: Int, slot: Int, bytes: Array[Byte], offset: Int, length: Int): Int = {
    val id = count
    val from = start(id)
    if (id == ends.length) {
      ends = java.util.Arrays.copyOf(ends, id * 2)
      hashes = java.util.Arrays.copyOf(hashes, id * 2)
    }
    if (pool.length - from < length) pool = java.util.Arrays.copyOf(pool, Math.max(pool.length * 2, from + length))
    System.arraycopy(bytes, offset, pool, from, length)
    ends(id) = from + length
    hashes(id) = hash
    table(slot) = id + 1
    count = id + 1
    dictionaryByteSize += 4L + length
    if (count * 2 > table.length) rehash()
    id
  }

  private def rehash(): Unit = {
    table = new Array[Int](table.length * 2)
    var id = 0
    while (id < count) {
      var slot = hashes(id) & (table.length - 1)
      while (table(slot) != 0) slot = (slot + 1) & (table.length - 1)
      table(slot) = id + 1
      id += 1
    }
  }

  override def toDictPageAndClose(): DictionaryPage =
    if (lastUsedDictionarySize == 0) null
    else {
      val page = new PlainText(lastUsedDictionaryByteSize, lasting = false)
      (0 until lastUsedDictionarySize).foreach(id => page.append(pool, start(id), ends(id) - start(id)))
      dictPage(page)
    }

  override protected def getDictionarySize: Int = count

  override protected def clearDictionaryContent(): Unit = {
    count = 0
    java.util.Arrays.fill(table, 0)
    if (givenUp) pool = Array.emptyByteArray // it ends with the value that was too large for it
  }

  override protected def fallBackDictionaryEncodedData(writer: ValuesWriter): Unit = {
    givenUp = true
    val ids = encodedValues.iterator()
    while (ids.hasNext) {
      val id = ids.next()
      writer.writeBytes(Binary.fromConstantByteArray(pool, start(id), ends(id) - start(id)))
    }
  }
}

private[encode] object TextDictionary {

  /** Parquet itself writes this into version 1 pages. It is deprecated, but every reader knows it. */
  private val PageEncoding = Encoding.valueOf("PLAIN_DICTIONARY")
  private val Multiplier = 0x9e3779b97f4a7c15L

  /** Takes eight bytes at a time; the last ones may be taken twice. */
  def hash(bytes: Array[Byte], offset: Int, length: Int): Int = {
    var h = length * Multiplier
    val at = Platform.BYTE_ARRAY_OFFSET + offset
    if (length >= 8) {
      var i = 0
      while (i + 8 < length) { // hot path
        h = mix(h ^ Platform.getLong(bytes, (at + i).toLong))
        i += 8
      }
      h = mix(h ^ Platform.getLong(bytes, (at + length - 8).toLong))
    } else {
      var i = 0
      while (i < length) {
        h = (h << 8) ^ (bytes(offset + i) & 0xff)
        i += 1
      }
      h = mix(h)
    }
    (h ^ (h >>> 32)).toInt
  }

  private def mix(value: Long): Long = {
    val h = value * Multiplier
    h ^ (h >>> 29)
  }
}

/** Plain encoding: each value behind its length in four bytes, little-endian.
  *
  * @param lasting
  *   true when a page's bytes are never overwritten, so that statistics can refer to them instead of copying
  */
private[encode] final class PlainText(pageBytes: Int, lasting: Boolean) extends ValuesWriter {

  private val firstBytes = Math.min(pageBytes, 1 << 16) + 16
  private val largeBytes = Math.max(pageBytes, firstBytes)
  private var buffer = new Array[Byte](firstBytes)
  private var used = 0
  private var announced = false

  def announce(bytes: Array[Byte], offset: Int, length: Int): Binary = {
    append(bytes, offset, length)
    announced = true
    if (lasting) Binary.fromConstantByteArray(buffer, used - length, length)
    else Binary.fromReusedByteArray(bytes, offset, length)
  }

  override def writeBytes(value: Binary): Unit =
    if (announced) announced = false else append(value.getBytes, 0, value.length)

  def append(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    if (buffer.length - used < length + 4) grow(length + 4)
    Platform.putInt(buffer, (Platform.BYTE_ARRAY_OFFSET + used).toLong,
      if (PlainText.LittleEndian) length else Integer.reverseBytes(length))
    System.arraycopy(bytes, offset, buffer, used + 4, length)
    used += length + 4
  }

  private def grow(needed: Int): Unit = {
    // A page that is too large already ends soon. It is made large enough for its values.
    val more = if (buffer.length < largeBytes) buffer.length else buffer.length / 8
    val next = Math.max(used.toLong + needed, buffer.length.toLong + more)
    buffer =
      java.util.Arrays.copyOf(buffer, Math.min(next, Math.max(Math.addExact(used, needed), PlainText.MostBytes)).toInt)
  }

  override def reset(): Unit = {
    if (lasting) buffer = new Array[Byte](used + used / 8 + 16)
    else if (buffer.length > 2L * largeBytes) buffer = new Array[Byte](firstBytes)
    used = 0
  }

  override def getBufferedSize: Long = used.toLong
  override def getAllocatedSize: Long = buffer.length.toLong
  override def getBytes: BytesInput = BytesInput.from(buffer, 0, used)
  override def getEncoding: Encoding = Encoding.PLAIN
  override def memUsageString(prefix: String): String = s"$prefix PlainText $used/${buffer.length} bytes"
}

private object PlainText {
  val LittleEndian: Boolean = ByteOrder.nativeOrder == ByteOrder.LITTLE_ENDIAN

  /** Some virtual machines keep a few words of the longest arrays for themselves. */
  val MostBytes: Int = Int.MaxValue - 16
}

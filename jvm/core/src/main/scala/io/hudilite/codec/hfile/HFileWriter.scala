package io.hudilite.codec.hfile

import java.io.{ByteArrayOutputStream, DataOutputStream, OutputStream}
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

/** How an HFile is written.
  *
  * @param schema
  *   Avro schema of the records in JSON; empty where they have none in common
  * @param createdMs
  *   epoch milliseconds
  * @param blockBytes
  *   greatest length of a block before it is packed, unless a single record has more
  * @param facts
  *   more facts to leave beside the records, by name
  * @param forSeeks
  *   blocks of data have checksums, so that a seek may unpack a part of one, and are packed for keys that are alike in
  *   nothing
  */
final case class HFileForm(
    schema: String, createdMs: Long, gzip: Boolean = true, blockBytes: Int = HFileForm.UsualBlockBytes,
    facts: Seq[(String, Array[Byte])] = Nil, forSeeks: Boolean = false)

object HFileForm {

  /** A seek unpacks a block: the smaller, the cheaper. Hudi's own writer takes 1 MiB. */
  val UsualBlockBytes: Int = 64 * 1024
}

/** A bloom filter of all keys, which base files of Hudi have.
  *
  * @param kind
  *   its name in Hudi, such as `DYNAMIC_V0`
  * @param text
  *   itself in Hudi's Base64
  */
final case class HFileFilter(kind: String, text: String)

/** Writes an HFile as Hudi 1.2 does, byte for byte where the blocks are as long (docs/format.md#hfiles): records in blocks,
  * an index of one level, no checksums unless they are asked for. It is a base file of the metadata table or, without a filter, the content of a log
  * block. Memory is that of one block and of the index.
  */
final class HFileWriter(out: OutputStream, form: HFileForm) {

  import HFileWriter._

  private val codec = if (form.gzip) HFileCodec.Gzip else HFileCodec.Plain
  private var block = ByteBuffer.allocate(HFileWriter.LeastBuffer)
  private val index = new IndexBlock
  private val metaIndex = new IndexBlock
  private var position = 0L
  private var dataBytes = 0L
  private var lastBlock = 0L
  private var entries = 0L
  private var keyBytes = 0L
  private var valueBytes = 0L
  private var first = Array.emptyByteArray
  private var firstOfBlock = first
  private var last = first

  /** Appends a record; an `IllegalStateException` unless its key comes after the one before.
    *
    * @param key
    *   in UTF-8, of [[HFileWriter.MostKeyBytes]] at most; the array is kept
    */
  def append(key: Array[Byte], value: Array[Byte]): Unit = { // hot path
    checkKey(key)
    val bytes = Math.addExact(CellOverhead + key.length, value.length)
    if (block.position() > 0 && block.position().toLong + bytes > form.blockBytes) finishBlock()
    if (block.position() == 0) firstOfBlock = key
    if (entries == 0) first = key
    if (block.remaining < bytes) grow(bytes)
    block.putInt(java.lang.Short.BYTES + key.length + KeyTail.length).putInt(value.length)
      .putShort(key.length.toShort).put(key).put(KeyTail).put(value)
      .put(0.toByte) // the version of the value
    last = key
    entries += 1
    keyBytes += key.length
    valueBytes += value.length
  }

  private def grow(bytes: Int): Unit = {
    val longer = ByteBuffer.allocate(math.max(Math.addExact(block.position(), bytes), block.capacity * 2))
    block = longer.put(block.flip())
  }

  /** Writes all that comes after the records, and returns the length of the file; the stream stays open. */
  def finish(filter: Option[HFileFilter] = None): Long = {
    if (block.position() > 0) finishBlock()
    filter.foreach(f =>
      metaIndex.add(write(HFileBlock.Magic.Meta, f.text.getBytes(UTF_8)), HFile.FilterName.getBytes(UTF_8)))
    val root = write(HFileBlock.Magic.RootIndex, index.content)
    write(HFileBlock.Magic.RootIndex, metaIndex.content)
    val info = write(HFileBlock.Magic.Info, facts(filter))
    emit(trailer(info.offset, root.offset))
    position
  }

  private def checkKey(key: Array[Byte]): Unit = {
    def wrong(problem: String): IllegalStateException =
      new IllegalStateException(s"the key ${new String(key, UTF_8).take(100)} cannot be written to an HFile: $problem")
    if (key.length > MostKeyBytes) throw wrong(s"it has ${key.length} bytes, more than $MostKeyBytes")
    if (entries > 0 && Arrays.compareUnsigned(last, key) >= 0)
      throw wrong(s"it does not come after ${new String(last, UTF_8).take(100)}")
  }

  private def finishBlock(): Unit = {
    // In the place of the block before Hudi names the block itself, except for the first one.
    val place = write(HFileBlock.Magic.Data, Arrays.copyOf(block.array, block.position()),
      if (position == 0) NoBlock else position)
    index.add(place, row(firstOfBlock))
    lastBlock = place.offset
    dataBytes += block.position()
    block.clear()
  }

  private def write(magic: String, content: Array[Byte], before: Long = NoBlock): BlockPlace = {
    val isSought = form.forSeeks && magic == HFileBlock.Magic.Data
    val bytes = HFileBlock.bytes(magic, codec.pack(content, isSought), content.length, before, isChecked = isSought)
    val place = BlockPlace(position, bytes.length, Array.emptyByteArray)
    emit(bytes)
    place
  }

  private def emit(bytes: Array[Byte]): Unit = {
    out.write(bytes)
    position += bytes.length
  }

  private def facts(filter: Option[HFileFilter]): Array[Byte] = {
    def average(bytes: Long): Array[Byte] =
      ByteBuffer.allocate(Integer.BYTES).putInt(if (entries == 0) 0 else (bytes / entries).toInt).array
    def long(value: Long): Array[Byte] = ByteBuffer.allocate(java.lang.Long.BYTES).putLong(value).array
    val ofFilter = filter.toSeq.flatMap(f =>
      Seq("minRecordKey" -> first, "maxRecordKey" -> last, "bloomFilterTypeCode" -> f.kind.getBytes(UTF_8)))
    val ofSchema = if (form.schema.isEmpty) Nil else Seq("schema" -> form.schema.getBytes(UTF_8))
    val ofAll = ofSchema ++ form.facts ++ Seq(
      "hfile.LASTKEY" -> (if (entries == 0) last else row(last)), "hfile.AVG_KEY_LEN" -> average(keyBytes),
      "hfile.AVG_VALUE_LEN" -> average(valueBytes), "hfile.CREATE_TIME_TS" -> long(form.createdMs),
      "KEY_VALUE_VERSION" -> ByteBuffer.allocate(Integer.BYTES).putInt(1).array, "MAX_MEMSTORE_TS_KEY" -> long(0L))
    HFileInfo.bytes(ofFilter ++ ofAll)
  }

  private def trailer(info: Long, root: Long): Array[Byte] = {
    import HFileTrailer.Field
    val firstBlock = if (entries == 0) NoBlock else 0L
    HFileTrailer.bytes(new ProtoMessage().number(Field.FileInfo, info).number(Field.LoadOnOpen, root)
        .number(Field.DataBytes, dataBytes).number(Field.RootEntries, index.count.toLong)
        .number(Field.MetaEntries, metaIndex.count.toLong).number(Field.Entries, entries).number(Field.Levels, 1L)
        .number(Field.FirstDataBlock, firstBlock).number(Field.LastDataBlock, lastBlock)
        .text(Field.Comparator, HFileTrailer.Comparator).number(Field.Codec, codec.number.toLong))
  }
}

object HFileWriter {

  /** Hudi's reader takes the length of a key for a number with a sign. */
  val MostKeyBytes: Int = Short.MaxValue

  /** The content of a log block, or a file in memory.
    *
    * @param records
    *   by keys in UTF-8, which ascend by their bytes
    */
  def bytes(records: Iterator[(Array[Byte], Array[Byte])], form: HFileForm, filter: Option[HFileFilter] = None)
      : Array[Byte] = {
    val out = new ByteArrayOutputStream()
    val writer = new HFileWriter(out, form)
    records.foreach { case (key, value) => writer.append(key, value) }
    writer.finish(filter)
    out.toByteArray
  }

  private val NoBlock = -1L
  private val LeastBuffer = 1024

  /** The key after its row: no family, the latest time, a value that is put. */
  private val KeyTail: Array[Byte] =
    ByteBuffer.allocate(1 + java.lang.Long.BYTES + 1).put(0.toByte).putLong(Long.MaxValue).put(
      HFileRecords.PutType).array

  /** A cell besides row and value: two lengths, that of the row, the tail of the key and the version. */
  private val CellOverhead: Int = 2 * Integer.BYTES + java.lang.Short.BYTES + KeyTail.length + 1

  private def row(key: Array[Byte]): Array[Byte] =
    ByteBuffer.allocate(java.lang.Short.BYTES + key.length).putShort(key.length.toShort).put(key).array

  /** Names blocks: where each begins, how long it is, and a key or a name. */
  private final class IndexBlock {
    private val bytes = new ByteArrayOutputStream()
    private val out = new DataOutputStream(bytes)
    var count: Int = 0

    def add(place: BlockPlace, key: Array[Byte]): Unit = {
      out.writeLong(place.offset)
      out.writeInt(place.size)
      out.write(VariableNumber.bytes(key.length))
      out.write(key)
      count += 1
    }

    def content: Array[Byte] = bytes.toByteArray
  }
}

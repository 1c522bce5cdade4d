package io.hudilite.codec.hfile

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.US_ASCII

/** The trailer at the end of an HFile. Offsets count from the beginning of the HFile.
  *
  * @param loadOnOpen
  *   where the root of the index begins, after all blocks of data
  * @param rootEntries
  *   number of entries in the root of the index
  * @param metaEntries
  *   number of blocks beside the records, such as a filter
  * @param levels
  *   of the index: one where its root names blocks of data
  * @param comparator
  *   class that the writer compared keys by
  */
private[hfile] final case class HFileTrailer(
    fileInfo: Long,
    loadOnOpen: Long,
    rootEntries: Int,
    metaEntries: Int,
    entries: Long,
    levels: Int,
    firstDataBlock: Long,
    lastDataBlock: Long,
    comparator: String,
    codec: HFileCodec)

private[hfile] object HFileTrailer {

  val Bytes: Int = 4096
  private val Version = 3
  private val Magic = "TRABLK\"$"

  /** The name that Hudi's writers put down for the order of bytes. */
  val Comparator: String = "org.apache.hudi.io.storage.HoodieHBaseKVComparator"
  private val MajorVersionMask = 0xffffff
  private val MostLevels = 64

  /** Numbers of its fields. */
  object Field {
    val FileInfo = 1
    val LoadOnOpen = 2
    val DataBytes = 3
    val RootEntries = 5
    val MetaEntries = 6
    val Entries = 7
    val Levels = 8
    val FirstDataBlock = 9
    val LastDataBlock = 10
    val Comparator = 11
    val Codec = 12
    val EncryptionKey = 13
  }

  /** @param last
    *   the last [[Bytes]] of a file of `length`
    */
  def read(last: ByteBuffer, length: Long, path: String): HFileTrailer = {
    val version = last.getInt(Bytes - Integer.BYTES) & MajorVersionMask
    if (version != Version) throw new IllegalArgumentException(s"an HFile of version $version")
    val magic = new Array[Byte](Magic.length)
    last.get(magic)
    if (new String(magic, US_ASCII) != Magic) throw new IllegalArgumentException("an HFile has no trailer")
    val fields = ProtoFields.read(ProtoFields.delimited(last))
    if (fields.bytesOf(Field.EncryptionKey).nonEmpty) throw HFile.unsupported(path, "encrypted blocks")
    checked(of(fields, path), length - Bytes)
  }

  def bytes(fields: ProtoMessage): Array[Byte] =
    ByteBuffer.allocate(Bytes).put(Magic.getBytes(US_ASCII)).put(fields.delimited).putInt(Bytes - Integer.BYTES,
      Version)
      .array

  private def of(fields: ProtoFields, path: String): HFileTrailer = {
    def int(field: Int): Int = Math.toIntExact(fields.number(field))
    HFileTrailer(fields.number(Field.FileInfo), fields.number(Field.LoadOnOpen), int(Field.RootEntries),
      int(Field.MetaEntries),
      fields.number(Field.Entries), int(Field.Levels), fields.number(Field.FirstDataBlock),
      fields.number(Field.LastDataBlock), new String(fields.bytesOf(Field.Comparator), US_ASCII),
      HFileCodec.of(fields.numbers.get(Field.Codec), path))
  }

  private def checked(trailer: HFileTrailer, end: Long): HFileTrailer = {
    import trailer._
    val tailed = loadOnOpen >= 0 && loadOnOpen <= fileInfo && fileInfo < end
    val counted = entries >= 0 && rootEntries >= 0 && metaEntries >= 0 && levels >= 0 && levels <= MostLevels
    val placed = entries == 0 && rootEntries == 0 ||
      entries > 0 && rootEntries > 0 && levels > 0 && firstDataBlock >= 0 &&
      firstDataBlock <= lastDataBlock && lastDataBlock < loadOnOpen
    if (!tailed || !counted || !placed) throw new IllegalArgumentException(s"an HFile's trailer says $trailer")
    trailer
  }
}

package io.hudilite.codec.hfile

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.zip.{CRC32, CRC32C, Checksum}

/** One block of an HFile, checked and unpacked.
  *
  * @param content
  *   with an array
  */
private[hfile] final case class HFileBlock(magic: String, content: ByteBuffer)

/** One block of an HFile, checked as far as it has checksums.
  *
  * @param data
  *   packed, in a buffer with an array
  * @param length
  *   of the content
  * @param isChecked
  *   it has checksums
  */
private[hfile] final case class PackedBlock(magic: String, data: ByteBuffer, length: Int, isChecked: Boolean)

/** The form of all blocks: magic, two lengths, offset of the block before, kind and stride of checksums, end of the data;
  * then the data, then a checksum for each stride of header and data.
  */
private[hfile] object HFileBlock {

  val HeaderBytes: Int = 33
  val MagicBytes: Int = 8

  object Magic {
    val Data = "DATABLK*"
    val EncodedData = "DATABLKE"
    val Meta = "METABLKc"
    val RootIndex = "IDXROOT2"
    val LeafIndex = "IDXLEAF2"
    val IntermediateIndex = "IDXINTE2"
    val Info = "FILEINF2"
  }

  object ChecksumKind {
    val None = 0
    val Crc32 = 1
    val Crc32C = 2
  }

  private val UsualStride = 16 * 1024

  // Where the fields of the header begin.
  private val OnDiskAt = MagicBytes
  private val UnpackedAt = OnDiskAt + Integer.BYTES
  private val KindAt = UnpackedAt + Integer.BYTES + java.lang.Long.BYTES
  private val StrideAt = KindAt + 1
  private val DataEndAt = StrideAt + Integer.BYTES

  /** Bytes of the block whose header begins at `at`, with the header. */
  def size(bytes: ByteBuffer, at: Int): Long = {
    val onDisk = bytes.getInt(at + OnDiskAt)
    if (onDisk < 0) throw new IllegalArgumentException(s"a block of an HFile has $onDisk bytes")
    onDisk.toLong + HeaderBytes
  }

  /** The block whose header begins at `at`.
    *
    * @param path
    *   of the HFile, for errors
    */
  def read(bytes: ByteBuffer, at: Int, codec: HFileCodec, path: String): HFileBlock = {
    val block = packed(bytes, at, path)
    HFileBlock(block.magic, codec.unpack(block.data, block.length))
  }

  /** As [[read]], before the block is unpacked. */
  def packed(bytes: ByteBuffer, at: Int, path: String): PackedBlock = {
    val end = size(bytes, at)
    if (at < 0 || end > bytes.limit() - at) throw new IllegalArgumentException(s"a block of an HFile has $end bytes")
    val block = bytes.slice(at, end.toInt)
    val dataEnd = block.getInt(DataEndAt)
    val unpacked = block.getInt(UnpackedAt)
    if (dataEnd < HeaderBytes || dataEnd > end || unpacked < 0)
      throw new IllegalArgumentException(s"a block of an HFile has $end bytes, of which $dataEnd are data")
    verify(block, dataEnd, end.toInt)
    val kind = magic(block)
    if (kind == Magic.EncodedData) throw HFile.unsupported(path, "encoded keys")
    PackedBlock(kind, block.slice(HeaderBytes, dataEnd - HeaderBytes), unpacked,
      isChecked = block.get(KindAt) != ChecksumKind.None)
  }

  /** A block as it is stored.
    *
    * @param data
    *   packed
    * @param length
    *   of the content
    * @param before
    *   where the block before begins, by its writer
    * @param isChecked
    *   it gets checksums, in whose place there are zeros else
    */
  def bytes(magic: String, data: Array[Byte], length: Int, before: Long, isChecked: Boolean): Array[Byte] = {
    val dataEnd = HeaderBytes + data.length
    val end = Math.toIntExact(dataEnd + strides(dataEnd, UsualStride) * Integer.BYTES)
    val kind = if (isChecked) ChecksumKind.Crc32C else ChecksumKind.None
    val bytes = ByteBuffer.allocate(end).put(magic.getBytes(US_ASCII)).putInt(end - HeaderBytes).putInt(length)
      .putLong(before).put(kind.toByte).putInt(UsualStride).putInt(dataEnd).put(data)
    if (isChecked) (0 until dataEnd by UsualStride).foreach { from =>
      val checksum = new CRC32C()
      checksum.update(bytes.array, from, math.min(UsualStride, dataEnd - from))
      bytes.putInt(checksum.getValue.toInt)
    }
    bytes.array
  }

  private def magic(bytes: ByteBuffer): String = {
    val letters = new Array[Byte](MagicBytes)
    bytes.duplicate().get(letters)
    new String(letters, US_ASCII)
  }

  private def verify(bytes: ByteBuffer, dataEnd: Int, end: Int): Unit = bytes.get(KindAt).toInt match {
    case ChecksumKind.None => ()
    case ChecksumKind.Crc32 => verify(new CRC32(), bytes, dataEnd, end)
    case ChecksumKind.Crc32C => verify(new CRC32C(), bytes, dataEnd, end)
    case other => throw new IllegalArgumentException(s"a block of an HFile has checksums of the unknown kind $other")
  }

  private def verify(checksum: Checksum, bytes: ByteBuffer, dataEnd: Int, end: Int): Unit = {
    val stride = bytes.getInt(StrideAt)
    if (stride <= 0 || (end - dataEnd).toLong != strides(dataEnd, stride) * Integer.BYTES)
      throw new IllegalArgumentException(s"a block of an HFile has ${end - dataEnd} bytes of checksums")
    var from = 0
    var at = dataEnd
    while (from < dataEnd) { // hot path
      val count = math.min(stride, dataEnd - from)
      checksum.reset()
      checksum.update(bytes.array, bytes.arrayOffset + from, count)
      if (checksum.getValue.toInt != bytes.getInt(at))
        throw new IllegalArgumentException("the checksum of a block of an HFile does not fit its bytes")
      from += count
      at += Integer.BYTES
    }
  }

  /** Number of checksums of so many bytes. */
  private def strides(bytes: Int, stride: Int): Long = (bytes.toLong + stride - 1) / stride
}

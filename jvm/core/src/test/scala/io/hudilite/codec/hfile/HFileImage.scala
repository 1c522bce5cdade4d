package io.hudilite.codec.hfile

import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.GZIPOutputStream

/** Makes HFiles with all parts that a reader looks at. */
object HFileImage {

  private val TrailerBytes = 4096
  private val HeaderBytes = 33
  private val PutType = 4
  private val Comparator = "org.apache.hudi.io.storage.HoodieHBaseKVComparator"

  /** The cells, in the order of their keys as strings, in pieces of `cellsInPiece`. */
  def of(cells: Seq[(String, Array[Byte])], gzip: Boolean, cellsInPiece: Int): Array[Byte] = {
    val groups = cells.sortBy(_._1).grouped(cellsInPiece).toList
    val pieces = groups.map(p => block("DATABLK*", joined(p.map { case (k, v) => cell(k, v) }), gzip))
    // Between the data there may be other pieces, of filters.
    val between = block("BLMFBLK2", "filter".getBytes(UTF_8), gzip)
    val starts = pieces.scanLeft(0)(_ + _.length + between.length)
    val index = groups.zip(pieces).zip(starts).map { case ((group, piece), start) =>
      val key = row(group.head._1)
      val place = ByteBuffer.allocate(java.lang.Long.BYTES + Integer.BYTES).putLong(start.toLong).putInt(piece.length)
      joined(Seq(place.array, hadoopNumber(key.length), key))
    }
    val data = joined(pieces.flatMap(Seq(_, between)))
    val root = joined(Seq(block("IDXROOT2", joined(index), gzip), block("IDXROOT2", Array.emptyByteArray, gzip)))
    val facts = pair("KEY_VALUE_VERSION", Array[Byte](0, 0, 0, 1)) ++ pair("schema", "\"bytes\"".getBytes(UTF_8))
    val info = block("FILEINF2", "PBUF".getBytes(UTF_8) ++ sized(facts), gzip)
    joined(Seq(data, root, info,
        trailer(Seq(1 -> (data.length + root.length), 2 -> data.length, 5 -> index.size,
            7 -> cells.size, 8 -> 1, 9 -> 0, 10 -> (0 +: starts).apply(pieces.size), 12 -> (if (gzip) 1 else 2)))))
  }

  private def joined(parts: Seq[Array[Byte]]): Array[Byte] = Array.concat(parts: _*)

  private def row(key: String): Array[Byte] = {
    val row = key.getBytes(UTF_8)
    ByteBuffer.allocate(2 + row.length).putShort(row.length.toShort).put(row).array
  }

  private def cell(key: String, value: Array[Byte]): Array[Byte] = {
    val start = row(key)
    val out = ByteBuffer.allocate(8 + start.length + 1 + 8 + 1 + value.length + 1)
    out.putInt(start.length + 1 + 8 + 1).putInt(value.length)
    out.put(start).put(0.toByte).putLong(Long.MaxValue).put(PutType.toByte)
    out.put(value).put(0.toByte).array()
  }

  private def block(magic: String, plain: Array[Byte], gzip: Boolean): Array[Byte] = {
    val packed = new ByteArrayOutputStream()
    val out = if (gzip) new GZIPOutputStream(packed) else packed
    out.write(plain)
    out.close()
    val checksum = Integer.BYTES
    ByteBuffer.allocate(HeaderBytes + packed.size + checksum)
      .put(magic.getBytes(UTF_8)).putInt(packed.size + checksum).putInt(plain.length).putLong(-1L)
      .put(0.toByte).putInt(1 << 14).putInt(HeaderBytes + packed.size).put(packed.toByteArray).array()
  }

  private def trailer(numbers: Seq[(Int, Int)]): Array[Byte] = {
    val fields = numbers.map { case (field, value) => varint(field << 3) ++ varint(value) } :+ bytes(11, Comparator)
    ByteBuffer.allocate(TrailerBytes).put("TRABLK\"$".getBytes(UTF_8)).put(sized(joined(fields)))
      .putInt(TrailerBytes - Integer.BYTES, 3).array()
  }

  private def pair(name: String, value: Array[Byte]): Array[Byte] =
    varint(1 << 3 | 2) ++ sized(bytes(1, name) ++ varint(2 << 3 | 2) ++ sized(value))

  private def bytes(field: Int, text: String): Array[Byte] = varint(field << 3 | 2) ++ sized(text.getBytes(UTF_8))

  private def sized(bytes: Array[Byte]): Array[Byte] = varint(bytes.length) ++ bytes

  private def hadoopNumber(value: Int): Array[Byte] =
    if (value <= 127) Array(value.toByte)
    else if (value <= 255) Array(-113, value.toByte)
    else Array(-114, (value >> 8).toByte, value.toByte)

  private def varint(value: Int): Array[Byte] =
    if (value <= 0x7f) Array(value.toByte) else (value & 0x7f | 0x80).toByte +: varint(value >>> 7)
}

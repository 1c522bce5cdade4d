package io.hudilite.codec.hfile

import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.GZIPOutputStream

/** Makes HFiles with all parts that a reader of log blocks looks at. Their index is missing. */
object HFileImage {

  private val TrailerBytes = 4096
  private val PutType = 4

  /** The cells, in the order of their keys, in pieces of `cellsInPiece`. */
  def of(cells: Seq[(String, Array[Byte])], gzip: Boolean, cellsInPiece: Int): Array[Byte] = {
    val pieces = cells.sortBy(_._1).grouped(cellsInPiece).map(p => piece(p.map(c => cell(c._1, c._2)), gzip)).toList
    // Between the data there may be other pieces, of indexes and filters.
    val between = block("IDXLEAF2", "index".getBytes(UTF_8), "index".length)
    val body = pieces.flatMap(p => Seq(p, between))
    val last = body.dropRight(2).map(_.length).sum
    body.foldLeft(Array.emptyByteArray)(_ ++ _) ++
      trailer(Seq(7 -> cells.size, 9 -> 0, 10 -> last, 12 -> (if (gzip) HFileBlock.Gzip else HFileBlock.Plain)))
  }

  private def cell(key: String, value: Array[Byte]): Array[Byte] = {
    val row = key.getBytes(UTF_8)
    val out = ByteBuffer.allocate(8 + 2 + row.length + 1 + 8 + 1 + value.length + 1)
    out.putInt(2 + row.length + 1 + 8 + 1).putInt(value.length)
    out.putShort(row.length.toShort).put(row).put(0.toByte).putLong(Long.MaxValue).put(PutType.toByte)
    out.put(value).put(0.toByte).array()
  }

  private def piece(cells: Seq[Array[Byte]], gzip: Boolean): Array[Byte] = {
    val plain = cells.foldLeft(Array.emptyByteArray)(_ ++ _)
    val packed = new ByteArrayOutputStream()
    if (gzip) {
      val out = new GZIPOutputStream(packed)
      out.write(plain)
      out.close()
    } else packed.write(plain, 0, plain.length)
    block("DATABLK*", packed.toByteArray, plain.length)
  }

  private def block(magic: String, data: Array[Byte], uncompressed: Int): Array[Byte] = {
    val checksum = Integer.BYTES
    val out = ByteBuffer.allocate(HFileRecords.HeaderBytes + data.length + checksum)
    out.put(magic.getBytes(UTF_8)).putInt(data.length + checksum).putInt(uncompressed).putLong(-1L)
    out.put(0.toByte).putInt(1 << 14).putInt(HFileRecords.HeaderBytes + data.length).put(data).array()
  }

  private def trailer(numbers: Seq[(Int, Int)]): Array[Byte] = {
    val fields = new ByteArrayOutputStream()
    numbers.foreach { case (field, value) =>
      varint(fields, field << 3)
      varint(fields, value)
    }
    // A comparator's name, longer than a length of one byte.
    varint(fields, 11 << 3 | 2)
    varint(fields, 200)
    fields.write(new Array[Byte](200))
    val out = new ByteArrayOutputStream()
    out.write("TRABLK\"$".getBytes(UTF_8))
    varint(out, fields.size)
    out.write(fields.toByteArray)
    ByteBuffer.allocate(TrailerBytes).put(out.toByteArray).putInt(TrailerBytes - Integer.BYTES, 3).array()
  }

  private def varint(out: ByteArrayOutputStream, value: Int): Unit = {
    var rest = value
    while (rest > 0x7f) {
      out.write(rest & 0x7f | 0x80)
      rest >>>= 7
    }
    out.write(rest)
  }
}

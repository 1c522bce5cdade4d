package io.hudilite.codec.hfile

import io.hudilite.error.{CorruptTable, UnsupportedTable}

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

import munit.FunSuite

class HFileBlockSuite extends FunSuite {

  private val Path = "/table/.f_1.log.1_0-0-0"
  private val cells = (0 until 25).map(n => f"ké$n%03d" -> s"value $n".getBytes(UTF_8))

  private def read(content: Array[Byte]): Seq[(String, String)] = {
    val records = HFileBlock.records(content, Path)
    Iterator.continually(records.next()).takeWhile(identity)
      .map(_ => new String(records.key, UTF_8) -> new String(records.buffer, records.offset, records.length, UTF_8))
      .toList
  }

  private def changed(content: Array[Byte], position: Int, value: Int): Array[Byte] = {
    val bytes = content.clone()
    ByteBuffer.wrap(bytes).putInt(position, value)
    bytes
  }

  private def reason(content: Array[Byte]): String = intercept[CorruptTable](read(content)).parameters("reason")

  test("cells come in the order of their keys, from plain and packed pieces") {
    val expected = cells.map { case (k, v) => k -> new String(v, UTF_8) }
    for { gzip <- Seq(true, false); inPiece <- Seq(1, 7, 25, 100) }
      assertEquals(read(HFileImage.of(cells, gzip, inPiece)), expected, s"$gzip $inPiece")
    assertEquals(HFileBlock.records(HFileImage.of(cells, gzip = true, 7), Path).count, 25L)
  }

  test("an HFile without cells is read") {
    assertEquals(read(HFileImage.of(Nil, gzip = true, 1)), Nil)
  }

  test("codecs and encodings that need a library are refused by name") {
    val image = HFileImage.of(cells, gzip = true, 7)
    val codec = image.length - 4096 + image.drop(image.length - 4096).indexOfSlice(Seq[Byte](12 << 3, 1)) + 1
    val snappy = image.updated(codec, 3.toByte)
    assertEquals(intercept[UnsupportedTable](read(snappy)).parameters("feature"),
      "an HFile block with the compression codec 3")
    val encoded = "DATABLKE".getBytes(UTF_8) ++ image.drop(8)
    assertEquals(intercept[UnsupportedTable](read(encoded)).parameters("feature"), "an HFile block with encoded keys")
  }

  test("a damaged HFile is an error") {
    val image = HFileImage.of(cells, gzip = false, 7)
    val header = HFileRecords.HeaderBytes
    assertEquals(reason(image.take(100)), "an HFile block is shorter than its trailer")
    assertEquals(reason(changed(image, image.length - 4, 2)), "an HFile block of version 2")
    assertEquals(reason(image.updated(image.length - 4096, 0.toByte)), "an HFile block has no trailer")
    assert(reason(changed(image, header, Int.MaxValue)).startsWith("an HFile cell of 2147483647"))
    assert(reason(changed(image, header + 4, -1)).startsWith("an HFile cell of"))
    assertEquals(reason(changed(image, 8, Int.MaxValue)), "an HFile block of 2147483647 bytes")
    assert(reason(changed(image, 12, 1)).startsWith("an HFile block unpacks to"))
    assert(reason("DATABLKX".getBytes(UTF_8) ++ image.drop(8)).contains("does not hold its 25 cells"))
  }
}

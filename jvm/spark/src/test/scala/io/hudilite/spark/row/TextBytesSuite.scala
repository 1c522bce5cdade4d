package io.hudilite.spark.row

import java.nio.charset.StandardCharsets

import munit.FunSuite
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

class TextBytesSuite extends FunSuite {

  /** The text behind `before` bytes in an array of longs, where rows of a sort lie. */
  private def inLongs(text: String, before: Int): UTF8String = {
    val bytes = text.getBytes(StandardCharsets.UTF_8)
    val longs = new Array[Long]((before + bytes.length) / 8 + 1)
    val at = Platform.LONG_ARRAY_OFFSET.toLong + before
    Platform.copyMemory(bytes, Platform.BYTE_ARRAY_OFFSET.toLong, longs, at, bytes.length.toLong)
    UTF8String.fromAddress(longs, at, bytes.length)
  }

  private def taken(bytes: TextBytes, text: UTF8String): String = {
    bytes.take(text)
    new String(bytes.array, bytes.offset, bytes.length, StandardCharsets.UTF_8)
  }

  test("the bytes of a text are those of its array, from where it begins, or a copy where it lies elsewhere") {
    val bytes = new TextBytes
    val array = "xxzürich".getBytes(StandardCharsets.UTF_8)
    for (text <- Seq("zürich", "", "\uD83D\uDE00" * 100, "a"); before <- Seq(0, 3, 8)) {
      assertEquals(taken(bytes, UTF8String.fromString(text)), text)
      assertEquals(taken(bytes, inLongs(text, before)), text)
      assertEquals(taken(bytes, UTF8String.fromBytes(array, 2, array.length - 2)), "zürich")
      assert(bytes.array eq array)
    }
  }

  test("a text of an array of longs is copied to the same array each time") {
    val bytes = new TextBytes
    bytes.take(inLongs("first", 8))
    val own = bytes.array
    assertEquals(taken(bytes, inLongs("second", 1)), "second")
    assert(bytes.array eq own)
  }
}

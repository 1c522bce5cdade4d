package io.hudilite.log

import io.hudilite.error.CorruptTable
import io.hudilite.storage.{MemoryStorage, OpenFile}

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

import munit.FunSuite

class LogFileReaderSuite extends FunSuite {

  private val Path = "/table/.f_1.log.1_0-0-0"
  private val Trailer = 8

  private def block(instant: String, content: String): Array[Byte] = LogBlockWriter.bytes(BlockKind.AvroData,
    Map(HeaderKey.InstantTime -> instant, HeaderKey.Schema -> "{}"), content.getBytes(UTF_8))

  private def file(bytes: Array[Byte]): OpenFile = OpenFile.of(Path, bytes)

  private def blocks(bytes: Array[Byte]): Seq[LogBlock] = LogFileReader.blocks(file(bytes), Path, bytes.length.toLong)

  /** Kind and content of each block. */
  private def read(bytes: Array[Byte]): Seq[(BlockKind, String)] =
    blocks(bytes).map(b => b.kind -> new String(LogFileReader.content(file(bytes), b), UTF_8))

  private def reason(bytes: Array[Byte]): String =
    intercept[CorruptTable](blocks(bytes)).parameters("reason")

  private val first = block("001", "first")
  private val second = block("002", "second")
  private val third = block("003", "third")
  private val whole: Seq[(BlockKind, String)] =
    Seq(BlockKind.AvroData -> "first", BlockKind.AvroData -> "second", BlockKind.AvroData -> "third")

  test("a block has the layout of the format") {
    val bytes = LogBlockWriter.bytes(BlockKind.Command, LogBlockWriter.rollbackHeaders("R", "T"), Array.emptyByteArray)
    val expected = Seq("234855444923000000000000003b", "00000001", "00000000", "00000003", "000000000000000152",
      "000000010000000154", "000000030000000130", "0000000000000000", "00000000", "0000000000000041").mkString
    assertEquals(bytes.map(b => f"$b%02x").mkString, expected)
  }

  test("blocks follow each other") {
    assertEquals(read(first ++ second ++ third), whole)
    assertEquals(blocks(first ++ second).map(_.instant), Seq("001", "002"))
    assertEquals(read(Array.emptyByteArray), Nil)
  }

  test("a block that was cut off counts as corrupt, wherever the cut is") {
    (first.length + 1 until first.length + second.length).foreach { length =>
      val bytes = (first ++ second).take(length)
      assertEquals(blocks(bytes).map(_.kind), Seq(BlockKind.AvroData, BlockKind.Corrupt), s"cut at $length")
      assertEquals(blocks(bytes).last.contentLength, (length - first.length).toLong)
    }
  }

  test("what was appended after a block that was cut off is found") {
    val expected = Seq[(BlockKind, String)](BlockKind.AvroData -> "first", BlockKind.AvroData -> "third")
    (LogLayout.MagicBytes until second.length).foreach { length =>
      val found = read(first ++ second.take(length) ++ third)
      assertEquals(found.map(_._1), Seq[BlockKind](BlockKind.AvroData, BlockKind.Corrupt, BlockKind.AvroData))
      assertEquals(found.filter(_._1 != BlockKind.Corrupt), expected, s"cut at $length")
    }
  }

  test("a block that neither another nor the end follows counts as corrupt, as in Hudi") {
    assertEquals(read(first ++ "garbage".getBytes(UTF_8) ++ third).map(_._1),
      Seq[BlockKind](BlockKind.Corrupt, BlockKind.AvroData))
  }

  test("a length that its trailer does not repeat makes a corrupt block") {
    Seq(0L, -1L, Long.MaxValue, Long.MinValue, second.length.toLong).foreach { length =>
      val damaged = second.clone()
      ByteBuffer.wrap(damaged).putLong(LogLayout.MagicBytes, length)
      assertEquals(read(first ++ damaged ++ third).map(_._1),
        Seq[BlockKind](
          BlockKind.AvroData, BlockKind.Corrupt, BlockKind.AvroData), s"length $length")
    }
    val damaged = second.clone()
    damaged(damaged.length - 1) = 0
    assertEquals(read(first ++ damaged ++ third).map(_._2).last, "third")
  }

  test("a few bytes behind the last block are no block") {
    assertEquals(read(first ++ Array[Byte](1, 2, 3)).map(_._1), Seq[BlockKind](BlockKind.AvroData, BlockKind.Corrupt))
  }

  test("the magic within a content is no block") {
    val tricky = block("002", "before #HUDI# after")
    assertEquals(read(first ++ tricky ++ third).map(_._2), Seq("first", "before #HUDI# after", "third"))
    val damaged = tricky.clone()
    damaged(damaged.length - 1) = 0
    val found = read(first ++ damaged ++ third)
    assertEquals(found.filter(_._1 != BlockKind.Corrupt).map(_._2), Seq("first", "third"))
  }

  test("a file that begins with something else is an error that names it") {
    assertEquals(reason("nothing of ours".getBytes(UTF_8)), "no log block begins at offset 0")
    val error = intercept[CorruptTable](blocks("nothing of ours".getBytes(UTF_8)))
    assertEquals(error.parameters("path"), Path)
  }

  test("unknown versions, types, headers and commands are errors that name the offset") {
    val at = s"the log block at offset ${first.length} has the unknown"
    def changed(position: Int, value: Int): Array[Byte] = {
      val bytes = second.clone()
      ByteBuffer.wrap(bytes).putInt(position, value)
      first ++ bytes
    }
    assertEquals(reason(changed(LogLayout.LengthEnd, 2)), s"$at format version 2")
    assertEquals(reason(changed(LogLayout.LengthEnd + 4, 7)), s"$at type 7")
    assertEquals(reason(changed(LogLayout.LengthEnd + 4, BlockKind.Corrupt.code)), s"$at type 2")
    assertEquals(reason(changed(LogLayout.LengthEnd + 12, 9)), s"$at header 9")
    val command =
      LogBlockWriter.bytes(BlockKind.Command, Map(HeaderKey.InstantTime -> "1", HeaderKey.CommandType -> "7"),
        Array.emptyByteArray)
    assertEquals(reason(command), "the log block at offset 0 holds the unknown command 7")
    val aimless = LogBlockWriter.bytes(BlockKind.Command, Map(HeaderKey.CommandType -> "0"), Array.emptyByteArray)
    assertEquals(reason(aimless), "the log block at offset 0 takes back an instant that it does not name")
  }

  test("counts and lengths that cannot be are errors") {
    def changed(position: Int, value: Int): Array[Byte] = {
      val bytes = first.clone()
      ByteBuffer.wrap(bytes).putInt(position, value)
      bytes
    }
    val headers = LogLayout.LengthEnd + 8
    Seq(-1, Int.MaxValue, 1025).foreach(n => assert(reason(changed(headers, n)).endsWith(s"has $n headers")))
    Seq(-1, Int.MaxValue).foreach(n =>
      assert(reason(changed(headers + 8, n)).endsWith(s"has a header of $n bytes")))
    val contentLength = first.length - Trailer - 4 - "first".length - 8
    Seq(Int.MaxValue, -1).foreach(n => assert(reason(changed(contentLength, n)).contains("has a content length of")))
    assert(reason(changed(contentLength + 4, 1)).startsWith("the log block at offset 0 has"))
  }

  test("a file that is shorter than it was listed is an error") {
    val error = intercept[CorruptTable](LogFileReader.blocks(file(first), Path, first.length + 10L))
    assert(error.parameters("reason").startsWith("it ends early"), error.parameters("reason"))
    val late = LogBlock(Path, BlockKind.AvroData, Map.empty, 0L, 1000L)
    intercept[CorruptTable](LogFileReader.content(file(first), late))
    val long = LogBlock(Path, BlockKind.AvroData, Map.empty, 0L, Long.MaxValue)
    intercept[CorruptTable](LogFileReader.content(file(first), long))
  }

  test("blocks of a storage's file are read, with headers longer than a window") {
    val storage = new MemoryStorage()
    val wide = Map(HeaderKey.InstantTime -> "001", HeaderKey.Schema -> "ä" * 200000)
    val bytes = LogBlockWriter.bytes(BlockKind.AvroData, wide, "content".getBytes(UTF_8)) ++ second
    storage.createNew(Path, bytes)
    val found = LogFileReader.blocks(storage, Path, bytes.length.toLong)
    assertEquals(found.map(_.headers), Seq(wide, Map(HeaderKey.InstantTime -> "002", HeaderKey.Schema -> "{}")))
    assertEquals(found.map(b => new String(LogFileReader.content(storage, b, bytes.length.toLong), UTF_8)),
      Seq("content", "second"))
  }

  /** The blocks, and how many bytes were read to find them. */
  private def counted(source: Array[Byte]): (Seq[LogBlock], Long) = {
    var read = 0L
    val counting = new OpenFile {
      override def readFully(position: Long, target: Array[Byte]): Unit = {
        read += target.length
        OpenFile.of(Path, source).readFully(position, target)
      }
      override def close(): Unit = ()
    }
    (LogFileReader.blocks(counting, Path, source.length.toLong), read)
  }

  test("contents are not read while blocks are looked for") {
    val content = new Array[Byte](1024 * 1024)
    val one = LogBlockWriter.bytes(BlockKind.AvroData, Map(HeaderKey.InstantTime -> "1"), content)
    val (found, read) = counted(Array.concat(Seq.fill(20)(one): _*))
    assertEquals(found.size, 20)
    assert(read <= 21L * FileWindow.Size, s"$read bytes read")
  }

  test("a damaged block full of magics is read a few times and no more") {
    val tricky = block("002", "#HUDI# and so on " * 100000)
    tricky(tricky.length - 1) = 0
    val bytes = first ++ tricky ++ third
    val (found, read) = counted(bytes)
    assertEquals(found.filter(_.kind != BlockKind.Corrupt).map(_.instant), Seq("001", "003"))
    assert(read <= 4L * bytes.length, s"$read bytes read of ${bytes.length}")
  }
}

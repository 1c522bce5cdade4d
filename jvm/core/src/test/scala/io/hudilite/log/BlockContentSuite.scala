package io.hudilite.log

import io.hudilite.error.{CorruptTable, UnsupportedTable}

import java.math.BigDecimal
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Base64

import munit.FunSuite

class BlockContentSuite extends FunSuite {

  private val Path = "/table/.f_1.log.1_0-0-0"

  private def hex(text: String): Array[Byte] =
    text.filterNot(_.isWhitespace).grouped(2).map(Integer.parseInt(_, 16).toByte).toArray

  private def text(bytes: Array[Byte]): String = bytes.map(b => f"$b%02x").mkString

  private def corrupt(run: => Any): String = {
    val error = intercept[CorruptTable](run)
    assertEquals(error.parameters("path"), Path)
    error.parameters("reason")
  }

  private val known = "00000003 0000000a 02 02 02 33 02 02 78 04 00 00"

  test("a delete block is as Hudi writes it") {
    val record = DeleteRecord("3", "x", OrderingValue.CommitTime)
    assertEquals(DeleteBlock.decode(hex(known), Path), Seq(record))
    assertEquals(text(DeleteBlock.encode(Seq(record), 6)), known.filterNot(_ == ' '))
    assertEquals(DeleteBlock.decode(hex("00000003 00000001 00"), Path), Nil)
    assertEquals(text(DeleteBlock.encode(Nil, 9)), "000000030000000100")
  }

  // The union's branch, zig-zag, and the value behind it.
  private val orderings: Seq[(OrderingValue, String)] = {
    import OrderingKind._
    Seq(
      OrderingValue.Absent -> "00",
      OrderingValue.of(BooleanKind, true) -> "0201",
      OrderingValue.CommitTime -> "0400",
      OrderingValue.of(IntKind, -1) -> "0401",
      OrderingValue.of(IntKind, Int.MinValue) -> "04ffffffff0f",
      OrderingValue.of(LongKind, 0L) -> "0600",
      OrderingValue.of(LongKind, Long.MaxValue) -> "06feffffffffffffffff01",
      OrderingValue.of(LongKind, Long.MinValue) -> "06ffffffffffffffffff01",
      OrderingValue.of(FloatKind, 1.0f) -> "080000803f",
      OrderingValue.of(DoubleKind, 1.0) -> "0a000000000000f03f",
      OrderingValue.of(StringKind, "é") -> "0e04c3a9",
      OrderingValue.of(DateKind, 3) -> "1006",
      OrderingValue.of(DecimalKind, new BigDecimal("0.000000000000001")) -> "120201",
      OrderingValue.of(DecimalKind, new BigDecimal("-0.000000000000002")) -> "1202fe",
      OrderingValue.of(TimeMicrosKind, 1L) -> "1402",
      OrderingValue.of(TimestampMicrosKind, 64L) -> "168001",
      OrderingValue.of(ArrayKind, Seq(OrderingValue.of(LongKind, 1L), OrderingValue.Absent)) -> "18020406020000")
  }

  test("an ordering value keeps its kind, in both directions") {
    orderings.foreach { case (value, bytes) =>
      val content = DeleteBlock.encode(Seq(DeleteRecord("k", "", value)), 9)
      assertEquals(text(content).drop(16), s"0202026b0200${bytes}00", value.toString)
      assertEquals(DeleteBlock.decode(content, Path), Seq(DeleteRecord("k", "", value)))
    }
  }

  test("bytes are an ordering value, too") {
    val value = OrderingValue.of(OrderingKind.BytesKind, Array[Byte](1, 2))
    DeleteBlock.decode(DeleteBlock.encode(Seq(DeleteRecord("k", "p", value)), 8), Path).map(_.ordering) match {
      case Seq(OrderingValue.Value(OrderingKind.BytesKind, bytes: Array[Byte])) =>
        assertEquals(bytes.toSeq, Seq[Byte](1, 2))
      case other => fail(other.toString)
    }
  }

  test("a decimal is kept with fifteen digits behind the point, or refused") {
    assertEquals(OrderingValue.of(OrderingKind.DecimalKind, new BigDecimal("1.5")),
      OrderingValue.Value(OrderingKind.DecimalKind, new BigDecimal("1.500000000000000")))
    intercept[ArithmeticException](OrderingValue.of(OrderingKind.DecimalKind, new BigDecimal("1e-16")))
    intercept[ArithmeticException](OrderingValue.of(OrderingKind.DecimalKind, new BigDecimal("1e15")))
  }

  test("several ordering values are not written for versions that do not know them") {
    val several = DeleteRecord("k", "p", OrderingValue.Value(OrderingKind.ArrayKind, Seq(OrderingValue.CommitTime)))
    Seq(6, 8).foreach(v => intercept[IllegalArgumentException](DeleteBlock.encode(Seq(several), v)))
    assertEquals(DeleteBlock.decode(DeleteBlock.encode(Seq(several), 9), Path), Seq(several))
  }

  test("delete blocks of old content versions are refused by name") {
    Seq(1, 2).foreach { version =>
      val error = intercept[UnsupportedTable](DeleteBlock.decode(hex(s"0000000$version 00000001 00"), Path))
      assertEquals(error.parameters("feature"), s"a delete block of content version $version")
      assertEquals(error.parameters("path"), Path)
    }
  }

  test("a damaged delete block is an error") {
    val cases = Seq(
      "" -> "ends in its version",
      "00000004 00000001 00" -> "unknown version 4",
      "00000003 00000002 00" -> "says that it has 2",
      "00000003 00000002 00 00" -> "1 bytes too many",
      "00000003 00000001 02" -> "an array of 1 items",
      "00000003 00000005 feffffff0f" -> "an array of 2147483647 items",
      "00000003 00000006 02 02 fefffF 07" -> "a length of",
      "00000003 00000004 02 00 00 00" -> "no record key",
      "00000003 00000008 02 02 02 6b 02 00 1a 00" -> "unknown type 13",
      "00000003 00000008 02 04 02 6b 02 00 00 00" -> "branch 2 of a union",
      "00000003 0000000b ffffffffffffffffffff01" -> "more than ten bytes")
    cases.foreach { case (bytes, expected) =>
      val reason = corrupt(DeleteBlock.decode(hex(bytes), Path))
      assert(reason.contains(expected), s"$bytes: $reason")
    }
  }

  test("arrays in several blocks, with their sizes, are read") {
    val record = "02026b02007800"
    val records = "02 02026b020000" + "01 0c 02026c020000" + "00"
    val content = hex(f"00000003 ${hex(records).length}%08x" + records)
    assertEquals(DeleteBlock.decode(content, Path).map(_.key), Seq("k", "l"), record)
  }

  private def avro(content: Array[Byte]): Seq[String] = {
    val records = AvroBlock.records(content, Path)
    Iterator.continually(records.next()).takeWhile(identity)
      .map(_ => new String(content, records.offset, records.length, UTF_8)).toList
  }

  test("an Avro block holds its records one after the other") {
    val content = AvroBlock.encode(Seq("one", "", "three").map(_.getBytes(UTF_8)))
    assertEquals(text(content).take(38), "0000000300000003000000036f6e6500000000")
    assertEquals(avro(content), Seq("one", "", "three"))
    assertEquals(AvroBlock.records(content, Path).count, 3)
    assertEquals(avro(AvroBlock.encode(Nil)), Nil)
  }

  test("an Avro block that is a part of an array is read within its bounds") {
    val content = AvroBlock.encode(Seq("one", "two").map(_.getBytes(UTF_8)))
    val around = Array.fill[Byte](7)(1) ++ content ++ Array.fill[Byte](9)(1)
    val part = ByteBuffer.wrap(around, 7, content.length).slice()
    val records = AvroBlock.records(part, Path)
    val read = Iterator.continually(records.next()).takeWhile(identity)
      .map(_ => new String(records.bytes, records.offset, records.length, UTF_8)).toList
    assertEquals(read, List("one", "two"))
    val tooShort = AvroBlock.records(ByteBuffer.wrap(around, 7, content.length - 1).slice(), Path)
    assert(tooShort.next())
    corrupt(tooShort.next())
  }

  test("a damaged Avro block is an error") {
    val cases = Seq(
      "000000" -> "ends in its version",
      "00000004 00000000" -> "unknown version 4",
      "ffffffff 00000000" -> "unknown version -1",
      "00000003 7fffffff" -> "says that it has 2147483647 records",
      "00000003 ffffffff" -> "says that it has -1 records",
      "00000003 00000001 00000001" -> "has a record of 1 bytes",
      "00000003 00000001 ffffffff 00" -> "has a record of -1 bytes",
      "00000003 00000002 00000004 00000000" -> "ends before its record 2 of 2",
      "00000003 00000000 00" -> "1 bytes after its last record")
    cases.foreach { case (bytes, expected) =>
      val reason = corrupt(avro(hex(bytes)))
      assert(reason.contains(expected), s"$bytes: $reason")
    }
    intercept[UnsupportedTable](avro(hex("00000000 00000000")))
    (1 to 3).foreach(version => assertEquals(avro(hex(s"0000000$version 00000001 00000001 61")), Seq("a")))
  }

  test("positions are a portable Roaring bitmap") {
    val known = hex("0100000000000000 00000000 3a300000 01000000 0000 0100 10000000 0100 0200")
    assertEquals(RecordPositions.decode(Base64.getEncoder.encodeToString(known), 2).toSeq, Seq(1L, 2L))
    assertEquals(RecordPositions.encode(Array(1L, 2L)), Base64.getEncoder.encodeToString(known))
    Seq(Array.emptyLongArray, Array(0L), Array(0L, 65535L, 65536L, 1L << 32, (1L << 40) + 7),
      (0L until 100000L).toArray)
      .foreach(rows =>
        assertEquals(RecordPositions.decode(RecordPositions.encode(rows), rows.length).toSeq, rows.toSeq))
  }

  test("positions that are no bitmap, or too many, are errors") {
    intercept[IllegalArgumentException](RecordPositions.decode(RecordPositions.encode((0L to 100L).toArray), 100))
    def block(positions: String) = LogBlock(Path, BlockKind.AvroData,
      Map(HeaderKey.RecordPositions -> positions, HeaderKey.PositionsBaseInstant -> "1"), 0, 0)
    def encoded(digits: String) = Base64.getEncoder.encodeToString(hex(digits))
    val part = "3a300000 01000000 0000 0000 10000000 0100"
    Seq("", "!", "AAAA", encoded("0000000000000001"), encoded("ffffffffffffffff"),
      encoded(s"0200000000000000 00000000 $part 00000000 $part"), encoded(s"0200000000000000 00000000 $part"),
      encoded(s"0100000000000000 ffffffff $part"), encoded(s"0100000000000000 00000000 ${part.dropRight(2)}"))
      .foreach(text => corrupt(block(text).positions("1", 5)))
    assertEquals(block("!").positions("2", 5).map(_.length), None)
  }

  test("no positions at all say that the base file has none of the keys, and fewer than records say nothing") {
    def positions(rows: Long*): Option[Seq[Long]] = LogBlock(Path, BlockKind.AvroData,
      LogBlockWriter.headers(9, "002", "{}", Some("001" -> rows.toArray)), 0, 0).positions("001", 3).map(_.toSeq)
    assertEquals(positions(1, 2, 7), Some(Seq(1L, 2L, 7L)))
    assertEquals(positions(), Some(Nil))
    assertEquals(positions(1, 2), None)
  }

  test("headers are those that the table version knows") {
    val positions = Some("001" -> Array(1L, 2L))
    assertEquals(LogBlockWriter.headers(6, "002", "{}", positions).keySet, Set(0, 2))
    assertEquals(LogBlockWriter.headers(8, "002", "{}", positions).keySet, Set(0, 2, 5, 8))
    assertEquals(LogBlockWriter.headers(9, "002", "{}").keySet, Set(0, 2))
  }
}

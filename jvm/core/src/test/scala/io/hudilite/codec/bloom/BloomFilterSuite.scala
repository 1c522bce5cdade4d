package io.hudilite.codec.bloom

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Base64

import munit.FunSuite

/** Vectors and layouts of docs/format.md, bloom filters; footers written by Apache Hudi 1.2.0. */
class BloomFilterSuite extends FunSuite {

  private def utf8(key: String): Array[Byte] = key.getBytes(UTF_8)

  private def add(filter: BloomFilter, keys: Iterable[String]): Unit = keys.foreach(k => filter.add(utf8(k)))

  private def ints(text: String): Seq[Int] = {
    val bytes = java.nio.ByteBuffer.wrap(Base64.getDecoder.decode(text))
    Seq(bytes.getInt, bytes.getInt, bytes.get.toInt, bytes.getInt, bytes.getInt, bytes.getInt, bytes.getInt)
  }

  private def indices(key: String, count: Int, bits: Int): Seq[Int] =
    Iterator.iterate(hash(key, 0))(hash(key, _)).take(count).map(seed => math.abs(seed % bits)).toList

  private def hash(key: String, seed: Int): Int = Murmur2.hash(utf8(key), 0, utf8(key).length, seed)

  private val vectors = Seq(
    ("1", 1228156847, Seq(1460963, 105785, 1189081, 2066078)),
    ("abc", 1775488903, Seq(144227, 2031112, 412226, 897289)),
    ("key-0001", -247684977, Seq(1828207, 2320332, 891395, 851955)),
    ("é", -384040333, Seq(1021365, 1225260, 586514, 1189253)),
    ("id:1,name:a", 836237778, Seq(324760, 472185, 1929962, 128574)))

  vectors.foreach { case (key, first, bits) =>
    test(s"the key '$key' has the hash and the bits of Hudi's filters") {
      assertEquals(hash(key, 0), first)
      assertEquals(indices(key, 4, 2587966), bits)
    }
  }

  test("a key is hashed the same from the middle of a larger array") {
    val bytes = utf8("xxxid:1,name:ayyy")
    assertEquals(Murmur2.hash(bytes, 3, 11, 0), 836237778)
  }

  test("the default size of a filter is that of Hudi") {
    assertEquals(Shape.of(60000, 1e-9), Shape(2587966, 30))
    assertEquals(Shape.of(100, 1e-9), Shape(4314, 30))
    assertEquals(Shape.of(10, 0.1), Shape(48, 4))
    assertEquals(BloomFilter.create("SIMPLE", 60000, 1e-9, 100000).serialized.length, 431348)
    assertEquals(BloomFilter.create("DYNAMIC_V0", 60000, 1e-9, 100000).serialized.length, 431380)
  }

  test("the bit of a hash is the magnitude of its remainder, for every sign and size") {
    val hashes =
      Seq(0, 1, -1, Int.MaxValue, Int.MinValue, Int.MinValue + 1) ++ (1 to 10000).map(i => hash(i.toString, i))
    for (bits <- Seq(1, 2, 3, 48, 4314, 2587966, 1 << 30, (1 << 30) + 1, Int.MaxValue - 7)) {
      val row = new BitRow(Shape(bits, 1), Array.emptyByteArray)
      hashes.foreach(h => assertEquals(row.bitOf(h), math.abs(h % bits), s"$h in $bits"))
    }
  }

  test("keys of mixed lengths, long ones too, come out as one by one") {
    val keys = (1 to 500).map(i => "k" * (i * 7 % 23 + 1) + i) :+ "x" * 5000 :+ "é" * 301
    Seq("SIMPLE", "DYNAMIC_V0").foreach { code =>
      val together = BloomFilter.create(code, 100, 0.001, 300)
      val single = BloomFilter.create(code, 100, 0.001, 300)
      keys.foreach { k =>
        add(together, Seq(k))
        add(single, Seq(k))
        assert(single.mightContain(utf8(k)))
      }
      assertEquals(together.serialized, single.serialized)
    }
  }

  test("a simple filter with two keys has the known text") {
    val filter = BloomFilter.create("SIMPLE", 10, 0.1, 0)
    add(filter, Seq("1", "abc"))
    assertEquals(filter.serialized, "/////wAAAAQBAAAAMKAQAAAgiQ==")
    assertEquals(filter.typeCode, "SIMPLE")
  }

  test("a filter read back answers as before, and takes more keys as if it had never been written") {
    Seq("SIMPLE", "DYNAMIC_V0").foreach { code =>
      val whole = BloomFilter.create(code, 100, 1e-6, 300)
      val first = BloomFilter.create(code, 100, 1e-6, 300)
      add(whole, (1 to 250).map(i => s"key-$i"))
      add(first, (1 to 150).map(i => s"key-$i"))
      val second = BloomFilter.read(first.serialized, code, 300)
      assert((1 to 150).forall(i => second.mightContain(utf8(s"key-$i"))))
      add(second, (151 to 250).map(i => s"key-$i"))
      assertEquals(second.serialized, whole.serialized)
    }
  }

  test("a fitted filter with few keys is the one laid out for them, with more the one of full size") {
    for (code <- Seq("SIMPLE", "DYNAMIC_V0"); count <- Seq(0, 1, 16, 17, 125, 126, 1000, 1001, 2500)) {
      val keys = (1 to count).map(i => "k" * (i % 7) + i)
      val fitted = BloomFilter.fitted(code, 1000, 1e-6, 2000)
      val expected = BloomFilter.create(code, if (count <= 125) count.max(16) else 1000, 1e-6, 2000)
      add(fitted, keys)
      add(expected, keys)
      assertEquals(fitted.serialized, expected.serialized, s"$count keys, $code")
      assert(keys.forall(k => fitted.mightContain(utf8(k))))
      assertEquals(BloomFilter.read(fitted.serialized, code).isLaidOutFor(1000, 1e-6), count > 125)
    }
  }

  test("a fitted filter keeps no more than a bounded number of bytes") {
    val key = "x" * 100000
    val (fitted, expected) =
      (BloomFilter.fitted("DYNAMIC_V0", 1000, 1e-6, 1000), BloomFilter.create("DYNAMIC_V0", 1000, 1e-6, 1000))
    val keys = (1 to 12).map(i => key + i)
    add(fitted, keys)
    add(expected, keys)
    assertEquals(fitted.serialized, expected.serialized)
  }

  test("a fitted filter refuses what others refuse") {
    intercept[IllegalArgumentException](BloomFilter.fitted("OTHER", 1000, 1e-6, 1000))
    intercept[IllegalArgumentException](BloomFilter.fitted("SIMPLE", 1000, 1.5, 1000))
    intercept[IllegalArgumentException](BloomFilter.fitted("SIMPLE", 0, 0.1, 1000))
    intercept[IllegalArgumentException](BloomFilter.fitted("SIMPLE", 1000, 0.1, 1000).add(Array.emptyByteArray))
  }

  test("the number of keys in a filter is known, or well estimated") {
    val dynamic = BloomFilter.create("DYNAMIC_V0", 100, 1e-6, 1000)
    val simple = BloomFilter.create("SIMPLE", 1000, 1e-6, 1000)
    Seq(dynamic, simple).foreach(add(_, (1 to 250).map(i => s"key-$i")))
    assertEquals(dynamic.keyCount, 250.0)
    assertEqualsDouble(simple.keyCount, 250.0, 5.0)
  }

  // First line the type, second the footer's text, then the file's keys in row order.
  private def footer(name: String): (String, String, Seq[String]) = {
    val source = scala.io.Source.fromResource(s"hudilite/bloom/$name.txt")(scala.io.Codec.UTF8)
    try {
      val lines = source.getLines().toList
      (lines.head, lines(1), lines.drop(2))
    } finally source.close()
  }

  private val footers = Seq(("simple", 40, 100), ("simple-rewritten", 40, 100), ("dynamic-grown", 20, 100),
    ("dynamic-grown-rewritten", 20, 100), ("dynamic-bounded", 10, 25), ("dynamic-bounded-rewritten", 10, 25))

  footers.foreach { case (name, entries, maxEntries) =>
    test(s"the filter of a file written by Hudi comes out bit for bit from its keys: $name") {
      val (code, text, keys) = footer(name)
      val filter = BloomFilter.create(code, entries, 0.01, maxEntries)
      add(filter, keys)
      assertEquals(filter.serialized, text)
      assertEquals(BloomFilter.read(text, code).serialized, text)
    }
  }

  test("a dynamic filter gets a row when the last is full, up to its bound") {
    def rows(keys: Int): Seq[Int] = {
      val filter = BloomFilter.create("DYNAMIC_V0", 10, 0.1, 25)
      add(filter, (1 to keys).map(_.toString))
      ints(filter.serialized)
    }
    assertEquals(rows(0), Seq(-1, 4, 1, 48, 10, 0, 1))
    assertEquals(rows(10), Seq(-1, 4, 1, 48, 10, 10, 1))
    assertEquals(rows(11), Seq(-1, 4, 1, 48, 10, 1, 2))
    assertEquals(rows(20), Seq(-1, 4, 1, 48, 10, 10, 2))
    assertEquals(rows(21), Seq(-1, 4, 1, 48, 10, 1, 3))
    assertEquals(rows(30), Seq(-1, 4, 1, 48, 10, 10, 3))
    assertEquals(rows(31), Seq(-1, 4, 1, 48, 10, 11, 3))
  }

  test("past its bound a dynamic filter deals keys to its rows in turn, row 0 twice at first") {
    val filter = BloomFilter.create("DYNAMIC_V0", 2, 0.1, 4)
    val rows = Array.fill(2)(BloomFilter.create("SIMPLE", 2, 0.1, 0))
    val target = Seq(0, 0, 1, 1, 0, 0, 1, 0, 1, 0)
    target.zipWithIndex.foreach { case (row, i) =>
      add(filter, Seq(s"k$i"))
      add(rows(row), Seq(s"k$i"))
    }
    val bytes = Base64.getDecoder.decode(filter.serialized)
    val tail = rows.flatMap(row => Base64.getDecoder.decode(row.serialized))
    assertEquals(bytes.drop(25).toSeq, tail.toSeq)
  }

  test("no key that was added is ever denied, also past the bound") {
    val filter = BloomFilter.create("DYNAMIC_V0", 100, 0.01, 200)
    val keys = (1 to 1000).map(i => s"schlüssel-$i-鍵")
    add(filter, keys)
    assert(keys.forall(k => filter.mightContain(utf8(k))))
  }

  private def falsePositives(filter: BloomFilter, present: Int): Double = {
    add(filter, (1 to present).map(i => s"present-$i"))
    (1 to 100000).count(i => filter.mightContain(utf8(s"absent-$i"))) / 100000.0
  }

  test("up to its size a filter keeps the promised rate of false answers") {
    val simple = falsePositives(BloomFilter.create("SIMPLE", 10000, 0.01, 0), 10000)
    assert(simple > 0.005 && simple < 0.015, s"measured $simple")
    // Two full rows: each may be wrong.
    val dynamic = falsePositives(BloomFilter.create("DYNAMIC_V0", 5000, 0.01, 10000), 10000)
    assert(dynamic > 0.01 && dynamic < 0.03, s"measured $dynamic")
  }

  test("past its size the rate of false answers rises as the formula says") {
    // k bits of m set by n keys each: (1 - e^(-kn/m))^k; twice the keys in the space for 1 % make about 16 %.
    val simple = falsePositives(BloomFilter.create("SIMPLE", 5000, 0.01, 0), 10000)
    assert(simple > 0.13 && simple < 0.19, s"measured $simple")
    val dynamic = falsePositives(BloomFilter.create("DYNAMIC_V0", 2500, 0.01, 5000), 10000)
    assert(dynamic > 0.24 && dynamic < 0.36, s"measured $dynamic")
  }

  test("a filter takes over the keys of filters of its layout, within its size and past it, and of no others") {
    for (code <- Seq("SIMPLE", "DYNAMIC_V0"); counts <- Seq(Seq(40, 60), Seq(0, 90, 30, 70), Seq(250, 99, 300, 1))) {
      val parts = counts.zipWithIndex.map { case (count, i) => (1 to count).map(k => s"part-$i-$k") }
      def filter(keys: Seq[String]): BloomFilter = {
        val made = BloomFilter.create(code, 100, 1e-6, 300)
        add(made, keys)
        BloomFilter.read(made.serialized, code, 300)
      }
      val fitted = BloomFilter.fitted(code, 100, 1e-6, 300)
      add(fitted, Seq("own"))
      for (whole <- Seq(BloomFilter.create(code, 100, 1e-6, 300), fitted)) {
        parts.foreach(keys => assert(whole.absorb(filter(keys))))
        add(whole, (1 to 20).map(i => s"late-$i"))
        val read = BloomFilter.read(whole.serialized, code, 300)
        assert((parts.flatten ++ (1 to 20).map(i => s"late-$i")).forall(key => read.mightContain(utf8(key))),
          s"$code, $counts")
        if (code == "DYNAMIC_V0") {
          assert(ints(whole.serialized).last <= 3, s"$counts")
          if (counts.sum < 300) assert((1 to 1000).count(i => read.mightContain(utf8(s"absent-$i"))) < 5, s"$counts")
        }
        val before = whole.serialized
        assert(!whole.absorb(BloomFilter.create(code, 99, 1e-6, 300)))
        assert(!whole.absorb(BloomFilter.create(if (code == "SIMPLE") "DYNAMIC_V0" else "SIMPLE", 100, 1e-6, 300)))
        assertEquals(whole.serialized, before)
      }
      assert(fitted.mightContain(utf8("own")))
    }
  }

  test("an empty key is refused") {
    Seq("SIMPLE", "DYNAMIC_V0").foreach { code =>
      intercept[IllegalArgumentException](BloomFilter.create(code, 10, 0.1, 10).add(Array.emptyByteArray))
    }
  }

  private def reason(text: String, code: String): String =
    intercept[IllegalArgumentException](BloomFilter.read(text, code)).getMessage

  test("damaged texts are refused with the reason") {
    val simple = BloomFilter.create("SIMPLE", 100, 0.1, 0).serialized
    val dynamic = BloomFilter.create("DYNAMIC_V0", 100, 0.1, 200).serialized
    def changed(text: String, at: Int, value: Byte): String = {
      val bytes = Base64.getDecoder.decode(text)
      bytes(at) = value
      Base64.getEncoder.encodeToString(bytes)
    }
    assertEquals(reason(simple.take(40), "SIMPLE"), "the bloom filter is cut short")
    assertEquals(reason("", "SIMPLE"), "the bloom filter is cut short")
    assertEquals(reason(dynamic.take(80), "DYNAMIC_V0"), "the bloom filter is cut short")
    assertEquals(reason(changed(simple, 8, 0), "SIMPLE"), "bloom filter hash type 0 is not known")
    assertEquals(reason(changed(simple, 3, -3), "SIMPLE"), "bloom filter version -3 is not known")
    assertEquals(reason(changed(dynamic, 21, 127), "DYNAMIC_V0"), "2130706433 rows of 100 keys with 0 in the last")
    assert(reason(dynamic, "SIMPLE").endsWith("bytes behind the bloom filter"))
    assertEquals(reason(simple, "FANCY"), "unknown bloom filter type FANCY")
    intercept[IllegalArgumentException](BloomFilter.read("not base64!", "SIMPLE"))
  }
}

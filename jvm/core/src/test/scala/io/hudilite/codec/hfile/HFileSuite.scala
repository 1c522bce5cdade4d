package io.hudilite.codec.hfile

import io.hudilite.error.{CorruptTable, UnsupportedTable}
import io.hudilite.storage.{CountingStorage, MemoryStorage}

import java.lang.management.ManagementFactory
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Arrays, Random}

import munit.FunSuite

class HFileSuite extends FunSuite {

  private val Path = "/table/.f_1.log.1_0-0-0"
  private val cells = (0 until 25).map(n => f"ké$n%03d" -> s"value $n".getBytes(UTF_8))
  private val image = HFileImage.of(cells, gzip = false, 7)

  private def texts(records: HFileRecords): Seq[(String, String)] =
    records.iterator.map { case (key, value) => new String(key, UTF_8) -> new String(value, UTF_8) }.toList

  private def read(content: Array[Byte]): Seq[(String, String)] = texts(HFile.of(content, Path).scan)

  private def sorted(keys: Iterable[String]): Seq[Array[Byte]] = HFileSuite.sorted(keys)

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
    val file = HFile.of(HFileImage.of(cells, gzip = true, 7), Path)
    assertEquals(file.entries, 25L)
    assertEquals(file.info("schema").map(new String(_, UTF_8)), Some("\"bytes\""))
    assertEquals(file.info("minRecordKey").map(_.length), None)
  }

  test("an HFile without cells is read, and has no key") {
    val file = HFile.of(HFileImage.of(Nil, gzip = true, 1), Path)
    assertEquals(texts(file.scan), Nil)
    assertEquals(texts(file.lookup(sorted(Seq("", "a")))), Nil)
    assertEquals(texts(file.prefixes(sorted(Seq("")))), Nil)
  }

  test("keys and prefixes of all kinds are found where they are, and nowhere else") {
    (0 until 400).foreach { seed =>
      val random = new Random(seed.toLong)
      val keys = Seq.fill(1 + random.nextInt(60))(OddKeys.of(random)).distinct
      val stored = keys.filter(_ => random.nextInt(4) > 0)
      val content = stored.map(k => k -> s"of $k".getBytes(UTF_8))
      val file = HFile.of(HFileImage.of(content, random.nextBoolean(), 1 + random.nextInt(20)), Path)
      val asked = keys.filter(_ => random.nextBoolean())
      def expected(wanted: String => Boolean) = stored.filter(wanted).sorted.map(k => k -> s"of $k")
      assertEquals(texts(file.lookup(sorted(asked))), expected(asked.contains), s"seed $seed")
      val beginnings =
        asked.map(k => k.take(k.offsetByCodePoints(0, random.nextInt(1 + k.codePointCount(0, k.length)))))
      assertEquals(texts(file.prefixes(sorted(beginnings))), expected(k => beginnings.exists(k.startsWith)), s"$seed")
      assertEquals(texts(file.scan), expected(_ => true), s"seed $seed")
    }
  }

  test("keys that are asked for out of order are a mistake of the caller") {
    val file = HFile.of(image, Path)
    intercept[IllegalStateException](file.lookup(Seq("b", "a").map(_.getBytes(UTF_8))))
    intercept[IllegalStateException](file.prefixes(Seq("a", "a").map(_.getBytes(UTF_8))))
  }

  private def resource(name: String): Array[Byte] = getClass.getResourceAsStream(s"/hfile/$name.hfile").readAllBytes()

  private def written(n: Int): Seq[(String, String)] = (0 until n).map(i => f"key-${i * 2}%05d" -> s"value $i")

  // By HBase's writer: keys of the index lie between those of the blocks.
  for ((name, count) <- Seq("levels" -> 200, "crc32" -> 100))
    test(s"files with checksums and an index that HBase wrote are read: $name") {
      val file = HFile.of(resource(name), Path)
      val all = written(count)
      assertEquals(texts(file.scan), all)
      assertEquals(texts(file.lookup((0 until 2 * count + 3).map(i => f"key-$i%05d".getBytes(UTF_8)))), all)
      (0 until 2 * count).foreach { i =>
        val key = f"key-$i%05d"
        assertEquals(texts(HFile.of(resource(name), Path).lookup(sorted(Seq(key)))), all.filter(_._1 == key))
      }
      val tens = Seq("key-0001", "key-00029", "key-0009")
      assertEquals(texts(file.prefixes(sorted(tens))), all.filter(r => tens.exists(r._1.startsWith)))
    }

  test("what needs a library or another order is refused by name") {
    val packed = HFileImage.of(cells, gzip = true, 7)
    val trailer = packed.length - 4096
    val codec = trailer + packed.drop(trailer).indexOfSlice(Seq[Byte](12 << 3, 1)) + 1
    def feature(content: Array[Byte]): String =
      intercept[UnsupportedTable](read(content)).parameters("feature")
    assertEquals(feature(packed.updated(codec, 3.toByte)), "an HFile with the compression codec SNAPPY")
    assertEquals(feature("DATABLKE".getBytes(UTF_8) ++ packed.drop(8)), "an HFile with encoded keys")
    val comparator = packed.indexOfSlice("KVComparator".getBytes(UTF_8).toSeq)
    val other = HFile.of(packed.updated(comparator, 'X'.toByte), Path)
    assertEquals(texts(other.scan).size, 25)
    assertEquals(intercept[UnsupportedTable](other.lookup(sorted(Seq("a")))).parameters("feature"),
      "an HFile with keys in the order of org.apache.hudi.io.storage.HoodieHBaseXVComparator")
  }

  test("a damaged HFile is an error") {
    val header = HFileBlock.HeaderBytes
    assertEquals(reason(image.take(100)), "an HFile is shorter than its trailer")
    assertEquals(reason(changed(image, image.length - 4, 2)), "an HFile of version 2")
    assertEquals(reason(image.updated(image.length - 4096, 0.toByte)), "an HFile has no trailer")
    assert(reason(changed(image, header, Int.MaxValue)).startsWith("an HFile cell of 2147483647"))
    assert(reason(changed(image, header + 4, -1)).startsWith("an HFile cell of"))
    assert(reason(changed(image, 8, Int.MaxValue)).startsWith("a block of an HFile has 2147483680 bytes"))
    assert(reason(changed(image, 12, 1)).startsWith("a block of an HFile unpacks to"))
    assert(reason("DATABLKX".getBytes(UTF_8) ++ image.drop(8)).contains("does not hold its 25 cells"))
    val key = image.indexOfSlice("ké003".getBytes(UTF_8).toSeq)
    assert(reason(image.updated(key, 'a'.toByte)).contains("comes before the last"))
    val crc32 = resource("crc32")
    assertEquals(reason(crc32.updated(60, (crc32(60) + 1).toByte)),
      "the checksum of a block of an HFile does not fit its bytes")
  }

  /** A file of many blocks on a storage that counts, and how many requests of ranges `ask` costs besides opening. */
  private def requests(content: Array[Byte])(ask: HFile => Unit): (Int, Int) = {
    val storage = new CountingStorage(new MemoryStorage())
    storage.replace("/f.hfile", content)
    val (file, opening) = storage.during(HFile.open(storage, "/f.hfile", content.length.toLong))
    val (_, asking) = storage.during(ask(file))
    file.close()
    assertEquals(opening.counts.keySet ++ asking.counts.keySet -- Set("get"), Set.empty[String])
    (opening.count("get"), asking.count("get"))
  }

  test("a damaged length of a packed block asks for no more memory than the block can fill") {
    val noise = new Array[Byte](1 << 20)
    new Random(1).nextBytes(noise)
    val content = HFileImage.of(Seq("k" -> noise), gzip = true, 1)
    val unpackedAt = HFileBlock.MagicBytes + Integer.BYTES
    val damaged = changed(content, unpackedAt, 1000 << 20)
    val before = allocated
    assert(reason(damaged).startsWith("a block of an HFile unpacks to "))
    assert(allocated - before < (64L << 20), allocated - before)
  }

  private def allocated: Long = ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]
    .getThreadAllocatedBytes(Thread.currentThread.getId)

  test("a small file is one request, whatever is asked") {
    assertEquals(requests(image) { file =>
        assertEquals(texts(file.lookup(sorted(Seq("ké003", "ké020", "x")))).size, 2)
        assertEquals(texts(file.scan).size + texts(file.prefixes(sorted(Seq("k")))).size, 50)
      }, (1, 0))
  }

  test("a large file is one request to open, and one for each run of neighbouring blocks") {
    val random = new Random(7L)
    val values = (0 until 1000).map { n =>
      val value = new Array[Byte](2000)
      random.nextBytes(value)
      f"k$n%04d" -> value
    }
    // 200 blocks of 10,000 bytes: runs of 4 MiB hold all, gaps of 64 KiB six of them.
    val content = HFileImage.of(values, gzip = false, 5)
    def found(keys: Seq[Int])(file: HFile): Unit =
      assertEquals(texts(file.lookup(sorted(keys.map(n => f"k$n%04d")))).size, keys.size)
    assertEquals(requests(content)(found(Seq(500))), (1, 1))
    assertEquals(requests(content)(found(Seq(500, 501, 506, 513))), (1, 1))
    assertEquals(requests(content)(found(Seq(100, 103, 500, 504))), (1, 2))
    assertEquals(requests(content)(found(0 until 1000)), (1, 1))
    assertEquals(requests(content)(found(Seq(999))), (1, 0)) // within the end that opening brought
    assertEquals(requests(content)(f => assertEquals(texts(f.lookup(sorted(Seq("a")))), Nil)), (1, 0))
    assertEquals(requests(content)(f => assertEquals(texts(f.prefixes(sorted(Seq("k05")))).size, 100)), (1, 1))
    assertEquals(requests(content)(f => assertEquals(texts(f.scan).size, 1000)), (1, 1))
    val twice = HFileImage.of((0 until 3).flatMap(n => values.map { case (k, v) => s"$n$k" -> v }), gzip = false, 5)
    assertEquals(requests(twice)(f => assertEquals(texts(f.scan).size, 3000)), (1, 2))
  }

  test("a file that ends before its listed length is damaged") {
    val storage = new MemoryStorage()
    storage.replace("/f.hfile", image.take(5000))
    val length = image.length.toLong + 70000
    val found = intercept[CorruptTable](HFile.open(storage, "/f.hfile", length).scan)
    assertEquals(found.parameters("path"), "/f.hfile")
  }
}

object HFileSuite {

  /** Keys as a lookup takes them. */
  def sorted(keys: Iterable[String]): Seq[Array[Byte]] =
    keys.toSeq.distinct.map(_.getBytes(UTF_8)).sortWith(Arrays.compareUnsigned(_, _) < 0)
}

package io.hudilite.codec.hfile

import io.hudilite.error.CorruptTable
import io.hudilite.log.{BlockKind, GoldenLogs}
import io.hudilite.metadata.MetadataKeys
import io.hudilite.storage.HadoopStorage

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.{Arrays, Random}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

class HFileWriterSuite extends FunSuite {

  private val Location = "/table/.hoodie/metadata/files/f.hfile"
  private val form = HFileForm("\"bytes\"", 1700000000000L)
  // Of Hudi's own files.
  private val HudiBlockBytes = 1 << 20

  private type Records = Seq[(Array[Byte], Array[Byte])]

  private def plain(records: Iterator[(Array[Byte], Array[Byte])]): Seq[(Seq[Byte], Seq[Byte])] =
    records.map { case (k, v) => k.toSeq -> v.toSeq }.toList

  private def written(records: Records, as: HFileForm): HFile =
    HFile.of(HFileWriter.bytes(records.iterator, as), Location)

  private def check(records: Records, as: HFileForm, clue: String): Unit = {
    val file = written(records, as)
    assertEquals(file.entries, records.size.toLong, clue)
    assertEquals(plain(file.scan.iterator), plain(records.iterator), clue)
    assertEquals(plain(file.lookup(records.map(_._1)).iterator), plain(records.iterator), clue)
    assertEquals(file.info("schema").map(_.toSeq), Some(as.schema.getBytes(UTF_8).toSeq), clue)
  }

  private def random(size: Int, random: Random): Array[Byte] = {
    val bytes = new Array[Byte](size)
    random.nextBytes(bytes)
    bytes
  }

  /** A file of Hudi's, written anew from what is read of it. */
  private def again(file: HFile, filter: Option[HFileFilter]): Array[Byte] = {
    val created = ByteBuffer.wrap(file.info("hfile.CREATE_TIME_TS").get).getLong
    val schema = new String(file.info("schema").get, UTF_8)
    HFileWriter.bytes(file.scan.iterator, HFileForm(schema, created, blockBytes = HudiBlockBytes), filter)
  }

  /** This Java's deflater makes the bytes that the one made which wrote the golden tables. */
  private def sameDeflater(block: Array[Byte]): Boolean = {
    val dataEnd = ByteBuffer.wrap(block).getInt(29)
    val content = HFileBlock.read(ByteBuffer.wrap(block), 0, HFileCodec.Gzip, Location).content
    HFileCodec.Gzip.pack(content.array).sameElements(block.slice(HFileBlock.HeaderBytes, dataEnd))
  }

  test("base files of metadata tables come out of our writer byte for byte") {
    val files = GoldenHFiles.all.map(Files.readAllBytes(_))
    assert(files.size > 15)
    assume(sameDeflater(files.head))
    files.foreach { bytes =>
      val file = HFile.of(bytes, Location)
      val at = bytes.indexOfSlice(HFileBlock.Magic.Meta.getBytes(UTF_8).toSeq)
      val text = HFileBlock.read(ByteBuffer.wrap(bytes), at, HFileCodec.Gzip, Location).content.array
      val kind = new String(file.info("bloomFilterTypeCode").get, UTF_8)
      assertEquals(file.filter, Some(HFileFilter(kind, new String(text, UTF_8))))
      assert(Arrays.equals(again(file, file.filter), bytes))
    }
  }

  test("log blocks of metadata tables come out of our writer byte for byte") {
    val contents = GoldenLogs.all.filter(_.isMetadata).flatMap(log =>
      log.blocks.filter(_.kind == BlockKind.HFileData).map(log.content))
    assert(contents.size > 70)
    assume(sameDeflater(contents.head))
    contents.foreach(content => assert(Arrays.equals(again(HFile.of(content, Location), None), content)))
  }

  test("records of odd keys are read as they were written, by lookups and prefixes, too") {
    (0 until 300).foreach { seed =>
      val source = new Random(seed.toLong)
      val keys = HFileSuite.sorted(Seq.fill(source.nextInt(80))(OddKeys.of(source)))
      val records = keys.map(_ -> random(source.nextInt(200), source))
      check(records,
        form.copy(gzip = source.nextBoolean(), blockBytes = 1 + source.nextInt(1500),
          forSeeks = source.nextBoolean()), s"seed $seed")
      val prefixes = keys.filter(_ => source.nextInt(5) == 0)
      assertEquals(plain(written(records, form).prefixes(prefixes).iterator),
        plain(records.iterator.filter(r => prefixes.exists(KeyOrder.startsWith(r._1, _)))), s"seed $seed")
    }
  }

  test("files of no record, of one, of long keys and of records longer than a block are read") {
    val source = new Random(1L)
    val lengths = Seq(1, 125, 126, 127, 128, 253, 254, 255, 256, 32766, HFileWriter.MostKeyBytes)
    val long = lengths.zipWithIndex.map { case (n, i) => (('a' + i).toChar.toString + "x" * (n - 1)).getBytes(UTF_8) }
    for (gzip <- Seq(true, false)) {
      val as = form.copy(gzip = gzip, blockBytes = 100)
      check(Nil, as, "none")
      check(Seq(Array.emptyByteArray -> Array.emptyByteArray), as, "one")
      check(long.map(_ -> Array[Byte](1)), as, "long keys")
      check(Seq("a", "b", "c").map(_.getBytes(UTF_8) -> random(200000, source)), as, "long records")
    }
  }

  // Some 60 blocks of some 70 records.
  private val seekForm = form.copy(blockBytes = 8192, forSeeks = true)
  private val seekRecords: Records = HFileSuite.sorted((0 until 4000).map(n => s"key-${n * 2}"))
    .map(key => key -> key.reverse.padTo(80, 'v'.toByte))

  test("a seek unpacks no more of a block than up to the last of its keys") {
    val file = written(seekRecords, seekForm)
    val keys = seekRecords.map(_._1)
    keys.grouped(67).foreach { some =>
      val asked = some.take(1) :+ (some.head :+ '!'.toByte)
      val found = file.lookup(asked)
      assert(found.next())
      assertEquals(found.key.toSeq, some.head.toSeq)
      val (buffer, end) = (found.buffer, found.offset + found.length)
      assert(!found.next(), "the second key is in no file, and comes before the third of the block")
      assert(buffer.drop(end + 2048).forall(_ == 0), s"${buffer.lastIndexWhere(_ != 0)} bytes after $end")
    }
    assertEquals(plain(file.lookup(keys).iterator), plain(seekRecords.iterator))
    assertEquals(plain(file.lookup(keys.grouped(7).map(_.last).toSeq).iterator),
      plain(seekRecords.iterator.grouped(7).map(_.last)))
    assertEquals(plain(file.prefixes(Seq("key-77".getBytes(UTF_8))).iterator),
      plain(seekRecords.iterator.filter(r => KeyOrder.startsWith(r._1, "key-77".getBytes(UTF_8)))))
  }

  test("a seek finds damage of a block behind the part that it unpacks") {
    val bytes = HFileWriter.bytes(seekRecords.iterator, seekForm)
    val end = ByteBuffer.wrap(bytes).getInt(29)
    assert(end > 300, end)
    Seq(end - 1, end - 8, end - 100, end / 2, HFileBlock.HeaderBytes + 20, 12, 20).foreach { at =>
      val file = HFile.of(bytes.updated(at, (bytes(at) ^ 4).toByte), Location)
      val error = intercept[io.hudilite.error.CorruptTable](file.lookup(Seq(seekRecords.head._1)).next())
      assert(error.getMessage.contains("the checksum of a block of an HFile does not fit its bytes"), error.getMessage)
    }
  }

  test("a file of 100,000 records is read from storage") {
    val path = Files.createTempDirectory("hudilite-hfile").resolve("f.hfile")
    val out = Files.newOutputStream(path)
    val writer = new HFileWriter(out, form)
    val count = 100000
    def key(n: Int): Array[Byte] = f"key-$n%07d".getBytes(UTF_8)
    (0 until count).foreach(n => writer.append(key(2 * n), s"value $n".getBytes(UTF_8)))
    val length = writer.finish(Some(HFileFilter("SIMPLE", "filter")))
    out.close()
    assertEquals(length, Files.size(path))
    checkLarge(path, count, key)
  }

  private def checkLarge(path: Path, count: Int, key: Int => Array[Byte]): Unit = {
    val file = HFile.open(new HadoopStorage(new Configuration()), path.toString, Files.size(path))
    try {
      assertEquals(file.scan.iterator.map(_._2.toSeq).toList.distinct.size, count)
      val asked = (0 until 2 * count by 997).map(key)
      assertEquals(file.lookup(asked).iterator.map(_._1.toSeq).toList,
        asked.map(_.toSeq).filter(_.last % 2 == 0).toList)
      assertEquals(file.prefixes(Seq("key-00123".getBytes(UTF_8))).iterator.size, 50)
      assertEquals(file.info("minRecordKey").map(_.toSeq), Some(key(0).toSeq))
      assertEquals(file.info("maxRecordKey").map(_.toSeq), Some(key(2 * count - 2).toSeq))
    } finally file.close()
  }

  test("keys in the order of Java's strings are sorted by their bytes, as far as memory goes") {
    def sorted(keys: Seq[String], most: Long = 1000): Seq[String] = new KeysByBytes(
      keys.iterator.map(k => k.getBytes(UTF_8) -> Array[Byte](1)), "/f", most).map(e => new String(e._1, UTF_8)).toList
    val (private1, face) = ("\uE000", "\uD83D\uDE00")
    val keys = (for (a <- Seq("", "a", "b"); b <- Seq("", private1, "\uFFFD", face); c <- Seq("x", face, private1))
      yield a + b + c).distinct
    val byBytes = keys.sorted(MetadataKeys.order)
    assertNotEquals(keys.sorted, byBytes)
    assertEquals(sorted(keys.sorted), byBytes)
    assertEquals(sorted(byBytes), byBytes)
    assertEquals(sorted(byBytes, most = 10), byBytes)
    def refused(keys: Seq[String]): Unit =
      assertEquals(intercept[CorruptTable](sorted(keys, most = 10)).condition, "CORRUPT_FILE", keys.toString)
    Seq(keys.sorted, Seq("a", "a"), Seq("b", "a"), Seq(face, face + "a", private1)).foreach(refused)
  }

  test("keys out of order, keys that come twice and keys that are too long are refused") {
    def refused(keys: String*): String =
      intercept[IllegalStateException](HFileWriter.bytes(keys.iterator.map(k => k.getBytes(UTF_8) -> k.getBytes(UTF_8)),
          form)).getMessage
    assertEquals(refused("b", "a"), "the key a cannot be written to an HFile: it does not come after b")
    assertEquals(refused("", ""), "the key  cannot be written to an HFile: it does not come after ")
    assertEquals(refused("😀", "～"), "the key ～ cannot be written to an HFile: it does not come after 😀")
    assert(refused("x" * 32768).endsWith("it has 32768 bytes, more than 32767"))
  }
}

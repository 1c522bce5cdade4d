package io.hudilite.upkeep

import io.hudilite.filegroup.FileNames
import io.hudilite.log.{BlockKind, LogFileReader}
import io.hudilite.metadata.{MetadataPartition, MetadataRecord}
import io.hudilite.metadata.MetadataPayload.{NoPlace, Place}
import io.hudilite.metadata.stored.{MetadataTable, Tallied}
import io.hudilite.record.KeyChange
import io.hudilite.storage.{Closing, HadoopStorage, MemoryStorage, Storage}
import io.hudilite.timeline.WriteStat

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files
import java.util.UUID
import java.util.concurrent.atomic.AtomicLong

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

import scala.util.Random

/** Log files of indexes, of more records than are to be in memory. */
class KeyFilesSuite extends FunSuite {

  import KeyedTable.group

  private val random = new Random(1)
  private val keys = (0 until 6000).map(_ => new UUID(random.nextLong(), random.nextLong()).toString).sorted
  private val bound = 16 * 1024

  private def records(of: Seq[String], gone: String => Boolean): Iterator[MetadataRecord] = of.iterator.map(key =>
    MetadataRecord(key, if (gone(key)) NoPlace else Place("p", group("p", 1).fileId, Some(1L), None)))

  private def written(storage: Storage, folder: String, name: String, bytes: Int, of: => Iterator[MetadataRecord])
      : Option[WriteStat] =
    new KeyFiles(storage, folder, 9, blockBytes = bytes).log("record-index-0000-0", name, "20260101000000000", of)

  test("a log file of many records has several blocks, and an attempt that is made again finds it its own") {
    val name = FileNames.logFile("record-index-0000-0", "20260101000000000", 1, "0-0-0")
    val local = Files.createTempDirectory("hudilite-keys").toString
    Files.createDirectories(java.nio.file.Path.of(local, "record_index"))
    for ((storage, folder) <- Seq[(Storage, String)](new MemoryStorage() -> "/m",
        new HadoopStorage(new Configuration()) -> local)) {
      val gone = keys.indices.filter(_ % 3 == 0).map(keys).toSet
      def write(of: Seq[String] = keys): Option[WriteStat] = written(storage, folder, name, bound, records(of, gone))
      val made = write().get
      assertEquals((made.numWrites, made.numDeletes), (4000L, 2000L))
      val path = s"$folder/record_index/$name"
      val length = storage.list(s"$folder/record_index").find(_.path == path).get.length
      assertEquals(made.fileSizeInBytes, length)
      val blocks = LogFileReader.blocks(storage, path, length)
      assertEquals(blocks.map(_.kind).toSet, Set[BlockKind](BlockKind.HFileData, BlockKind.Delete))
      assert(blocks.size > 10 && length / blocks.size < bound * 2, s"${blocks.size} blocks in $length bytes")
      assertEquals(write(), Some(made))
      intercept[IOException](write(keys.drop(1)))
      intercept[IOException](write(keys.take(100)))
      assertEquals(storage.list(s"$folder/record_index").map(_.name), Seq(name))
      assertEquals(written(storage, folder, s"$name.of.none", bound, Iterator.empty), None)
    }
  }

  test("a base file that is there is told as it is, and its records are asked for once") {
    val local = Files.createTempDirectory("hudilite-bases").toString
    Files.createDirectories(java.nio.file.Path.of(local, "record_index"))
    def write(records: => Iterator[(Array[Byte], Array[Byte])]): WriteStat =
      new KeyFiles(new HadoopStorage(new Configuration()), local, 9).ofEncoded("record-index-0000-0",
        "20260101000000000", records, madeMs = 0L)
    var open = 0
    def asked(of: Seq[String]): Iterator[(Array[Byte], Array[Byte])] = {
      open += 1
      new Closing(() => open -= 1, of.iterator.map(key => key.getBytes(UTF_8) -> Array[Byte](1)))
    }
    intercept[Exception](write(asked(Seq("a", "k" * 40000, "z"))))
    assertEquals(open, 0, "a key that is too long")
    val made = write(asked(keys))
    assertEquals((made.numWrites, made.numInserts, open), (6000L, 6000L, 0))
    assertEquals(write(fail("the file is there")), made)
  }

  test("places are read of the blocks of a file as of one") {
    val (p1, time) = (group("p", 1), new AtomicLong(1767225600000L))
    val storage = new MemoryStorage(() => time.addAndGet(10))
    val table = new KeyedTable(storage, "/t", 9, isPartitioned = false, tells = true).create()
    def come(of: Seq[String]): Seq[KeyChange] = of.map(KeyChange(_, p1.partition, Some(p1.fileId)))
    table.write("INSERT", Seq(p1 -> keys.take(4000)), come(keys.take(4000)))
    val last = table.write("UPSERT", Seq(p1 -> keys.drop(2000)),
      come(keys.drop(4000)) ++ keys.take(2000).map(KeyChange(_, "p", None)))
    assertEquals(table.places, table.expected)
    val now = table.table
    val metadata = new MetadataTable(now.store, now.timeline)
    val slices = metadata.slices(MetadataPartition.RecordIndex)
    val index = IndexGroups(slices.map(_.fileId).toIndexedSeq, isPartitioned = false)
    val split = for (slice <- slices; log <- slice.logs.filter(_.time == last)) yield {
      val own = (keys.take(2000) ++ keys.drop(4000)).filter(key => index.ids(index.numberOf(key, "p")) == slice.fileId)
      storage.delete(s"/t/.hoodie/metadata/record_index/${log.name}")
      val made = new KeyFiles(storage, "/t/.hoodie/metadata", 9, MetadataPartition.RecordIndex, bound).log(slice.fileId,
        log.name, last, records(own, keys.take(2000).toSet)).get
      assertNotEquals(made.fileSizeInBytes, log.length)
      slice.copy(logs = slice.logs.filterNot(_ == log) :+ log.copy(length = made.fileSizeInBytes))
    }
    assertEquals(split.size, 2)
    val found = split.flatMap(slice => metadata.placeReader.places(storage, slice, keys.toSet).keys)
    assertEquals(found.sorted, keys.drop(2000))
    val sorted = split.flatMap(metadata.stored.sorted(storage, _).map(entry => new String(entry._1, UTF_8)).toList)
    assertEquals(sorted.sorted, keys.drop(2000))
    assertEquals(Tallied.records(storage, folder, 9, split), 4000L)
  }

  test("a load is counted by the blocks of its log files, whatever came before and after it") {
    val (p1, p2, time) = (group("p", 1), group("p", 2), new AtomicLong(1767225600000L))
    val storage = new MemoryStorage(() => time.addAndGet(10))
    val table = new KeyedTable(storage, "/t", 9, isPartitioned = false, tells = true, deltas = 100).create()
    def come(of: Seq[String]): Seq[KeyChange] = of.map(KeyChange(_, p1.partition, Some(p1.fileId)))
    table.write("UPSERT", Seq(p1 -> keys.take(10)), come(keys.take(10)))
    val load = table.write("UPSERT", Seq(p1 -> keys.take(5000)), come(keys.slice(10, 5000)))
    table.write("UPSERT", Seq(p1 -> keys.slice(20, 5000), p2 -> keys.drop(5000)),
      keys.take(20).map(KeyChange(_, "p", None)) ++ keys.drop(5000).map(KeyChange(_, "p", Some(p2.fileId))))
    val now = table.table
    val slices = new MetadataTable(now.store, now.timeline).slices(MetadataPartition.RecordIndex)
    val index = IndexGroups(slices.map(_.fileId).toIndexedSeq, isPartitioned = false)
    val split = slices.map { slice =>
      val log = slice.logs.find(_.time == load).get
      // Five keys are in the first file, too.
      val own = keys.slice(5, 5000).filter(key => index.ids(index.numberOf(key, "p")) == slice.fileId)
      storage.delete(s"$folder/record_index/${log.name}")
      val made =
        new KeyFiles(storage, folder, 9, MetadataPartition.RecordIndex, bound).log(slice.fileId, log.name, load,
          records(own, Set.empty)).get
      val blocks = LogFileReader.blocks(storage, s"$folder/record_index/${log.name}", made.fileSizeInBytes)
      assert(blocks.size > 3, blocks.size)
      slice.copy(logs = slice.logs.map(l => if (l == log) l.copy(length = made.fileSizeInBytes) else l))
    }
    assertEquals(Tallied.records(storage, folder, 9, split), 5980L)
    assertEquals(Tallied.records(storage, folder, 9,
        split.map(slice => slice.copy(logs = slice.logs.filter(_.time <= load)))), 5000L)
  }

  private val folder = "/t/.hoodie/metadata"
}

package io.hudilite.metadata

import io.hudilite.GoldenFolder
import io.hudilite.TestTables.storage
import io.hudilite.filegroup.FileGroupId
import io.hudilite.metadata.stored.RecordIndex
import io.hudilite.storage.{CountingStorage, Storage}
import io.hudilite.table.{FileMemory, MetadataUse, Table}

import java.io.IOException
import java.nio.file.{Files, Path, Paths}

import munit.FunSuite

/** Record indexes that Apache Hudi wrote: where they have each key, and when a reader cannot go by them. */
class RecordIndexSuite extends FunSuite {

  private def open(basePath: String, storage: Storage = storage): Table =
    Table.open(storage, basePath).readingMetadata(MetadataUse(isAsked = true))

  private def index(basePath: String): RecordIndex = open(basePath).recordIndex.fold(fail(_), identity)

  private def reason(basePath: String): String = open(basePath).recordIndex.fold(identity, _ => "")

  private def groups(table: Table): Set[FileGroupId] = table.allSlices().values.flatten.map(_.groupId).toSet

  for (name <- Seq("metadata-table-v6", "metadata-table-v8", "metadata-table-v9", "metadata-indexes-v8",
      "metadata-indexes-v9")) test(s"$name: each key of the table has one place, and others have none") {
    val found = index(GoldenFolder.table(name))
    val key = "\"_hoodie_record_key\": ?\"([^\"]*)\"".r
    val partition = "\"_hoodie_partition_path\": ?\"([^\"]*)\"".r
    val rows = GoldenFolder.snapshot(name).map(row =>
      key.findFirstMatchIn(row).get.group(1) -> partition.findFirstMatchIn(row).get.group(1)).toMap
    val places = found.places(rows.keySet + "none" + "")
    assertEquals(places.map { case (k, of) => k -> of.map(_.partition) }, rows.map { case (k, p) => k -> Set(p) })
    assert(places.values.flatten.toSet.subsetOf(groups(open(GoldenFolder.table(name)))))
    assertEquals(found.entries, Right(rows.size.toLong))
  }

  test("a key is asked of its own file group alone, and few requests find it") {
    val counting = new CountingStorage(storage)
    val table = open(GoldenFolder.table("metadata-table-v9"), counting)
    val found = table.recordIndex.fold(fail(_), identity)
    val (places, calls) = counting.during(found.places(Set("k1-0006")))
    assert(calls.paths("get").forall(_.contains("record-index-0007-0")) && calls.count("list") == 0, calls.details)
    assert(calls.count("get") <= 3, calls.details)
    assert(places.size <= 1)
  }

  test("a storage that does not answer says nothing of an index, which is asked for again") {
    val path = GoldenFolder.table("metadata-table-v9")
    FileMemory.forget(storage, path)
    var fails = true
    val table = open(path,
      new CountingStorage(storage,
        call => if (fails && call.path.contains("record_index")) throw new IOException("no answer")))
    assertEquals(table.recordIndex.map(_.bytes), Left("no answer"))
    fails = false
    assertEquals(table.recordIndex.left.toOption, None)
  }

  /** Files of a table of Hudi's after one of its steps. */
  private def after(table: String, step: String): String =
    GoldenKeys.after(table, step)

  /** Steps after which there are more rows than places, or rows that nobody counts. */
  private val notWhole = Map("keyed" -> Set("twice"), "keyed-mor" -> Set("delete", "compaction-planned", "late-delete"))

  for (table <- GoldenKeys.names) test(s"$table: an index is used after each step that leaves a place for every row") {
    val unused = GoldenKeys.steps(table).filter(step => reason(GoldenKeys.onDisk(step.after)) != "").map(_.name)
    assertEquals(unused.toSet, notWhole.getOrElse(table.replaceAll("-v\\d$", ""), Set.empty[String]))
  }

  test("tasks find the places that the index tells, shard by shard, and nothing else is read than it") {
    for ((table, step) <- Seq("keyed-v6" -> "upsert-again", "keyed-v9" -> "insert-and-cluster",
        "keyed-in-partitions-v9" -> "delete")) {
      val counting = new CountingStorage(storage)
      val found = open(after(table, step), counting).recordIndex.fold(fail(_), identity)
      val keys = (0 until 40).map(i => f"k$i%03d").toSet
      val sent = new Sent().of(found.shards)
      val partitions = Seq("p0", "p1", "p2", "p3", "p-3_x", "nowhere")
      val asked = for (key <- keys.toSeq; partition <- partitions) yield sent.shardOf(key, partition) -> key
      val (places, calls) = counting.during(asked.filter(_._1 >= 0).groupBy(_._1).toSeq.flatMap { case (shard, some) =>
        sent.reader(counting, shard).places(some.map(_._2).toSet)
      })
      assertEquals(places.groupBy(_._1).map { case (key, of) => key -> of.map(_._2).toSet }, found.places(keys), table)
      val inOrder = asked.filter(_._1 >= 0).distinct.groupBy(_._1).toSeq.flatMap { case (shard, some) =>
        sent.reader(storage, shard).places(some.map(_._2).distinct.sorted.map(_.getBytes("UTF-8")).toIndexedSeq)
      }
      assertEquals(inOrder.toSet, places.toSet, table)
      assert(calls.count("list") == 0 && calls.paths("get").forall(_.contains("/record_index/")), calls.details)
      assertEquals(sent.isPartitioned, table.contains("partitions"))
      // A shard takes a read of its logs, and of its base file one of the end and one of blocks.
      assert(calls.count("get") <= 6 * sent.slices.size, calls.details)
    }
  }

  test("of a partitioned index a key of two partitions has two places") {
    val path = after("keyed-in-partitions-v9", "delete")
    val places = index(path).places(Set("k002", "k004", "k005", "k006"))
    assertEquals(places.map { case (key, of) => key -> of.map(_.partition) },
      Map("k002" -> Set("p1", "p-3_x"), "k004" -> Set("p1", "p-3_x"), "k006" -> Set("p1")))
  }

  test("an index of fewer or more file groups than its keys were dealt to is not used") {
    val more = new GoldenCopy("metadata-indexes-v9")
    val first = more.file("\\.hoodie/metadata/record_index/\\.record-index-0000-0_0.*")
    Files.copy(first, first.resolveSibling(first.getFileName.toString.replace("index-0000", "index-0001")))
    assert(reason(more.basePath).startsWith("of 2 file groups record-index-0000-0 is not that of its key"))
    val fewer = new GoldenCopy("metadata-table-v9")
    fewer.files("\\.hoodie/metadata/record_index/\\.record-index-0009-0_.*").foreach(Files.delete(_))
    assertNotEquals(reason(fewer.basePath), "")
  }

  test("damaged bytes anywhere in a file of the index make it an index that is not used, or change no place") {
    val copy = new GoldenCopy("metadata-table-v9")
    val right = index(copy.basePath).places(Set("k1-0006", "k1-0009"))
    val file: Path = copy.files("\\.hoodie/metadata/record_index/\\.record-index-0007-0_2026.*").head
    val whole = Files.readAllBytes(file)
    for (at <- whole.indices by 211) {
      Files.write(file, whole.updated(at, (whole(at) ^ 0x55).toByte))
      open(copy.basePath).recordIndex.foreach(found =>
        try assertEquals(found.places(Set("k1-0006", "k1-0009")), right, s"at $at")
        catch { case _: io.hudilite.error.HudiliteException => () })
    }
  }

  test("a reader whose table is older than the index does not go by it") {
    val steps = GoldenKeys.steps("keyed-v9")
    val path = after("keyed-v9", "upsert")
    val before = open(path)
    val next = steps(steps.indexWhere(_.name == "upsert") + 1)
    next.after.foreach { case (file, content) =>
      val target = Paths.get(path, file)
      Files.createDirectories(target.getParent)
      Files.deleteIfExists(target)
      Files.copy(content, target)
    }
    assert(before.recordIndex.fold(_.endsWith("which has not completed in the table"), _ => false), before.recordIndex)
  }
}

/** Values as they arrive where they are sent to. */
private final class Sent {
  def of[T](value: T): T = {
    val bytes = new java.io.ByteArrayOutputStream
    new java.io.ObjectOutputStream(bytes).writeObject(value)
    new java.io.ObjectInputStream(new java.io.ByteArrayInputStream(bytes.toByteArray)).readObject().asInstanceOf[T]
  }
}

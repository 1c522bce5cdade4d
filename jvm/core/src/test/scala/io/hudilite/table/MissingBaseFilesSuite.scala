package io.hudilite.table

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.error.{CorruptTable, InvalidInput}
import io.hudilite.filegroup.PathSelection
import io.hudilite.service.TextServices
import io.hudilite.service.doctor.{Doctor, FindingKind}
import io.hudilite.service.partition.PartitionDrops
import io.hudilite.service.undo.{Rollbacks, Savepoints}
import io.hudilite.storage.{Caches, CountingStorage, ForwardingStorage, MemoryStorage, Storage}
import io.hudilite.timeline.Instant
import io.hudilite.transaction.{TextWrites, TransactionOptions}
import io.hudilite.transaction.rollback.Heartbeat

import munit.FunSuite

/** Base files are compared with the commits that made them. */
class MissingBaseFilesSuite extends FunSuite {

  private val path = "/t"
  private var now = 0L

  /** A table with two file groups in `p`, one of them written twice, and one in `q`. */
  private def made(version: Int, tableType: TableType = TableType.CopyOnWrite): MemoryStorage = {
    val storage = new MemoryStorage(() => now)
    TextWrites.table(storage, path, version, tableType)
    TestTables.write(open(storage), "q" -> "q-0")
    TextWrites.rewrite.run(open(storage))
    TextWrites.insert("h-0").run(open(storage))
    storage
  }

  private def open(storage: Storage): Table = Table.open(storage, path)

  /** The table in a process that knows nothing of it. */
  private def elsewhere(storage: Storage): Table =
    open(new ForwardingStorage(storage) { override val caches: Caches = new Caches })

  private def bases(table: Table): Seq[String] =
    table.allSlices().values.flatten.flatMap(_.base).map(_.relativePath).toList.sorted

  private def lost(file: String)(look: => Any): Unit = {
    val error = intercept[CorruptTable](look)
    assertEquals((error.condition, error.parameters("path")), ("CORRUPT_FILE", s"$path/$file"))
  }

  private def doctor(storage: Storage): Seq[(FindingKind, String)] = {
    now += 2 * Heartbeat.ExpiryMs
    new Doctor(storage, path, TransactionOptions(), TextServices.deleting).run(fix = false).map(f =>
      (f.kind, f.subject))
  }

  for (version <- Seq(6, 9); tableType <- TableType.all) {

    test(s"version $version, $tableType: the newest base file of any file group that is gone is damage, by name") {
      for (file <- bases(open(made(version, tableType)))) {
        val storage = made(version, tableType)
        val gone = bases(open(storage)).find(_.take(5) == file.take(5)).get
        storage.delete(s"$path/$gone")
        val partition = gone.takeWhile(_ != '/')
        val last = open(storage).timeline.writes.last.time
        val looks = Seq[Table => Any](_.allSlices(), _.slices(Seq(partition)), _.files.iterator().toList,
          _.files.find(PathSelection.named(partition)), _.allSlices(Some(last)), _.incremental(IncrementalRange("0")))
        looks.foreach(look => lost(gone)(look(elsewhere(storage))))
        assertEquals(doctor(storage), Seq((FindingKind.MissingFiles: FindingKind, gone)))
        assert(elsewhere(storage).slices(Seq(if (partition == "p") "q" else "p")).nonEmpty, "others are read")
      }
    }

    test(s"version $version, $tableType: a partition whose folder is gone, or is marked no more, is missed") {
      for (delete <- Seq(s"$path/q", s"$path/q/.hoodie_partition_metadata")) {
        val storage = made(version, tableType)
        val file = bases(open(storage)).find(_.startsWith("q/")).get
        storage.deleteOwn(delete)
        val looks = Seq[Table => Any](_.allSlices(), _.slices(Seq("q")), _.files.iterator().toList,
          _.files.find(PathSelection.named("q")))
        looks.foreach(look => lost(file)(look(elsewhere(storage))))
        assertEquals(elsewhere(storage).files.find(PathSelection.named("p"))("p").size, 2)
        assertEquals(doctor(storage).map(_._1),
          Seq(if (delete.endsWith("q")) FindingKind.MissingFiles else FindingKind.UnmarkedPartition))
      }
    }
  }

  for (version <- Seq(6, 9)) {

    test(s"version $version: a base file below log files that is gone is damage, whatever the archive has taken") {
      val storage = made(version, TableType.MergeOnRead)
      TextWrites.append.run(open(storage))
      val slice = open(storage).slices(Seq("p"))("p").find(_.logs.nonEmpty).get
      storage.delete(s"$path/${slice.base.get.relativePath}")
      lost(slice.base.get.relativePath)(elsewhere(storage).allSlices())
      // The log file of version 6 names it, too.
      if (version == 6) {
        val commit = open(storage).timeline.write(slice.instant).get
        storage.replace(s"$path/.hoodie/${commit.fileName}", "no commit".getBytes)
        lost(slice.base.get.relativePath)(elsewhere(storage).allSlices())
      }
    }

    test(s"version $version: log files that are gone are found by the doctor") {
      val storage = made(version, TableType.MergeOnRead)
      TextWrites.append.run(open(storage))
      val log = open(storage).slices(Seq("p"))("p").flatMap(_.logs).head
      storage.delete(s"$path/${log.relativePath}")
      assertEquals(doctor(storage), Seq((FindingKind.MissingFiles: FindingKind, log.relativePath)))
    }

    test(s"version $version: files that services and writes took out are not missed") {
      val storage = made(version)
      val saved = open(storage).timeline.writes.head.time
      Savepoints.create(open(storage), Some(saved), "me", "")
      TextWrites.rewrite.run(open(storage))
      TextServices.cluster(open(storage))
      TextServices.clean(open(storage))
      PartitionDrops.run(open(storage), Seq("q"))
      TextWrites.insert("i-0").run(open(storage))
      TextServices.clean(open(storage))
      Savepoints.delete(open(storage), saved)
      TextServices.clean(open(storage))
      TextWrites.insert("j-0").run(open(storage))
      Rollbacks.run(open(storage), None)
      assert(bases(elsewhere(storage)).nonEmpty)
      assertEquals(doctor(storage), Nil)
    }

    test(s"version $version: rows that are lost for good are given up with their partition") {
      val storage = made(version)
      val gone = bases(open(storage)).find(_.startsWith("p/g-0")).get
      storage.delete(s"$path/$gone")
      PartitionDrops.run(open(storage), Seq("p"))
      assertEquals(bases(elsewhere(storage)).map(_.take(5)), Seq("q/q-0"))
      assertEquals(doctor(storage), Nil)
    }

    test(s"version $version: a commit that cannot be read hides nothing but what it names") {
      val storage = made(version)
      val first = open(storage).timeline.writes.head
      storage.replace(s"${open(storage).store.folder}/${first.fileName}", "no commit".getBytes)
      val all = bases(elsewhere(storage))
      assertEquals(all.map(_.take(5)), Seq("p/g-0", "p/h-0", "q/q-0"))
      storage.delete(s"$path/${all(1)}")
      lost(all(1))(elsewhere(storage).allSlices())
    }

    test(s"version $version: a past state that misses a file which no cleaning took is damage") {
      val storage = made(version)
      val writes = open(storage).timeline.writes
      val old = open(storage).allSlices(Some(writes.head.time))("p").flatMap(_.base).head
      storage.delete(s"$path/${old.relativePath}")
      assertEquals(bases(elsewhere(storage)).size, 3)
      lost(old.relativePath)(elsewhere(storage).allSlices(Some(writes.head.time)))
      TextWrites.rewrite.run(open(storage))
      TextServices.clean(open(storage))
      assertEquals(intercept[InvalidInput](elsewhere(storage).checkRetained(writes.head.time)).condition,
        "STATE_NOT_RETAINED")
    }
  }

  test("the newest 32 commits are read, once for each snapshot, and no others") {
    val storage = made(9)
    (1 to 40).foreach(n => TestTables.write(open(storage), "p" -> s"n$n-0"))
    val counting = new CountingStorage(storage)
    val table = elsewhere(counting)
    val before = counting.calls.count("get")
    table.slices(Seq("q"))
    assertEquals(counting.calls.count("get") - before, 31, "the newest is known from opening")
    table.allSlices()
    assertEquals(counting.calls.count("get") - before, 31)
    val first: Instant = table.timeline.writes(1)
    storage.delete(s"$path/q/q-0_0-0-0_${first.time}.parquet")
    assertEquals(elsewhere(storage).slices(Seq("q"))("q"), Nil, "its commit is too old to be asked")
    assertEquals(doctor(storage).map(_._1), Seq[FindingKind](FindingKind.MissingFiles))
  }
}

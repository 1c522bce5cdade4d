package io.hudilite.service.partition

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.error.{CommitConflict, InvalidInput}
import io.hudilite.service.Services
import io.hudilite.service.clean.Cleaning
import io.hudilite.service.compact.CompactionScheduler
import io.hudilite.storage.MemoryStorage
import io.hudilite.table.Table
import io.hudilite.timeline.CommitMetadata
import io.hudilite.transaction.{TextWrite, TextWrites, TransactionOptions}

import munit.FunSuite

class PartitionDropsSuite extends FunSuite {

  private val path = "/t"

  private def versions(name: String)(body: MemoryStorage => Unit): Unit =
    for (version <- Seq(6, 9)) test(s"version $version: $name") {
      val storage = new MemoryStorage()
      TextWrites.table(storage, path, version, TableType.MergeOnRead)
      TestTables.write(table(storage), "q" -> "q-0", "q/odd name*" -> "q-1")
      body(storage)
    }

  private def table(storage: MemoryStorage): Table = Table.open(storage, path)

  private def groups(storage: MemoryStorage): Seq[String] =
    TestTables.visible(table(storage)).map(_.takeWhile(_ != '@'))

  versions("all file groups of the partitions are replaced at once, and the others stay") { storage =>
    val before = storage.paths
    val named = Seq("q", "q/odd name*")
    assertEquals(PartitionDrops.preview(table(storage), named), DroppedPartitions("", named.map(_ -> 1).toMap))
    assertEquals(storage.paths, before)
    val done = PartitionDrops.run(table(storage), named)
    assertEquals(groups(storage), Seq("p/g-0"))
    val now = table(storage)
    val commit: CommitMetadata = now.store.readCommit(now.timeline.lastCompleted.get)
    assertEquals((now.timeline.lastCompleted.get.time, commit.operation, commit.replaced),
      (done.instant, "DELETE_PARTITION", Map("q" -> Seq("q-0"), "q/odd name*" -> Seq("q-1"))))
    assertEquals(now.schema, Table.open(storage, path).schema)
    assertEquals(PartitionDrops.run(now, Nil), DroppedPartitions("", Map.empty))
  }

  versions("a cleaning removes the files and then the folder") { storage =>
    PartitionDrops.run(table(storage), Seq("q/odd name*"))
    TextWrites.rewrite.run(table(storage))
    val cleaning = new Cleaning(TransactionOptions(),
      (t, paths) => { paths.foreach(p => t.storage.delete(s"$path/$p")); Set.empty })
    cleaning.run(table(storage), Services.of("hoodie.clean.policy" -> "KEEP_LATEST_FILE_VERSIONS").cleaning)
    assertEquals(storage.paths.filter(_.contains("odd name")), Nil)
    assertEquals(groups(storage), Seq("p/g-0", "q/q-0"))
  }

  versions("a partition that there is not is refused, and so is the whole of a table") { storage =>
    val before = storage.paths
    for (partition <- Seq("z", "", "q*", "../t/q", "P")) {
      val e = intercept[InvalidInput](PartitionDrops.run(table(storage), Seq("q", partition)))
      assertEquals((e.condition, e.parameters("partition"), e.parameters("partitions")),
        ("PARTITION_NOT_FOUND", partition, "p, q, q/odd name*"))
    }
    assertEquals(storage.paths, before)
    PartitionDrops.run(table(storage), Seq("q"))
    intercept[InvalidInput](PartitionDrops.run(table(storage), Seq("q")))
    PartitionDrops.run(table(storage), Seq("p", "q/odd name*"))
    val none = intercept[InvalidInput](PartitionDrops.run(table(storage), Seq("q")))
    assert(none.getMessage.contains("has no partition 'q' with rows; it has none. "), none.getMessage)
  }

  versions("rows that another write has added to the partition meanwhile are not lost") { storage =>
    val planned = table(storage)
    TestTables.write(table(storage), "q" -> "q-2")
    assertEquals(intercept[CommitConflict](PartitionDrops.run(planned, Seq("q"))).condition, "COMMIT_CONFLICT")
    assertEquals(table(storage).timeline.pending, Nil)
    assertEquals(groups(storage).size, 4)
    val other = table(storage)
    TestTables.write(table(storage), "r" -> "r-0")
    PartitionDrops.run(other, Seq("q"))
    assertEquals(groups(storage), Seq("p/g-0", "q/odd name*/q-1", "r/r-0"))
  }

  versions("a partition of a pending compaction is refused, another one is not") { storage =>
    val append: TextWrite = TextWrites.append
    append.run(table(storage))
    CompactionScheduler.schedule(table(storage), Services.of().compaction)
    val e = intercept[CommitConflict](PartitionDrops.run(table(storage), Seq("p")))
    assertEquals((e.condition, e.parameters("service")), ("PARTITION_IN_SERVICE", "compaction"))
    PartitionDrops.run(table(storage), Seq("q"))
    assertEquals(groups(storage), Seq("p/g-0", "q/odd name*/q-1"))
  }
}

package io.hudilite.service.partition

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.config.service.ExpiryConf
import io.hudilite.error.InvalidInput
import io.hudilite.service.Services
import io.hudilite.service.compact.CompactionScheduler
import io.hudilite.storage.{ForwardingStorage, MemoryStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.CommitMetadata
import io.hudilite.transaction.TextWrites

import java.time.{Clock, Duration}

import munit.FunSuite

class PartitionExpirySuite extends FunSuite {

  private val path = "/t"

  /** Time goes on as the test says. */
  private final class AgeingStorage extends ForwardingStorage(new MemoryStorage) {
    @volatile var days = 0L
    override def clock: Clock = Clock.offset(super.clock, Duration.ofDays(days))
  }

  private def made(version: Int): AgeingStorage = {
    val storage = new AgeingStorage
    TextWrites.table(storage, path, version, TableType.MergeOnRead)
    TestTables.write(table(storage), "q" -> "q-0", "r" -> "r-0")
    storage.days = 10L
    TestTables.write(table(storage), "r" -> "r-1")
    storage
  }

  private def table(storage: Storage): Table = Table.open(storage, path)

  private def settings(options: (String, String)*): ExpiryConf = Services.of(options: _*).expiry.checked

  private val Days = "hoodie.partition.ttl.strategy.days.retain"

  test("a partition goes when its last write is older than the limit, those that are longest unwritten first") {
    val lastWrites = Map("a" -> "3", "b" -> "1", "c" -> "2", "d" -> "4", "" -> "0")
    val all = ExpiryConf(inline = false, 1, None, 10)
    assertEquals(PartitionExpiry.expired(lastWrites, "3", all), Seq("b", "c"))
    assertEquals(PartitionExpiry.expired(lastWrites, "4", all.copy(most = 2)), Seq("b", "c"))
    assertEquals(PartitionExpiry.expired(lastWrites, "9", all.copy(selected = Some(Seq("d", "z")))), Seq("d"))
    assertEquals(PartitionExpiry.expired(Map.empty, "9", all), Nil)
  }

  for (version <- Seq(6, 9)) {
    test(s"version $version: partitions to which nobody wrote for long are dropped, and no others") {
      val storage = made(version)
      assertEquals(PartitionExpiry.preview(table(storage), settings(Days -> "9")).fileGroups.keySet, Set("p", "q"))
      assertEquals(PartitionExpiry.run(table(storage), settings(Days -> "11")).fileGroups, Map.empty[String, Int])
      val done = PartitionExpiry.run(table(storage), settings(Days -> "9"))
      assertEquals(done.fileGroups.keySet, Set("p", "q"))
      val now = table(storage)
      val commit: CommitMetadata = now.store.readCommit(now.timeline.lastCompleted.get)
      assertEquals((commit.operation, commit.replaced.keySet), ("DELETE_PARTITION", Set("p", "q")))
      assertEquals(TestTables.visible(now).map(_.takeWhile(_ != '@')), Seq("r/r-0", "r/r-1"))
    }

    test(s"version $version: what a service is about to rewrite waits for it") {
      val storage = new AgeingStorage
      TextWrites.table(storage, path, version, TableType.MergeOnRead)
      TextWrites.append.run(table(storage))
      assert(CompactionScheduler.schedule(table(storage), Services.of().compaction).isDefined)
      storage.days = 10L
      assertEquals(PartitionExpiry.preview(table(storage), settings(Days -> "1")).fileGroups, Map.empty[String, Int])
    }
  }

  test("without a number of days nothing can be asked for") {
    for (days <- Seq(Nil, Seq(Days -> "-1"), Seq(Days -> "0")))
      assertEquals(intercept[InvalidInput](settings(days: _*)).parameters("option"), Days)
  }
}

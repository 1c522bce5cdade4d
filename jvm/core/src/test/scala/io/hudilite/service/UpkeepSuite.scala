package io.hudilite.service

import io.hudilite.table.MetadataUse
import io.hudilite.config.{IndexesConf, TableKeys, TableProperties, TableType}
import io.hudilite.error.InvalidInput
import io.hudilite.storage.{CountingStorage, MemoryStorage}
import io.hudilite.table.Table
import io.hudilite.timeline.Action
import io.hudilite.transaction.{TextWrite, TextWrites, TransactionOptions, World}
import io.hudilite.upkeep.KeptMetadata

import munit.FunSuite

/** Tables whose metadata table hudilite keeps up. */
class UpkeepSuite extends FunSuite {

  import Served.Path

  private def kept(world: World): KeptMetadata = new KeptMetadata(world.memory, Path)

  private def all(version: Int): Seq[String] =
    Seq("bloom_filters", "column_stats", "files") ++ (if (version < 8) Nil else Seq("partition_stats"))

  private val asking = TransactionOptions(indexes = IndexesConf(columnStats = Some(true), bloomFilters = Some(true)))

  for (version <- Seq(6, 8, 9); service <- Served.all)
    test(s"version $version: after ${service.name} the metadata table says what the files do") {
      val world = new World(Path,
        storage => {
          val table = TextWrites.table(storage, Path, version, service.tableType)
          new KeptMetadata(storage, Path).initialiseAll()
          service.prepare(table.refresh())
        })
      assertEquals((kept(world).partitions, kept(world).differences), (all(version), Nil), "before")
      service.run(world.table, TransactionOptions())
      assertEquals((kept(world).partitions, kept(world).differences), (all(version), Nil))
      TextWrites.insert("after").run(world.table)
      assertEquals((kept(world).partitions, kept(world).differences), (all(version), Nil))
    }

  for (service <- Served.all; version = 9)
    test(s"after ${service.name} a metadata table of names alone names what folders list") {
      val world = new World(Path,
        storage => {
          val table = TextWrites.table(storage, Path, version, service.tableType)
          new KeptMetadata(storage, Path).initialise()
          service.prepare(table.refresh())
        })
      assertEquals(kept(world).named, kept(world).listed, "before")
      service.run(world.table, TransactionOptions())
      assertEquals(world.table.config.metadataPartitions, Seq("files"))
      assertEquals(kept(world).named, kept(world).listed)
      assertEquals(world.table.readingMetadata(MetadataUse(isAsked = true)).allSlices(), world.table.allSlices())
    }

  for (version <- Seq(6, 9))
    test(
      s"version $version: without a metadata table, a rollback and a cleaning read the properties once for each lock") {
      val counting = new CountingStorage(new MemoryStorage(() => 1767225600000L))
      TextWrites.table(counting, Path, version, TableType.CopyOnWrite)
      TextWrites.rewrite.run(Table.open(counting, Path))
      val dead = TextWrites.rewrite.begin(Table.open(counting, Path))
      def asked(run: => Unit): (Int, Int) = {
        val paths = counting.during(run)._2.all.map(_.path)
        (paths.count(_.endsWith("/hoodie.properties")), paths.count(_.contains("/.hoodie/metadata")))
      }
      assertEquals(asked(dead.rollback()), (1, 0))
      val table = Table.open(counting, Path)
      assertEquals(asked(TextServices.clean(table)), (2, 0))
    }

  private def made(version: Int, write: TextWrite, options: TransactionOptions): KeptMetadata = {
    val storage = new MemoryStorage(() => 1767225600000L)
    TextWrites.table(storage, Path, version, TableType.CopyOnWrite)
    write.run(Table.open(storage, Path), options)
    new KeptMetadata(storage, Path)
  }

  private val makes = TransactionOptions(keepsMetadata = Some(true))

  for (version <- Seq(6, 8, 9)) {

    test(s"version $version: a write that asks for a metadata table makes it, others keep it up, one drops it") {
      val kept = made(version, TextWrites.insert("h-0"), makes)
      assertEquals((kept.data.config.metadataPartitions, kept.named), (Seq("files"), kept.listed))
      TextWrites.rewrite.run(Table.open(kept.storage, Path))
      assertEquals(kept.named, kept.listed)
      TextWrites.rewrite.run(Table.open(kept.storage, Path), TransactionOptions(keepsMetadata = Some(false)))
      assertEquals((kept.data.config.metadataPartitions, kept.files), (Nil, Nil))
    }

    test(s"version $version: one that cannot be trusted goes, and the next write that asks for one makes it anew") {
      val kept = made(version, TextWrites.insert("h-0"), makes)
      kept.files.filter(_.endsWith(".hfile")).foreach(file =>
        kept.storage.replace(s"$Path/$file", Array[Byte](1, 2, 3)))
      kept.files.filter(_.contains(".log.")).foreach(file => kept.storage.delete(s"$Path/$file"))
      TextWrites.rewrite.run(Table.open(kept.storage, Path), makes)
      assertEquals((kept.data.config.metadataPartitions, kept.files), (Nil, Nil))
      TextWrites.rewrite.run(Table.open(kept.storage, Path), makes)
      assertEquals(kept.named, kept.listed)
    }

    test(s"version $version: statistics that are not there go alone") {
      val kept = made(version, TextWrites.insert("h-0"), makes)
      TableProperties.update(kept.storage, Path)(_ + (TableKeys.MetadataPartitions -> "column_stats,files"))
      TextWrites.rewrite.run(Table.open(kept.storage, Path), makes)
      assertEquals((kept.partitions, kept.differences), (Seq("files"), Nil))
    }

    test(
      s"version $version: statistics and filters are made by the write that asks for them, kept up, and dropped by one") {
      val kept = made(version, TextWrites.insert("h-0"), asking)
      assertEquals((kept.partitions, kept.differences), (all(version), Nil))
      assertEquals(kept.home.defined,
        Seq("_hoodie_commit_time", "_hoodie_partition_path", "_hoodie_record_key", "id"))
      (1 to 6).foreach(_ =>
        TextWrites.rewrite.run(Table.open(kept.storage, Path), TransactionOptions(metadataDeltas = 3)))
      assertEquals((kept.partitions, kept.differences), (all(version), Nil))
      assert(kept.home.timeline.writes.exists(_.action == Action.Commit), "compacted")
      TextWrites.rewrite.run(Table.open(kept.storage, Path),
        TransactionOptions(indexes = IndexesConf(columnStats = Some(false))))
      assertEquals((kept.partitions, kept.differences), (Seq("bloom_filters", "files"), Nil))
      assertEquals(kept.home.defined, Nil)
      // Made again, beside a compaction that names files of those before.
      TextWrites.rewrite.run(Table.open(kept.storage, Path), asking)
      assertEquals((kept.partitions, kept.differences), (all(version), Nil))
    }

    test(
      s"version $version: other columns that are asked for have their statistics made anew, unknown ones are refused") {
      val kept = made(version, TextWrites.insert("h-0"), asking)
      def ask(columns: String*): Unit = TextWrites.rewrite.run(Table.open(kept.storage, Path),
        TransactionOptions(indexes = IndexesConf(columnStats = Some(true), columns = columns)))
      ask("id")
      assertEquals(kept.home.timeline.writes.size, 2 + all(version).size)
      ask("_hoodie_record_key")
      assertEquals(kept.home.defined, Seq("_hoodie_commit_time", "_hoodie_partition_path", "_hoodie_record_key"))
      assertEquals((kept.partitions, kept.differences), (all(version), Nil))
      val before = kept.data.load()
      assertEquals(intercept[InvalidInput](ask("lacking")).condition, "INVALID_OPTION_VALUE")
      assertEquals(kept.data.load(), before)
    }

    test(s"version $version: a file without a footer takes statistics and filters away, and no more") {
      val kept = made(version, TextWrites.insert("h-0"), asking)
      val text = TextWrites.rewrite.copy(stage = (table, instant) => {
        val stats = TextWrites.rewrite.stage(table, instant)
        stats.map { stat =>
          val bytes = "no rows".getBytes("UTF-8")
          table.storage.replace(s"$Path/${stat.path}", bytes)
          stat.copy(fileSizeInBytes = bytes.length.toLong)
        }
      })
      text.run(Table.open(kept.storage, Path))
      assertEquals((kept.partitions, kept.named), (Seq("files"), kept.listed))
    }
  }
}

package io.hudilite.service

import io.hudilite.table.MetadataUse
import io.hudilite.config.{TableKeys, TableProperties, TableType}
import io.hudilite.storage.{CountingStorage, MemoryStorage}
import io.hudilite.table.Table
import io.hudilite.transaction.{TextWrite, TextWrites, TransactionOptions, World}
import io.hudilite.upkeep.KeptMetadata

import munit.FunSuite

/** Tables whose metadata table names files alone, which hudilite keeps up. */
class UpkeepSuite extends FunSuite {

  import Served.Path

  private def kept(world: World): KeptMetadata = new KeptMetadata(world.memory, Path)

  for (version <- Seq(6, 8, 9); service <- Served.all)
    test(s"version $version: after ${service.name} the metadata table names what folders list") {
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

    test(s"version $version: one with statistics is dropped, whatever is asked for") {
      val kept = made(version, TextWrites.insert("h-0"), makes)
      TableProperties.update(kept.storage, Path)(_ + (TableKeys.MetadataPartitions -> "column_stats,files"))
      TextWrites.rewrite.run(Table.open(kept.storage, Path), makes)
      assertEquals((kept.data.config.metadataPartitions, kept.files), (Nil, Nil))
    }
  }
}

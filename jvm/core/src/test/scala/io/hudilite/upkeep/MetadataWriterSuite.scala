package io.hudilite.upkeep

import io.hudilite.config.{TableKeys, TableProperties, TableType}
import io.hudilite.error.CommitConflict
import io.hudilite.metadata.{MetadataAction, MetadataPartition}
import io.hudilite.service.Services
import io.hudilite.service.archive.Archiver
import io.hudilite.service.undo.Savepoints
import io.hudilite.storage.MemoryStorage
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CommitMetadata, InstantStates}
import io.hudilite.transaction.{TextWrites, TransactionOptions}

import java.util.concurrent.atomic.AtomicLong

import munit.FunSuite

/** Metadata tables that hudilite writes, read by hudilite. */
class MetadataWriterSuite extends FunSuite {

  private val path = "/t"
  private val options = TransactionOptions(metadataDeltas = 5)

  private def kept(version: Int, before: Int = 0): KeptMetadata = {
    val time = new AtomicLong(1767225600000L)
    val storage = new MemoryStorage(() => time.addAndGet(10))
    TextWrites.table(storage, path, version, TableType.CopyOnWrite)
    (1 to before).foreach(n => TextWrites.insert(s"b$n-0").run(Table.open(storage, path)))
    val kept = new KeptMetadata(storage, path)
    kept.initialise()
    kept
  }

  private def write(kept: KeptMetadata, fileId: String): Unit =
    TextWrites.insert(fileId).run(Table.open(kept.storage, path), options)

  for (version <- Seq(6, 8, 9)) {

    test(s"version $version: a commit adds one log file, and all that it says is read") {
      val kept = this.kept(version)
      val before = kept.files.toSet
      write(kept, "g-1")
      val instant = Table.open(kept.storage, path).timeline.writes.last.time
      val own = kept.home.timeline.writes.last
      assertEquals((own.time, own.action), (instant, Action.DeltaCommit))
      val added = (kept.files.toSet -- before).filter(_.contains("/metadata/files/")).toSeq
      val name = if (version == 6) s".files-0000-0_${kept.home.timeline.writes.head.time}.log.2_0-0-0"
      else s".files-0000-0_$instant.log.1_0-0-0"
      assertEquals(added, Seq(s".hoodie/metadata/files/$name"))
      val stat = kept.home.store.readCommit(own).allStats.head
      assertEquals((stat.fileId, stat.path, stat.numWrites), ("files-0000-0", s"files/$name", 2L))
      assertEquals(stat.fileSizeInBytes, kept.storage.read(s"$path/.hoodie/metadata/files/$name").get.length.toLong)
      assertEquals(kept.named, kept.listed)
    }

    test(s"version $version: a write whose table's own one is pending counts for nobody, and is taken back whole") {
      val kept = this.kept(version)
      val (before, named) = (kept.files, kept.named)
      val table = Table.open(kept.storage, path)
      val transaction = TextWrites.insert("g-1").begin(table, options)
      val stats = TextWrites.insert("g-1").stage(table, transaction.instant)
      val action =
        MetadataAction.Written(transaction.instant, CommitMetadata("INSERT", Map("p" -> stats), Map.empty))
      def commit(): Unit = new MetadataWriter(kept.home).record(action, kept.data.load())
      commit()
      assertEquals(kept.named, named)
      commit() // a second try of the same instant
      assertEquals(kept.named, named)
      assert(new OwnWrites(kept.home).takeBack(transaction.instant))
      assertEquals(kept.files, before)
      assert(!new OwnWrites(kept.home).takeBack(transaction.instant))
      transaction.rollback()
    }

    test(s"version $version: a metadata table with an index goes when it has a write that is taken back") {
      for (hasWrite <- Seq(false, true)) {
        val kept = this.kept(version)
        val table = Table.open(kept.storage, path)
        val transaction = TextWrites.insert("g-1").begin(table, options)
        val stats = TextWrites.insert("g-1").stage(table, transaction.instant)
        val action =
          MetadataAction.Written(transaction.instant, CommitMetadata("INSERT", Map("p" -> stats), Map.empty))
        if (hasWrite) new MetadataWriter(kept.home).record(action, kept.data.load())
        val listed = Seq("files", "secondary_index_x")
        TableProperties.update(kept.storage, path)(_ + (TableKeys.MetadataPartitions -> listed.mkString(",")))
        transaction.rollback()
        assertEquals((kept.data.config.metadataPartitions, kept.files.isEmpty),
          if (hasWrite) (Nil, true) else (listed, false))
      }
    }

    test(s"version $version: a late run of an action that has completed leaves the write that counts") {
      val kept = this.kept(version)
      write(kept, "g-1")
      val (files, instant) = (kept.files, Table.open(kept.storage, path).timeline.writes.last.time)
      val late = MetadataAction.Written(instant, CommitMetadata("INSERT", Map("p" -> Nil), Map.empty))
      val error = intercept[CommitConflict](new MetadataWriter(kept.home).commit(instant, kept.home.changes(late),
          kept.data.load()))
      assertEquals((error.condition, error.parameters("instant")), ("INSTANT_TAKEN", instant))
      assertEquals((kept.files, kept.named), (files, kept.listed))
    }

    test(s"version $version: compacted, cleaned and archived, it names what folders list, and stays small") {
      val kept = this.kept(version)
      val few = Services.of().archiving.copy(minCommits = 4, maxCommits = 8)
      (1 to 80).foreach { n =>
        write(kept, s"g$n-0")
        if (n % 7 == 0) assertEquals(kept.named, kept.listed, n)
        new Archiver(Table.open(kept.storage, path), few).runIfDue()
        if (n % 7 == 0) assertEquals(kept.named, kept.listed, s"$n archived")
      }
      val done = kept.home.store.archivedCompleted() ++ kept.home.timeline.completed
      assertEquals(done.count(_.action == Action.Commit), 16)
      assert(done.count(_.action == Action.Clean) > 8)
      assert(kept.home.timeline.completed.size < 60)
      assert(Table.open(kept.storage, path).timeline.writes.size < 20)
      assert(kept.files.size < 200, kept.files.mkString("\n"))
      assertEquals(kept.named("p").size, 81)
      assertEquals(MetadataServices.run(kept.home, kept.data.load(), 5).compactions, Nil)
    }

    test(s"version $version: archived beside older writes of the table, it still says that it has them") {
      val kept = this.kept(version, before = 2)
      (1 to 8).foreach(n => write(kept, s"g$n-0"))
      val states = InstantStates.of(kept.storage, kept.home.store.folder, kept.home.timeline.writes.take(3))
      kept.home.store.archive.append(states)
      InstantStates.delete(kept.storage, states)
      assertEquals(kept.named, kept.listed)
      (9 to 40).foreach(n => write(kept, s"g$n-0"))
      assertEquals(kept.named, kept.listed)
    }

    test(s"version $version: its beginning stays as long as the table's timeline has older writes") {
      val kept = this.kept(version, before = 2)
      val began = kept.home.timeline.writes.head.time
      (1 to 35).foreach(n => write(kept, s"g$n-0"))
      assertEquals(kept.named, kept.listed)
      assertEquals(kept.home.timeline.writes.head.time, began)
    }

    test(s"version $version: its write of a savepointed one stays as long as that") {
      val kept = this.kept(version)
      write(kept, "g-saved")
      val saved = Savepoints.create(Table.open(kept.storage, path), None, "me", "why").instant
      val few = Services.of().archiving.copy(minCommits = 4, maxCommits = 8, beyondSavepoint = true)
      (1 to 50).foreach { n =>
        write(kept, s"g$n-0")
        new Archiver(Table.open(kept.storage, path), few).runIfDue()
      }
      assertEquals(Table.open(kept.storage, path).timeline.writes.head.time, saved)
      assert(kept.home.timeline.writes.exists(_.time == saved))
      assertEquals(kept.named, kept.listed)
    }

    test(s"version $version: a compaction that was cut off ends, though statistics have gone since") {
      val kept = this.kept(version)
      kept.initialiseAll()
      (1 to 3).foreach(n => write(kept, s"g$n-0"))
      MetadataServices.run(kept.home, kept.data.load(), 2)
      kept.home.store.withdraw(kept.home.timeline.writes.filter(_.action == Action.Commit).head)
      kept.home.without(kept.home.partitions.filterNot(_ == MetadataPartition.Files).map(_ -> "a test").toMap)
      MetadataServices.run(kept.home, kept.data.load(), 2)
      assertEquals((kept.home.timeline.pending, kept.differences, kept.partitions), (Nil, Nil, Seq("files")))
    }

    test(s"version $version: a compaction that was cut off is run again before the next write") {
      val kept = this.kept(version)
      (1 to 3).foreach(n => write(kept, s"g$n-0"))
      val done = MetadataServices.run(kept.home, kept.data.load(), 2).compactions
      val completed = kept.home.timeline.writes.filter(_.action == Action.Commit)
      assertEquals(completed.map(_.time), done)
      kept.home.store.withdraw(completed.head)
      assertEquals(kept.named, kept.listed)
      assertEquals(MetadataServices.run(kept.home, kept.data.load(), 2).compactions, done)
      assertEquals(kept.home.timeline.pending, Nil)
      assertEquals(kept.named, kept.listed)
    }
  }
}

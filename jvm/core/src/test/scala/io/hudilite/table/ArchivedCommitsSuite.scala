package io.hudilite.table

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.error.InvalidInput
import io.hudilite.service.Services
import io.hudilite.service.archive.Archiver
import io.hudilite.storage.{MemoryStorage, Storage}
import io.hudilite.timeline.Instant
import io.hudilite.transaction.TextWrites

import munit.FunSuite

/** Reads of commits that were archived while their files are still there. */
class ArchivedCommitsSuite extends FunSuite {

  private val path = "/t"

  private def memory(): MemoryStorage = new MemoryStorage(() => 1767225600000L)

  private def archive(storage: Storage): Seq[Instant] =
    new Archiver(Table.open(storage, path),
      Services.of().archiving.copy(minCommits = 2, maxCommits = 3, deltaCommits = Some(1)))
      .run().instants

  private def position(i: Instant): String = i.completionTime.getOrElse(i.time)

  private type Answer = (Set[String], Seq[String])

  private def answer(table: Table, begin: String, end: String): Answer = {
    val files = table.incremental(IncrementalRange(begin, Some(end)))
    (files.instants,
      files.slices.values.flatten.map(s => s"${s.fileId}@${s.instant}+${s.logs.map(_.name)}").toList.sorted)
  }

  private def answers(table: Table, positions: Seq[String]): Seq[((String, String), Answer)] = for {
    begin <- "0" +: positions
    end <- positions.dropRight(1) if begin < end
  } yield (begin, end) -> answer(table, begin, end)

  for (version <- Seq(6, 8, 9)) {

    def check(kind: String, tableType: TableType)(write: (Table, Int) => Unit): Unit =
      test(s"version $version, $kind: every range up to an archived commit or a later one has the answer of before") {
        val storage = memory()
        TextWrites.table(storage, path, version, tableType)
        (1 to 6).foreach(n => write(Table.open(storage, path), n))
        val table = Table.open(storage, path)
        val positions = table.timeline.writes.map(position)
        val before = answers(table, positions)
        assertEquals(archive(storage).size, 5)
        assertEquals(answers(Table.open(storage, path), positions), before)
      }

    check("new file groups", TableType.CopyOnWrite)((t, n) => { TestTables.write(t, "p" -> s"g-$n"); () })
    check("one file group rewritten", TableType.CopyOnWrite)((t, _) => TextWrites.rewrite.run(t))
    check("log files", TableType.MergeOnRead)((t, _) => TextWrites.append.run(t))

    test(s"version $version: a range whose files were cleaned away after its commits were archived is refused") {
      val storage = memory()
      TextWrites.table(storage, path, version, TableType.CopyOnWrite)
      (1 to 6).foreach(_ => TextWrites.rewrite.run(Table.open(storage, path)))
      val positions = Table.open(storage, path).timeline.writes.map(i => i.time -> position(i))
      archive(storage)
      storage.paths.filter(p => p.contains("/p/g-0_") && p.contains(positions(2)._1)).foreach(storage.delete)
      val now = Table.open(storage, path)
      val refused = intercept[InvalidInput](answer(now, "0", positions(2)._2))
      assert(refused.getMessage.contains("have been cleaned away"), refused.getMessage)
      assertEquals(answer(now, "0", positions(1)._2)._1, positions.take(2).map(_._1).toSet)
    }

    test(s"version $version: a range up to now holds archived commits as well") {
      val storage = memory()
      TextWrites.table(storage, path, version, TableType.CopyOnWrite)
      (1 to 6).foreach(n => TestTables.write(Table.open(storage, path), "p" -> s"n$n-0"))
      val all = Table.open(storage, path).timeline.writes
      archive(storage)
      val files = Table.open(storage, path).incremental(IncrementalRange("earliest"))
      assertEquals(files.instants, all.map(_.time).toSet)
      assertEquals(files.slices("p").size, 7)
    }

    test(s"version $version: a snapshot that was opened before finds what has been archived since") {
      val storage = memory()
      TextWrites.table(storage, path, version, TableType.CopyOnWrite)
      (1 to 6).foreach(_ => TextWrites.rewrite.run(Table.open(storage, path)))
      // Another machine, which has read none of the commits.
      val elsewhere = memory()
      storage.paths.foreach(p => elsewhere.createNew(p, storage.read(p).get))
      val opened = Table.open(elsewhere, path)
      val expected = Table.open(storage, path).store.readCommits(opened.timeline.writes).map(_._2)
      archive(elsewhere)
      assertEquals(opened.store.readCommits(opened.timeline.writes).map(_._2), expected)
    }
  }
}

package io.hudilite.service.clean

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.service.{Services, TextServices}
import io.hudilite.storage.{FaultyStorage, MemoryStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CommitMetadata}
import io.hudilite.transaction.{TextWrites, Transaction, TransactionOptions}

import munit.FunSuite

/** A cleaning that removes the folder of a partition, beside a program that no lock and no claim keeps away. */
class EmptiedPartitionsSuite extends FunSuite {

  private val path = "/t"
  private val two = Services.of("hoodie.clean.commits.retained" -> "2").cleaning

  /** The partition q has lost all its rows, and the next cleaning its files. */
  private def emptied(version: Int): MemoryStorage = {
    val storage = new MemoryStorage()
    val made = TextWrites.table(storage, path, version, TableType.CopyOnWrite)
    TestTables.write(made, "q" -> "q-0")
    Transaction.begin(made.refresh(), Action.ReplaceCommit, "DELETE_PARTITION").commit(Nil, Map("q" -> Seq("q-0")))
    (1 to 3).foreach(_ => TextWrites.rewrite.run(made.refresh()))
    storage
  }

  private def clean(storage: Storage): Seq[FinishedCleaning] =
    new Cleaning(TransactionOptions(), TextServices.deleting).run(Table.open(storage, path), two)

  /** Another program's write, in as many steps as it has files. */
  private final class Foreign(storage: Storage) {
    private val table = Table.open(storage, path)
    private val instant = table.store.newInstantTime(table.timeline.lastTime.getOrElse(""))

    def begin(): Unit = {
      table.store.request(instant, Action.Commit)
      table.store.begin(instant, Action.Commit)
    }

    def end(): Unit = {
      val stat = TestTables.writeFile(table, instant, "q", "foreign-0")
      table.store.complete(instant, Action.Commit, CommitMetadata("INSERT", Map("q" -> Seq(stat)), Map.empty))
      ()
    }
  }

  private def heldAt(storage: Storage, steps: Map[Int, () => Unit]): FaultyStorage =
    new FaultyStorage(storage, call => { steps.get(call).foreach(_()); false }, () => new IllegalStateException,
      afterEffect = false)

  for (version <- Seq(6, 9))
    test(s"version $version: what another program commits into a partition while its folder goes is there and read") {
      val counting = heldAt(emptied(version), Map.empty)
      assertEquals(clean(counting).flatMap(_.partitions).filter(_.partitionDeleted).map(_.partition), Seq("q"))
      for (first <- 1 to counting.calls; second <- first to math.min(first + 4, counting.calls)) {
        val storage = emptied(version)
        val write = new Foreign(storage)
        var done = 0
        def step(body: => Unit): () => Unit = () => { done += 1; body }
        val steps =
          if (first == second) Map(first -> step { write.begin(); write.end() })
          else Map(first -> step(write.begin()), second -> step(write.end()))
        try clean(heldAt(storage, steps))
        catch { case _: io.hudilite.error.CommitConflict => }
        if (done == steps.size) {
          val clue = s"begun at call $first, ended at $second"
          assert(TestTables.visible(Table.open(storage, path)).exists(_.startsWith("q/foreign-0@")), clue)
          clean(storage)
          assert(Table.open(storage, path).partitions().contains("q"), clue)
        }
      }
    }

  test("a partition whose mark is gone under files gets it back when the cleaning is run again") {
    val storage = emptied(9)
    val counting = heldAt(storage, Map.empty)
    val mark = s"$path/q/.hoodie_partition_metadata"
    // It ends behind the deletion of the mark, as another program has a file there.
    var gone = false
    val failing = new io.hudilite.storage.ForwardingStorage(counting) {
      override def delete(file: String): Boolean = {
        if (gone) throw new java.io.IOException("killed")
        if (file == mark) gone = true
        super.delete(file)
      }
      override def list(directories: Seq[String]): Map[String, Seq[io.hudilite.storage.FileInfo]] =
        if (gone) throw new java.io.IOException("killed") else super.list(directories)
    }
    intercept[java.io.IOException](clean(failing))
    assert(gone && !storage.exists(mark))
    storage.replace(s"$path/q/foreign-0_0-0-0_20990101000000000.parquet", Array[Byte](1))
    clean(storage)
    assert(storage.exists(mark))
  }
}

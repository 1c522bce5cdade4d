package io.hudilite.transaction

import io.hudilite.config.{TableKeys, TableProperties, TableType}
import io.hudilite.error.CommitConflict
import io.hudilite.storage.MemoryStorage
import io.hudilite.table.Table
import io.hudilite.timeline.{CommitMetadata, State}
import io.hudilite.transaction.rollback.{Marker, Markers}

import munit.FunSuite

class CommitHookSuite extends FunSuite {

  private val path = "/t"

  /** A table in memory, and a write with hooks that say that they run. */
  private final class Hooked(failing: Option[Int] = None) {
    val storage = new MemoryStorage()
    TextWrites.table(storage, path, 9, TableType.CopyOnWrite)
    var ran: Seq[(Int, CommitMetadata, CommitState, Seq[String])] = Nil

    private def hook(number: Int): CommitHook = (metadata, state) => {
      ran :+= ((number, metadata, state, storage.paths))
      if (failing.contains(number)) throw new IllegalStateException(s"hook $number")
    }

    val options: TransactionOptions = TransactionOptions(hooks = Seq(1, 2, 3).map(hook))
    def table: Table = Table.open(storage, path)
    def numbers: Seq[Int] = ran.map(_._1)
  }

  test("hooks run in their order when nothing stands against a write any more, before its completed file") {
    val hooked = new Hooked
    val table = hooked.table
    val write = TextWrites.rewrite.begin(table, hooked.options)
    val stray = s"p/s-0_0-1-0_${write.instant}.parquet"
    Markers.create(hooked.storage, path, write.instant, Marker(stray, Markers.Create))
    hooked.storage.replace(s"$path/$stray", Array.emptyByteArray)
    TextWrites.rewrite.commit(table, write)
    assertEquals(hooked.numbers, Seq(1, 2, 3))
    for ((_, metadata, state, files) <- hooked.ran) {
      assertEquals(metadata.allStats.map(_.fileId), Seq("g-0"))
      assertEquals((state.table, state.instant), (table, write.instant))
      assertEquals(state.timeline.pending.map(i => (i.time, i.state)), Seq((write.instant, State.Inflight)))
      assert(!files.exists(f => f.contains(s"${write.instant}_") && f.endsWith(".commit")), files)
      assert(!files.contains(s"$path/$stray"))
    }
    assert(hooked.table.timeline.isCommitted(write.instant))
  }

  test("a hook that fails fails the write before its completed file, and what it leaves is rolled back") {
    val hooked = new Hooked(failing = Some(2))
    val before = hooked.storage.paths
    val table = hooked.table
    val write = TextWrites.rewrite.begin(table, hooked.options)
    assertEquals(intercept[IllegalStateException](TextWrites.rewrite.commit(table, write)).getMessage, "hook 2")
    assertEquals(hooked.numbers, Seq(1, 2))
    assertEquals(hooked.table.timeline.pending.map(_.state), Seq(State.Inflight))
    write.rollback()
    assert(write.isRolledBack)
    assertEquals(hooked.storage.paths.filterNot(_.contains("rollback")), before)
  }

  test("a write that conflicts runs no hook") {
    val hooked = new Hooked
    val table = hooked.table
    val write = TextWrites.rewrite.begin(table, hooked.options)
    TextWrites.rewrite.run(hooked.table)
    intercept[CommitConflict](TextWrites.rewrite.commit(table, write))
    assertEquals(hooked.numbers, Nil)
  }

  test("the hook that takes a metadata table out of service is the first one of every write") {
    assertEquals(CommitHook.standard, Seq[CommitHook](MetadataUpkeep))
    val hooked = new Hooked
    TableProperties.update(hooked.storage, path)(_ + (TableKeys.MetadataPartitions -> "files"))
    TextWrites.insert("h-0").run(hooked.table, hooked.options)
    assertEquals(hooked.table.config.metadataPartitions, Seq("files"))
    TextWrites.insert("i-0").run(hooked.table)
    assertEquals(hooked.table.config.metadataPartitions, Nil)
  }
}

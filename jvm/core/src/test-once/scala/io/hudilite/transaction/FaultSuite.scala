package io.hudilite.transaction

import io.hudilite.config.TableType
import io.hudilite.error.CommitStateUnknown
import io.hudilite.storage.Storage

import munit.FunSuite

/** A failure of each kind at each storage call of a write, before and after the call's effect. */
class FaultSuite extends FunSuite {

  private val path = "/t"

  private def run(world: World, fault: Fault)(write: (Storage, TransactionOptions) => Unit): Option[Throwable] =
    world.failing(fault)(write(_, World.Gone))

  private def calls(origin: World)(write: (Storage, TransactionOptions) => Unit): Int =
    origin.copy().calls(write(_, World.Gone))

  private val kinds: Seq[(String, TableType, TextWrite)] = Seq(
    ("copy-on-write", TableType.CopyOnWrite, TextWrites.rewrite),
    ("merge-on-read", TableType.MergeOnRead, TextWrites.append),
    ("overwritten", TableType.CopyOnWrite, TextWrites.overwrite))

  for (version <- Seq(6, 9); (kind, tableType, write) <- kinds) {

    lazy val origin = new World(path, storage => { TextWrites.table(storage, path, version, tableType); () })

    test(s"version $version, $kind: a begin that fails leaves nothing, and nothing that lasts when storage is gone") {
      def begin(storage: Storage, options: TransactionOptions): Unit =
        Transaction.begin(TextWrites.reopened(storage, path), write.action, "UPSERT", options).rollback()
      def onlyBegin(storage: Storage, options: TransactionOptions): Unit = {
        Transaction.begin(TextWrites.reopened(storage, path), write.action, "UPSERT", options)
        ()
      }
      assert(calls(origin)(begin) > 10)
      for (fault <- Fault.all(calls(origin)(onlyBegin))) {
        val world = origin.copy()
        val failed = run(world, fault)(onlyBegin)
        assert(failed.isDefined, fault.name)
        if (!fault.lasting) assertEquals(world.files, world.before, fault.name)
        world.recover()
        assertEquals(world.files.filterNot(isRollback), world.before, fault.name)
      }
    }

    test(s"version $version, $kind: a write that fails is not there or there as a whole, and loses no file") {
      def whole(storage: Storage, options: TransactionOptions): Unit =
        write.run(TextWrites.reopened(storage, path), options)
      for (fault <- Fault.all(calls(origin)(whole))) {
        val world = origin.copy()
        val failed = run(world, fault)(whole)
        assert(world.isWhole, fault.name)
        val committed = world.timeline.writes.size > 1
        assertEquals(world.visible != world.visibleBefore, committed, fault.name)
        if (failed.isEmpty) assert(committed, s"${fault.name}: a write that succeeds is there")
        failed.foreach {
          case _: CommitStateUnknown =>
          case _ if !fault.lasting && !committed =>
            assertEquals(world.files.filterNot(isRollback), world.before, fault.name)
          case _ =>
        }
        world.recover()
        assert(world.isWhole, fault.name)
        assertEquals(world.timeline.writes.size > 1, committed, s"${fault.name}: what is committed stays so")
        assertEquals(world.files.filter(isTrace), Nil, fault.name)
      }
    }
  }

  for (version <- Seq(6, 9))
    test(s"version $version: a first write that fails at any call leaves no table, and one that lands a whole one") {
      def first(storage: Storage, options: TransactionOptions): Unit = {
        val made = FirstWrite.create(storage, path, TextWrites.facts(version, TableType.CopyOnWrite), options)
        val write = TextWrites.insert("g-0")
        val transaction = made.begin(write.action, "INSERT")
        try write.commit(made.table, transaction)
        finally {
          transaction.rollback()
          if (transaction.isRolledBack) made.remove(transaction.instant)
        }
      }
      for (fault <- Fault.all(calls(new World(path, _ => ()))(first))) {
        val world = new World(path, _ => ())
        val failed = run(world, fault)(first)
        assert(world.isWhole, fault.name)
        val committed = world.visible.nonEmpty
        if (failed.isEmpty) assert(committed, fault.name)
        if (!committed && !fault.lasting && !failed.exists(_.isInstanceOf[CommitStateUnknown]))
          assertEquals(world.memory.paths, Nil, fault.name)
        world.recover()
        assertEquals(world.visible.nonEmpty, committed, fault.name)
        // Where there is no table, the next one to make it finds what was left.
        if (!world.memory.exists(s"$path/.hoodie/hoodie.properties")) {
          world.later()
          first(world.memory, World.Next)
          world.recover()
        }
        assertEquals(world.files.filter(isTrace), Nil, fault.name)
      }
    }

  private def isRollback(file: String): Boolean = file.contains(".rollback")

  private def isTrace(file: String): Boolean =
    Seq("/.temp/", "/.heartbeat/", "/.hudilite/").exists(file.contains(_))
}

package io.hudilite.transaction

import io.hudilite.config.TableType
import io.hudilite.error.CommitStateUnknown
import io.hudilite.filegroup.LogFile
import io.hudilite.log.{HeaderKey, LogFileReader}
import io.hudilite.storage.{FaultyStorage, MemoryStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.Timeline
import io.hudilite.transaction.rollback.{Heartbeat, Owner}

import java.util.concurrent.atomic.AtomicLong

import munit.FunSuite

/** A failure at the call of a number, or at all calls from then on. */
private final case class Fault(name: String, failing: Int => Boolean, failure: () => Throwable, after: Boolean)

/** A failure of each kind at each storage call of a write, before and after the call's effect. */
class FaultSuite extends FunSuite {

  private val path = "/t"

  private def faults(calls: Int): Seq[Fault] = for {
    number <- 1 to calls
    (name, failure) <- FaultyStorage.Failures
    after <- Seq(false, true)
    lasting <- Seq(false, true)
  } yield Fault(s"$name ${if (after) "after" else "before"} call $number${if (lasting) " and all later ones" else ""}",
    n => if (lasting) n >= number else n == number, failure, after)

  /** What a write is to leave behind when it fails, and how it is run. */
  private final class World(prepare: Storage => Unit) {
    val now = new AtomicLong(1767225600000L)
    val memory = new MemoryStorage(() => now.get)
    prepare(memory)
    val before: Seq[String] = files
    val visibleBefore: Seq[String] = visible

    /** Without those that say nothing: a task of version 6 claims the name of a log file by an empty one. */
    def files: Seq[String] = memory.paths.filterNot(p => p.endsWith("/.hoodie_partition_metadata") || isEmptyLog(p))

    private def isEmptyLog(file: String): Boolean = file.contains(".log.") && memory.read(file).forall(_.isEmpty)

    def visible: Seq[String] =
      if (!memory.exists(s"$path/.hoodie/hoodie.properties")) Nil
      else {
        val table = Table.open(memory, path)
        table.allSlices().values.flatten.map(s =>
          s"${s.fileId}@${s.instant}+${s.logs.map(blocks(table, _)).sum}").toList
          .sorted
      }

    // A log file of version 6 may hold blocks of a write that never completed.
    private def blocks(table: Table, log: LogFile): Int =
      LogFileReader.blocks(memory, s"$path/${log.partition}/${log.name}", log.length)
        .count(_.headers.get(HeaderKey.InstantTime).exists(table.timeline.isCommitted))

    def timeline: Timeline = Table.open(memory, path).timeline

    /** Whatever a completed instant names is there. */
    def isWhole: Boolean = !memory.exists(s"$path/.hoodie/hoodie.properties") || {
      val table = Table.open(memory, path)
      table.store.readCommits(table.timeline.writes).flatMap(_._2.allPaths).forall(p => memory.exists(s"$path/$p"))
    }

    /** What the next writer does with what is left, once its owner is known to be gone. */
    def recover(): Unit = if (memory.exists(s"$path/.hoodie/hoodie.properties")) {
      now.addAndGet(2 * Heartbeat.ExpiryMs)
      val next = TransactionOptions(process = Owner.current.copy(host = "elsewhere", process = "next"))
      Transaction.prepared(Table.open(memory, path), next)(())
    }
  }

  private def run(world: World, fault: Fault)(write: (Storage, TransactionOptions) => Unit): Option[Throwable] = {
    val faulty = new FaultyStorage(world.memory, fault.failing, fault.failure, fault.after)
    // A host that is gone for those who come later: only its heartbeat could tell.
    val options = TransactionOptions(process = Owner.current.copy(host = "gone", process = "gone"))
    try { write(faulty, options); None }
    catch { case e: Throwable => Some(e) }
    finally { Thread.interrupted(); () }
  }

  private def calls(prepare: Storage => Unit)(write: (Storage, TransactionOptions) => Unit): Int = {
    val world = new World(prepare)
    val counting = new FaultyStorage(world.memory, _ => false, () => new IllegalStateException, afterEffect = false)
    write(counting, TransactionOptions(process = Owner.current.copy(host = "gone", process = "gone")))
    counting.calls
  }

  private val kinds: Seq[(String, TableType, TextWrite)] = Seq(
    ("copy-on-write", TableType.CopyOnWrite, TextWrites.rewrite),
    ("merge-on-read", TableType.MergeOnRead, TextWrites.append),
    ("overwritten", TableType.CopyOnWrite, TextWrites.overwrite))

  for (version <- Seq(6, 9); (kind, tableType, write) <- kinds) {

    def prepare(storage: Storage): Unit = { TextWrites.table(storage, path, version, tableType); () }

    test(s"version $version, $kind: a begin that fails leaves nothing, and nothing that lasts when storage is gone") {
      def begin(storage: Storage, options: TransactionOptions): Unit =
        Transaction.begin(TextWrites.reopened(storage, path), write.action, "UPSERT", options).rollback()
      def onlyBegin(storage: Storage, options: TransactionOptions): Unit = {
        Transaction.begin(TextWrites.reopened(storage, path), write.action, "UPSERT", options)
        ()
      }
      assert(calls(prepare)(begin) > 10)
      for (fault <- faults(calls(prepare)(onlyBegin))) {
        val world = new World(prepare)
        val failed = run(world, fault)(onlyBegin)
        assert(failed.isDefined, fault.name)
        if (!fault.name.contains("later")) assertEquals(world.files, world.before, fault.name)
        world.recover()
        assertEquals(world.files.filterNot(isRollback), world.before, fault.name)
      }
    }

    test(s"version $version, $kind: a write that fails is not there or there as a whole, and loses no file") {
      def whole(storage: Storage, options: TransactionOptions): Unit =
        write.run(TextWrites.reopened(storage, path), options)
      for (fault <- faults(calls(prepare)(whole))) {
        val world = new World(prepare)
        val failed = run(world, fault)(whole)
        assert(world.isWhole, fault.name)
        val committed = world.timeline.writes.size > 1
        assertEquals(world.visible != world.visibleBefore, committed, fault.name)
        if (failed.isEmpty) assert(committed, s"${fault.name}: a write that succeeds is there")
        failed.foreach {
          case _: CommitStateUnknown =>
          case _ if !fault.name.contains("later") && !committed =>
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
      for (fault <- faults(calls(_ => ())(first))) {
        val world = new World(_ => ())
        val failed = run(world, fault)(first)
        assert(world.isWhole, fault.name)
        val committed = world.visible.nonEmpty
        if (failed.isEmpty) assert(committed, fault.name)
        if (!committed && !fault.name.contains("later") && !failed.exists(_.isInstanceOf[CommitStateUnknown]))
          assertEquals(world.memory.paths, Nil, fault.name)
        world.recover()
        assertEquals(world.visible.nonEmpty, committed, fault.name)
        assertEquals(world.files.filter(isTrace), Nil, fault.name)
      }
    }

  private def isRollback(file: String): Boolean = file.contains(".rollback")

  private def isTrace(file: String): Boolean =
    Seq("/.temp/", "/.heartbeat/", "/.hudilite/").exists(file.contains(_))
}

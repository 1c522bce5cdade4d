package io.hudilite.transaction

import io.hudilite.config.TableProperties
import io.hudilite.filegroup.LogFile
import io.hudilite.log.{HeaderKey, LogFileReader}
import io.hudilite.storage.{FaultyStorage, MemoryStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.Timeline
import io.hudilite.transaction.rollback.Heartbeat

import java.util.concurrent.atomic.AtomicLong

/** A failure at the call of a number, or at all calls from then on.
  *
  * @param after
  *   the call has its effect all the same
  * @param lasting
  *   as for a process that is killed there
  */
final case class Fault(kind: String, number: Int, failure: () => Throwable, after: Boolean, lasting: Boolean) {
  val name: String =
    s"$kind ${if (after) "after" else "before"} call $number${if (lasting) " and all later ones" else ""}"

  def failing(call: Int): Boolean = if (lasting) call >= number else call == number
}

object Fault {

  /** Each kind at each of so many calls. */
  def all(calls: Int): Seq[Fault] = for {
    number <- 1 to calls
    (kind, failure) <- FaultyStorage.Failures
    (after, lasting) <- Ways
  } yield Fault(kind, number, failure, after, lasting)

  /** One kind after the other, half of them in one version and half in the other. */
  def inTurn(calls: Int, version: Int): Seq[Fault] = for {
    number <- 1 to calls
    lasting <- Seq(false, true)
  } yield {
    val turn = number + version
    val (kind, failure) = FaultyStorage.Failures(turn / 2 % FaultyStorage.Failures.size)
    Fault(kind, number, failure, after = turn % 2 == 0, lasting)
  }

  private val Ways = for (after <- Seq(false, true); lasting <- Seq(false, true)) yield after -> lasting
}

/** A table in memory with a time of its own, before and after something that fails.
  *
  * @param origin
  *   a world that nothing has happened to, which this one begins as
  */
final class World private (path: String, prepare: Storage => Unit, origin: Option[World]) {

  def this(path: String, prepare: Storage => Unit) = this(path, prepare, None)

  val now = new AtomicLong(1767225600000L)
  val memory: MemoryStorage = new MemoryStorage(() => now.get)
  origin.foreach(o => memory.takeAll(o.memory))
  prepare(memory)
  val before: Seq[String] = origin.fold(files)(_.before)
  val visibleBefore: Seq[String] = origin.fold(visible)(_.visibleBefore)

  /** Another one that begins as this one did: to copy a table costs less than to make it for each failure. */
  def copy(): World = new World(path, _ => (), Some(this))

  def table: Table = Table.open(memory, path)

  def timeline: Timeline = table.timeline

  private def isTable: Boolean = TableProperties.exists(memory, path)

  /** Without those that say nothing: a task of version 6 claims the name of a log file by an empty one. */
  def files: Seq[String] = memory.paths.filterNot(p => p.endsWith("/.hoodie_partition_metadata") || isEmptyLog(p))

  private def isEmptyLog(file: String): Boolean = file.contains(".log.") && memory.read(file).forall(_.isEmpty)

  /** `file id@instant+blocks` of every slice that a reader sees. */
  def visible: Seq[String] = if (isTable) rows(table) else Nil

  /** As [[visible]], of the table as it is read. */
  def rows(now: Table): Seq[String] =
    now.allSlices().values.flatten.map(s => s"${s.fileId}@${s.instant}+${s.logs.map(blocks(now, _)).sum}").toList.sorted

  // A log file of version 6 may hold blocks of a write that never completed.
  private def blocks(table: Table, log: LogFile): Int =
    LogFileReader.blocks(memory, s"$path/${log.partition}/${log.name}", log.length)
      .count(_.headers.get(HeaderKey.InstantTime).exists(table.timeline.isCommitted))

  /** Whatever a completed instant names is there. */
  def isWhole: Boolean = !isTable || {
    val now = table
    now.store.readCommits(now.timeline.writes).flatMap(_._2.allPaths).forall(p => memory.exists(s"$path/$p"))
  }

  /** Error of `body` with a storage that fails; `None` when it succeeds all the same. */
  def failing(fault: Fault)(body: Storage => Unit): Option[Throwable] = {
    try { body(new FaultyStorage(memory, fault.failing, fault.failure, fault.after)); None }
    catch { case e: Throwable => Some(e) }
    finally { Thread.interrupted(); () }
  }

  /** Number of storage calls of what does not fail. */
  def calls(body: Storage => Unit): Int = {
    val counting = new FaultyStorage(memory, _ => false, () => new IllegalStateException, afterEffect = false)
    body(counting)
    counting.calls
  }

  /** So much later that a process is known to be gone. */
  def later(): Unit = {
    now.addAndGet(2 * Heartbeat.ExpiryMs)
    ()
  }

  /** Clean-up by the next writer, once the owner is known to be gone. */
  def recover(): Unit = if (isTable) {
    later()
    Transaction.prepared(table, World.Next)(_ => ())
  }
}

object World {

  /** A process on a host that is gone for those who come later: only its heartbeat could tell. */
  val Gone: TransactionOptions = TransactionOptions(process = Processes.elsewhere("gone", "gone"))

  /** Options of a later process, and of the last one. */
  val Next: TransactionOptions = TransactionOptions(process = Processes.elsewhere("elsewhere", "next"))
  val Last: TransactionOptions = TransactionOptions(process = Processes.elsewhere("third", "last"))
}

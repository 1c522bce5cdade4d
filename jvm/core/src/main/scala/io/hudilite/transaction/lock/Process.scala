package io.hudilite.transaction.lock

import io.hudilite.storage.{Caches, HadoopStorage, Place, Storage}

import java.time.Clock
import java.util.concurrent.ConcurrentHashMap

import org.apache.hadoop.conf.Configuration

/** One process at work on tables. It has for itself what no other process may have from it but by the table's files, so
  * that two of them in one JVM see of each other what processes of two JVMs would.
  *
  * @param owner
  *   its name in files
  * @param locks
  *   of the tables that it writes to
  * @param clock
  *   time of its machine
  * @param caches
  *   memory of the storages that it opens
  */
final class Process(val owner: Owner, val locks: LockProvider = new LocalLocks,
    clock: => Clock = Clock.systemDefaultZone(), caches: Caches = new Caches) {

  // By place of the table, instants and claims that it works on, or has given up without knowing how they ended.
  private val work = ConcurrentHashMap.newKeySet[(String, String)]()

  /** Files as it sees them. */
  def storage(conf: Configuration): Storage = new HadoopStorage(conf, clock, caches)

  /** It is at work on an instant or claim of this name, as a file is to say. */
  private[transaction] def begins(table: Place, name: String): Unit = {
    work.add(table.key -> name)
    ()
  }

  /** It is done with that. */
  private[hudilite] def ends(table: Place, name: String): Unit = {
    work.remove(table.key -> name)
    ()
  }

  private[transaction] def isOwn(other: Owner): Boolean = other.process == owner.process

  /** The owner of an instant or claim may still be at work on it, as far as that can be told without its heartbeat. */
  private[transaction] def tellsAlive(other: Owner, table: Place, name: String): Option[Boolean] =
    if (isOwn(other)) Some(work.contains(table.key -> name))
    else MachineProcess(other.host, other.pid, other.started, other.ticks).isRunning(owner.host)
}

object Process {

  /** This JVM. */
  lazy val current: Process = new Process(Owner.ofThisJvm(), LocalLocks.shared, Clock.systemDefaultZone(),
    Caches.shared)
}

package io.hudilite.transaction.lock

import io.hudilite.storage.{Caches, HadoopStorage, Place, Storage}

import java.time.Clock
import java.util.concurrent.ConcurrentHashMap

import org.apache.hadoop.conf.Configuration

/** One process at work on tables. It holds all state that other processes see only by the table's files. So two of them
  * in one JVM see of each other as much as processes of two JVMs.
  *
  * @param owner
  *   name of the process in files
  * @param locks
  *   locks of the tables that it writes to
  * @param clock
  *   time of its machine
  * @param caches
  *   memory of the storages that it opens
  * @param work
  *   instants and claims, with their table, that the process works on, or has given up with an unknown outcome
  */
final class Process(val owner: Owner, val locks: LockProvider = new LocalLocks,
    clock: => Clock = Clock.systemDefaultZone(), caches: Caches = new Caches,
    work: java.util.Set[(String, String)] = ConcurrentHashMap.newKeySet[(String, String)]()) {

  /** This process as it names itself where it takes the lock file in this folder, too. */
  private[hudilite] def under(lockFolder: String): Process =
    new Process(owner.copy(lockFolder = Some(lockFolder)), locks, clock, caches, work)

  /** Storage as this process sees it. */
  def storage(conf: Configuration): Storage = new HadoopStorage(conf, clock, caches)

  /** Notes that the process is at work on an instant or claim of this name, before a file says so. */
  private[transaction] def begins(table: Place, name: String): Unit = {
    work.add(table.key -> name)
    ()
  }

  /** Notes that the work is done. */
  private[hudilite] def ends(table: Place, name: String): Unit = {
    work.remove(table.key -> name)
    ()
  }

  private[transaction] def isOwn(other: Owner): Boolean = other.process == owner.process

  /** True when the owner of an instant or claim is still at work on it, false when it is not; `None` when only its
    * heartbeat can tell.
    */
  private[transaction] def tellsAlive(other: Owner, table: Place, name: String): Option[Boolean] =
    if (isOwn(other)) Some(work.contains(table.key -> name))
    else MachineProcess(other.host, other.pid, other.started, other.ticks).isRunning(owner.host)
}

object Process {

  /** The process of this JVM. */
  lazy val current: Process = new Process(Owner.ofThisJvm(), LocalLocks.shared, Clock.systemDefaultZone(),
    Caches.shared)
}

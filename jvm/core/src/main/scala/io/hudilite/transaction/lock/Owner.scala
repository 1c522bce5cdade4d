package io.hudilite.transaction.lock

import java.util.UUID

/** A process, as it names itself in its files.
  *
  * @param host
  *   as `pid`, `started` and `ticks`, a field of [[MachineProcess]]
  * @param process
  *   random id of the process, by which it knows its own instants at once
  * @param lockFolder
  *   folder of the lock file that it takes ([[StorageLock]]), as its settings name it
  */
final case class Owner(host: String, pid: Long, started: Long, ticks: Long, process: String,
    lockFolder: Option[String] = None) {

  /** True when both take one lock file for a table. */
  private[transaction] def sharesLockFile(other: Owner): Boolean = lockFolder.isDefined &&
    lockFolder == other.lockFolder

  /** The running system, all of which a file lock reaches. Containers of one machine are different hosts of one system.
    */
  def machine: String = host.split('/').toSeq match {
    case Seq(_, boot, _*) => boot
    case _ => host
  }
}

private[transaction] object Owner {

  /** A new owner in this JVM. */
  def ofThisJvm(): Owner = {
    val self = MachineProcess.current
    Owner(self.host, self.pid, self.started, self.ticks, UUID.randomUUID().toString)
  }
}

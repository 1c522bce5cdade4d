package io.hudilite.transaction.lock

import java.util.UUID

/** A process, as it names itself in its files.
  *
  * @param host
  *   with `pid`, `started` and `ticks` as of [[MachineProcess]]
  * @param process
  *   random id of the process, which tells our own instants at once
  */
final case class Owner(host: String, pid: Long, started: Long, ticks: Long, process: String) {

  /** The running system: what a lock on one of its files excludes. Containers of one machine have different hosts. */
  def machine: String = host.split('/').toSeq match {
    case Seq(_, boot, _*) => boot
    case _ => host
  }
}

private[transaction] object Owner {

  /** A new one of this JVM. */
  def ofThisJvm(): Owner = {
    val self = MachineProcess.current
    Owner(self.host, self.pid, self.started, self.ticks, UUID.randomUUID().toString)
  }
}

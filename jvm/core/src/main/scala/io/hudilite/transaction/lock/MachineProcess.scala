package io.hudilite.transaction.lock

import java.nio.charset.StandardCharsets
import java.nio.file.{Files, Path, Paths}

import scala.util.control.NonFatal

/** A process as the operating system tells it from all others.
  *
  * @param host
  *   machine with its boot and its process-id namespace; process ids mean something only inside one host
  * @param started
  *   start of the process in epoch milliseconds, because process ids are used again
  * @param ticks
  *   start in ticks since the kernel's boot, 0 where that is unknown. Epoch milliseconds are computed from a time of
  *   boot that moves when the clock is set, so processes from before and after that disagree about them.
  */
private[transaction] final case class MachineProcess(host: String, pid: Long, started: Long, ticks: Long) {

  import MachineProcess._

  /** True when the process runs; `None` when a process of the host `asking` cannot tell. */
  def isRunning(asking: String): Option[Boolean] = if (host != asking) None
  else {
    val handle = ProcessHandle.of(pid)
    Some(handle.isPresent && handle.get.isAlive && isStartOf(handle.get))
  }

  private def isStartOf(handle: ProcessHandle): Boolean = {
    val now = startTicks(handle.pid())
    if (ticks > 0 && now > 0) now == ticks else startMillis(handle) == started
  }
}

private[transaction] object MachineProcess {

  /** The process of this JVM. */
  lazy val current: MachineProcess = {
    val self = ProcessHandle.current()
    MachineProcess(host, self.pid(), startMillis(self), startTicks(self.pid()))
  }

  // Field 22 of Linux's /proc/<pid>/stat. The second field, a name in brackets, may hold any character.
  private def startTicks(pid: Long): Long =
    try {
      val stat = firstLine(Paths.get(s"/proc/$pid/stat"))
      stat.substring(stat.lastIndexOf(')') + 2).split(' ')(19).toLong
    } catch { case NonFatal(_) => 0L }

  private def startMillis(handle: ProcessHandle): Long = {
    val start = handle.info().startInstant()
    if (start.isPresent) start.get.toEpochMilli else 0L
  }

  private def host: String = {
    val name = try java.net.InetAddress.getLocalHost.getHostName
    catch { case NonFatal(_) => "localhost" }
    val boot = firstLine(Paths.get("/proc/sys/kernel/random/boot_id"))
    val namespace =
      try Files.readSymbolicLink(Paths.get("/proc/self/ns/pid")).toString
      catch { case NonFatal(_) => "" }
    Seq(name, boot, namespace).filter(_.nonEmpty).mkString("/")
  }

  private def firstLine(path: Path): String =
    try new String(Files.readAllBytes(path), StandardCharsets.US_ASCII).trim
    catch { case NonFatal(_) => "" }
}

package io.hudilite.transaction.lock

import java.nio.charset.StandardCharsets
import java.nio.file.{Files, Path, Paths}

import scala.util.control.NonFatal

/** A process as the operating system tells it from all others.
  *
  * @param host
  *   machine with its boot and its process-id namespace: only inside one host do process ids mean anything
  * @param started
  *   start of the process in epoch milliseconds, because process ids are used again
  * @param ticks
  *   the same in ticks of the kernel since its boot, 0 where it does not tell. Epoch milliseconds are reckoned from a time
  *   of boot that moves when the clock is set, so that processes from before and after that disagree.
  */
private[transaction] final case class MachineProcess(host: String, pid: Long, started: Long, ticks: Long) {

  import MachineProcess._

  /** The process runs, as far as one of the host `asking` can tell. */
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

  /** This one. */
  lazy val current: MachineProcess = {
    val self = ProcessHandle.current()
    MachineProcess(host, self.pid(), startMillis(self), startTicks(self.pid()))
  }

  // The 22nd field of Linux's /proc/<pid>/stat; the second one, a name in brackets, may hold anything.
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

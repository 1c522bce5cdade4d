package io.hudilite.transaction.lock

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{FileAlreadyExistsException, Files, NoSuchFileException, Path, StandardOpenOption}
import java.util.UUID

import scala.util.control.NonFatal

/** The holder of a table's lock, in a file beside the lock file while it is held.
  *
  * The operating system takes a file lock from a process as soon as that closes any descriptor of the file, as a backup
  * does that reads it, or another class loader that tries for it. So nobody gets a lock whose holder runs, whatever the
  * state of the lock file.
  *
  * @param process
  *   `None` where a crash cut the file short
  * @param run
  *   id that tells two holds of one process apart
  */
private[lock] final case class LockHolder(process: Option[MachineProcess], run: String) {

  /** True when the holder runs. A holder of another host counts as gone once the lock on the file is free. */
  def isRunning: Boolean = process.exists(_.isRunning(MachineProcess.current.host).contains(true))

  /** True when the lock is held under these locks inside the process. */
  def isOf(locks: String): Boolean = run.startsWith(locks)
}

private[lock] object LockHolder {

  val Name: String = s"${LockFile.Name}.holder"

  /** A new hold under locks of this process. Each class loader that has loaded these classes has locks of its own. */
  def of(locks: String): LockHolder = LockHolder(Some(MachineProcess.current), s"$locks/${UUID.randomUUID()}")

  def read(folder: Path): Option[LockHolder] =
    try Some(parse(new String(Files.readAllBytes(folder.resolve(Name)), UTF_8)))
    catch { case _: NoSuchFileException => None }

  /** Writes the holder's file; `false` when there is another holder's. */
  def write(folder: Path, holder: LockHolder): Boolean = {
    val lines = holder.process.toSeq.flatMap(p => Seq(p.host, p.pid.toString, p.started.toString, p.ticks.toString))
    val content = (lines :+ holder.run).mkString("", "\n", "\n").getBytes(UTF_8)
    try {
      Files.write(folder.resolve(Name), content, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)
      true
    } catch { case _: FileAlreadyExistsException => false }
  }

  /** Removes the holder's file, unless it is another holder's. */
  def remove(folder: Path, holder: LockHolder): Unit =
    if (read(folder).contains(holder)) {
      Files.deleteIfExists(folder.resolve(Name))
      ()
    }

  private def parse(text: String): LockHolder = text.split('\n').toSeq match {
    case Seq(host, pid, started, ticks, run) if text.endsWith("\n") =>
      try LockHolder(Some(MachineProcess(host, pid.toLong, started.toLong, ticks.toLong)), run)
      catch { case NonFatal(_) => LockHolder(None, text) }
    case _ => LockHolder(None, text)
  }
}

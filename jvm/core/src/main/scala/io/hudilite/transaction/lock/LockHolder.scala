package io.hudilite.transaction.lock

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{FileAlreadyExistsException, Files, NoSuchFileException, Path, StandardOpenOption}
import java.util.UUID

import scala.util.control.NonFatal

/** The holder of a table's lock, in a file beside the lock file, for as long as it is held.
  *
  * The lock on a file is the operating system's, which takes it from a process as soon as that closes any descriptor of
  * the file: a backup that reads it, or another class loader that tries for it. Nobody gets a lock whose holder is said to
  * be running, whatever the lock file says.
  *
  * @param process
  *   `None` where a crash cut the file short
  * @param run
  *   tells two holds of one process apart
  */
private[lock] final case class LockHolder(process: Option[MachineProcess], run: String) {

  /** The holder runs; one of another host is taken for gone by whoever gets the lock on the file. */
  def isRunning: Boolean = process.exists(_.isRunning(MachineProcess.current.host).contains(true))

  /** It is held under these locks inside the process, and under no others there. */
  def isOf(locks: String): Boolean = run.startsWith(locks)
}

private[lock] object LockHolder {

  val Name: String = s"${LockFile.Name}.holder"

  /** A new hold under locks of this process, which are those of a class loader where several have loaded these classes. */
  def of(locks: String): LockHolder = LockHolder(Some(MachineProcess.current), s"$locks/${UUID.randomUUID()}")

  def read(folder: Path): Option[LockHolder] =
    try Some(parse(new String(Files.readAllBytes(folder.resolve(Name)), UTF_8)))
    catch { case _: NoSuchFileException => None }

  /** `false` when another one stands there. */
  def write(folder: Path, holder: LockHolder): Boolean = {
    val lines = holder.process.toSeq.flatMap(p => Seq(p.host, p.pid.toString, p.started.toString, p.ticks.toString))
    val content = (lines :+ holder.run).mkString("", "\n", "\n").getBytes(UTF_8)
    try {
      Files.write(folder.resolve(Name), content, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)
      true
    } catch { case _: FileAlreadyExistsException => false }
  }

  /** Removes what stands there if it is this one's. */
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

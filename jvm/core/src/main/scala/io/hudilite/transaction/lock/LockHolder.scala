package io.hudilite.transaction.lock

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{FileAlreadyExistsException, Files, NoSuchFileException, Path, StandardOpenOption}
import java.util.UUID

import scala.util.control.NonFatal

/** Who holds a table's lock, in a file beside the lock file, for as long as it is held.
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

  /** Another copy of these classes in this process has it, or this one. */
  def isOfLoader: Boolean = run.startsWith(LockHolder.loader)
}

private[lock] object LockHolder {

  val Name: String = s"${LockFile.Name}.holder"

  /** Of the classes that a class loader has loaded: what bears it is held under their lock inside the process. */
  private val loader = UUID.randomUUID().toString

  def current(): LockHolder = LockHolder(Some(MachineProcess.current), s"$loader/${UUID.randomUUID()}")

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

package io.hudilite.transaction

import io.hudilite.error.CommitConflict
import io.hudilite.storage.Place
import io.hudilite.transaction.lock.LocalLocks

import java.nio.channels.FileChannel
import java.nio.file.{Path, Paths, StandardOpenOption}

import scala.collection.JavaConverters._

/** A second JVM that does one thing, says so, and waits to be ended. */
final class OtherProcess private (process: Process, val said: Char) {

  val pid: Long = process.pid()

  /** Ends the process as a crash would. */
  def end(): Unit = {
    process.destroyForcibly().waitFor()
    ()
  }
}

object OtherProcess {

  /** One that tries for the lock of a table, and holds it if it gets it. */
  def trying(basePath: Path, waitMs: Long): OtherProcess = start("try", basePath.toString, waitMs.toString)

  def holdingLock(file: Path): OtherProcess = start("lock", file.toString)

  def start(arguments: String*): OtherProcess = {
    val java = Paths.get(sys.props("java.home"), "bin", "java").toString
    val main = "io.hudilite.transaction.OtherProcessMain"
    // It lives for a second: threads of a collector and of a second compiler would take half as long again.
    val options = Seq("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
    val command = Seq(java) ++ options ++ Seq("-cp", sys.props("java.class.path"), main) ++ arguments
    val process = new ProcessBuilder(command.asJava).redirectError(ProcessBuilder.Redirect.INHERIT).start()
    // The process writes one byte when it has come to where it waits.
    val said = process.getInputStream.read()
    if (said < 0) throw new IllegalStateException(s"${arguments.mkString(" ")} ended early")
    new OtherProcess(process, said.toChar)
  }
}

object OtherProcessMain {

  def main(arguments: Array[String]): Unit = arguments.toList match {
    case List("lock", file) =>
      val channel = FileChannel.open(Paths.get(file), StandardOpenOption.WRITE)
      channel.lock()
      ready()
    case List("try", basePath, waitMs) =>
      try LocalLocks.shared.withTableLock(Place.local(Paths.get(basePath)), waitMs.toLong)(ready('+'))
      catch { case e: CommitConflict if e.condition == "LOCK_TIMEOUT" => ready('-') }
    case List("write", basePath, stage) =>
      CrashingWriter.run(basePath, stage)
      ready()
    case List("append", basePath, stage) =>
      CrashingWriter.append(basePath, stage)
      ready()
    case other => throw new IllegalArgumentException(other.mkString(" "))
  }

  private def ready(said: Char = '.'): Unit = {
    System.out.write(said.toInt)
    System.out.flush()
    Thread.sleep(Long.MaxValue)
  }
}

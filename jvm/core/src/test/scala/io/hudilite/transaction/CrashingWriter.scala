package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.storage.{FileInfo, ForwardingStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, WriteStat}

/** A write that stops for ever just before it would create a file. */
object CrashingWriter {

  /** Part of the path of the file before whose creation the writer stops. */
  val Stages: Seq[String] = Seq(".heartbeat/", ".requested", ".inflight", ".marker.CREATE", ".parquet", "completed")

  /** Stages of a write that appends a log file. */
  val AppendStages: Seq[String] = Seq(".heartbeat/", ".requested", ".inflight", ".marker.", ".log.", "completed")

  /** Appends a log file to the only file group, until the stage is reached. */
  def append(basePath: String, stage: String): Unit = stopped(basePath, stage, Action.DeltaCommit) { (table, instant) =>
    TestTables.appendLog(table, instant, table.allSlices().values.flatten.head)
  }

  /** Runs until the stage is reached, then returns with the write as it is. */
  def run(basePath: String, stage: String): Unit = stopped(basePath, stage, Action.Commit) { (table, instant) =>
    TestTables.writeFile(table, instant, "p1", "new-0")
  }

  private def stopped(basePath: String, stage: String, action: String)(write: (Table, String) => WriteStat): Unit = {
    val table = Table.open(TestTables.storage, basePath)
    val stopping = table.copy(storage = new StoppingStorage(TestTables.storage, stage))
    try {
      val transaction = Transaction.begin(stopping, action, "UPSERT")
      val stat = write(stopping, transaction.instant)
      if (stage != "completed") throw new IllegalStateException(s"the stage $stage was never reached")
      else transaction.commit(Seq(stat))
    } catch { case e: Throwable => if (!stopping.storage.asInstanceOf[StoppingStorage].isStopped) throw e }
    ()
  }

  private object Stopped extends Error

  /** Nothing happens any more once the stage is reached: a killed process cleans nothing up. */
  private final class StoppingStorage(to: Storage, stage: String) extends ForwardingStorage(to) {
    @volatile var isStopped = false

    override def list(directories: Seq[String]): Map[String, Seq[FileInfo]] = alive(to.list(directories))
    override def read(path: String): Option[Array[Byte]] = alive(to.read(path))
    override def exists(path: String): Boolean = alive(to.exists(path))
    override def delete(path: String): Boolean = alive(to.delete(path))
    override def deleteOwn(directory: String): Unit = alive(to.deleteOwn(directory))
    override def createNew(path: String, content: Array[Byte]): Boolean = alive(to.createNew(path, content), path)
    override def replace(path: String, content: Array[Byte]): Unit = alive(to.replace(path, content), path)

    private def alive[T](call: => T, created: String = ""): T = {
      if (isFile(created) || (stage == "completed" && created.endsWith("commit"))) isStopped = true
      if (isStopped) throw Stopped else call
    }

    // Markers bear the names of their files.
    private def isFile(path: String): Boolean =
      path.contains(stage) && (stage.startsWith(".marker.") || !path.contains("/.temp/"))
  }
}

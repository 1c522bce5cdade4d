package io.hudilite.spark.write

import io.hudilite.spark.row.TaskAttempt
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.spark.write.task.FileGroupWriter
import io.hudilite.storage.HadoopStorage
import io.hudilite.transaction.rollback.Markers

import java.io.File
import java.util.concurrent.{CountDownLatch, LinkedBlockingQueue, TimeUnit}

import io.hudilite.spark.write.KilledTask.{busy, row, text}
import org.apache.hadoop.conf.Configuration
import org.apache.spark.{SparkException, TaskContext, TaskKilledException}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Tasks that fail, are killed or outlive their write leave no file and no marker. */
class AbortedTaskSuite extends WriteFixture {

  private val schema = new StructType().add("id", StringType).add("n", LongType)

  /** Data files, log files and markers of the table. */
  private def files(base: String): Seq[String] = {
    def below(folder: File): Seq[File] =
      Option(folder.listFiles).toSeq.flatten.flatMap(f => if (f.isDirectory) below(f) else Seq(f))
    below(new File(base)).map(_.getName).filter(n => n.contains(".parquet") || n.contains(".log.")).sorted
  }

  folder.test("an aborted task leaves none of its files, finished or open") { base =>
    val writer = busy(job(base, schema))
    assertEquals(files(base).count(_.endsWith(".parquet")), 4)
    assertEquals(files(base).count(_.endsWith(".parquet.marker.CREATE")), 4)
    writer.abort()
    assertEquals(files(base), Nil)
  }

  folder.test("what a task begins after its write was taken back goes with it, too") { base =>
    val writer = busy(job(base, schema))
    val storage = new HadoopStorage(new Configuration())
    val instant = job(base, schema).instant
    Markers.list(storage, base, instant).foreach(m => storage.delete(s"$base/${m.relativePath}"))
    Markers.delete(storage, base, instant)
    Seq("e", "f").foreach(p => writer.move(text(p), row(p), text(p)))
    assertEquals(files(base).count(_.endsWith(".parquet")), 2)
    writer.abort()
    assertEquals(files(base), Nil)
  }

  folder.test("a finished task keeps its files") { base =>
    val stats = busy(job(base, schema)).commit()
    assertEquals(stats.map(_.partitionPath).sorted, Seq("a", "b", "c", "d"))
    assertEquals(files(base).filter(_.endsWith(".parquet")), stats.map(_.fileName).sorted)
  }

  folder.test("a killed task that comes to its end takes its files back") { base =>
    val context = session.sparkContext
    val work = job(base, schema)
    val running = new Thread(() => {
      context.setJobGroup("killed", "a task to be killed")
      try context.parallelize(Seq(1), 1).foreach(_ => KilledTask.run(work))
      catch { case _: SparkException => () }
    })
    running.start()
    assert(KilledTask.begun.await(1, TimeUnit.MINUTES), "the task did not begin")
    context.cancelJobGroup("killed")
    assertEquals(KilledTask.outcome.poll(1, TimeUnit.MINUTES), "aborted")
    running.join()
    assertEquals(files(base), Nil)
  }
}

/** A task, and where it meets the test: both run in one JVM. */
private object KilledTask {

  val begun = new CountDownLatch(1)
  val outcome = new LinkedBlockingQueue[String]

  def run(job: WriteJob): Unit = {
    val writer = busy(job)
    begun.countDown()
    while (!TaskContext.get().isInterrupted()) Thread.sleep(5)
    try {
      writer.commit()
      outcome.put("committed")
    } catch {
      case _: TaskKilledException =>
        writer.abort()
        outcome.put("aborted")
    }
  }

  def text(value: String): UTF8String = UTF8String.fromString(value)

  def row(id: String): InternalRow = InternalRow(text(id), 1L)

  /** A writer that has finished a file in partition `a`, and has files open in `b`, `c` and `d`. */
  def busy(job: WriteJob): FileGroupWriter = {
    val writer = new FileGroupWriter(job, TaskAttempt(0, 0, 0))
    Seq("a", "b").foreach { partition =>
      writer.toNewFiles(text(partition))
      writer.insert(text(partition), row(partition))
    }
    Seq("c", "d").foreach(p => writer.move(text(p), row(p), text(p)))
    writer
  }
}

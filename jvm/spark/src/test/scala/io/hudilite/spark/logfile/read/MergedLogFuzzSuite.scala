package io.hudilite.spark.logfile.read

import io.hudilite.config.TableProperties
import io.hudilite.error.HudiliteException
import io.hudilite.filegroup.FileSlice
import io.hudilite.spark.{GoldenTables, SharedSession}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.{Table, TableAccess, TableSupport}

import java.nio.ByteBuffer
import java.nio.file.{Files, Paths}
import java.util.Random

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

/** Golden logs, damaged by a seed: merging them ends in one of our errors or in rows, and in nothing else. */
class MergedLogFuzzSuite extends FunSuite {

  private val Cases = 200

  for (name <- Seq("all-types-v9", "mor-logs-v6", "mor-parquet-blocks-v8", "is-deleted-field-v9"))
    test(s"$name: damaged logs are read or raise our errors") {
      val basePath = GoldenTables.table(name)
      val storage = new HadoopStorage(new Configuration())
      val table = Table.load(storage, basePath, TableProperties.read(storage, basePath))
      val slices = table.allSlices().values.flatten.filter(_.logs.nonEmpty).toList.sortBy(_.fileId)
      val job = LogJob.of(table, TableSupport.of(table, TableAccess.Read()), None)
      val cases = Cases
      val outcomes = SharedSession.spark.sparkContext.parallelize(Seq(0), 1).flatMap(_ =>
        (0 until cases).map(seed => MergedLogFuzzSuite.outcome(job, slices, seed))).collect().toList
      assertEquals(outcomes.filterNot(o => o == "read" || o == "error").distinct, Nil)
      // Damage to a value shows in nothing but the value.
      assert(outcomes.contains("read") && outcomes.contains("error"), outcomes.groupBy(identity).map(_._2.size))
    }
}

object MergedLogFuzzSuite {

  private val Extremes = Seq(0, 1, -1, Int.MaxValue, Int.MinValue)

  private def outcome(job: LogJob, slices: Seq[FileSlice], seed: Int): String = {
    val random = new Random(seed.toLong)
    val slice = slices(random.nextInt(slices.size))
    val folder = Files.createTempDirectory("hudilite-damaged")
    val logs = slice.logs.map { log =>
      val bytes = damaged(Files.readAllBytes(Paths.get(job.basePath, slice.partition, log.name)), random)
      val target = folder.resolve(slice.partition).resolve(log.name)
      Files.createDirectories(target.getParent)
      Files.write(target, bytes)
      log.copy(length = bytes.length.toLong)
    }
    read(job.copy(basePath = folder.toString), slice.copy(logs = logs), seed)
  }

  private def read(job: LogJob, slice: FileSlice, seed: Int): String =
    try {
      val log = MergedLog.of(LogRowLayout(job, job.dataSchema), slice, new Configuration())
      try while (log.next()) if (!log.isDelete) log.row.toSeq(job.dataSchema).toString
      finally log.close()
      "read"
    } catch {
      case _: HudiliteException => "error"
      case e: Throwable => s"seed $seed: $e at ${e.getStackTrace.take(4).mkString(" ")}"
    }

  /** A few changes, most of them in the second half, where the contents are. */
  private def damaged(bytes: Array[Byte], random: Random): Array[Byte] = {
    val changed = bytes.clone()
    (0 to random.nextInt(3)).foreach { _ =>
      val at = if (random.nextInt(4) == 0) random.nextInt(bytes.length)
      else
        bytes.length / 2 + random.nextInt(bytes.length / 2)
      if (random.nextBoolean()) changed(at) = random.nextInt(256).toByte
      else if (at + 4 <= bytes.length) ByteBuffer.wrap(changed).putInt(at, Extremes(random.nextInt(Extremes.size)))
    }
    if (random.nextInt(8) == 0) changed.take(1 + random.nextInt(changed.length)) else changed
  }
}

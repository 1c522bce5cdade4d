package io.hudilite.spark.keys

import io.hudilite.metadata.MetadataPartition
import io.hudilite.metadata.check.MetadataValidator
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.spark.SharedSession
import io.hudilite.storage.{HadoopStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.WriteStat
import io.hudilite.upkeep.{FileWork, KeyJobs, KeyShards, KeySource, MetadataHome, MetadataServices}

import java.io.IOException
import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicInteger

import munit.FunSuite
import org.apache.spark.TaskContext
import org.apache.spark.sql.SaveMode

import scala.collection.JavaConverters._

/** Compactions of a metadata table, of which large file groups are the work of tasks. */
class CompactionTasksSuite extends FunSuite {

  private val spark = SharedSession.spark

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(10, "min")

  private val folder: FunFixture[String] = FunFixture[String](
    setup = _ => Files.createTempDirectory("hudilite-compacted").toString,
    teardown = base =>
      Files.walk(Path.of(base)).sorted(java.util.Comparator.reverseOrder[Path]).iterator.asScala
        .foreach(Files.delete))

  private def open(path: String): Table =
    Table.open(new HadoopStorage(spark.sparkContext.hadoopConfiguration), path)

  /** The work, counted where it is done. */
  private final class CountedJobs(path: String, mostBytes: Long) extends KeyJobs {
    private val jobs = new SparkKeyJobs(spark, path, mostBytes = mostBytes)
    override def run(sources: Seq[KeySource], shards: KeyShards, storage: Storage): Seq[WriteStat] =
      jobs.run(sources, shards, storage)
    override def made(work: Seq[FileWork], storage: Storage): Seq[WriteStat] =
      jobs.made(work.map(CountedWork(_)), storage)
  }

  private val indexed = Map("hoodie.datasource.write.recordkey.field" -> "id", "hoodie.metadata.enable" -> "true",
    "hoodie.metadata.global.record.level.index.enable" -> "true")

  folder.test("a large file group of the metadata table is compacted by a task of its own, a small one by the driver") {
    path =>
      val groups = "hoodie.metadata.global.record.level.index.min.filegroup.count" -> "2"
      def more(from: Int, until: Int): Unit = spark.range(from.toLong, until.toLong)
        .selectExpr("cast(id AS STRING) id", "1 v").write.format("hudilite").options(indexed + groups)
        .option("hoodie.datasource.write.operation", "upsert").mode(SaveMode.Append).save(path)
      def compact(mostBytes: Long): (Int, Int) = {
        CountedWork.counts.foreach(_.set(0))
        val home = new MetadataHome(open(path).store)
        val served = MetadataServices.run(home, home.data.load(), 1, new CountedJobs(path, mostBytes))
        assertEquals(served.compactions.size, 1)
        assertEquals(new MetadataValidator(open(path)).differences(), Nil)
        (CountedWork.ofTasks.get, CountedWork.ofDriver.get)
      }
      more(0, 20000)
      more(20000, 20010)
      val slices = new MetadataTable(open(path).store, open(path).timeline)
        .slices(MetadataPartition.RecordIndex)
      assertEquals(slices.size, 2)
      assertEquals(compact(slices.map(_.totalLength).min - 1), (2, 1))
      more(20010, 20020)
      assertEquals(compact(0L), (2, 1), "the listing takes memory")
      more(20020, 20030)
      assertEquals(compact(8L << 20), (0, 3))
  }

  test("a task that fails is an error of the storage, which no write fails by") {
    val jobs = new SparkKeyJobs(spark, "/tmp/nowhere", mostBytes = 0L)
    val storage = new HadoopStorage(spark.sparkContext.hadoopConfiguration)
    val error = intercept[IOException](jobs.made(Seq(BrokenWork), storage))
    assert(error.getMessage.contains("no space is left"), error.getMessage)
  }
}

private final case class CountedWork(work: FileWork) extends FileWork {
  override def bytes: Long = work.bytes
  override def isStreamed: Boolean = work.isStreamed
  override def run(storage: Storage, goesOn: () => Unit): WriteStat = {
    (if (Option(TaskContext.get()).isDefined) CountedWork.ofTasks else CountedWork.ofDriver).incrementAndGet()
    work.run(storage, goesOn)
  }
}

private object BrokenWork extends FileWork {
  override def bytes: Long = 1L
  override def isStreamed: Boolean = true
  override def run(storage: Storage, goesOn: () => Unit): WriteStat = throw new IOException("no space is left")
}

private object CountedWork {
  val ofTasks = new AtomicInteger
  val ofDriver = new AtomicInteger
  val counts: Seq[AtomicInteger] = Seq(ofTasks, ofDriver)
}

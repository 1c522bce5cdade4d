package io.hudilite.spark.read

import io.hudilite.filegroup.{FileNames, Partitions}
import io.hudilite.spark.SharedSession
import io.hudilite.storage.{CountingFileSystem, HadoopStorage}
import io.hudilite.table.{RowCounts, Table}
import io.hudilite.timeline.WriteStat
import io.hudilite.transaction.Transaction

import java.nio.file.{Files, Path, Paths}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.{col, lit, lpad}

import scala.collection.JavaConverters._

/** A table with as many file groups as are wanted, at the cost of a few: the files of one partition are linked into others.
  * Their keys are those of the first, and their meta columns lie.
  */
final class ManyFiles private (folder: Path) {

  private val spark = SharedSession.spark
  private val conf = spark.sparkContext.hadoopConfiguration
  CountingFileSystem.configure(conf)

  private val options = Map("hoodie.table.name" -> "many", "hoodie.datasource.write.recordkey.field" -> "id",
    "hoodie.datasource.write.partitionpath.field" -> "part")

  /** Path of the table; what is asked of the file system under it is counted. */
  val path: String = CountingFileSystem.path(folder.toString)

  def partition(i: Int): String = f"p$i%04d"

  /** Rows of the first partition, keys from `k0000000` on. */
  def rows(from: Long, until: Long): DataFrame = spark.range(from, until).select(
    org.apache.spark.sql.functions.concat(lit("k"), lpad(col("id").cast("string"), 7, "0")).as("id"),
    lit(partition(0)).as("part"), col("id").as("n"))

  def upsert(rows: DataFrame): Unit = write(rows, "upsert")

  private def write(rows: DataFrame, operation: String): Unit = rows.write.format("hudilite").options(options)
    .option("hoodie.datasource.write.operation", operation).option("hoodie.bulkinsert.sort.mode", "NONE")
    .mode("append").save(path)

  def table(): Table = Table.open(new HadoopStorage(conf), path)

  def read(): DataFrame = spark.read.format("hudilite").load(path)

  /** A copy of the table at another path, where nothing of it is known yet. */
  def copied(): ManyFiles = {
    val other = ManyFiles.newFolder()
    val all = Files.walk(folder)
    try all.iterator.asScala.foreach { from =>
        val to = other.resolve(folder.relativize(from).toString)
        if (from.toString.endsWith(".parquet")) Files.createLink(to, from) else Files.copy(from, to)
      }
    finally all.close()
    new ManyFiles(other)
  }

  private def fill(partitions: Int, filesInPartition: Int): Unit = {
    val first = rows(0, filesInPartition * ManyFiles.RowsInFile).repartitionByRange(filesInPartition, col("id"))
    write(first, "bulk_insert")
    link(partitions)
  }

  private def link(partitions: Int): Unit = {
    val now = table()
    val slices = now.files.slices(partition(0))
    val rows = RowCounts.of(now, slices.flatMap(_.base))
    val transaction = Transaction.begin(now, "commit", "INSERT")
    val stats = for (i <- 1 until partitions; (base, n) <- slices.flatMap(_.base).zipWithIndex) yield {
      val fileId = FileNames.newFileId(transaction.instant, i, n)
      val name = FileNames.baseFile(fileId, "0-0-0", transaction.instant)
      val target = folder.resolve(partition(i)).resolve(name)
      if (!Files.exists(target.getParent)) {
        Files.createDirectories(target.getParent)
        Partitions.createMetadata(now.storage, path, partition(i), transaction.instant)
      }
      Files.createLink(target, Paths.get(s"$folder/${base.relativePath}"))
      WriteStat(fileId, s"${partition(i)}/$name", WriteStat.NoPreviousCommit, partition(i),
        numWrites = rows(base.relativePath), fileSizeInBytes = base.length)
    }
    transaction.commit(stats)
    ()
  }
}

object ManyFiles {

  val RowsInFile = 4L

  def apply(partitions: Int, filesInPartition: Int): ManyFiles = {
    val table = new ManyFiles(newFolder())
    table.fill(partitions, filesInPartition)
    table
  }

  private def newFolder(): Path = Files.createTempDirectory("hudilite-many").resolve("table")
}

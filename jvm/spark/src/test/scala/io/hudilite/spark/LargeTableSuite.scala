package io.hudilite.spark

import io.hudilite.spark.plan.table.PlannedTable
import io.hudilite.table.KnownFiles

import java.nio.file.{Files, Path}
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import munit.FunSuite
import org.apache.spark.scheduler.{SparkListener, SparkListenerBlockUpdated}
import org.apache.spark.sql.{DataFrame, SaveMode}
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.hudilite.Listeners
import org.apache.spark.storage.BroadcastBlockId

import scala.collection.JavaConverters._
import scala.concurrent.duration.{Duration, DurationInt}

/** Memory of the driver and messages to tasks grow only with the answer, on a table of 10,000 file groups in 1,000
  * partitions; `benchmarks/large.py` measures the time.
  */
class LargeTableSuite extends FunSuite {

  import LargeTableSuite._

  override def munitTimeout: Duration = 10.minutes

  private val spark = SharedSession.spark

  private lazy val path: Path = {
    val table = Files.createTempDirectory("hudilite-large").resolve("t")
    write(rows(0, Groups * 100L).repartitionByRange(Groups, col("id")), table, "bulk_insert")
    val first = table.resolve("p000")
    val files = list(first).filter(_.getFileName.toString.endsWith(".parquet"))
    assertEquals(files.size, Groups)
    for (i <- 1 until Partitions) {
      val folder = Files.createDirectory(table.resolve(f"p$i%03d"))
      Files.createLink(folder.resolve(Marker), first.resolve(Marker))
      files.foreach { file => // a group of its own of the same write
        val rest = file.getFileName.toString.dropWhile(_ != '_')
        Files.createLink(folder.resolve(s"${UUID.randomUUID}-0$rest"), file)
      }
    }
    table
  }

  private def list(folder: Path): Seq[Path] = {
    val all = Files.list(folder)
    try all.iterator.asScala.toList
    finally all.close()
  }

  private def rows(from: Long, until: Long): DataFrame =
    spark.range(from, until).selectExpr("format_string('k%08d', id) id", "'p000' p", "id ts", "id v")

  private def write(frame: DataFrame, table: Path, operation: String): Unit =
    frame.write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.partitionpath.field", "p")
      .option("hoodie.datasource.write.precombine.field", "ts")
      .option("hoodie.bulkinsert.sort.mode", "NONE")
      .option("hoodie.datasource.write.operation", operation).mode(SaveMode.Append).save(table.toString)

  private def read(): DataFrame = spark.read.format("hudilite").load(path.toString)

  /** Counts the kept files of the newest snapshot. */
  private def watched(): () => KnownFiles = KnownFiles.watch(read().queryExecution.analyzed.collectFirst {
    case relation: DataSourceV2Relation => PlannedTable.of(relation).flatMap(_.table).get
  }.get)

  /** Tasks of a query, which is planned up to these: the files are those of the first partition, and their rows, too. */
  private def tasks(query: DataFrame): Int = query.queryExecution.toRdd.getNumPartitions

  /** Bytes of each broadcast that is made while `body` runs. */
  private def sent(body: => Unit): Seq[Long] = {
    val sizes = new ConcurrentHashMap[(Long, String), Long]
    val listener = new SparkListener {
      override def onBlockUpdated(event: SparkListenerBlockUpdated): Unit = event.blockUpdatedInfo.blockId match {
        case BroadcastBlockId(id, piece) if piece.startsWith("piece") =>
          val info = event.blockUpdatedInfo
          sizes.merge((id, piece), info.memSize + info.diskSize, (a, b) => a.max(b))
          ()
        case _ =>
      }
    }
    Listeners.settle(spark.sparkContext)
    spark.sparkContext.addSparkListener(listener)
    try {
      body
      Listeners.settle(spark.sparkContext)
    } finally spark.sparkContext.removeSparkListener(listener)
    sizes.asScala.toSeq.groupBy(_._1._1).values.map(_.map(_._2).sum).toSeq
  }

  test("a query of one partition keeps the listing of that partition, and no other") {
    val known = watched()
    assert(tasks(read().where("p = 'p500'")) > 0)
    assertEquals(known(), KnownFiles(Set("p500"), Groups + 1, 1))
  }

  test("an upsert into one partition keeps its listing, and sends no more than its groups to tasks") {
    val known = watched()
    val changes = rows(0, 1000).selectExpr("id", "p", "ts + 1 ts", "-v v")
    val sizes = sent(write(changes, path, "upsert"))
    assert(sizes.nonEmpty)
    assert(sizes.forall(_ < MiB), s"sends ${sizes.sorted.reverse.take(5).mkString(", ")} bytes")
    assert(sizes.sum < 2 * MiB, s"sends ${sizes.sum} bytes in ${sizes.size} broadcasts")
    // Its own, and the one that tells how many partitions there are.
    assertEquals((known().folders - "p500").filter(_.nonEmpty), Set("p000"))
    assertEquals(read().where("p = 'p000' AND v < 0").selectExpr("count(v)").head().getLong(0), 999L)
  }

  test("a query of all partitions knows all of them, once it is asked") {
    val known = watched()
    assert(tasks(read()) > 0)
    assertEquals(known().partitions, Partitions)
  }
}

private object LargeTableSuite {
  private val Partitions = 1000
  private val Groups = 10
  private val Marker = ".hoodie_partition_metadata"
  private val MiB = 1L << 20
}

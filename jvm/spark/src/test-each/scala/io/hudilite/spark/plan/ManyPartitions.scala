package io.hudilite.spark.plan

import io.hudilite.storage.{CountingFileSystem, HadoopStorage}
import io.hudilite.table.Table

import java.nio.file.Files

import org.apache.spark.sql.{DataFrame, SaveMode}

/** Tables of more partitions than are looked at while a write is planned. */
trait ManyPartitions extends UpsertPlans {

  protected val facts = Map(
    "hoodie.datasource.write.recordkey.field" -> "id",
    "hoodie.datasource.write.partitionpath.field" -> "p",
    "hoodie.datasource.write.precombine.field" -> "ts")
  protected val buckets = Map("hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> "2")
  protected val kinds = Seq("COPY_ON_WRITE", "MERGE_ON_READ")

  protected def save(rows: DataFrame, path: String, operation: String, more: Map[String, String] = Map.empty): Unit = {
    CountingFileSystem.configure(spark.sparkContext.hadoopConfiguration)
    rows.write.format("hudilite").options(facts ++ more).option("hoodie.datasource.write.operation", operation)
      .mode(SaveMode.Append).save(path)
  }

  /** Rows of these partitions, `each` of every one, with keys from `from` on that tell their partition. */
  protected def changes(partitions: Seq[Int], from: Int, each: Int, ts: Long, v: String): DataFrame =
    spark.createDataFrame(for (p <- partitions; i <- from until from + each)
        yield (f"p$p%02d-$i%04d", f"p$p%02d", ts, v)).toDF("id", "p", "ts", "v")

  /** A table with two rows in each partition, in one file group or in two buckets. */
  protected def created(partitions: Int, more: Map[String, String] = Map.empty): String = {
    val path = Files.createTempDirectory("hudilite-counted").resolve("t").toString
    save(changes(0 until partitions, 0, 2, 1, "old").coalesce(1), path, "bulk_insert", more)
    path
  }

  protected def opened(path: String): Table =
    Table.open(new HadoopStorage(spark.sparkContext.hadoopConfiguration), path)

  protected def groups(path: String): Map[String, Int] =
    opened(path).allSlices().map { case (partition, slices) => partition -> slices.size }

  protected def read(path: String): DataFrame = spark.read.format("hudilite").load(path)

  /** Which partitions were listed, of which the process knew nothing. */
  protected def listed(path: String)(write: String => Unit): Set[String] = {
    val copy = copied(path)
    val (_, calls) = CountingFileSystem.during(write(CountingFileSystem.path(copy)))
    val paths = calls.paths("list").map(_.stripPrefix(copy).stripPrefix("/"))
      .filter(path => path.nonEmpty && !path.contains('/') && path != ".hoodie")
      .filterNot(_.contains(',')) // which may be one name or several
    assertEquals(paths.diff(paths.distinct), Nil, "listed twice")
    paths.toSet
  }

  protected def names(partitions: Seq[Int]): Set[String] = partitions.map(p => f"p$p%02d").toSet

  protected val Many = 60
  protected val Touched = (20 until 37).toSeq

  /** Checks that a write into the many partitions lists those of its rows, and at most so many others. */
  protected def assertListed(found: Set[String], touched: Seq[Int], most: Int, clue: String): Unit = {
    assertEquals(names(touched) -- found, Set.empty[String], clue)
    assert((found -- names(touched)).size <= most, s"$clue lists ${found.toSeq.sorted}")
  }
}

package io.hudilite.spark.plan

import io.hudilite.spark.Interpreted
import io.hudilite.spark.lookup.IndexProbeExec
import io.hudilite.spark.read.PlanProbe
import io.hudilite.storage.CountingFileSystem

import java.nio.file.{Files, Path, Paths}

import org.apache.spark.sql.DataFrame

import scala.collection.JavaConverters._

/** Lookups that take ranges and bloom filters of keys from the metadata table, in a table of six base files. */
class KeyFactsByMetadataSuite extends UpsertPlans with Interpreted {

  private val Asks = "hoodie.bloom.index.use.metadata" -> "true"
  private val All = 6L

  private val made = Seq("COPY_ON_WRITE", "MERGE_ON_READ").map(kind => kind -> new Lazy(withFacts(kind))).toMap

  private final class Lazy(make: => String) { lazy val path: String = make }

  /** The table with ranges and filters of its files in the metadata table. */
  private def withFacts(kind: String): String = {
    val path = table(kind)
    write(rows(7000, 7001, 0).write.format("hudilite").option("hoodie.metadata.index.column.stats.enable", "true")
        .option("hoodie.metadata.index.bloom.filter.enable", "true")
        .option("hoodie.datasource.write.partitionpath.field", "dt"), path, "insert")
    path
  }

  private def fresh(kind: String = "COPY_ON_WRITE"): String = {
    CountingFileSystem.configure(spark.sparkContext.hadoopConfiguration)
    CountingFileSystem.path(copied(made(kind).path))
  }

  /** Metrics of the lookup of an upsert, and which of the base files before it were read.
    *
    * @param index
    *   the index of the write
    */
  private def looked(path: String, frame: DataFrame, asks: Boolean, index: String = "BLOOM")
      : (Map[String, Long], Set[String]) = {
    val before = bases(path)
    var nodes = Seq.empty[org.apache.spark.sql.execution.SparkPlan]
    val (_, calls) = CountingFileSystem.during {
      nodes = executed(write(frame.write.format("hudilite").option(Asks._1, asks.toString), path, "upsert", index))
    }
    val read = calls.paths("get").map(name => name.substring(name.lastIndexOf('/') + 1)).toSet
    // Where nothing is found the lookup is no more in the plan that was run.
    val found = nodes.collectFirst { case p: IndexProbeExec => p.metrics.map { case (name, of) => name -> of.value } }
    (found.getOrElse(Map.empty), before.intersect(read))
  }

  private def local(path: String): Path = Paths.get(path.substring(path.indexOf(':') + 1))

  private def bases(path: String): Set[String] = files(local(path)).filter(f =>
    f.toString.endsWith(".parquet") && !f.toString.contains(".hoodie/")).map(_.getFileName.toString).toSet

  private def files(folder: Path): Seq[Path] = {
    val all = Files.walk(folder)
    try all.iterator.asScala.filter(f => Files.isRegularFile(f)).toList
    finally all.close()
  }

  /** Keys that no file has, between those that are there. */
  private def between(from: Long, until: Long): DataFrame = rows(from, until, 1)
    .selectExpr("concat(id, 'x') id", "ts", "dt", "version")

  /** More such keys of each file than a filter is asked about one by one, and fewer than are worth a scan. */
  private def everywhere: DataFrame = between(0, 6000).where("ts % 10 < 3")

  private def state(path: String): Seq[String] =
    spark.read.format("hudilite").load(path).selectExpr("id", "ts", "dt", "version").collect().map(
      _.toString).sorted.toSeq

  for (kind <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"))
    test(s"$kind: keys that are new are known to be so without a look into a file, and else by the footer of each") {
      val (with_, without) = (fresh(kind), fresh(kind))
      assertEquals(looked(with_, everywhere, asks = true)._2, Set.empty[String])
      assertEquals(looked(without, everywhere, asks = false)._2.size.toLong, All)
      assertEquals(state(with_), state(without))
    }

  test("keys of some files are found, and filters of files without keys in their range are not asked for") {
    val (with_, without) = (fresh(), fresh())
    val some = rows(1500, 1503, 5).union(between(1500, 1501)).union(rows(5001, 5002, 5))
    val (facts, read) = looked(with_, some, asks = true)
    assertEquals((facts("metadataFilters"), facts("footersAsked"), facts("filesInRange")), (2L, 0L, 2L))
    assertEquals((facts("bloomHits"), facts("numOutputRows"), read.size), (4L, 4L, 2))
    val (others, _) = looked(without, some, asks = false)
    assertEquals((others("metadataFilters"), others("footersAsked"), others("bloomHits")), (0L, 4L, 4L))
    assertEquals(state(with_), state(without))
    // The files of that write have facts in log files of the metadata table.
    val (again, _) = looked(with_, between(1501, 1503).union(rows(1501, 1502, 9)), asks = true)
    assertEquals((again("metadataFilters"), again("footersAsked"), again("numOutputRows")), (1L, 0L, 1L))
  }

  test("a simple index takes ranges, and another that has no partitions asks all files by them") {
    val one = between(1500, 1501).union(rows(1500, 1501, 1))
    val (simple, _) = looked(fresh(), one, asks = true, "SIMPLE")
    assertEquals((simple("metadataFilters"), simple("footersAsked"), simple("filesOpened")), (0L, 0L, 1L))
    val (global, read) = looked(fresh(), one, asks = true, "GLOBAL_BLOOM")
    assertEquals((global("candidateFiles"), global("metadataFilters"), global("footersAsked"), read.size),
      (All + 1, 1L, 0L, 1))
  }

  test("a read by key and statements with one ask the metadata table, and say so") {
    val path = fresh()
    def found(id: String): (Seq[String], String, Int) = {
      val frame = spark.read.format("hudilite").option(Asks._1, Asks._2).load(path).where(s"id = '$id'")
      val (rows, calls) = CountingFileSystem.during(frame.select("id").collect().map(_.getString(0)).toSeq)
      (rows, PlanProbe.scan(frame).scan.description(), calls.paths("get").count(_.endsWith(".parquet")))
    }
    val (none, said, gets) = found("k001500x")
    assertEquals((none, gets), (Nil, 0))
    assert(said.contains("1 by key range -> 0 by bloom filter (1 of the metadata table, 0 of footers)"), said)
    assertEquals(found("k001500")._1, Seq("k001500"))
    spark.sql(s"SET ${Asks._1}=true")
    try {
      spark.sql(s"DELETE FROM hudilite.`$path` WHERE id IN ('k001500', 'k001501x')").collect()
      spark.sql(s"UPDATE hudilite.`$path` SET version = 7 WHERE id = 'k001502'").collect()
    } finally spark.sql(s"RESET ${Asks._1}")
    val plain = spark.read.format("hudilite").load(path).where("id BETWEEN 'k001499' AND 'k001502'")
    assertEquals(plain.selectExpr("id", "version").collect().map(_.toString).sorted.toSeq,
      Seq("[k001499,0]", "[k001501,0]", "[k001502,7]"))
  }

  test("footers are asked where the metadata table cannot answer: it is damaged, has no filters, or is not there") {
    def facts(path: String): (Long, Long) = {
      val (found, _) = looked(path, everywhere.union(rows(10, 11, 3)), asks = true)
      assertEquals(found("numOutputRows"), 1L)
      (found("metadataFilters"), found("footersAsked"))
    }
    val damaged = fresh()
    val filters = files(local(damaged).resolve(".hoodie/metadata/bloom_filters")).filter(_.toString.endsWith(".hfile"))
    assert(filters.nonEmpty)
    filters.foreach { file =>
      val bytes = Files.readAllBytes(file)
      java.util.Arrays.fill(bytes, 0, bytes.length - 4096, 7: Byte) // all but the trailer
      Files.write(file, bytes)
    }
    assertEquals(facts(damaged), (0L, All))
    val without = fresh()
    write(rows(7001, 7002, 0).write.format("hudilite").option("hoodie.metadata.index.bloom.filter.enable", "false"),
      without, "insert")
    assertEquals(facts(without), (0L, All))
    assertEquals(facts(CountingFileSystem.path(table())), (0L, All))
  }
}

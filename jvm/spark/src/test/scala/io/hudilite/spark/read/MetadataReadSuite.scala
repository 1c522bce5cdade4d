package io.hudilite.spark.read

import io.hudilite.metadata.check.{DifferenceKind, MetadataValidator}
import io.hudilite.spark.{GoldenAnswers, GoldenTables, Interpreted, SharedSession}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import java.nio.file.{Files, Path, Paths}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.lit

import scala.collection.JavaConverters._

/** Reads of tables beside which Apache Hudi keeps a metadata table. */
class MetadataReadSuite extends FunSuite with Interpreted {

  private def read(path: String, options: (String, String)*): DataFrame =
    SharedSession.spark.read.format("hudilite").options(options.toMap).load(path)

  private val storage = new HadoopStorage(new Configuration())

  private val byMetadata = "hoodie.metadata.enable" -> "true"

  private val byFolders = "hoodie.metadata.enable" -> "false"

  private def newest(path: String, folder: String): Path = {
    val files = Files.list(Paths.get(path, folder))
    try files.iterator.asScala.filter(_.toString.endsWith(".parquet")).maxBy(_.toString.split("_").last)
    finally files.close()
  }

  for (name <- Seq("metadata-table-v6", "metadata-table-v8", "metadata-table-v9"))
    test(s"$name: files that the metadata table does not name are not read unless folders are asked for") {
      val path = GoldenAnswers.copy(name)
      val rows = GoldenAnswers.snapshot(name)
      assertEquals(GoldenAnswers.of(read(path, byMetadata)), rows)
      assertEquals(GoldenAnswers.of(read(path)), rows)
      assertEquals(GoldenAnswers.of(read(GoldenTables.table(name), byFolders)), rows)
      // It looks like one of a committed write, so that only the metadata table knows better.
      val file = newest(path, "2026-01-02")
      val added = s"0000000a-aaaa-4aaa-8aaa-00000000000a-0_9-1-1_${file.toString.split("_").last}"
      Files.copy(file, file.resolveSibling(added))
      def ofFolder(options: (String, String)*): Long = read(path, options: _*).where("dt = '2026-01-02'").count()
      val asOf = "as.of.instant" -> "20991231000000000"
      for (past <- Seq(Nil, Seq(asOf)); asked <- Seq(Nil, Seq(byMetadata)))
        assertEquals(ofFolder(past ++ asked: _*) * 2, ofFolder(past :+ byFolders: _*), clues(past, asked))
    }

  test("a write keeps the metadata table up with its statistics, and the next read has all rows") {
    val path = GoldenAnswers.copy("savepoint-rollback-v9")
    val before = read(path, byMetadata).count()
    val row = read(path).limit(1).withColumn("id", lit("new"))
    row.write.format("hudilite").mode("append").save(path)
    assertEquals(read(path, byMetadata).count(), before + 1)
    assertEquals(new MetadataValidator(Table.open(storage, path)).differences().filterNot(
        _.kind == DifferenceKind.PartitionBounds), Nil)
    assertEquals(Table.open(storage, path).config.metadataPartitions.toSet,
      Set("column_stats", "files", "partition_stats"))
  }
}

package io.hudilite.spark.write

import io.hudilite.config.TableProperties
import io.hudilite.spark.{GoldenAnswers, Logged, SharedSession}
import io.hudilite.storage.HadoopStorage

import java.nio.file.{Files, Path, Paths}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

import scala.collection.JavaConverters._

/** Warnings of a write about Hudi's metadata table, which it removes. */
class MetadataTableWarningSuite extends FunSuite {

  private val spark = SharedSession.spark

  /** Without Hadoop's checksums. */
  private def bytes(folder: Path): Long = {
    val files = Files.list(folder)
    try files.iterator().asScala.filterNot(_.toString.endsWith(".crc")).map(Files.size(_)).sum
    finally files.close()
  }

  for (version <- Seq(8, 9))
    test(s"version $version: a write names the parts that it removes, with their size, once") {
      val path = GoldenAnswers.copy(s"metadata-indexes-v$version")
      val parts = TableProperties.read(new HadoopStorage(new Configuration()), path).metadataPartitions
      assert(parts.contains("files") && parts.contains("column_stats"), parts.toString)
      val size = parts.map(part => bytes(Paths.get(path, ".hoodie", "metadata", part))).sum
      def write(): Unit = spark.read.format("hudilite").load(path).limit(1).write.format("hudilite")
        .option("hoodie.metadata.strict", "false").mode("append").save(path)
      val said = Logged.during("io.hudilite.transaction.MetadataTablePolicy") {
        write()
        write()
      }
      assert(!Files.exists(Paths.get(path, ".hoodie", "metadata")))
      if (Logged.isHeard)
        assertEquals(said,
          Seq(s"WARN Removing the metadata table of file:$path, which hudilite does not maintain: " +
            s"${parts.mkString(", ")}, $size bytes. Apache Hudi builds it again at its next write."))
    }
}

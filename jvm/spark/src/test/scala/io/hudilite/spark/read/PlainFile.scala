package io.hudilite.spark.read

import io.hudilite.filegroup.{BaseFile, FooterCache}
import io.hudilite.stats.{BoundsWanted, FileBounds, FileStatistics}

import java.io.File
import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.spark.sql.DataFrame

/** A parquet file of Spark's own writer. */
object PlainFile {

  /** The footer of one file with these rows. */
  def footer(rows: DataFrame, options: (String, String)*): ParquetMetadata = {
    val file = written(rows, options)
    FooterCache.metadata(new Configuration(), file.getPath, file.length)
  }

  /** Statistics of one file with these rows, with those of some columns. */
  def statistics(rows: DataFrame, columns: Seq[String], options: (String, String)*): FileBounds = {
    val file = written(rows, options)
    FileStatistics.at(file.getParent, new Configuration())
      .ofFile(BaseFile("", file.getName, "", "", "", file.length), BoundsWanted(columns))
  }

  private def written(rows: DataFrame, options: Seq[(String, String)]): File = {
    val folder = Files.createTempDirectory("hudilite-plain").toFile
    rows.coalesce(1).write.options(options.toMap).mode("overwrite").parquet(folder.getPath)
    folder.listFiles.filter(_.getName.endsWith(".parquet")).head
  }

  /** Options that make row groups and pages small. */
  val smallRowGroups: Seq[(String, String)] = Seq("parquet.block.size" -> "20000", "parquet.page.size" -> "1000",
    "parquet.page.size.row.check.min" -> "100", "parquet.page.size.row.check.max" -> "100",
    "parquet.block.size.row.check.min" -> "100", "parquet.block.size.row.check.max" -> "100")
}

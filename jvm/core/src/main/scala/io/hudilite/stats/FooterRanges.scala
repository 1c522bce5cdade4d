package io.hudilite.stats

import io.hudilite.filegroup.FooterCache
import io.hudilite.storage.Parallel

import org.apache.hadoop.conf.Configuration

/** Ranges from the Parquet footers of base files, which are opened beside each other and kept by the process.
  *
  * @param most
  *   of more files none is asked: their tasks read the footers themselves
  */
private[hudilite] final class FooterRanges(basePath: String, conf: => Configuration, most: Int) extends ColumnRanges {

  private lazy val hadoop = conf

  override def knows(file: AskedFile): Boolean = !file.isLog

  override def of(files: Seq[AskedFile]): Map[AskedFile, Map[FilterColumn, ColumnRange]] =
    if (files.isEmpty || files.size > most) Map.empty
    else {
      val settings = hadoop // the session that it comes from is known to the caller's thread alone
      files.zip(Parallel.map(files)(ranges(settings, _))).toMap
    }

  private def ranges(settings: Configuration, file: AskedFile): Map[FilterColumn, ColumnRange] = {
    val path = s"${basePath.stripSuffix("/")}/${file.relativePath}"
    val columns = new FooterRange(FooterCache.metadata(settings, path, file.length))
    for ((column, name) <- file.columns; range <- columns.of(name, column.kind)) yield column -> range
  }
}

package io.hudilite.stats

import io.hudilite.filegroup.FooterCache
import io.hudilite.storage.Parallel

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.metadata.ParquetMetadata

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

  private def ranges(settings: Configuration, file: AskedFile): Map[FilterColumn, ColumnRange] =
    FooterRanges.of(FooterCache.metadata(settings, file.under(basePath), file.length), file)
}

/** Ranges from those footers that the process keeps: no file is opened. */
private[hudilite] final class KeptFooterRanges(basePath: String) extends ColumnRanges {

  override def knows(file: AskedFile): Boolean = !file.isLog

  override def of(files: Seq[AskedFile]): Map[AskedFile, Map[FilterColumn, ColumnRange]] =
    files.flatMap(file =>
      FooterCache.kept(file.under(basePath), file.length).map(file -> FooterRanges.of(_, file))).toMap
}

private object FooterRanges {

  def of(footer: ParquetMetadata, file: AskedFile): Map[FilterColumn, ColumnRange] = {
    val columns = new FooterRange(footer)
    for ((column, name) <- file.columns; range <- columns.of(name, column.kind)) yield column -> range
  }
}

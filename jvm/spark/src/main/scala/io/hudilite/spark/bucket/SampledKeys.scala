package io.hudilite.spark.bucket

import io.hudilite.filegroup.BaseFile
import io.hudilite.index.FileKeys
import io.hudilite.spark.basefile.read.FirstRows
import io.hudilite.spark.shim.Sessions
import io.hudilite.stats.FileStatistics
import io.hudilite.storage.Parallel
import io.hudilite.table.Table

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.SparkSession

/** Record keys of a table's base files. */
private[spark] final class SampledKeys(table: Table, hadoop: () => Configuration) extends FileKeys {

  override def bounds(files: Seq[BaseFile]): Seq[Seq[String]] = {
    val known = FileStatistics.at(table.basePath, hadoop()).of(files)
    files.map(file => known(file).keys).map(keys => keys.min.toSeq ++ keys.max)
  }

  override def first(files: Seq[BaseFile], most: Int): Seq[Seq[String]] = {
    val conf = hadoop()
    Parallel.map(files)(FirstRows.keys(table, _, most, conf))
  }
}

private[spark] object SampledKeys {

  /** Keys read with the settings of the session. */
  def apply(table: Table, session: SparkSession): SampledKeys =
    new SampledKeys(table, () => Sessions.hadoopConf(session))
}

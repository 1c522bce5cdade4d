package io.hudilite.spark.bucket

import io.hudilite.filegroup.BaseFile
import io.hudilite.index.FirstKeys
import io.hudilite.spark.basefile.read.FirstRows
import io.hudilite.spark.shim.Sessions
import io.hudilite.storage.Parallel
import io.hudilite.table.Table

import org.apache.spark.sql.SparkSession

/** Record keys of a table's base files, read with the settings of the session. */
private[spark] final class SampledKeys(table: Table, session: SparkSession) extends FirstKeys {

  override def of(files: Seq[BaseFile], most: Int): Seq[Seq[String]] = {
    val hadoop = Sessions.hadoopConf(session)
    Parallel.map(files)(FirstRows.keys(table, _, most, hadoop))
  }
}

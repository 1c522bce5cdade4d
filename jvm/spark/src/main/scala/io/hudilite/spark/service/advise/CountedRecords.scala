package io.hudilite.spark.service.advise

import io.hudilite.filegroup.FileSlice
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.spark.row.SharedConf
import io.hudilite.spark.shim.Sessions
import io.hudilite.spark.task.{SliceBatch, TaskJob, TaskWork}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import org.apache.spark.sql.SparkSession

/** Counts the records of file groups of a metadata table, each in a task. */
private[advise] final case class CountedRecords(basePath: String, conf: SharedConf)
    extends TaskWork[SliceBatch, Long] {

  override def apply(batch: SliceBatch): Seq[Long] = {
    val table = Table.open(new HadoopStorage(conf.value), basePath)
    val metadata = new MetadataTable(table.store, table.timeline)
    batch.slices.map(slice => metadata.records(slice).size.toLong)
  }
}

private[advise] object CountedRecords {

  /** So many bytes are gone through by the driver, for whom a job takes longer. */
  private val OfDriver = 4L << 20

  def of(session: SparkSession, basePath: String)(slices: Seq[FileSlice]): Long = {
    val work = CountedRecords(basePath, SharedConf(Sessions.hadoopConf(session)))
    val counts = if (slices.map(_.totalLength).sum <= OfDriver) work(SliceBatch(slices))
    else TaskJob.run(session, "hudilite: records of an index", work, SliceBatch.grouped(slices.iterator, 1))
    counts.sum
  }
}

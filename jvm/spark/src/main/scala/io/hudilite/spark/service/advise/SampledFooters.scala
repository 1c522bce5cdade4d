package io.hudilite.spark.service.advise

import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.service.advise.SampledFile
import io.hudilite.spark.row.SharedConf
import io.hudilite.spark.shim.Sessions
import io.hudilite.spark.task.{SliceBatch, TaskJob, TaskWork}
import io.hudilite.stats.{BoundsWanted, FileStatistics}

import org.apache.spark.sql.SparkSession

/** The footers of base files with their bloom filters, read by tasks: only numbers come to the driver. */
private[advise] final case class SampledFooters(basePath: String, conf: SharedConf)
    extends TaskWork[SliceBatch, SampledFile] {

  override def apply(batch: SliceBatch): Seq[SampledFile] = of(batch.slices.flatMap(_.base))

  private def of(files: Seq[BaseFile]): Seq[SampledFile] = {
    val statistics = FileStatistics.at(basePath, conf.value)
    // One after the other: a filter takes half a megabyte, and to ask it takes longer than to read it.
    files.map(file => SampledFile.of(file, statistics.ofFile(file, BoundsWanted.WithBlooms)))
  }
}

private[advise] object SampledFooters {

  /** Files of a task; so few are read by the driver, for whom a job takes longer. */
  private val OfTask = 16

  def of(session: SparkSession, basePath: String, files: Seq[BaseFile]): Seq[SampledFile] = {
    val work = SampledFooters(basePath, SharedConf(Sessions.hadoopConf(session)))
    if (files.size <= OfTask) work.of(files)
    else TaskJob.run(session, "hudilite: footers of a sample", work,
      SliceBatch.grouped(files.iterator.map(FileSlice.ofBase), OfTask))
  }
}

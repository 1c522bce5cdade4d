package io.hudilite.spark.catalog

import io.hudilite.metadata.KnownFile
import io.hudilite.metadata.known.WantedFacts
import io.hudilite.spark.row.SharedConf
import io.hudilite.spark.shim.Sessions
import io.hudilite.spark.task.{TaskJob, TaskWork}
import io.hudilite.storage.HadoopStorage
import io.hudilite.upkeep.{FactsReader, SizedFile}

import org.apache.spark.sql.SparkSession

/** Tells of files in tasks, some of them in each. */
private[catalog] final class FactsJob(session: SparkSession) extends FactsReader {

  import FactsJob._

  override def of(wanted: WantedFacts, files: Seq[SizedFile]): Seq[KnownFile] = {
    val work = FactsWork(wanted, SharedConf(Sessions.hadoopConf(session)))
    val items = lots(files).map(Lot(_))
    if (items.size < 2) items.flatMap(work(_))
    else TaskJob.run(session, "hudilite: values of an expression", work, items)
  }

  /** Neighbours of so many bytes together. */
  private def lots(files: Seq[SizedFile]): Seq[Seq[SizedFile]] = {
    val ends = files.scanLeft(0L)((sum, file) => sum + file.bytes + OpenBytes).tail
    files.zip(ends).groupBy(_._2 / LotBytes).toSeq.sortBy(_._1).map(_._2.map(_._1))
  }
}

private object FactsJob {

  val LotBytes: Long = 32L << 20

  // Cost of opening a file, in bytes of a read.
  val OpenBytes: Long = 1L << 20

  /** Files of a task. */
  final case class Lot(files: Seq[SizedFile])

  final case class FactsWork(wanted: WantedFacts, conf: SharedConf) extends TaskWork[Lot, KnownFile] {
    override def apply(lot: Lot): Seq[KnownFile] = {
      val facts = wanted.on(new HadoopStorage(conf.value))
      lot.files.map(file => facts.of(file.path, file.bytes))
    }
  }
}

package io.hudilite.spark.service.advise

import io.hudilite.config.WriteConf
import io.hudilite.error.{HudiliteException, InvalidInput, UnsupportedTable}
import io.hudilite.index.{BucketIndex, Index}
import io.hudilite.service.advise.{
  AdvisedTable,
  CountedFiles,
  IndexAdvice,
  KnownIndex,
  LastUpsert,
  MetadataIndexes,
  PartitionFiles,
  SampledFile
}
import io.hudilite.spark.bucket.SampledKeys
import io.hudilite.table.{Buckets, Table}

import org.apache.spark.sql.SparkSession

/** Tells of the indexes of a table by its files: the folders are listed, and footers of some base files are read. Nothing
  * is changed.
  *
  * @param conf
  *   options of the writes
  * @param mostFiles
  *   base files whose footers are read
  */
private[spark] final class Adviser(session: SparkSession, table: Table, conf: WriteConf, mostFiles: Int) {

  private lazy val upsert: Option[LastUpsert] = LastUpsert.of(table)

  private lazy val (counts, sample): (Map[String, PartitionFiles], Seq[SampledFile]) = {
    val files = new CountedFiles(mostFiles, upsert.fold(Set.empty[String])(_.keys.keySet))
    table.files.iterator().foreach { case (partition, slices) => files.add(partition, slices) }
    (files.byPartition, SampledFooters.of(session, table.basePath, files.sample))
  }

  def advice: IndexAdvice = IndexAdvice.of(AdvisedTable(table.config, conf, buckets, counts, sample, upsert))

  def indexes: Seq[KnownIndex] = {
    val newest = table.timeline.writes.lastOption.map(_.time)
    val keys = table.config.recordKeyFields
    new MetadataIndexes(table, CountedRecords.of(session, table.basePath)).all ++
      KnownIndex.ofFooters(keys, sample, counts.values.map(_.bases).sum, newest) ++
      buckets.map(found =>
        KnownIndex.ofBuckets(found.fold(_ => keys, _.hashFields), found.map(_.count),
          counts.values.map(_.groups).sum, newest))
  }

  /** The buckets that the table has, or why their number is not known. The kind that the options name does not count: it may
    * be another one.
    */
  private lazy val buckets: Option[Either[String, BucketIndex]] =
    if (Buckets(table).areConsistent) Some(Left("each partition has a hash ring of its own"))
    else try {
      val asked = Buckets(table).asked(conf.index.copy(kind = None), SampledKeys(table, session))
      if (!asked.byBuckets) None else Index.of(table.config, asked).buckets.map(Right(_))
    } catch {
      case e: InvalidInput if e.condition == Adviser.Open => Some(Left(Adviser.reason(e)))
      case e: UnsupportedTable => Some(Left(Adviser.reason(e)))
    }
}

private[spark] object Adviser {

  private val Open = "BUCKETS_NOT_NAMED"

  private def reason(error: HudiliteException): String = error.parameters.getOrElse("reason", error.condition)
}

package io.hudilite.service.advise

import io.hudilite.config.{TableConfig, TableType, WriteConf, WriteOptions}
import io.hudilite.index.BucketIndex

import java.util.Locale

/** The index, number of buckets and file size that fit a table.
  *
  * @param buckets
  *   of each partition, should the table have a bucket index; `None` where it can have none
  * @param probedByKey
  *   files that this index opens for the key of a row picked at random
  * @param probedByUpsert
  *   files that it would open for the newest upsert; `None` where none is known
  * @param falsePositives
  *   share of absent keys that the written bloom filters take for present ones; `None` where there are none
  * @param why
  *   the reason with its numbers, in one sentence
  */
final case class IndexAdvice(index: String, buckets: Option[Int], fileBytes: Long, probedByKey: Double,
    probedByUpsert: Option[Double], falsePositives: Option[Double], filesRead: Int, files: Int, why: String)

/** All that speaks for an index or against it.
  *
  * @param conf
  *   options of the writes: the kind of index says if keys are unique in the whole table, which its files do not show
  * @param buckets
  *   that the table has, or the reason why it is not known how many these are
  */
final case class AdvisedTable(config: TableConfig, conf: WriteConf, buckets: Option[Either[String, BucketIndex]],
    counts: Map[String, PartitionFiles], sample: Seq[SampledFile], upsert: Option[LastUpsert])

/** Chooses: pure. The page docs/indexes.md tells which measurements the bounds rest on. */
object IndexAdvice {

  import ProbedFiles.{ByFilter, ByRange}

  /** A key that may lie in so many files is not told by their ranges alone. */
  private val Overlapping = 1.5

  /** A filter that lets more than this share pass saves too little. */
  private val Useful = 0.5

  /** A filter that lets more than this share pass has more keys than it is laid out for. */
  private val Overfull = 0.01

  /** Buckets pay where an upsert writes to this share of the file groups. */
  private val Spread = 0.5

  /** All partitions have one number of buckets: the largest one may be so many times the mean. */
  private val Even = 4

  /** No file is advised to be smaller, unless a bucket holds less. */
  private val LeastBytes = 16L << 20

  def of(table: AdvisedTable): IndexAdvice = new Choice(table).advice

  private final class Choice(table: AdvisedTable) {

    private val files = table.counts.values.map(_.bases).sum
    private val groups = table.counts.values.map(_.groups).sum
    private val largest = table.counts.values.map(_.bytes).foldLeft(0L)(_ max _)
    private val target = table.conf.files.maxBytes
    private val hasKeys = !table.config.generatesKeys && table.config.populateMetaFields
    private val asked = table.conf.index.kind
    private val isGlobal = asked.exists(_.startsWith(Global))
    private val probed = new ProbedFiles(table.sample, table.counts, isGlobal)
    private val (byRange, byFilter) = (probed.byKey(ByRange), probed.byKey(ByFilter))
    private val (probes, passed) = (table.sample.map(_.probes).sum, table.sample.map(_.passed).sum)
    private val falsePositives = if (probes == 0) None else Some(passed.toDouble / probes)

    private val touched: Option[Double] = for (upsert <- table.upsert; if groups > 0)
      yield upsert.keys.keys.flatMap(table.counts.get).map(_.groups).sum match {
        case 0 => 0.0
        case there => upsert.groups.size.toDouble.min(there) / there
      }

    private val isEven: Boolean =
      table.counts.isEmpty || largest <= Even * table.counts.values.map(_.bytes).sum / table.counts.size

    /** The index, and the first half of the reason. */
    private def chosen: (String, String) =
      if (table.buckets.isDefined) WriteOptions.ByBuckets ->
        (s"$have, of which the largest holds ${size(largest)}, and no " +
          "key is looked up")
      else if (!table.config.populateMetaFields)
        asked.getOrElse(Default) -> "its rows store no record keys, so that no file tells which it has"
      else if (table.config.generatesKeys)
        asked.getOrElse(Default) -> "its record keys are generated, so that no row to come has one that is there"
      else if (groups == 0) asked.getOrElse(Default) -> "it has no rows yet that speak for another index"
      else byKeys

    private def have: String = table.buckets.get match {
      case Right(own) => s"the table has ${counted(own.count.toLong, "bucket")} in a partition"
      case Left(reason) => s"the table has partitions with buckets, how many is not known ($reason)"
    }

    private def byKeys: (String, String) = {
      val ranges = s"a key lies in the range of ${number(byRange)} of the files that it is looked for in"
      if (suitsBuckets) WriteOptions.ByBuckets ->
        (s"$ranges, the last upsert wrote to ${percent(touched.get)} of the " +
          s"file groups of its partitions, and in a merge-on-read table its rows go to logs without a lookup where the " +
          s"key itself says the bucket, for which the rows are to be written to a new table")
      else if (byRange < Overlapping) scoped("SIMPLE") -> s"$ranges, which leaves a filter nothing to rule out"
      else if (falsePositives.forall(_ > Useful)) scoped("SIMPLE") ->
        (s"$ranges, and " +
          (if (probes == 0) "none of them has a bloom filter" else s"their bloom filters rule too few out ($rate)"))
      else scoped("BLOOM") -> s"$ranges, and bloom filters leave ${number(byFilter)} of them ($rate)"
    }

    private def suitsBuckets: Boolean = !isGlobal && isEven && byRange >= Overlapping &&
      table.config.tableType == TableType.MergeOnRead && touched.exists(_ >= Spread)

    private def scoped(kind: String): String = if (isGlobal) s"$Global$kind" else kind

    private def rate: String = s"${grouped(passed)} of ${grouped(probes)} absent keys pass"

    /** The number that the table has is kept where another one would not change much: a move writes all rows anew. */
    private def buckets: Option[Int] =
      if (!hasKeys || isGlobal) None
      else {
        val fitting = ((largest + target - 1) / target).max(1L).min(WriteOptions.MostBuckets.toLong).toInt
        table.buckets match {
          case Some(Left(_)) => None
          case Some(Right(own)) if !own.rule.isEmpty || (own.count <= 2L * fitting && fitting <= 2L * own.count) =>
            Some(own.count)
          case _ => Some(fitting)
        }
      }

    private def fileBytes(index: String): Long =
      if (index == WriteOptions.ByBuckets) buckets.filter(_ => largest > 0).fold(target)(n => (largest + n - 1) / n)
      else if (index.endsWith("BLOOM") && falsePositives.exists(_ > Overfull))
        (rowBytes * table.conf.bloom.maxEntries).toLong.max(LeastBytes).min(target)
      else target

    private def rowBytes: Double = table.sample.map(_.bytes).sum.toDouble / table.sample.map(_.rows).sum.max(1L)

    def advice: IndexAdvice = {
      val (index, reason) = chosen
      val (key, upsert) = opened(index)
      val bytes = fileBytes(index)
      val parts = Seq(Some(s"$index, since $reason"), upsert.map(told), sized(bytes), Some(read)).flatten
      IndexAdvice(index, buckets, bytes, key, upsert, falsePositives, table.sample.size, files,
        parts.mkString("", "; ", "."))
    }

    private def opened(index: String): (Double, Option[Double]) =
      if (index == WriteOptions.ByBuckets)
        (if (groups == 0) 0.0 else 1.0, table.upsert.map(_.groups.size.toDouble.min(groups.toDouble)))
      else if (!hasKeys) (groups.toDouble, table.upsert.map(_ => groups.toDouble))
      else {
        val weigh = if (index.endsWith("BLOOM")) ByFilter else ByRange
        (probed.byKey(weigh), table.upsert.map(probed.by(_, weigh)))
      }

    private def told(files: Double): String =
      s"the last upsert, of ${counted(table.upsert.get.keys.values.sum, "key")}, would open ${number(files)} of " +
        counted(groups.toLong, "file group")

    // A filter that is too small is mended by smaller files, or by larger filters.
    private def sized(bytes: Long): Option[String] =
      if (table.buckets.isEmpty && bytes < target && falsePositives.exists(_ > Overfull))
        Some(s"files of ${size(bytes)} have no more keys than a filter is laid out for")
      else for (had <- table.buckets; own <- had.toOption; wanted <- buckets if wanted != own.count)
        yield s"${counted(wanted.toLong, "bucket")} would hold ${size(bytes)} each"

    private def read: String = s"${grouped(table.sample.size.toLong)} of ${counted(files.toLong, "footer")} read"
  }

  private val Global = "GLOBAL_"
  private val Default = WriteOptions.IndexType.default.get

  private def grouped(n: Long): String = "%,d".formatLocal(Locale.ROOT, n)
  private def number(n: Double): String = "%,.1f".formatLocal(Locale.ROOT, n)
  private def percent(share: Double): String = "%.0f %%".formatLocal(Locale.ROOT, share * 100)
  private def counted(n: Long, what: String): String = s"${grouped(n)} $what${if (n == 1) "" else "s"}"

  private def size(bytes: Long): String =
    if (bytes < (1L << 20)) s"${number(bytes / 1024.0)} KiB" else s"${number(bytes / 1048576.0)} MiB"
}

package io.hudilite.spark.scan.plan

import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.index.{AskedFirst, KeyIndex, KeyVerdict, SearchedSlices}
import io.hudilite.record.RecordKeys
import io.hudilite.spark.basefile.read.ScanFilter
import io.hudilite.stats.{FactsAsked, FileStatistics}

/** The files that a scan reads, and how many slices each pruning step left out. Partitions that the filters of the query
  * exclude are not even listed, so nothing is known of their files.
  *
  * @param files
  *   base files without log files on top
  * @param merged
  *   slices with log files, for which their base files' key ranges and bloom filters do not hold
  * @param listed
  *   slices of the partitions that were listed
  * @param partitions
  *   partitions whose files are read
  * @param byPartition
  *   slices in partitions that were excluded after they had been listed, by filters that came up while the query ran
  * @param byBucket
  *   slices of buckets that no row that passes the filters is in; `None` when the filters or the table tell no buckets
  * @param byRecordIndex
  *   slices of file groups in which the record index has none of the keys, or why nobody can go by it; `None` where it was
  *   not asked
  * @param bySecondaryIndex
  *   slices of file groups in which secondary indexes have no row that passes the filters, or why nobody can go by one;
  *   `None` where none was asked
  * @param byStatistics
  *   slices in which statistics of columns leave no row that passes the filters; `None` where they tell nothing
  * @param byOrder
  *   slices that hold none of the first rows that are wanted; `None` where all rows are, or nothing tells
  * @param keys
  *   record keys outside of which no row passes the filters
  * @param keysToCheck
  *   there were too many files to look at their key ranges and bloom filters on the driver
  * @param late
  *   filters that came up after the read was planned, and left out some of the files
  * @param asked
  *   of whom facts on keys were asked, where the metadata table was
  */
final case class PrunedFiles(
    files: Seq[BaseFile],
    merged: Seq[FileSlice],
    listed: Int,
    partitions: Int,
    byPartition: Int,
    byBucket: Option[Int],
    byRecordIndex: Option[Either[String, Int]],
    bySecondaryIndex: Option[Either[String, Int]],
    byRange: Int,
    byBloom: Int,
    byStatistics: Option[Seq[FileSlice]],
    byOrder: Option[Seq[FileSlice]],
    keys: Option[RecordKeys],
    keysToCheck: Boolean,
    late: Seq[ScanFilter],
    asked: Option[FactsAsked] = None) {

  lazy val bytes: Long = files.map(_.bytes).sum + merged.map(_.totalLength).sum

  def baseFiles: Seq[BaseFile] = files ++ merged.flatMap(_.base)

  def leftOutByRecordIndex: Int = byRecordIndex.flatMap(_.toOption).getOrElse(0)

  def leftOutBySecondaryIndex: Int = bySecondaryIndex.flatMap(_.toOption).getOrElse(0)

  def leftOutByOrder: Int = byOrder.fold(0)(_.size)

  def describe: String = {
    val inPartitions = listed - byPartition
    val inBuckets = inPartitions - byBucket.getOrElse(0)
    val bucket = byBucket.fold("")(_ => s" -> $inBuckets by bucket")
    val inIndex = inBuckets - leftOutByRecordIndex
    val index = told("record index", byRecordIndex, inIndex)
    val inValues = inIndex - leftOutBySecondaryIndex
    val values = told("secondary index", bySecondaryIndex, inValues)
    val source = asked.fold("")(of => s" (${of.filters} of the metadata table, ${of.footers} of footers)")
    val byKey = if (keys.isEmpty) ""
    else if (keysToCheck) ", keys are checked in tasks"
    else s" -> ${inValues - byRange} by key range -> ${inValues - byRange - byBloom} by bloom filter$source"
    val left = files.size + merged.size
    val statistics = byStatistics.fold("")(_ => s" -> ${left + leftOutByOrder} by statistics")
    val order = byOrder.fold("")(_ => s" -> $left by order")
    val late = if (byPartition > 0) s"$listed -> " else ""
    val logs = if (merged.isEmpty) "" else s" with ${merged.map(_.logs.size).sum} log files"
    val steps = s"$bucket$index$values$byKey$statistics$order"
    s"$late$inPartitions in ${counted(partitions, "partition")}$steps$logs, $bytes bytes"
  }

  private def told(index: String, answer: Option[Either[String, Int]], left: Int): String =
    answer.fold("")(_.fold(why => s" ($index not used: $why)", _ => s" -> $left by $index"))

  private def counted(number: Int, noun: String): String = if (number == 1) s"1 $noun" else s"$number ${noun}s"
}

/** Base files that key pruning left, and how many each step took.
  *
  * @param asked
  *   of whom facts were asked, where the metadata table was
  */
final case class KeyPruned(files: Seq[BaseFile], byRange: Int, byBloom: Int, asked: Option[FactsAsked] = None)

/** Prunes base files on the driver by where their index has the keys. */
object KeyPruning {

  /** Above this many files the footers are read where the files are read: inside tasks. */
  val MaxFilesOnDriver: Int = 1000

  def prune(index: KeyIndex, statistics: FileStatistics, files: Seq[BaseFile], keys: RecordKeys,
      known: Option[AskedFirst] = None): KeyPruned = {
    val found = index.locate(keys, SearchedSlices(files.map(FileSlice.ofBase), statistics, known))
    KeyPruned(found.slices.flatMap(_.base), found.ruledOut(KeyVerdict.OutOfRange),
      found.ruledOut(KeyVerdict.NotInBloom), known.map(_.facts.asked))
  }
}

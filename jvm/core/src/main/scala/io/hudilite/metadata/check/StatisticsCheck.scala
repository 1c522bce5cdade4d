package io.hudilite.metadata.check

import io.hudilite.filegroup.{FileNames, FooterCache}
import io.hudilite.metadata.{ColumnStatistics, MetadataKeys, MetadataPartition, MetadataRecord, StatValue}
import io.hudilite.metadata.MetadataPayload.Statistics
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.storage.{FileInfo, Parallel}
import io.hudilite.table.Table

import org.apache.hadoop.conf.Configuration

import scala.collection.mutable

/** Column statistics of a metadata table beside the footers of the base files. Nothing is known of log files without
  * their rows, and nothing of what an index on an expression holds.
  *
  * Files are looked at in lots, for each of which the records are gone through once: neither all footers nor all records
  * need fit into memory.
  *
  * @param named
  *   the files of the table
  */
private[check] final class StatisticsCheck(table: Table, metadata: MetadataTable, named: NamedFiles,
    conf: Configuration) {

  import StatisticsCheck._

  private type Bounds = (StatValue, StatValue)

  private val files: Map[String, Map[String, FileInfo]] = named.committed
  private val names: Set[String] = files.values.flatMap(_.keys).toSet
  private lazy val newest: Set[String] =
    table.allSlices().values.flatten.flatMap(_.base).map(_.relativePath).toSet

  /** Bounds of the newest base files of each partition, by column. Without them where those of a file are not known. */
  private val around = mutable.Map.empty[(String, String), Option[Bounds]]

  private val defined: Option[Seq[String]] =
    metadata.definitions.get(MetadataPartition.ColumnStats.name).map(_.columns).filter(_.nonEmpty)

  def ofFiles(): Seq[MetadataDifference] = {
    val bases = for ((partition, found) <- files.toSeq.sortBy(_._1); (name, file) <- found.toSeq.sortBy(_._1)
      if FileNames.parseBaseFile(name).isDefined) yield (partition, file)
    unknown() ++ bases.grouped(FilesAtOnce).flatMap(lot)
  }

  /** Statistics of files that are not there. */
  private def unknown(): Seq[MetadataDifference] = statistics(MetadataPartition.ColumnStats)
    .filterNot { case (_, s) => names(s.file) || named.isOfNobody(s.file) }
    .map { case (_, s) => MetadataDifference(DifferenceKind.Statistics, "", s.file, s.column, "", told(s)) }.toList

  private def lot(some: Seq[(String, FileInfo)]): Seq[MetadataDifference] = {
    val footers = Parallel.map(some) { case (_, file) =>
      FooterFacts.of(FooterCache.metadata(conf, file.path, file.length))
    }
    val facts = some.zip(footers).flatMap { case ((partition, file), columns) =>
      columns.filter { case (column, _) => defined.forall(_.contains(column)) }.map { case (column, of) =>
        MetadataKeys.ofColumn(column, partition, file.name) -> Column(partition, file.name, column, of)
      }
    }.toMap
    facts.values.foreach(widen)
    val met = mutable.Set.empty[String]
    val different = statistics(MetadataPartition.ColumnStats).flatMap { case (key, s) =>
      facts.get(key).toList.flatMap { column => met += key; compared(column, s) }
    }.toList
    different ++ (if (defined.isEmpty) Nil else facts.filterNot { case (key, _) => met(key) }.values.map(_.missing))
  }

  private def widen(column: Column): Unit =
    if (newest(column.path) && !column.facts.isEmpty) {
      val place = column.partition -> column.column
      val bounds = column.facts.bounds
      around.update(place,
        around.get(place).fold(bounds)(known => for (a <- known; b <- bounds; c <- FooterFacts.around(a, b)) yield c))
    }

  /** Statistics of partitions, after those of files were looked at. A partition whose bounds reach further than those of
    * its files is only read more often.
    */
  def ofPartitions(): Seq[MetadataDifference] = statistics(MetadataPartition.PartitionStats).flatMap { case (_, s) =>
    val partition = MetadataKeys.path(s.file)
    def different(expected: String): Some[MetadataDifference] = Some(MetadataDifference(DifferenceKind.PartitionBounds,
        partition, "", s.column, expected, told(s)))
    around.get(partition -> s.column).flatten.flatMap { case (min, max) =>
      val expected = s"${StatValue.text(min)} to ${StatValue.text(max)}"
      (s.min, s.max) match {
        case (Some(low), Some(high)) =>
          val reaches = isAtMost(low, min) && isAtMost(max, high)
          if (reaches) None else different(expected)
        case _ => different(expected)
      }
    }
  }.toList

  private def isAtMost(a: StatValue, b: StatValue): Boolean =
    FooterFacts.isSame(a, b) || FooterFacts.isSame(b, a) || StatValue.compare(a, b).exists(_ < 0)

  private def statistics(of: MetadataPartition): Iterator[(String, ColumnStatistics)] =
    metadata.records(of).collect { case MetadataRecord(key, Statistics(s, _)) => key -> s }
}

private object StatisticsCheck {

  val FilesAtOnce = 2000

  /** A column of a base file. */
  final case class Column(partition: String, file: String, column: String, facts: FooterFacts) {

    def path: String = if (partition.isEmpty) file else s"$partition/$file"

    def different(kind: DifferenceKind, expected: String, found: String): MetadataDifference =
      MetadataDifference(kind, partition, file, column, expected, found)

    def missing: MetadataDifference = different(DifferenceKind.Statistics, s"${facts.values} values", "")
  }

  def told(s: ColumnStatistics): String = (s.min, s.max) match {
    case (Some(min), Some(max)) => s"${StatValue.text(min)} to ${StatValue.text(max)}"
    case _ => s"${s.values} values"
  }

  def compared(column: Column, s: ColumnStatistics): Seq[MetadataDifference] = {
    val facts = column.facts
    def number(kind: DifferenceKind, expected: Long, found: Long): Option[MetadataDifference] =
      if (expected == found) None else Some(column.different(kind, expected.toString, found.toString))
    def bound(kind: DifferenceKind, expected: StatValue, found: Option[StatValue]): Option[MetadataDifference] =
      if (found.exists(FooterFacts.isSame(expected, _))) None
      else Some(column.different(kind, StatValue.text(expected), found.fold("")(StatValue.text)))
    val bounds = facts.bounds.toSeq.flatMap { case (min, max) =>
      bound(DifferenceKind.Minimum, min, s.min) ++ bound(DifferenceKind.Maximum, max, s.max)
    }
    // A file of nulls has no bounds, and records with some would be of rows that it does not have.
    val none = if (facts.isEmpty) Seq(DifferenceKind.Minimum -> s.min, DifferenceKind.Maximum -> s.max).collect {
      case (kind, Some(value)) => column.different(kind, "", StatValue.text(value))
    }
    else Nil
    number(DifferenceKind.ValueCount, facts.values, s.values).toSeq ++
      facts.nulls.flatMap(number(DifferenceKind.NullCount, _, s.nulls)) ++
      number(DifferenceKind.Bytes, facts.bytes, s.bytes) ++ bounds ++ none
  }
}

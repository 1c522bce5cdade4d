package io.hudilite.metadata.check

import io.hudilite.metadata.{
  ColumnStatistics,
  KnownFile,
  MetadataAction,
  MetadataKeys,
  MetadataPartition,
  MetadataRecord,
  MetadataRecords,
  MetadataShape,
  MetadataState,
  StatValue
}
import io.hudilite.metadata.MetadataPayload.Statistics
import io.hudilite.metadata.known.{FactsOfFiles, KnownState}
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.storage.{FileInfo, Parallel}
import io.hudilite.table.Table

import scala.collection.mutable

/** Column statistics of a metadata table beside those that the files of its table make. Nothing is known of what an index
  * on an expression holds.
  *
  * Files are looked at in lots, for each of which the records are gone through once: neither all footers nor all records
  * need fit into memory.
  *
  * @param named
  *   the files of the table
  */
private[check] final class StatisticsCheck(table: Table, metadata: MetadataTable, named: NamedFiles) {

  import StatisticsCheck._

  private val files: Map[String, Map[String, FileInfo]] = named.committed
  private val names: Set[String] = files.values.flatMap(_.keys).toSet
  private lazy val newest: Set[String] = table.allSlices().values.flatten.flatMap(_.paths).toSet

  /** Bounds of the newest slices of each partition, by column. Without them where those of a file are not known. */
  private val around = mutable.Map.empty[(String, String), Option[Bounds]]

  private val shape: MetadataShape =
    new KnownState(table, metadata).shape.copy(partitions = Set(MetadataPartition.ColumnStats))
  private val facts = new FactsOfFiles(table.storage, shape.columns, blooms = false)

  // Without a definition, columns may have been left out.
  private val isDefined: Boolean =
    metadata.definitions.get(MetadataPartition.ColumnStats.name).exists(_.columns.nonEmpty)

  def ofFiles(): Seq[MetadataDifference] = {
    val all = for ((partition, found) <- files.toSeq.sortBy(_._1); (_, file) <- found.toSeq.sortBy(_._1))
      yield (partition, file)
    unknown() ++ all.grouped(FilesAtOnce).flatMap(lot)
  }

  /** Statistics of files that are not there. */
  private def unknown(): Seq[MetadataDifference] = statistics(MetadataPartition.ColumnStats)
    .filterNot { case (_, s) => names(s.file) || named.isOfNobody(s.file) }
    .map { case (_, s) => MetadataDifference(DifferenceKind.Statistics, "", s.file, s.column, "", told(s)) }.toList

  private def lot(some: Seq[(String, FileInfo)]): Seq[MetadataDifference] = {
    val there = some.zip(Parallel.map(some) { case (_, file) => facts.of(file.path, file.length) })
      .groupBy(_._1._1).map { case (partition, all) =>
        partition -> all.map { case ((_, file), of) => file.name -> of }.toMap
      }
    val expected =
      (for ((partition, of) <- there; (key, s) <- made(partition, of)) yield key -> Column(partition, s)).toMap
    for ((partition, of) <- there; (name, file) <- of) widen(partition, name, file, expected)
    val met = mutable.Set.empty[String]
    val different = statistics(MetadataPartition.ColumnStats).flatMap { case (key, s) =>
      expected.get(key).toList.flatMap { column => met += key; compared(column, s) }
    }.toList
    different ++ (if (isDefined) expected.filterNot { case (key, _) => met(key) }.values.map(_.missing) else Nil)
  }

  private def made(partition: String, of: Map[String, KnownFile]): Seq[(String, ColumnStatistics)] =
    MetadataRecords.of(MetadataAction.Everything("", Map(partition -> of)), MetadataState(shape))
      .records(MetadataPartition.ColumnStats).collect { case MetadataRecord(key, Statistics(s, _)) => key -> s }

  private def widen(partition: String, name: String, file: KnownFile, expected: Map[String, Column]): Unit =
    if (newest(if (partition.isEmpty) name else s"$partition/$name"))
      file.columns.filterNot(_._2.isEmpty).keys.foreach { column =>
        val bounds = expected.get(MetadataKeys.ofColumn(column, partition, name)).flatMap(_.bounds)
        val place = partition -> column
        around.update(place,
          around.get(place).fold(bounds)(known => for (a <- known; b <- bounds; c <- StatValue.around(a, b)) yield c))
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
    StatValue.isSame(a, b) || StatValue.isSame(b, a) || StatValue.compare(a, b).exists(_ < 0)

  private def statistics(of: MetadataPartition): Iterator[(String, ColumnStatistics)] =
    metadata.records(of).collect { case MetadataRecord(key, Statistics(s, _)) => key -> s }
}

private object StatisticsCheck {

  val FilesAtOnce = 2000

  type Bounds = (StatValue, StatValue)

  /** A column of a file, as the file makes it. */
  final case class Column(partition: String, of: ColumnStatistics) {

    def bounds: Option[Bounds] = for (min <- of.min; max <- of.max) yield min -> max

    def different(kind: DifferenceKind, expected: String, found: String): MetadataDifference =
      MetadataDifference(kind, partition, of.file, of.column, expected, found)

    def missing: MetadataDifference = different(DifferenceKind.Statistics, s"${of.values} values", "")
  }

  def told(s: ColumnStatistics): String = (s.min, s.max) match {
    case (Some(min), Some(max)) => s"${StatValue.text(min)} to ${StatValue.text(max)}"
    case _ => s"${s.values} values"
  }

  def compared(column: Column, s: ColumnStatistics): Seq[MetadataDifference] = {
    val of = column.of
    def number(kind: DifferenceKind, expected: Long, found: Long): Option[MetadataDifference] =
      if (expected == found) None else Some(column.different(kind, expected.toString, found.toString))
    def bound(kind: DifferenceKind, expected: Option[StatValue], found: Option[StatValue]): Option[MetadataDifference] =
      if (expected.exists(e => found.exists(StatValue.isSame(e, _))) || isOfNulls(of, found)) None
      else Some(column.different(kind, expected.fold("")(StatValue.text), found.fold("")(StatValue.text)))
    number(DifferenceKind.ValueCount, of.values, s.values).toSeq ++
      number(DifferenceKind.NullCount, of.nulls, s.nulls) ++
      number(DifferenceKind.Bytes, of.bytes, s.bytes) ++ bound(DifferenceKind.Minimum, of.min, s.min) ++
      bound(DifferenceKind.Maximum, of.max, s.max)
  }

  // Of a column of nulls alone, Apache Hudi takes zeros for bounds. Other values would be of rows that the file lacks.
  private def isOfNulls(of: ColumnStatistics, found: Option[StatValue]): Boolean =
    of.values == of.nulls && found.forall(StatValue.isZero)
}

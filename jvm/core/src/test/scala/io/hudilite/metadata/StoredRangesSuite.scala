package io.hudilite.metadata

import io.hudilite.filegroup.{FileSlice, FooterCache, LogFile}
import io.hudilite.metadata.StatValue._
import io.hudilite.metadata.stored.StoredRange
import io.hudilite.schema.ColumnNames
import io.hudilite.stats._
import io.hudilite.stats.RandomRows.Row

import java.math.{BigDecimal, BigInteger}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.io.api.Binary

import scala.collection.JavaConverters._

/** Files that filters leave out by records of statistics, made of footers and log records as Apache Hudi makes them, with
  * all that it leaves out and mistakes.
  */
class StoredRangesSuite extends FunSuite {

  import StoredRangesSuite._

  private val conf = new Configuration()

  for (version <- Seq(1, 2))
    test(s"no slice is left out that has a row which passes, by statistics of version $version") {
      val seed = 7 + version.toLong
      val made = new RandomRows(seed)
      val filters = new RandomFilters(made)
      val slices = (0 until 24).map(n => slice(made, n, version))
      val records = slices.flatMap(_.records).toMap
      val source = new ColumnRanges {
        override def knows(file: AskedFile): Boolean = true
        override def of(files: Seq[AskedFile]): Map[AskedFile, Map[FilterColumn, ColumnRange]] = files.map { file =>
          file -> file.columns.keys.flatMap(c =>
            records.get(file.name -> c).flatMap(StoredRange.of(_, c.kind, file.isLog)).map(c -> _)).toMap
        }.toMap
      }
      val left = Seq.fill(400)(filters.next()).map { tested =>
        val kept = new DataSkipping(Seq(tested.filter), Seq(source), (_, _) => Some(ColumnNames.Same))
          .kept(slices.map(_.slice)).toSet
        slices.count { of =>
          val passes = of.rows.exists(row => tested.outcome(row).contains(true))
          assert(!passes || kept(of.slice), s"seed $seed: ${tested.filter} leaves out ${of.slice.names.mkString(", ")}")
          !kept(of.slice)
        }
      }.sum
      assert(left > 500, s"only $left slices were left out")
    }

  private def slice(made: RandomRows, n: Int, version: Int): Made = {
    val rows = made.rows(n * 2, 30 + made.random.nextInt(200))
    val base = made.file(rows)
    val logs = Seq.fill(made.random.nextInt(3))(made.rows(n * 2, 20))
    val files = logs.indices.map(l => LogFile("", s".$n.log.$l", base.fileId, "", l, None, 9))
    // A version of a row may give some columns, and another one the others.
    val mixed = for (log <- logs; row <- log.take(10); below = rows(made.random.nextInt(rows.size)))
      yield below ++ row.filter(_ => made.random.nextBoolean())
    val records = ofBase(made.basePath, base.name, base.length, version) ++
      logs.zip(files).flatMap { case (log, file) => ofLog(file.name, log, version) }
    Made(FileSlice("", base.fileId, "", Some(base), files), rows ++ logs.flatten ++ mixed, records)
  }

  private def record(file: String, column: FilterColumn, min: Option[StatValue], max: Option[StatValue], values: Long,
      nulls: Long, size: Long, version: Int) = (file -> column) ->
    ColumnStatistics(file, column.path.mkString("."), min,
      max, values, nulls, size, size,
      valueType = if (version == 1) None else Some(StatType(typeOf(column), None)))

  private def ofBase(folder: String, name: String, length: Long, version: Int)
      : Map[(String, FilterColumn), ColumnStatistics] = {
    val chunks = FooterCache.metadata(conf, s"$folder/$name", length).getBlocks.asScala.toSeq
      .flatMap(_.getColumns.asScala).groupBy(_.getPath.toDotString)
    RandomRows.columns.flatMap { column =>
      chunks.get(column.path.mkString(".")).map { groups =>
        val each = groups.map(ofGroup(column, _))
        val (mins, maxs) = (each.flatMap(_._1), each.flatMap(_._2))
        record(name, column, mins.sortWith(isLess).headOption, maxs.sortWith(isLess).lastOption,
          groups.map(_.getValueCount).sum, each.map(_._3).sum, groups.map(_.getTotalUncompressedSize).sum, version)
      }
    }.toMap
  }

  /** Bounds and nulls of a row group: where it has no statistics all is counted as null. */
  private def ofGroup(column: FilterColumn, group: ColumnChunkMetaData)
      : (Option[StatValue], Option[StatValue], Long) = {
    val of: Statistics[_] = group.getStatistics
    val nulls = if (of.isEmpty) group.getValueCount else of.getNumNulls
    (bound(column, of.genericGetMin), bound(column, of.genericGetMax), nulls)
  }

  private def bound(column: FilterColumn, stored: Any): Option[StatValue] = (column.kind, stored) match {
    case (_, null) => None
    case (_, v: java.lang.Boolean) => Some(Flag(v))
    case (ColumnKind.Days, v: Integer) => Some(Day(v))
    case (ColumnKind.Exact(_, scale), v: Integer) => Some(Decimal(BigDecimal.valueOf(v.longValue, scale)))
    case (ColumnKind.Exact(_, scale), v: java.lang.Long) => Some(Decimal(BigDecimal.valueOf(v, scale)))
    case (ColumnKind.Exact(_, scale), v: Binary) =>
      Some(Decimal(new BigDecimal(new BigInteger(v.getBytes), scale).setScale(15)))
    case (_, v: Integer) => Some(Int32(v))
    case (_, v: java.lang.Long) => Some(Int64(v))
    case (_, v: java.lang.Float) => Some(Float32(v))
    case (_, v: java.lang.Double) => Some(Float64(v))
    case (ColumnKind.Texts, v: Binary) => Some(Text(v.toStringUsingUTF8))
    case (_, v: Binary) => Some(octets(v.getBytes))
    case other => throw new IllegalStateException(other.toString)
  }

  private def typeOf(column: FilterColumn): Int = column.kind match {
    case ColumnKind.Flags => StatType.Boolean
    case ColumnKind.Whole => if (column.path == Seq("l")) StatType.Long else StatType.Int
    case ColumnKind.Single => StatType.Float
    case ColumnKind.Fraction => StatType.Double
    case ColumnKind.Texts => StatType.Text
    case ColumnKind.Bytes => 8
    case ColumnKind.Days => StatType.Date
    case ColumnKind.Micros => if (column.path == Seq("millis")) StatType.TimestampMillis else StatType.TimestampMicros
    case ColumnKind.LocalMicros => StatType.LocalTimestampMicros
    case _: ColumnKind.Exact => StatType.Decimal
  }

  private def ofLog(name: String, rows: Seq[Row], version: Int): Map[(String, FilterColumn), ColumnStatistics] =
    RandomRows.columns.map { column =>
      val found = rows.flatMap(_.get(column)).map(ofRecord(column, _)).sortWith(isLess)
      record(name, column, found.headOption, found.lastOption, rows.size.toLong, (rows.size - found.size).toLong, 0,
        version)
    }.toMap

  private def ofRecord(column: FilterColumn, value: Any): StatValue = (column.kind, value) match {
    case (ColumnKind.Whole, v: Long) if column.path != Seq("l") => Int32(v.toInt)
    case (ColumnKind.Micros | ColumnKind.LocalMicros, v: Long) =>
      Int64(if (column.path == Seq("millis")) v / 1000 else v)
    case (ColumnKind.Single, v: Float) => Float32(v)
    case (ColumnKind.Fraction, v: Double) => Float64(v)
    case (kind, v) => kind.value(v).get
  }

  /** As Java compares: texts by UTF-16 units, bytes with a sign, NaN as the greatest number. */
  private def isLess(a: StatValue, b: StatValue): Boolean = (a, b) match {
    case (Text(x), Text(y)) => x.compareTo(y) < 0
    case (Float32(x), Float32(y)) => java.lang.Float.compare(x, y) < 0
    case (Float64(x), Float64(y)) => java.lang.Double.compare(x, y) < 0
    case (Octets(x), Octets(y)) =>
      java.util.Arrays.compare(new BigInteger("7f" + x, 16).toByteArray, new BigInteger("7f" + y, 16).toByteArray) < 0
    case _ => StatValue.compare(a, b).exists(_ < 0)
  }

  private val number = FilterColumn(Seq("n"), ColumnKind.Whole)

  private def told(of: ColumnStatistics, isLog: Boolean): Option[ColumnRange] = StoredRange.of(of, number.kind, isLog)

  test("records that count nulls alone, or nothing, tell no bounds") {
    val some = ColumnStatistics("f", "n", Some(Int64(1)), Some(Int64(3)), 10, 0, 50, 80)
    val range = ColumnRange(mayBeNull = false, Some(ValueRange(Some(Int64(1)), Some(Int64(3)), isJavas = true)))
    assertEquals(told(some, isLog = false), Some(range.copy(nulls = Some(0))))
    assertEquals(told(some.copy(nulls = 2), isLog = true), Some(range.copy(mayBeNull = true)))
    assertEquals(told(some.copy(nulls = 10), isLog = false), None)
    assertEquals(told(some.copy(max = None), isLog = false), None)
    val deletes = ColumnStatistics("f", "n", None, None, 0, 0, 0, 0)
    assertEquals(told(deletes, isLog = true), Some(ColumnRange(mayBeNull = true, None)))
    assertEquals(told(deletes, isLog = false), None)
  }

  test("a column whose type has grown is compared in its type of now, and not where the order is another") {
    def of(kind: ColumnKind, bound: StatValue): Option[ValueRange] =
      StoredRange.of(ColumnStatistics("f", "n", Some(bound), Some(bound), 10, 0, 50, 80), kind, isLog = true)
        .flatMap(_.values)
    assertEquals(of(ColumnKind.Whole, Int32(3)).flatMap(_.low), Some(Int64(3)))
    assertEquals(of(ColumnKind.Fraction, Int32(3)).flatMap(_.low), Some(Float64(3)))
    val tenth = of(ColumnKind.Fraction, Float32(0.1f)).get
    assertEquals(tenth.compared(ColumnFilter.Operator.Equal, Float64(0.1)).isTrue, true)
    assertEquals(tenth.compared(ColumnFilter.Operator.Equal, Float64(0.2)).isTrue, false)
    assertEquals(of(ColumnKind.Exact(12, 4), Decimal(new BigDecimal("1.500000"))).isDefined, true)
    assertEquals(of(ColumnKind.Exact(12, 4), Decimal(new BigDecimal("1.50001"))), None)
    assertEquals(Seq(Int32(3), Day(3), Decimal(BigDecimal.ONE)).map(of(ColumnKind.Texts, _)), Seq(None, None, None))
    assertEquals(of(ColumnKind.Days, Text("2026-01-01")), None)
  }
}

private object StoredRangesSuite {

  final case class Made(slice: FileSlice, rows: Seq[Row], records: Map[(String, FilterColumn), ColumnStatistics])
}

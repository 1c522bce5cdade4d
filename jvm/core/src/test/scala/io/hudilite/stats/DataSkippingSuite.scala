package io.hudilite.stats

import io.hudilite.filegroup.{BaseFile, FileSlice, LogFile}
import io.hudilite.schema.{Column, ColumnNames, ColumnType}
import io.hudilite.stats.ColumnFilter._

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

/** Files that filters leave out by the statistics in their footers, held against the rows of the files. */
class DataSkippingSuite extends FunSuite {

  private val conf = new Configuration()

  private def skipping(filters: Seq[ColumnFilter], sources: ColumnRanges*): DataSkipping =
    new DataSkipping(filters, sources, (_, _) => Some(ColumnNames.Same))

  test("no file is left out that has a row which passes, over all types") {
    val seed = 20261127L
    val made = new RandomRows(seed)
    val filters = new RandomFilters(made)
    val files = (0 until 24).map { n =>
      val rows = made.rows(n * 2, 30 + made.random.nextInt(200))
      FileSlice.ofBase(made.file(rows)) -> rows
    }
    val footers = new FooterRanges(made.basePath, conf, 1000)
    val outcomes = Seq.fill(400)(filters.next()).map { tested =>
      val kept = skipping(Seq(tested.filter), footers).kept(files.map(_._1)).toSet
      files.count { case (slice, rows) =>
        val passes = rows.exists(row => tested.outcome(row).contains(true))
        assert(!passes || kept(slice), s"seed $seed: ${tested.filter} leaves out ${slice.base.get.name}")
        !kept(slice)
      } -> files.count { case (_, rows) => !rows.exists(row => tested.outcome(row).contains(true)) }
    }
    val (left, none) = (outcomes.map(_._1).sum, outcomes.map(_._2).sum)
    assert(left > none / 2, s"only $left of $none files without a row were left out")
  }

  private val number = FilterColumn(Seq("n"), ColumnKind.Whole)
  private val other = FilterColumn(Seq("m"), ColumnKind.Whole)

  private def between(low: Long, high: Long): ColumnRange =
    ColumnRange(mayBeNull = false, Some(ValueRange(number.kind.value(low), number.kind.value(high))))

  private final class Told(ranges: Map[String, Map[FilterColumn, ColumnRange]], bases: Boolean = true)
      extends ColumnRanges {
    var asked: Seq[String] = Nil
    override def knows(file: AskedFile): Boolean = bases || file.isLog
    override def of(files: Seq[AskedFile]): Map[AskedFile, Map[FilterColumn, ColumnRange]] = {
      asked = asked ++ files.map(_.name)
      files.flatMap(file => ranges.get(file.name).map(file -> _)).toMap
    }
  }

  private def equal(column: FilterColumn, value: Long): ColumnFilter =
    Comparison(column, Operator.Equal, column.kind.value(value).get)

  private def slice(name: String, logs: String*): FileSlice =
    FileSlice("p", name, "1", Some(BaseFile("p", s"$name-base", name, "", "1", 9)),
      logs.map(l => LogFile("p", l, name, "2", 1, None, 9)))

  test("a slice goes when its base file and each log file exclude every row, and stays where one is not known") {
    val told = new Told(Map("a-base" -> Map(number -> between(1, 3)), "a-log" -> Map(number -> between(7, 9)),
        "b-base" -> Map(number -> between(1, 3))))
    val (a, b) = (slice("a", "a-log"), slice("b", "b-log"))
    assertEquals(skipping(Seq(equal(number, 5)), told).kept(Seq(a, b)), Seq(b))
    assertEquals(skipping(Seq(equal(number, 8)), told).kept(Seq(a, b)), Seq(a, b))
    assertEquals(skipping(Seq(equal(number, 2)), told).kept(Seq(a, b)), Seq(a, b))
  }

  test("a row may have one column from the base file and another from a log file") {
    val told = new Told(Map("a-base" -> Map(number -> between(1, 1), other -> between(5, 5)),
        "a-log" -> Map(number -> between(7, 7), other -> between(2, 2))))
    val slices = Seq(slice("a", "a-log"))
    assertEquals(skipping(Seq(equal(number, 1), equal(other, 2)), told).kept(slices), slices)
    assertEquals(skipping(Seq(equal(number, 1), equal(other, 3)), told).kept(slices), Nil)
  }

  test("a source is asked for what the one before does not know, and only where that can decide") {
    val first = new Told(Map("a-base" -> Map(number -> between(1, 3)), "c-log" -> Map(number -> between(5, 5)),
        "d-log" -> Map(number -> between(9, 9))))
    val second = new Told(Map("b-base" -> Map(number -> between(4, 4)), "d-base" -> Map(number -> between(8, 8))))
    val bases = new ColumnRanges {
      override def knows(file: AskedFile): Boolean = !file.isLog
      override def of(files: Seq[AskedFile]): Map[AskedFile, Map[FilterColumn, ColumnRange]] = second.of(files)
    }
    val (a, b, c, d) = (slice("a"), slice("b"), slice("c", "c-log"), slice("d", "d-log"))
    assertEquals(skipping(Seq(equal(number, 5)), first, bases).kept(Seq(a, b, c, d)), Seq(c))
    assertEquals(first.asked, Seq("a-base", "b-base", "c-base", "c-log", "d-base", "d-log"))
    assertEquals(second.asked, Seq("b-base", "d-base"))
  }

  test("a column that a file lacks is null there, and its name may be another") {
    val long = ColumnType.Atom("long")
    val renamed = ColumnNames.between(ColumnType.Record(Seq(Column(1, "n", long), Column(2, "m", long))),
      ColumnType.Record(Seq(Column(1, "old_n", long))))
    var names: Set[String] = Set.empty
    val told = new ColumnRanges {
      override def knows(file: AskedFile): Boolean = true
      override def of(files: Seq[AskedFile]): Map[AskedFile, Map[FilterColumn, ColumnRange]] = {
        names = files.flatMap(_.columns.values).toSet
        files.map(_ -> Map(number -> between(1, 3))).toMap
      }
    }
    def kept(filter: ColumnFilter): Int =
      new DataSkipping(Seq(filter), Seq(told), (_, _) => Some(renamed)).kept(Seq(slice("a"))).size
    assertEquals(Seq(equal(other, 1), IsNull(other), equal(number, 4), equal(number, 2)).map(kept), Seq(0, 1, 0, 1))
    assertEquals(names, Set("old_n"))
    assertEquals(new DataSkipping(Seq(equal(number, 4)), Seq(told), (_, _) => None).kept(Seq(slice("a"))).size, 1)
  }

  test("footers of more files than a driver can read are left alone, and so are tests for null that joins infer") {
    val many = (0 to 3).map(n => slice(s"none-$n"))
    assertEquals(skipping(Seq(equal(number, 1)), new FooterRanges("/nowhere", conf, 3)).kept(many), many)
    assertEquals(skipping(Seq(Negation(IsNull(number)))).tells, false)
    assertEquals(skipping(Seq(IsNull(number))).tells, true)
  }

  private def known(sources: Seq[ColumnRanges]): KnownColumns =
    new KnownColumns(Set(number), sources, (_, _) => Some(ColumnNames.Same))

  private def spread(sources: Seq[ColumnRanges], slices: Seq[FileSlice], mayTell: Boolean = false): Double =
    known(sources).apart(slices, _ => mayTell)(number)

  test("a column tells slices apart as far as their ranges do not meet") {
    def told(ranges: ColumnRange*): Double = {
      val slices = ranges.indices.map(n => slice(s"s$n"))
      spread(Seq(new Told(ranges.zipWithIndex.map { case (r, n) => s"s$n-base" -> Map(number -> r) }.toMap)), slices)
    }
    assertEquals(told(between(1, 2), between(3, 4), between(5, 6)), 1.0)
    assertEquals(told(between(1, 3), between(3, 4), between(2, 6)), 0.0)
    assertEquals(told(between(1, 9), between(2, 8), between(3, 7), between(20, 30)), 0.5)
    assertEquals(told(between(1, 9), ColumnRange.OfNulls), 1.0)
    assertEquals(told(between(1, 9), ColumnRange.Unknown), 0.0)
    assertEquals(told(between(1, 9)), 0.0)
  }

  test("slices of which nothing is known tell nothing, unless they may be asked later") {
    val told = new Told(Map("a-base" -> Map(number -> between(1, 2)), "b-base" -> Map(number -> between(1, 2)),
        "b-log" -> Map(number -> between(7, 8))))
    val slices = Seq(slice("a"), slice("b", "b-log"), slice("c"))
    assertEquals(spread(Seq(told), slices), 0.0)
    assertEquals(spread(Seq(told), slices, mayTell = true), 2.0 / 3)
  }

  test("a source is asked once for each column of a file, also where it knows nothing") {
    val told = new Told(Map("a-base" -> Map(number -> between(1, 2))))
    val remembered = new RememberedRanges(told)
    val kept = (1 to 2).map(_ => skipping(Seq(equal(number, 5)), remembered).kept(Seq(slice("a"), slice("b"))))
    assertEquals(kept, Seq.fill(2)(Seq(slice("b"))))
    assertEquals(told.asked, Seq("a-base", "b-base"))
  }

  test("the range around a column is known where it is of each file, with the nulls of base files") {
    val told = new Told(Map("a-base" -> Map(number -> between(1, 2).copy(nulls = Some(3L))),
        "b-base" -> Map(number -> between(5, 6).copy(nulls = Some(4L))), "b-log" -> Map(number -> between(-7, -7))))
    val all = between(-7, 6).copy(nulls = Some(7L))
    assertEquals(known(Seq(told)).around(Seq(slice("a"), slice("b", "b-log"))), Map(number -> all))
    assertEquals(known(Seq(told)).around(Seq(slice("a"), slice("c"))), Map.empty[FilterColumn, ColumnRange])
  }
}

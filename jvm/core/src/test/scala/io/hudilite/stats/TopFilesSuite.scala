package io.hudilite.stats

import io.hudilite.filegroup.{BaseFile, FileSlice, LogFile}
import io.hudilite.schema.ColumnNames
import io.hudilite.stats.ColumnFilter._
import io.hudilite.stats.RandomRows.Row

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

/** Files that hold none of the first rows, held against the rows themselves. */
class TopFilesSuite extends FunSuite {

  private val conf = new Configuration()

  private val nothing: FileSlice => Map[FilterColumn, ColumnRange] = _ => Map.empty

  private def first(order: ValueOrder, wanted: Int, filters: Seq[ColumnFilter], sources: ColumnRanges*): TopFiles =
    new TopFiles(order, wanted.toLong, filters, sources, (_, _) => Some(ColumnNames.Same))

  private def before(order: ValueOrder)(a: Row, b: Row): Boolean = (a.get(order.column), b.get(order.column)) match {
    case (None, None) => false
    case (None, _) => order.nullsFirst
    case (_, None) => !order.nullsFirst
    case (Some(x), Some(y)) =>
      if (order.ascending) RandomRows.compare(x, y) < 0 else RandomRows.compare(y, x) < 0
  }

  /** The values of the first rows; two that stand at one place count as equal. */
  private def isFirst(order: ValueOrder, all: Seq[Row], found: Seq[Row]): Boolean =
    all.size == found.size && all.zip(found).forall { case (a, b) => !before(order)(a, b) && !before(order)(b, a) }

  test("the first rows are in the files that are left, over all types, orders and filters") {
    val seed = 20261128L
    val made = new RandomRows(seed)
    val filters = new RandomFilters(made)
    val files = (0 until 24).map { n =>
      val rows = made.rows(n * 4, 5 + made.random.nextInt(60))
      FileSlice.ofBase(made.file(rows)) -> rows
    }.toMap
    val footers = new FooterRanges(made.basePath, conf, 1000)
    val left = Seq.fill(1500) {
      val column = RandomRows.columns(made.random.nextInt(RandomRows.columns.size))
      val order = ValueOrder(column, made.random.nextBoolean(), made.random.nextBoolean())
      val wanted = 1 + made.random.nextInt(if (made.random.nextInt(5) == 0) 2000 else 30)
      val tested = if (made.random.nextBoolean()) None else Some(filters.next(1))
      val kept = first(order, wanted, tested.map(_.filter).toSeq, footers).kept(files.keys.toSeq, nothing,
        _.map(slice => slice -> files(slice).size.toLong).toMap)
      def rows(of: Iterable[FileSlice]): Seq[Row] = of.toSeq.flatMap(files)
        .filter(row => tested.forall(_.outcome(row).contains(true))).sortWith(before(order)).take(wanted)
      assert(isFirst(order, rows(files.keys), rows(kept)),
        s"seed $seed: first $wanted by $order of ${tested.map(_.filter)}")
      files.size - kept.size
    }
    assert(left.count(_ > 0) > left.size / 3, s"files were left out by ${left.count(_ > 0)} of ${left.size} orders")
  }

  private val number = FilterColumn(Seq("n"), ColumnKind.Whole)
  private val text = FilterColumn(Seq("s"), ColumnKind.Texts)
  private val least = ValueOrder(number, ascending = true, nullsFirst = true)

  private def between(low: Long, high: Long, nulls: Option[Long] = Some(0)): ColumnRange =
    ColumnRange(!nulls.contains(0L), Some(ValueRange(number.kind.value(low), number.kind.value(high))), nulls)

  private final class Told(column: FilterColumn, ranges: Map[String, ColumnRange]) extends ColumnRanges {
    override def knows(file: AskedFile): Boolean = true
    override def of(files: Seq[AskedFile]): Map[AskedFile, Map[FilterColumn, ColumnRange]] =
      files.flatMap(file => ranges.get(file.name).map(range => file -> Map(column -> range))).toMap
  }

  private def slice(name: String, logs: String*): FileSlice =
    FileSlice("p", name, "1", Some(BaseFile("p", name, name, "", "1", 9)),
      logs.map(l => LogFile("p", l, name, "2", 1, None, 9)))

  private def kept(order: ValueOrder, wanted: Int, ranges: (String, ColumnRange)*): Set[String] =
    keptOf(order, wanted, ranges.map { case (name, _) => slice(name) }, _ => Some(10L), ranges: _*)

  private def keptOf(order: ValueOrder, wanted: Int, slices: Seq[FileSlice], rows: String => Option[Long],
      ranges: (String, ColumnRange)*): Set[String] =
    first(order, wanted, Nil, new Told(order.column, ranges.toMap)).kept(slices, nothing,
      _.flatMap(s => rows(s.fileId).map(s -> _)).toMap).map(_.fileId).toSet

  test("files go that begin behind the place up to which enough rows are there, and ties stay") {
    val files = Seq("a" -> between(1, 5), "b" -> between(5, 9), "c" -> between(6, 7), "d" -> between(9, 9))
    assertEquals(kept(least, 10, files: _*), Set("a", "b"))
    assertEquals(kept(least, 11, files: _*), Set("a", "b", "c"))
    assertEquals(kept(least, 40, files: _*), Set("a", "b", "c", "d"))
    assertEquals(kept(least, 41, files: _*), Set("a", "b", "c", "d"))
    assertEquals(kept(least.copy(ascending = false), 10, files: _*), Set("b", "d"))
  }

  test("nulls count at their end of the order, as many as there are") {
    val files = Seq("a" -> between(1, 5, Some(4)), "b" -> between(2, 9, Some(6)), "c" -> between(1, 1))
    assertEquals(kept(least, 10, files: _*), Set("a", "b"))
    assertEquals(kept(least, 11, files: _*), Set("a", "b", "c"))
    assertEquals(kept(least.copy(nullsFirst = false), 10, files: _*), Set("a", "c"))
    val uncounted = Seq("a" -> between(1, 5, None), "b" -> between(7, 9), "c" -> ColumnRange.OfNulls)
    assertEquals(kept(least, 10, uncounted: _*), Set("a", "c"))
    assertEquals(kept(least.copy(nullsFirst = false), 10, uncounted: _*), Set("a", "b"))
    assertEquals(kept(least.copy(nullsFirst = false), 20, uncounted: _*), Set("a", "b", "c"))
  }

  test("log files promise no row, and a file that may hold any value stays") {
    val ranges = Seq("a" -> between(1, 1), "a-log" -> between(50, 50), "b" -> between(2, 2), "c" -> between(90, 99),
      "d" -> between(90, 99), "d-log" -> between(0, 0), "e" -> between(95, 95), "e-log" -> between(97, 97))
    val slices = Seq(slice("a", "a-log"), slice("b"), slice("c"), slice("d", "d-log"), slice("e", "e-log"), slice("f"))
    assertEquals(keptOf(least, 10, slices, _ => Some(10L), ranges: _*), Set("a", "b", "d", "f"))
    assertEquals(keptOf(least, 11, slices, _ => Some(10L), ranges: _*), Set("a", "b", "c", "d", "e", "f"))
    val unknown = Seq(slice("a", "a-log"), slice("c"), slice("x", "x-log"))
    assertEquals(keptOf(least, 10, unknown, _ => Some(10L), ranges :+ ("x" -> between(900, 900)): _*),
      Set("a", "c", "x"))
  }

  test("files whose rows nobody counts promise none, and no more are counted than it takes") {
    val ranges = (0 until 100).map(n => f"f$n%02d" -> between(10L * n, 10L * n + 9))
    val slices = ranges.map { case (name, _) => slice(name) }.reverse
    var counted = Set.empty[String]
    val found = keptOf(least, 15, slices,
      name => { counted += name; if (name == "f00") None else Some(10L) }, ranges: _*)
    assertEquals(found, Set("f00", "f01", "f02"))
    assertEquals(counted.size, 16)
    assertEquals(keptOf(least, 15, slices, _ => None, ranges: _*).size, 100)
  }

  test("texts in the order of Java count only as far as it is that of the bytes") {
    def texts(low: String, high: String): ColumnRange =
      ColumnRange(mayBeNull = false, Some(ValueRange(text.kind.value(low), text.kind.value(high)).inBothOrders))
    val order = ValueOrder(text, ascending = true, nullsFirst = true)
    assertEquals(kept(order, 10, "a" -> texts("a", "b"), "b" -> texts("c", "d")), Set("a"))
    assertEquals(kept(order, 10, "a" -> texts("a", "\ud83d\ude00"), "b" -> texts("c", "d")), Set("a", "b"))
    assertEquals(kept(order.copy(ascending = false), 10, "a" -> texts("a", "b"), "b" -> texts("\uff21", "\uff22")),
      Set("a", "b"))
  }

  test("a file of which not all rows pass the filters promises none") {
    val over = Comparison(number, Operator.Greater, number.kind.value(5L).get)
    val ranges = Map("a" -> between(1, 9), "b" -> between(6, 20), "c" -> between(21, 30), "d" -> between(7, 8, Some(1)))
    def left(
        wanted: Int): Set[String] = first(least.copy(nullsFirst = false), wanted, Seq(over), new Told(number, ranges))
      .kept(ranges.keys.toSeq.sorted.map(slice(_)), nothing, _.map(_ -> 10L).toMap).map(_.fileId).toSet
    assertEquals(left(10), Set("a", "b", "d"))
    assertEquals(left(11), Set("a", "b", "c", "d"))
  }

  test("values that folders tell count in place of those of the files") {
    val slices = Seq("a", "b", "c").map(slice(_))
    val folder = Map("a" -> between(3, 3), "b" -> between(1, 1), "c" -> ColumnRange.Unknown)
    val found = first(least, 10, Nil, new Told(number, Map("a" -> between(0, 0)))).kept(slices,
      s => Map(number -> folder(s.fileId)), _.map(_ -> 10L).toMap)
    assertEquals(found.map(_.fileId), Seq("b", "c"))
  }
}

package io.hudilite.spark.plan.layout

import org.apache.spark.unsafe.types.UTF8String

import munit.FunSuite

import scala.util.Random

/** Sorting by the lead, then by partition and key, gives each partition in one piece and its keys in order. */
class SortLeadSuite extends FunSuite {

  private type Row = (String, String)

  private def text(s: String): UTF8String = UTF8String.fromString(s)

  private def sorted(rows: Seq[Row], numbers: Boolean): Seq[Row] = {
    val leads = new SortLeads(numbers)
    rows.map { case row @ (partition, key) => (leads.of(text(partition), text(key)), row) }.sortWith {
      case ((a, (ap, ak)), (b, (bp, bk))) =>
        if (a != b) a < b
        else if (ap != bp) text(ap).compareTo(text(bp)) < 0
        else text(ak).compareTo(text(bk)) < 0
    }.map(_._2)
  }

  private def check(rows: Seq[Row], numbers: Boolean = false): Unit = {
    val result = sorted(rows, numbers)
    val pieces =
      result.map(_._1).foldLeft(List.empty[String])((seen, p) => if (seen.headOption.contains(p)) seen else p :: seen)
    assertEquals(pieces.size, pieces.distinct.size, "a partition in two pieces")
    result.groupBy(_._1).values.foreach { rows =>
      val keys = rows.map(r => text(r._2))
      assert(keys.zip(keys.drop(1)).forall { case (a, b) => a.compareTo(b) <= 0 })
    }
    assertEquals(result.sorted, rows.sorted)
  }

  private val random = new Random(7)
  private val alphabet = "ab0~é\uD83D\uDE00\u0000"

  private def word(most: Int): String =
    Seq.fill(random.nextInt(most) + 1)(alphabet(random.nextInt(alphabet.length))).mkString

  test("keys of all lengths, some the beginning of others, some beyond ASCII") {
    check(Seq.fill(5000)((s"p=${random.nextInt(12)}", word(12))))
  }

  test("one partition with an empty path") {
    check(Seq.fill(1000)(("", word(8))))
  }

  private def number: String = random.nextInt(6) match {
    case 0 => "__null__"
    case 1 => (-random.nextInt(1000)).toString
    case 2 => random.nextLong().toString
    case _ => random.nextInt(200).toString
  }

  test("keys of whole numbers, one or several, with names and nulls") {
    check(Seq.fill(3000)((s"p=${random.nextInt(3)}", number)), numbers = true)
    for (names <- Seq(Seq("a"), Seq("a", "b"), Seq("long_name", "b", "c"), Seq("a,b", "c:d"))) {
      val keys = Seq.fill(5000)(names.map(name => s"$name:$number").mkString(","))
      check(keys.map((s"p=${random.nextInt(3)}", _)), numbers = true)
      check(keys.map(("", _)), numbers = true)
    }
  }

  test("numbers of few digits are told apart by the lead alone") {
    val keys = for (a <- 0 until 100; b <- 0 until 20; c <- 0 until 3) yield s"first:$a,second:$b,third:$c"
    assertEquals(keys.map(k => new SortLeads(true).of(text(""), text(k))).distinct.size, keys.size)
  }

  test("more partitions than get a number") {
    val count = SortLeads.MostPartitions + 500
    check(random.shuffle((0 until count).flatMap(i => Seq((s"p=$i", s"k$i"), (s"p=$i", "a")))))
  }

  test("rows without keys come together by partition, in the order in which they came") {
    for (partitions <- Seq(1, 12, SortLeads.MostPartitions + 50)) {
      val (leads, rows) =
        (new SortLeads(false), random.shuffle((0 until 2 * partitions).map(i => s"p=${i % partitions}")))
      val placed = rows.zipWithIndex.map { case (p, i) => (leads.of(text(p)), p, i) }.sortBy(r => (r._1, r._2))
      val pieces =
        placed.map(_._2).foldLeft(List.empty[String])((seen, p) => if (seen.headOption.contains(p)) seen else p :: seen)
      assertEquals(pieces.size, partitions)
      placed.groupBy(_._2).values.foreach(of => assertEquals(of.map(_._3), of.map(_._3).sorted))
    }
  }
}

package io.hudilite.spark.scan.plan

import io.hudilite.metadata.{IndexFunction, StatValue}
import io.hudilite.spark.SharedSession

import java.time.LocalDate

import org.apache.spark.sql.SparkSession

import munit.FunSuite

import scala.util.Random

/** Functions of indexes of expressions against Spark's. */
class IndexFunctionSuite extends FunSuite {

  private lazy val spark: SparkSession = SharedSession.spark

  private val letters = "aBzZ 09\u00e9\u00c9\u03a3\u0130\u1e9e\ud83d\ude00\u4e2d\t\uff21".codePoints.toArray

  private def texts: Seq[String] = {
    val random = new Random(7)
    Seq("", " ", "  a b  ", "\ta\t", "\ud83d\ude00x") ++
      Seq.fill(200)(Seq.fill(random.nextInt(6))(letters(random.nextInt(letters.length))).map(c =>
          new String(Character.toChars(c))).mkString)
  }

  private val ofTexts = Seq("lower" -> Map.empty[String, String], "upper" -> Map.empty[String, String],
    "trim" -> Map.empty[String, String], "ltrim" -> Map.empty[String, String], "rtrim" -> Map.empty[String, String],
    "length" -> Map.empty[String, String]) ++
    (for (pos <- Seq(-7, -2, 0, 1, 3, Int.MaxValue); len <- Seq(-1, 0, 1, 2, Int.MaxValue))
      yield "substring" -> Map("pos" -> pos.toString, "len" -> len.toString))

  private def plain(value: StatValue): Any = value match {
    case StatValue.Text(text) => text
    case StatValue.Int32(number) => number
    case other => fail(s"$other")
  }

  test("each function of texts has Spark's values") {
    val session = spark
    import session.implicits._
    val known = texts
    val frame = known.toDF("t")
    ofTexts.foreach { case (name, options) =>
      val function = IndexFunction.of(name, options + ("expr" -> name)).fold(fail(_), identity)
      val call = if (options.isEmpty) s"$name(t)" else s"substring(t, ${options("pos")}, ${options("len")})"
      val theirs = frame.selectExpr(call).collect().map(_.get(0)).toSeq
      val ours = known.map(text => plain(function(StatValue.Text(text)).get))
      // Beyond ASCII the case of some letters depends on the version of Java.
      val different = known.indices.filter(i => ours(i) != theirs(i))
        .filterNot(i => Set("lower", "upper")(name) && !function.isSure(StatValue.Text(known(i))))
      assert(different.isEmpty, s"$call: ${different.map(i => (known(i), ours(i), theirs(i)))}")
    }
  }

  test("each function of days has Spark's values, from the reform of the calendar on") {
    val session = spark
    import session.implicits._
    val days = Seq("1582-10-15", "1899-12-31", "1900-01-01", "1970-01-01", "2000-02-29", "2026-12-31", "9999-12-31")
      .map(LocalDate.parse(_))
    val frame = days.map(java.sql.Date.valueOf).toDF("d")
    Seq("year", "month", "day").foreach { name =>
      val function = IndexFunction.of(name, Map("expr" -> name)).fold(fail(_), identity)
      assertEquals(days.map(d => plain(function(StatValue.Day(d.toEpochDay.toInt)).get)),
        frame.selectExpr(s"$name(d)").collect().map(_.get(0)).toSeq, name)
    }
    assertEquals(IndexFunction.Year(StatValue.Day(LocalDate.parse("1582-10-14").toEpochDay.toInt)), None)
  }

  test("functions of which the value may be another one elsewhere are told, as options are that nobody knows") {
    Seq("hour", "from_unixtime", "date_format", "abs", "identity").foreach(name =>
      assert(IndexFunction.of(name, Map("expr" -> name)).left.exists(_.contains(name)), name))
    assert(IndexFunction.of("trim", Map("expr" -> "trim", "trimString" -> "x")).left.exists(_.contains("trimString")))
    assert(IndexFunction.of("substring", Map("pos" -> "1")).isLeft)
    assert(IndexFunction.of("substring", Map("pos" -> "1", "len" -> "two")).isLeft)
    assertEquals(IndexFunction.of("identity", Map("expr" -> "identity"), ofValues = true),
      Right(IndexFunction.Identity))
    assertEquals(IndexFunction.Lower(StatValue.Text("a\ufffd")), None)
    assertEquals(IndexFunction.Lower(StatValue.Int32(1)), None)
  }
}

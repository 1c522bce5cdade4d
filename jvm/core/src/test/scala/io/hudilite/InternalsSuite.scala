package io.hudilite

import io.hudilite.docs.{Internal, Internals}

import java.nio.file.{Files, Paths}

import munit.FunSuite

import scala.collection.JavaConverters._

/** Uses of Spark and parquet-mr beyond their interfaces, compared with their list. */
class InternalsSuite extends FunSuite {

  private val hidden = Seq("spark.sql.execution", "spark.sql.internal", "spark.memory", "spark.shuffle",
    "spark.unsafe.map", "spark.util.collection", "spark.util.ThreadUtils", "parquet.column.values",
    "parquet.column.impl",
    "parquet.internal", "parquet.format", "parquet.hadoop.ColumnChunkPageWriteStore")

  // Includes the names that an import lists in braces, which may go over several lines.
  private val named = """org\.apache\.(?:spark|parquet)(?:\.\w+)*(?:\.\{[^}]*\})?""".r

  private val reflection =
    """java\.lang\.reflect|\.(getMethods?|getConstructors?|getDeclared\w+|setAccessible|loadClass)\b|Class\.forName""".r

  private def internals(source: Source): Set[String] = {
    val classes = names(source).filter(name => hidden.exists(h => name == h || name.startsWith(s"$h.")))
      .map(_.stripPrefix("spark.").stripPrefix("parquet.")).filterNot(_.startsWith("sql.execution.hudilite"))
    val text = source.code.mkString("\n")
    classes ++ reflection.findFirstIn(text).map(_ => Internals.Reflection) ++
      (if (text.contains(".sessionState")) Set("SparkSession.sessionState") else Nil) ++
      (if (source.packageName.startsWith(Internals.Spark)) Set(Internals.Inside) else Nil)
  }

  /** Classes of Spark and parquet-mr that a file names, from `spark.` or `parquet.` on and up to the outermost class.
    */
  private def names(source: Source): Set[String] =
    named.findAllIn(source.code.mkString("\n")).flatMap { text =>
      val (before, braces) = text.span(_ != '{')
      if (braces.isEmpty) Seq(text)
      else braces.filterNot("{}".contains(_)).split(',').toSeq.map(name => before + name.trim.takeWhile(_ != ' '))
    }.map { name =>
      val (packages, classes) = name.stripPrefix("org.apache.").split('.').toSeq.span(_.head.isLower)
      (packages ++ classes.take(1)).mkString(".")
    }.toSet

  private def place(source: Source): String =
    s"${source.room.stripPrefix("spark.").stripPrefix("service.")}/${source.name}"

  private lazy val sources: Seq[Source] = Source.of("core") ++ Source.of("spark")

  private val listed: Seq[Internal] = Internals.all.flatMap(_._2)

  test("every use of what is Spark's or parquet-mr's own is listed, and every listed one is there") {
    val found = for (source <- sources; name <- internals(source)) yield s"${place(source)}: $name"
    val wanted = for (internal <- listed; file <- internal.where; name <- internal.names) yield s"$file: $name"
    assertEquals((found.toSet -- wanted).toSeq.sorted, Nil, "not listed in Internals")
    assertEquals((wanted.toSet -- found).toSeq.sorted, Nil, "listed in Internals, and not there")
    assertEquals(wanted.diff(wanted.distinct), Nil, "listed twice")
  }

  test("no import brings hidden packages along with the one around them") {
    val around = for {
      source <- sources
      name <- names(source) if name.endsWith("._") && hidden.exists(_.startsWith(name.stripSuffix("_")))
    } yield s"${place(source)}: $name"
    assertEquals(around, Nil)
  }

  test("what lies in Spark's packages and what reflects on Spark is in the shim") {
    val outside = listed.filter(internal =>
      internal.names.exists(Set(Internals.Inside, Internals.Reflection))).flatMap(_.where).filterNot(
      _.startsWith("shim/"))
    assertEquals(outside, Seq("compact/CompactionStrategy"))
  }

  test("the suites that are listed exist") {
    val walk = Files.walk(Paths.get("jvm"))
    val there = try walk.iterator.asScala.filter(_.toString.contains("/src/test")).map(_.getFileName.toString).toSet
    finally walk.close()
    assertEquals(listed.flatMap(_.tests).distinct.filterNot(suite => there(s"$suite.scala")), Nil)
  }

  test("the names of a use are found in one line, in braces over several, and in code") {
    def of(lines: String*): Set[String] = internals(Source(Paths.get("X.scala"), "package io.hudilite.x" +: lines))
    assertEquals(of("import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode => Node}"),
      Set("sql.execution.SparkPlan", "sql.execution.UnaryExecNode"))
    assertEquals(of("import org.apache.spark.sql.execution.metric.{", "  SQLMetric,", "  SQLMetrics", "}"),
      Set("sql.execution.metric.SQLMetric", "sql.execution.metric.SQLMetrics"))
    assertEquals(of("val x = org.apache.spark.sql.internal.SQLConf.get"), Set("sql.internal.SQLConf"))
    assertEquals(of("classOf[A].getDeclaredField(\"b\")"), Set(Internals.Reflection))
    assertEquals(of("// org.apache.spark.sql.execution.SparkPlan", "val s = \"org.apache.spark.memory.X\""),
      Set.empty[String])
    assertEquals(of("import org.apache.spark.sql.execution._"), Set("sql.execution._"))
    assertEquals(of("import org.apache.spark.sql.{execution, SparkSession}"), Set("sql.execution"))
    assertEquals(of("import org.apache.parquet.hadoop.{CodecFactory, ColumnChunkPageWriteStore}"),
      Set("hadoop.ColumnChunkPageWriteStore"))
  }
}

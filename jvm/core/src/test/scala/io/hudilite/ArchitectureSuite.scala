package io.hudilite

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import munit.FunSuite

import scala.collection.JavaConverters._

/** One source file: its package below `io.hudilite` and its imports. */
private final case class Source(path: Path, lines: Seq[String]) {
  def packageName: String = lines.find(_.startsWith("package ")).getOrElse("package ").drop(8).trim
  def imports: Seq[String] = lines.map(_.trim).filter(_.startsWith("import ")).map(_.drop(7))
}

/** Which package may import which. Imports go one way; `core` knows nothing of Spark. */
class ArchitectureSuite extends FunSuite {

  // A package may also import what the packages listed for it may import.
  private val direct: Map[String, Seq[String]] = Map(
    "error" -> Nil,
    "storage" -> Seq("error"),
    "codec.avro" -> Seq("error"),
    "codec.bloom" -> Seq("error"),
    "codec.hfile" -> Seq("error"),
    "config" -> Seq("storage", "error"),
    "record" -> Seq("config"),
    "log" -> Seq("codec.avro", "codec.hfile", "storage"),
    "timeline" -> Seq("log", "config"),
    "filegroup" -> Seq("timeline", "storage", "codec.bloom", "record"),
    "table" -> Seq("filegroup"),
    "index" -> Seq("table"),
    "transaction.lock" -> Seq("error"),
    "transaction.rollback" -> Seq("table"),
    "transaction" -> Seq("index", "transaction.lock", "transaction.rollback"),
    // Plans compactions and knows how to choose; a transaction only knows that one may be taken up and given back.
    "service.compact" -> Seq("transaction"),
    "spark.shim" -> Nil,
    "spark.row" -> Seq("transaction", "spark.shim"),
    "spark.basefile.read" -> Seq("spark.row"),
    "spark.basefile.encode" -> Seq("spark.row"),
    "spark.logfile.read" -> Seq("spark.basefile.read"),
    "spark.logfile.encode" -> Seq("spark.basefile.encode"),
    "spark.slice" -> Seq("spark.logfile.read", "spark.basefile.encode"),
    "spark.read" -> Seq("spark.slice"),
    "spark.lookup" -> Seq("spark.slice"),
    "spark.write" -> Seq("spark.slice", "spark.logfile.encode"),
    "spark.service" -> Seq("service.compact", "spark.write"),
    "spark.plan" -> Seq("spark.lookup", "spark.service"),
    "spark.catalog" -> Seq("spark.read", "spark.plan"),
    "spark" -> Seq("spark.catalog"),
    // What must live in Spark's packages to reach what is private to them.
    "org.apache.spark.sql.hudilite" -> Nil,
    "org.apache.spark.sql.execution.hudilite" -> Nil)

  private def allowed(name: String): Set[String] =
    direct(name).toSet.flatMap((next: String) => allowed(next) + next) + name

  private def roomOf(dotted: String): String =
    dotted.stripPrefix("io.hudilite").stripPrefix(".").split('.').toSeq
      .takeWhile(part => part.nonEmpty && part.head.isLower).mkString(".")

  private def sources(module: String): Seq[Source] = {
    val main = Paths.get("jvm", module, "src", "main")
    val walk = Files.walk(main)
    try walk.iterator.asScala.filter(_.toString.endsWith(".scala")).toList
        .map(path => Source(path, new String(Files.readAllBytes(path), UTF_8).split('\n').toList))
    finally walk.close()
  }

  private lazy val all: Seq[Source] = sources("core") ++ sources("spark")

  test("every package has its place in the order") {
    assertEquals(all.map(s => roomOf(s.packageName)).toSet.filterNot(direct.contains), Set.empty[String])
  }

  test("packages import only packages below them") {
    val wrong = for {
      source <- all
      imported <- source.imports if imported.startsWith("io.hudilite.")
      room = roomOf(imported) if !allowed(roomOf(source.packageName))(room)
    } yield s"${source.path}: ${roomOf(source.packageName)} may not import $room"
    assertEquals(wrong, Nil)
  }

  test("core does not mention Spark's classes") {
    val wrong = sources("core").filter(_.lines.exists(line =>
        line.contains("org.apache.spark.sql.") &&
          !line.trim.startsWith("//") && !line.trim.startsWith("*") && !line.contains('"')))
    assertEquals(wrong.map(_.path), Nil)
  }

  test("files stay small enough to be read in one go") {
    assertEquals(all.filter(_.lines.size > 400).map(s => s"${s.path}: ${s.lines.size} lines"), Nil)
  }

  test("no file is a bag of odds and ends") {
    val names = all.map(_.path.getFileName.toString.stripSuffix(".scala"))
    assertEquals(names.filter(_.matches(".*(Util|Utils|Helper|Helpers|Manager|Impl|Common)")), Nil)
  }
}

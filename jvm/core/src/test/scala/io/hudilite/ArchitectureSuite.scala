package io.hudilite

import io.hudilite.docs.Rooms

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import munit.FunSuite

import scala.collection.JavaConverters._

/** One source file: its package and what it names of other packages. */
private final case class Source(path: Path, lines: Seq[String]) {

  def packageName: String = lines.find(_.startsWith("package ")).getOrElse("package ").drop(8).trim

  def room: String = Rooms.of(packageName)

  def name: String = path.getFileName.toString.stripSuffix(".scala")

  /** Lines of code: comments and the contents of texts left out. */
  lazy val code: Seq[String] = lines.map(_.trim)
    .filterNot(line => line.startsWith("*") || line.startsWith("/*") || line.startsWith("//"))
    .map(_.replaceAll("\"[^\"]*\"", "\"\""))

  /** Other rooms that it names, in an import or in full. */
  def uses: Set[String] =
    code.filterNot(_.startsWith("package ")).flatMap(line => Source.Named.findAllIn(line)).map(Rooms.of)
      .filter(other => other.nonEmpty && other != room).toSet
}

private object Source {
  private val Named = """io\.hudilite(\.\w+)+|org\.apache\.spark\.sql(\.execution)?\.hudilite(\.\w+)*""".r
}

/** The plan of the house, held against the sources. */
class ArchitectureSuite extends FunSuite {

  private val most = 25

  private def sources(module: String): Seq[Source] = {
    val walk = Files.walk(Paths.get("jvm", module, "src", "main"))
    try walk.iterator.asScala.filter(_.toString.endsWith(".scala")).toList
        .map(path => Source(path, new String(Files.readAllBytes(path), UTF_8).split('\n').toList))
    finally walk.close()
  }

  private lazy val core: Seq[Source] = sources("core")
  private lazy val all: Seq[Source] = core ++ sources("spark")

  test("every package is a room, and every room is there") {
    assertEquals(all.map(_.room).distinct.sorted, Rooms.all.map(_.name).sorted)
  }

  test("a file lies in the folder of its package") {
    val wrong = all.filterNot(s => s.path.getParent.toString.endsWith(s.packageName.replace('.', '/')))
    assertEquals(wrong.map(_.path), Nil)
  }

  Rooms.all.foreach { room =>
    test(s"the room ${room.name} imports what the plan says, and nothing else") {
      val found = all.filter(_.room == room.name).flatMap(s => s.uses.map(_ -> s.name)).groupBy(_._1)
      val unplanned = (found.keySet -- room.imports).toSeq.sorted
      assertEquals(unplanned.map(other => s"$other, by ${found(other).map(_._2).mkString(", ")}"), Nil)
      assertEquals(room.imports.filterNot(found.contains), Nil, "the plan has edges that are not there")
    }
  }

  test("no room imports itself by way of others") {
    val imports = Rooms.all.map(room => room.name -> room.imports).toMap
    def reach(from: String): Set[String] =
      Iterator.iterate(imports(from).toSet)(seen => seen ++ seen.flatMap(imports)).sliding(2)
        .collectFirst { case Seq(before, after) if before == after => after }.get
    assertEquals(Rooms.all.map(_.name).filter(name => reach(name)(name)), Nil)
  }

  test("core knows no room of the connector, and no class of Spark's") {
    assertEquals(Rooms.core.filter(_.imports.exists(_.startsWith("spark"))), Nil)
    assertEquals(core.filter(_.code.exists(_.contains("org.apache.spark."))).map(_.path), Nil)
  }

  test("the options of reads and writes are read in one place, and carried from there as values") {
    val reads = """\b(Read|Write)Options\.\w+(\(|\.(get|isSet|raw)\()""".r
    val elsewhere = all.filter(s => s.room != "config" && s.code.exists(reads.findFirstIn(_).isDefined))
    assertEquals(elsewhere.map(_.path), Nil)
  }

  test("no folder is crowded") {
    val crowded = all.groupBy(_.path.getParent).filter(_._2.size > most)
    assertEquals(crowded.map { case (folder, files) => s"$folder: ${files.size} files" }.toSeq, Nil)
  }

  test("files stay small enough to be read in one go") {
    assertEquals(all.filter(_.lines.size > 400).map(s => s"${s.path}: ${s.lines.size} lines"), Nil)
  }

  test("no file is a bag of odds and ends") {
    assertEquals(all.map(_.name).filter(_.matches(".*(Util|Utils|Helper|Helpers|Manager|Impl|Common)")), Nil)
  }
}

package io.hudilite

import io.hudilite.docs.Rooms

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import munit.FunSuite

/** The plan of the house, compared with the sources. */
class ArchitectureSuite extends FunSuite {

  private val most = 25

  private lazy val core: Seq[Source] = Source.of("core")
  private lazy val all: Seq[Source] = core ++ Source.of("spark")

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

  /** Rooms above a bound are named, and one that is no longer above it loses its name: the list only gets shorter. */
  private def checkAbove(above: Iterable[(String, Int)], named: Set[String]): Unit = {
    assertEquals(above.filterNot(found => named(found._1)).map { case (room, n) => s"$room: $n" }.toSeq.sorted, Nil)
    assertEquals((named -- above.map(_._1)).toSeq.sorted, Nil, "these are no longer above the bound")
  }

  // Their subject is the choice among all others: of what a statement may do with a table, of what CALL runs, and of what
  // of an index is done by tasks.
  private val choosers = Set("spark.catalog", "spark.procedure", "spark.keys")

  test("no room imports more than 14 others") {
    checkAbove(Rooms.all.map(room => room.name -> room.imports.size).filter(_._2 > 14), choosers)
  }

  // `service` and `spark.basefile` are no rooms, but are searched like ones; `spark` is the whole connector.
  private def around(room: String): Seq[String] =
    room.split('.').inits.filter(_.nonEmpty).map(_.mkString(".")).filter(_ != "spark").toSeq

  test("no room has more than 40 files with those below it") {
    checkAbove(all.flatMap(source => around(source.room)).groupBy(identity).map { case (room, files) =>
        room -> files.size
      }.filter(_._2 > 40), Set("metadata", "spark.basefile", "transaction"))
  }

  test("core knows no room of the connector, and no class of Spark's") {
    assertEquals(Rooms.core.filter(_.imports.exists(_.startsWith("spark"))), Nil)
    assertEquals(core.filter(_.code.exists(_.contains("org.apache.spark."))).map(_.path), Nil)
  }

  test("no text hangs on the language of the machine") {
    // Turkish has an i of its own in capitals, and Arabic its own digits.
    val local = """to(Upper|Lower)Case(?!\((Locale|java\.util\.Locale|$))|f"[^"]*%0?\d*d|%0?\S*d"\.format\(""".r
    assertEquals(all.flatMap(s => s.lines.filter(local.findFirstIn(_).isDefined).map(line => s"${s.name}: $line")), Nil)
  }

  test("the options of reads, writes and services are read in one place, and carried from there as values") {
    val kinds = "Read|Write|Service|Compaction|Clustering|PartitionTtl|Clean|Archive"
    val reads = s"""\\b($kinds)Options\\.\\w+(\\(|\\.(get|isSet|raw|setting)\\()""".r
    val elsewhere =
      all.filter(s => s.room.takeWhile(_ != '.') != "config" && s.code.exists(reads.findFirstIn(_).isDefined))
    assertEquals(elsewhere.map(_.path), Nil)
  }

  // Options are given to a call, a statement or a source; Hadoop and Parquet take theirs from the map.
  private val takesOptions = Set("config", "config.key", "config.service", "outside", "record", "spark", "spark.row",
    "spark.scan.plan", "spark.plan", "spark.catalog", "spark.catalog.metastore", "spark.catalog.statement",
    "spark.function",
    "spark.procedure", "spark.shim")

  test("no planner, writer or service gets a map of options") {
    val map = """\boptions: Map\[String, String\]""".r
    val found = all.filter(s => !takesOptions(s.room) && s.code.exists(map.findFirstIn(_).isDefined))
    assertEquals(found.map(_.path), Nil)
  }

  test("services that are called by a path get their options read") {
    val parses = """\b(WriteConf|ReadConf)\.of\(""".r
    val called = all.filter(s => s.room.contains("service") || s.room == "spark.procedure")
    assertEquals(called.filter(_.code.exists(parses.findFirstIn(_).isDefined)).map(_.name), Seq("ServiceCall"))
  }

  test("the markers of a write are the only folder that goes with whatever is in it") {
    val found = all.filter(s => s.room != "storage" && s.code.exists(_.contains("deleteOwn(")))
    assertEquals(found.map(_.name), Seq("Markers"))
  }

  private def outside(room: String, texts: String*): Seq[String] =
    all.filter(s => s.room != room && s.code.exists(line => texts.exists(line.contains))).map(_.name)

  test("statistics of files and places of keys have one door each") {
    assertEquals(outside("stats", "FooterCache.read("), Nil)
    assertEquals(outside("index", "case Index."), Nil)
  }

  // Where Spark asks without a session, and where CALL makes one the active one of its thread.
  private val asked = Set("HudiliteCatalog", "HudiliteSessionCatalog", "HudiliteSource", "HudiliteTable", "ServiceCall",
    "TableFunctions")

  test("a session is handed down from where Spark asks for something") {
    assertEquals(outside("spark.shim", "SparkSession.active", "getActiveSession").toSet, asked)
  }

  test("nothing is kept in a volatile field or by thread, or done as objects are serialised, but in the shim") {
    assertEquals(outside("spark.shim", "@volatile", "ThreadLocal", "writeObject", "writeReplace", "readObject("), Nil)
  }

  test("no folder is crowded") {
    val crowded = all.groupBy(_.path.getParent).filter(_._2.size > most)
    assertEquals(crowded.map { case (folder, files) => s"$folder: ${files.size} files" }.toSeq, Nil)
  }

  test("files stay small enough to be read in one go") {
    assertEquals(all.filter(_.lines.size > 400).map(s => s"${s.path}: ${s.lines.size} lines"), Nil)
  }

  private val TopLevel =
    """^(?:(?:private(?:\[\w+])?|final|sealed|abstract|case|implicit) )*(?:class|object|trait) (\w+)""".r

  private def topLevel(source: Source): Set[String] =
    source.lines.flatMap(line => TopLevel.findFirstMatchIn(line).map(_.group(1))).toSet

  test("a top-level name stands once, but for what differs between lines of Spark") {
    val places = all.flatMap(s => topLevel(s).map(_ -> s.path.toString.replaceAll("scala-spark-\\d", "scala")))
      .groupBy(_._1).map { case (name, found) => name -> found.map(_._2).distinct.sorted }
    assertEquals(places.filter(_._2.size > 1), Map.empty[String, Seq[String]])
  }

  test("a file has a type of its own name") {
    assertEquals(all.filterNot(s => topLevel(s)(s.name)).map(_.path), Nil)
  }

  /** Types that the first table below a heading of docs/design.md names in its second column. */
  private def named(heading: String): Seq[String] = {
    val page = new String(Files.readAllBytes(Paths.get("docs", "design.md")), UTF_8)
    val table = page.split(heading).last.linesIterator.dropWhile(!_.startsWith("|")).takeWhile(
      _.startsWith("|")).map(_.split('|')(2)).mkString
    "`([A-Z]\\w+)[^`]*`".r.findAllMatchIn(table).map(_.group(1)).toSeq
  }

  private def filesOf(name: String): Seq[String] = all.filter(topLevel(_)(name)).map(_.name).distinct

  test("the way of an upsert in docs/design.md leads through few files, all of which are there") {
    val files = named("### The upsert's way").map(name => name -> filesOf(name))
    assertEquals(files.filter(_._2.isEmpty).map(_._1), Nil)
    assert(files.flatMap(_._2).distinct.size <= 60, files.size)
  }

  test("answers of docs/design.md name types that are there") {
    val types = named("## Where to look")
    assert(types.size > 20, types.size)
    assertEquals(types.filter(filesOf(_).isEmpty), Nil)
  }

  test("no file is a bag of odds and ends") {
    assertEquals(all.map(_.name).filter(_.matches(".*(Util|Utils|Helper|Helpers|Manager|Impl|Common)")), Nil)
  }
}

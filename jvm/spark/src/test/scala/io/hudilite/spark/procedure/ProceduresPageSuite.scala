package io.hudilite.spark.procedure

import io.hudilite.spark.inspect.Inspection

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import munit.FunSuite
import org.apache.spark.sql.types.StructType

/** docs/procedures.md, made from what is declared. `UPDATE=1` writes it instead of comparing it. */
class ProceduresPageSuite extends FunSuite {

  private val page = Paths.get("docs/procedures.md")

  test("docs/procedures.md says what is declared (make docs writes it again)") {
    if (sys.env.get("UPDATE").contains("1")) Files.write(page, content.getBytes(UTF_8))
    val written = if (Files.exists(page)) new String(Files.readAllBytes(page), UTF_8) else ""
    assertNoDiff(written, content, "docs/procedures.md is stale")
  }

  test("procedures have names of their own, and parameters too, each with a sentence") {
    assertEquals(Procedures.All.map(_.name).distinct, Procedures.All.map(_.name))
    Procedures.All.foreach { p =>
      assert(p.summary.endsWith("."), p.name)
      assertEquals(p.parameters.map(_.name).distinct, p.parameters.map(_.name), p.name)
    }
  }

  test(
    "each procedure of Apache Hudi is here with its arguments in its order, or has a line that says what is instead") {
    HudiProcedures.All.foreach { case (name, arguments) =>
      (Procedures.find(name), Elsewhere.of(name)) match {
        case (Some(ours), None) => assertEquals(ours.parameters.map(_.name).take(arguments.size), arguments, name)
        case (None, Some(_)) =>
        case (found, _) => fail(s"$name: ${found.fold("neither")(_ => "both")}")
      }
    }
  }

  test("answers begin with the columns of Apache Hudi's") {
    HudiProcedures.Columns.foreach { case (name, columns) =>
      val ours = Procedures.named(name).output.fields.toSeq.map(f => s"${f.name}:${f.dataType.simpleString}")
      assertEquals(ours.take(columns.size), columns, name)
    }
  }

  private def content: String = (introduction ++ metadataTables ++ functions ++ procedures).mkString("", "\n", "\n")

  private def introduction = Seq("# Procedures, metadata tables and table functions", "",
    "Made from the declarations in `io.hudilite.spark.procedure` and `io.hudilite.spark.inspect`; `make docs` writes it",
    "again. All of this is plain SQL.")

  private def metadataTables = Seq("", "## Metadata tables", "",
    "Metadata tables stand behind the name of a table: ``SELECT * FROM hudilite.`/data/trips`.history``, or",
    "`spark.read.table` of that name; for a table in the session's catalog it is `SELECT * FROM hudilite.db.trips.history`,",
    "or `db.trips.history` where that catalog is hudilite's.",
    "They can only be read, and show the newest state. Queries read only the parts that they need: with a filter on",
    "`partition` only the folders that can pass it are listed, with one on `time`, `completion_time` or `action`, or a",
    "`LIMIT`, the history reads only those commits, and footers are opened only for the columns that need them.",
    "") ++
    table(Seq("table", "a row is", "columns"),
      Inspection.All.map(t => Seq(s"`${t.name}`", t.summary, columns(t.schema))))

  private def functions = Seq("", "## Table functions", "") ++ table(Seq("function", "rows"),
    Seq(
      Seq("`hudi_table_changes(table, 'latest_state', begin[, end])`",
        "those that commits after `begin` wrote, up to and with `end`, in the columns of the table"),
      Seq("`hudi_query_timeline(table[, 'true'])`",
        "those of the metadata table `timeline`, with `'true'` also completed instants of the archive"),
      Seq("`hudi_filesystem_view(table)`", "those of the metadata table `file_groups`"),
      Seq("`hudi_metadata(table)`",
        "the records of the table's metadata table in Hudi's columns, of a `type` each: 1 and 2 names of partitions and " +
          "files, 3 and 6 statistics of columns, 4 bloom filters, 5 places of record keys, 7 secondary keys; where Apache Hudi has the name, it is " +
          "`hudilite_metadata(table, 'hudi_metadata')`"),
      Seq("`hudilite_metadata(table, name)`",
        "those of the metadata table of that name, where the table is a parameter of the statement"))) ++ Seq("",
    "`begin` and `end` are what `hoodie.datasource.read.begin.instanttime` and `hoodie.datasource.read.end.instanttime`",
    "take ([options.md](options.md)).")

  private def procedures = Seq("", "## Procedures", "",
    "`CALL hudilite.system.show_commits(table => '/data/trips', limit => 5)`: arguments go by name, in any order, or",
    "without a name in the order of the lists below, which begin with Apache Hudi's in its order. `CALL show_commits(...)`",
    "and `CALL system.show_commits(...)` do where the current catalog has no procedures of its own, and no other extension",
    "takes them. Names are Apache Hudi's where it has the procedure, in any case. A",
    "table is named by its path or by a name that the session resolves to a table of Hudi's format; `path` takes a path",
    "only. Arguments that are `NULL` by default leave the value to the options. A text that lists several things, separated",
    "by commas, may be a JSON array of texts instead. The methods of Python's table object are calls of these procedures.") ++
    Procedures.All.flatMap(procedure) ++ elsewhere

  private def elsewhere = Seq("", "## Procedures of others", "",
    "A call of one of these is an error that says what takes its place.", "") ++
    table(Seq("procedure", "in its place"),
      Elsewhere.All.toSeq.sorted.map { case (name, instead) =>
        Seq(s"`$name`", instead.replace("|", "\\|"))
      })

  private def procedure(p: Procedure) =
    Seq("", s"### ${p.name}", "", s"${p.summary} It answers with ${columns(p.output)}.", "") ++
      table(Seq("argument", "type", "default", "what"),
        p.parameters.map(a => Seq(s"`${a.name}`", a.dataType.simpleString, s"`${a.default}`", a.summary)))

  private def columns(schema: StructType): String =
    schema.fields.map(f => s"`${f.name}` ${f.dataType.simpleString}").mkString(", ")

  private def table(head: Seq[String], rows: Seq[Seq[String]]): Seq[String] =
    (head +: head.map(_ => "---") +: rows).map {
      case rule if rule.forall(_ == "---") => rule.mkString("|", "|", "|")
      case row => row.mkString("| ", " | ", " |")
    }
}

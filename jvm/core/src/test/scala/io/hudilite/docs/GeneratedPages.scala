package io.hudilite.docs

import io.hudilite.config.{Options, ReadOptions, SessionSettings, TableOptions, WriteOptions}
import io.hudilite.config.key.ConfigKey
import io.hudilite.config.service._
import io.hudilite.error.{Condition, Conditions}

/** One group of options, as a section of the pages. */
final case class Section(title: String, about: String, keys: Seq[ConfigKey[_]])

/** The pages that are made from the declarations of options and error conditions. */
object GeneratedPages {

  private val Width = 116
  private val Quotes = "\"" * 3

  private val sections: Seq[Section] = Seq(
    Section("Facts of a table",
      "Set by the write that creates the table. Later writes need not repeat them; one that differs from the table is " +
        "an error.", TableOptions.all),
    Section("Writing", "Options of one write.", WriteOptions.all),
    Section("Compaction", "Options of a write that a compaction follows, and of a call that compacts.",
      CompactionOptions.all),
    Section("Services", "Options of writes that say what a table does for itself after them.", ServiceOptions.all),
    Section("Cleaning", "Options of a write, which a cleaning follows, and of a call that cleans.", CleanOptions.all),
    Section("Archiving", "Options of a write, which an archiving follows, and of a call that archives.",
      ArchiveOptions.all),
    Section("Clustering", "Options of a write that a clustering follows, and of a call that clusters.",
      ClusteringOptions.documented),
    Section("Reading", "Options of one read.", ReadOptions.all))

  private val settings = Section("Settings of a session",
    "Set as they stand here; an unknown one below `spark.hudilite.` is refused by the next read, write or statement.",
    SessionSettings.all)

  /** docs/options.md */
  def options: String = {
    val head =
      s"""# Options
         |
         |Generated from the declarations in `jvm/core/src/main/scala/io/hudilite/config`; `make docs` writes it again.
         |
         |Names and meanings are Apache Hudi's. Upper and lower case do not matter. Unknown options, read options on a write,
         |write options on a read, and malformed values fail before any file is touched, and an error about an unknown name has
         |a known one that is near. Facts of a table and the options of BUCKET may stand on both reads and writes. Settings of
         |Hadoop go into the session, below `spark.hadoop.`.
         |
         |Options of a session, `spark.datasource.hudilite.<option>`, hold for all its reads, writes and statements, and the
         |next of them refuses an unknown one. Settings without that prefix,
         |`SET hoodie.…`, are taken as Apache Hudi's SQL takes them: by reads, and by statements and writes to a name, but
         |not by a DataFrame that is saved to a path. Those that state facts of tables, or that hudilite does not act on, are
         |told of by one warning each and refuse nothing. Of several values the first of these holds: an option of the read
         |or write itself, `SET hoodie.…`, a property of the table in the catalog, `spark.datasource.hudilite.<option>`.
         |
         |The tables come first, then the rules of [overwrites](#overwrites) and of the [columns of a write](#columns-of-a-write),
         |and at the end Hudi's options that are refused or without effect.
         |""".stripMargin
    (head +: (sections :+ settings).map(table)).mkString("\n") + "\n" + further + "\n" + rules + "\n" + refused + "\n" +
      accepted
  }

  private val rules: String =
    """## Overwrites
      |
      |`mode("overwrite")` of a DataFrame follows the first of these that is given:
      |
      |1. `replaceWhere` replaces the partitions of a condition.
      |2. The operation `insert_overwrite`, or `partitionOverwriteMode=dynamic` on a partitioned table, replaces the
      |   partitions of the rows; `insert_overwrite_table`, or `partitionOverwriteMode=static`, the whole table.
      |3. `spark.sql.sources.partitionOverwriteMode` of the session does so, too: `static`, Spark's default, or `dynamic`.
      |
      |Options of one write that contradict each other are an error, and so are these options on an append. With `dynamic` and
      |`replaceWhere` rows are written as by `insert_overwrite`, unless an operation is given.
      |
      |- `INSERT OVERWRITE` follows the operation and `hoodie.datasource.overwrite.mode` as they are set for the session or
      |  among the properties of the table, else the setting that Spark heeds itself. `PARTITION` with a value for each
      |  partition column replaces that partition in both modes, also by no rows.
      |- `df.writeTo(…).overwritePartitions()` replaces the partitions of the rows.
      |- `df.writeTo(…).overwrite(condition)` and `INSERT INTO … REPLACE WHERE` are `replaceWhere`.
      |- `CREATE OR REPLACE TABLE … AS SELECT`, `df.writeTo(…).replace()` and `saveAsTable` in mode overwrite replace the
      |  whole table under any setting of the session, unless an option of the write says otherwise.
      |
      |`mode("overwrite")` and these statements, where they replace the whole table and the operation is not
      |`insert_overwrite_table`, give it the columns of the rows and the facts that options state. Facts that they do not state
      |stay. All other writes are refused when they contradict the table.
      |
      |## Columns of a write
      |
      |Rows that a statement, `insertInto`, `df.writeTo(…)` or `saveAsTable` in append mode brings to a table by its name must
      |have the table's columns; Spark checks that. On Spark 4 a DataFrame whose own options say `mergeSchema=true` or
      |`hoodie.write.set.null.for.missing.columns=true` is checked by hudilite instead, as it is by a path. Spark 3.5 refuses
      |other columns before it asks a source: write such rows by the path.
      |
      |Column names in options are compared as `spark.sql.caseSensitive` says, and a table keeps the spelling of its columns.
      |""".stripMargin

  private def table(section: Section): String =
    s"## ${section.title}\n\n${section.about}\n\n| option | value | default | meaning |\n|---|---|---|---|\n" +
      section.keys.map(row).mkString

  private def further: String =
    "## Further options\n\nThese, too, mean what they mean in Hudi; there are no constants for them in Python.\n\n" +
      "| option | value | default | meaning |\n|---|---|---|---|\n" + Options.further.map(row).mkString

  private def row(key: ConfigKey[_]): String = {
    val others = if (key.alternatives.isEmpty) "" else key.alternatives.map(a => s"`$a`").mkString(" Also ", ", ", ".")
    val value = if (key.unit.isEmpty) key.valueType else s"${key.valueType}, ${key.unit}"
    s"| `${key.name}` | $value | ${default(key)} | ${key.doc}$others |\n"
  }

  private def default(key: ConfigKey[_]): String = key.default.map(d => s"`${shown(d)}`").getOrElse("")

  private def shown(value: Any): String = value match {
    case number: Double => new java.math.BigDecimal(number.toString).stripTrailingZeros.toPlainString
    case other => other.toString
  }

  private def refused: String = {
    val rows = Options.refused.sortBy(_.name).map { r =>
      val harmless = r.harmless.filter(_.nonEmpty)
      s"| `${r.name}` | ${harmless.map(h => s"`$h`").mkString(", ")} | ${r.reason} |\n"
    }
    "## Options of Hudi's that are refused\n\nIgnoring them would change what the write or read means. A value in the " +
      "second column is harmless and accepted.\n\n| option | accepted | why |\n|---|---|---|\n" + rows.mkString
  }

  private def accepted: String =
    "## Options of Hudi's without effect\n\nAccepted, with one warning in a session that says what takes their place.\n\n" +
      Options.accepted.map(n => s"- `$n`\n").mkString

  /** docs/errors.md */
  def errors: String = {
    val head =
      """# Errors
        |
        |Generated from `jvm/core/src/main/resources/hudilite/error-conditions.json`; `make docs` writes it again.
        |
        |The text of an error starts with its condition in brackets. Its class says what to do next:
        |
        || class | Java parent | what to do |
        ||---|---|---|
        || `InvalidInput` | `IllegalArgumentException` | correct the call, or what is installed |
        || `UnsupportedTable` | `UnsupportedOperationException` | the table or the request needs something that hudilite does not do |
        || `CommitConflict` | `RuntimeException` | another writer won and nothing of the write is visible: try again |
        || `CommitStateUnknown` | `RuntimeException` | check if the commit is there before you try again; delete nothing |
        || `CorruptTable` | `RuntimeException` | bytes on storage are damaged |
        |""".stripMargin
    head + Conditions.all.map { c =>
      s"\n## ${c.name}\n\n`${c.kind}`, SQLSTATE ${c.sqlState}\n\n> ${quote(c.message)}\n\n${quote(c.action)}\n"
    }.mkString
  }

  // Braces enclose a part that is said only where there is something to say.
  private def quote(text: String): String = text.replaceAll("[{}]", "").replaceAll("<([A-Za-z]+)>", "*$1*")

  /** python/hudilite/conditions.py */
  def pythonConditions: String = {
    val head =
      """# Generated from jvm/core/src/main/resources/hudilite/error-conditions.json; `make docs` writes it again.
        |"""
    def entry(c: Condition): String =
      s"""    "${c.name}": (\n""" +
        Seq(c.message, c.action, c.sqlState).map(t => s"        ${literal(t)},\n").mkString + "    ),\n"
    head.stripMargin + Quotes +
      "Conditions of errors by their names: what has happened, what to do, and the SQL state." +
      Quotes + "\n\nfrom __future__ import annotations\n\nfrom typing import Final\n\n" +
      "CONDITIONS: Final[dict[str, tuple[str, str, str]]] = {\n" + Conditions.all.map(entry).mkString + "}\n"
  }

  private def literal(text: String): String = "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\""

  /** python/hudilite/options.py */
  def python: String = {
    val head =
      """# Generated from the option declarations in jvm/core; `make docs` writes it again.
        |"""
    head.stripMargin + Quotes + "Names of the options, one constant each; docs/options.md tells more." + Quotes +
      "\n\n" +
      "from __future__ import annotations\n\nfrom typing import Final\n" +
      sections.map(s => s"\n# ${s.title}\n" + s.keys.map(constant).mkString).mkString +
      "\n\ndef __dir__() -> list[str]:\n    " + Quotes + "Names of the constants." + Quotes +
      "\n    return [name for name in globals() if name.isupper()]\n"
  }

  private def constant(key: ConfigKey[_]): String = {
    val value = if (key.unit.isEmpty) key.valueType else s"${key.valueType}, ${key.unit}"
    val default = key.default.map(d => s"; default ${shown(d)}").getOrElse("")
    val doc = wrap(s"${key.doc} Value: $value$default.".replace("`", "``"))
    val text = doc.mkString(Quotes, "\n", if (doc.size == 1) Quotes else "\n" + Quotes)
    "\n" + assigned(s"${constantName(key)}: Final[str] =", "\"" + key.name + "\"") + "\n" + text + "\n"
  }

  /** As the formatter leaves it: a line of Python has at most 120 characters. */
  private def assigned(left: String, right: String): String =
    if (left.length + 1 + right.length <= 120) s"$left $right" else s"$left (\n    $right\n)"

  /** `hoodie.datasource.write.operation` is `WRITE_OPERATION`, `versionAsOf` is `VERSION_AS_OF`. */
  def constantName(key: ConfigKey[_]): String =
    key.name.stripPrefix("hoodie.").stripPrefix("datasource.").replace('.', '_')
      .replaceAll("([a-z])([A-Z])", "$1_$2").toUpperCase

  private def wrap(text: String): Seq[String] = text.split(' ').foldLeft(Vector("")) { (lines, word) =>
    if (lines.last.isEmpty) lines.init :+ word
    else if (lines.last.length + 1 + word.length <= Width - 6) lines.init :+ s"${lines.last} $word"
    else lines :+ word
  }
}

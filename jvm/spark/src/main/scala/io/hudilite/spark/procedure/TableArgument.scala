package io.hudilite.spark.procedure

import io.hudilite.error.InvalidInput
import io.hudilite.spark.catalog.metastore.Registered

import org.apache.spark.sql.{Row, SparkSession}

/** Where the table is that somebody names in a text. */
object TableArgument {

  /** The path of the arguments `table` and `path`, of which one is needed; raises `InvalidInput` otherwise. */
  def pathOf(session: SparkSession, arguments: Arguments): String =
    (arguments.text("path"), arguments.text("table")) match {
      case (Some(path), None) => path
      case (None, Some(table)) => pathOf(session, table)
      case (Some(path), Some(table)) =>
        throw arguments.invalid("path", path, s"the argument table names $table, too; leave one of them out")
      case _ => throw InvalidInput("MISSING_OPTION", "option" -> "table",
          "reason" -> s"${arguments.procedure} works on one table, which the argument table or path names")
    }

  /** A path is told by its slashes; a name is what the session resolves to a table of Hudi's format. */
  def pathOf(session: SparkSession, table: String): String =
    if (isPath(table)) table else located(session, table)

  // A slash in backticks is one of a name.
  private def isPath(table: String): Boolean = table.takeWhile(_ != '`').contains('/')

  // DESCRIBE answers alike for tables of all catalogs, those of Hudi's own among them.
  private def located(session: SparkSession, table: String): String = {
    if (!session.catalog.tableExists(table))
      throw invalid(table, "the session has no table of this name; correct it, or give the path")
    val described = session.sql(s"DESCRIBE TABLE EXTENDED $table").collect().toSeq
      .dropWhile(row => !said(row, 0).startsWith("# Detailed Table Information"))
    def fact(name: String): Option[String] = described.find(said(_, 0) == name).map(said(_, 1)).filter(_.nonEmpty)
    val provider = fact("Provider").getOrElse("")
    val location = fact("Location").filter(_ => Registered.providerOf(provider).isDefined)
    location.getOrElse(throw invalid(table,
        if (provider.isEmpty) "a view has no files; name a table of Hudi's format"
        else s"the table has the format $provider; name one of Hudi's format"))
  }

  private def invalid(table: String, reason: String): InvalidInput =
    InvalidInput.option("table", table, reason)

  private def said(row: Row, at: Int): String = Option(row.getString(at)).getOrElse("")
}

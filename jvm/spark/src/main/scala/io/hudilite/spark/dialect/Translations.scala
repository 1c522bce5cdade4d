package io.hudilite.spark.dialect

import io.hudilite.spark.catalog.HudiliteCatalog
import io.hudilite.spark.procedure.{Procedures, SqlTexts}

import scala.util.matching.Regex

/** A statement in hudilite's words.
  *
  * @param table
  *   table that it names
  * @param hidesBehind
  *   table that Spark would mean by one of its words, where there is such a table
  */
private[dialect] final case class Translation(table: String, text: String, hidesBehind: Option[String] = None)

/** Statements of others that have an equal. */
private[dialect] object Translations {

  import SqlTexts.literal
  import StatementText._

  val FirstWords: Set[String] = Set("OPTIMIZE", "VACUUM", "DESCRIBE", "DESC", "SHOW", "ALTER")

  private val Optimize: Regex = pattern(
    """OPTIMIZE (?:TABLE )?NAME(?: FULL)?(?: WHERE (.+?))?(?: ZORDER BY\s*+(?:\(([^()]*+)\)|([^()]++)))?""")

  private val Vacuum: Regex =
    pattern("""VACUUM (?:TABLE )?NAME(?: (?:LITE|FULL))?(?: RETAIN (\d++) HOURS?)?( DRY RUN)?""")

  private val History: Regex = pattern("""DESC(?:RIBE)? HISTORY NAME(?: LIMIT (\d++))?""")

  private val Indexes: Regex = pattern("SHOW INDEX(?:ES)? (?:FROM|IN) (?:TABLE )?NAME")

  // Apache Hudi takes these properties and those of the table for one.
  private val SerdeProperties: Regex =
    pattern("""(ALTER TABLE NAME (?:SET|UNSET) )SERDEPROPERTIES( IF EXISTS)?\s*+(\(.*\))""")

  def of(statement: StatementText): Option[Translation] = statement.text match {
    case Optimize(name, where, inBrackets, plain) => Some(optimize(tableOf(name), Option(where),
          Option(inBrackets).orElse(Option(plain)).toSeq.flatMap(_.split(',')).map(_.trim).filter(_.nonEmpty)))
    case Vacuum(name, hours, dryRun) => Some(vacuum(tableOf(name), Option(hours), dryRun != null))
    case History(name, limit) =>
      val (table, first) = (tableOf(name), Option(limit).fold("")(n => s" LIMIT $n"))
      Some(Translation(table, s"SELECT * FROM hudilite_metadata(${literal(table)}, 'history')$first", Some("history")))
    case SerdeProperties(alter, name, ifExists, properties) =>
      Some(Translation(tableOf(name), s"${alter}TBLPROPERTIES${Option(ifExists).getOrElse("")} $properties"))
    case Indexes(name) => Some(call("show_indexes", tableOf(name), Nil))
    case _ => None
  }

  private def optimize(table: String, where: Option[String], columns: Seq[String]): Translation = {
    val order = columns.map(column => column.stripPrefix("`").stripSuffix("`"))
    call("run_clustering", table,
      where.map(condition => "predicate" -> literal(condition)).toSeq ++
        (if (order.isEmpty) Nil else Seq("order" -> literal(order.mkString(",")))) ++
        (if (order.size < 2) Nil else Seq("order_strategy" -> literal("zorder"))))
  }

  private def vacuum(table: String, hours: Option[String], dryRun: Boolean): Translation =
    call("run_clean", table,
      hours.toSeq.flatMap(n =>
        Seq("clean_policy" -> literal("KEEP_LATEST_BY_HOURS"), "hours_retained" -> n)) ++
        (if (dryRun) Seq("dry_run" -> "true") else Nil))

  private def call(procedure: String, table: String, arguments: Seq[(String, String)]): Translation =
    Translation(table,
      (("table" -> literal(table)) +: arguments).map { case (name, value) => s"$name => $value" }
        .mkString(s"CALL ${HudiliteCatalog.Name}.${Procedures.Namespace}.$procedure(", ", ", ")"))
}

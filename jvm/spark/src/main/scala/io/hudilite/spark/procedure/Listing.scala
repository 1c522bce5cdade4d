package io.hudilite.spark.procedure

import io.hudilite.table.Table

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.types.{DataType, StructField, StructType}

import scala.collection.JavaConverters._
import scala.util.control.NonFatal

/** Procedures that only list what a table tells: `limit` and `filter` mean one thing in all of them. */
private[procedure] object Listing {

  val Filter: Parameter = Parameter.text("filter", "a condition of SQL on the columns of the answer")

  /** @param parameters
    *   in Hudi's order; `filter` and `path` come behind them where they are not among them
    * @param rows
    *   taken one by one, so that no more is read than the limit asks for
    */
  def apply(name: String, summary: String, parameters: Seq[Parameter], columns: Seq[(String, DataType)])(
      rows: (Table, Arguments) => Iterator[Row]): Procedure =
    Procedure(name, summary,
      parameters ++ Seq(Filter, Parameter.Path).filterNot(p => parameters.exists(_.name == p.name)), columns) {
      (session, arguments) =>
        ServiceCall.of(session, arguments).onTable((table, _) =>
          limited(session, arguments, columns, rows(table, arguments)))
    }

  def limited(session: SparkSession, arguments: Arguments, columns: Seq[(String, DataType)], rows: Iterator[Row])
      : Seq[Row] = {
    val most = if (arguments.values.contains("limit")) arguments.limit else Int.MaxValue
    arguments.text(Filter.name) match {
      case None => rows.take(most).toList
      case Some(condition) =>
        val schema = StructType(columns.map { case (column, dataType) => StructField(column, dataType) })
        val all = session.createDataFrame(rows.toList.asJava, schema)
        try all.where(condition).limit(most).collect().toSeq
        catch { case NonFatal(e) => throw arguments.invalid(Filter.name, condition, firstLine(e)) }
    }
  }

  private def firstLine(error: Throwable): String =
    Option(error.getMessage).flatMap(_.linesIterator.find(_.trim.nonEmpty)).getOrElse(error.toString)
}

package io.hudilite.spark.plan.table

import io.hudilite.config.{OverwriteConf, WriteConf, WriteOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.spark.write.attempt.Replaces
import io.hudilite.spark.write.table.{WriteOperation, WriteTarget}

import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StringType

/** The part of a table that an overwriting write replaces, as its statement or save mode and its options say it. */
private[plan] sealed trait Overwrite

private[plan] object Overwrite {
  case object Table extends Overwrite

  /** The partitions that rows are in.
    *
    * @param byMode
    *   by a mode that means a table without partitions as a whole
    */
  final case class Partitions(byMode: Boolean) extends Overwrite

  /** The partition that a statement names by a value for each partition column, and those that rows are in. */
  final case class Named(values: Map[String, String]) extends Overwrite

  /** The partitions that a condition in an option selects. */
  final case class Condition(text: String) extends Overwrite

  /** The partitions that a condition in a statement selects. */
  final case class Statement(condition: Expression) extends Overwrite

  /** `None` for a write that adds rows; raises `InvalidInput` when statement and options do not go together. */
  def of(write: V2WriteCommand, conf: WriteConf, table: PlannedTable): Option[Overwrite] = write match {
    case overwrite @ (_: OverwriteByExpression | _: OverwritePartitionsDynamic) if table.namedPartition.isDefined =>
      Some(insert(overwrite, table.namedPartition.get, conf, table))
    case overwrite: OverwriteByExpression if overwrite.deleteExpr == Literal.TrueLiteral =>
      Some(whole(conf, table.dataFrame))
    case overwrite: OverwriteByExpression =>
      refuse(conf.overwrite, "the statement has a condition")
      refuseTable(conf, "the statement has a condition")
      Some(Statement(overwrite.deleteExpr))
    case _: OverwritePartitionsDynamic =>
      refuse(conf.overwrite.copy(dynamic = conf.overwrite.dynamic.filterNot(d => d)), "partitions are overwritten")
      refuseTable(conf, "the partitions of the rows are replaced")
      Some(Partitions(byMode = false))
    case _ =>
      refuse(conf.overwrite, "it goes with the save mode overwrite, and this write adds rows")
      None
  }

  /** The rows bring a table of their own, with its columns and facts, as a save mode and REPLACE TABLE have it. Hudi's
    * operation of that name keeps the table.
    */
  def isReplacement(overwrite: Overwrite, conf: WriteConf, table: PlannedTable): Boolean =
    overwrite == Table && table.dataFrame && table.namedPartition.isEmpty &&
      !conf.operation.contains(WriteOperation.InsertOverwriteTable.name)

  /** The part that an INSERT OVERWRITE replaces. Its options and those of session and table say so before Spark's own
    * setting, by which Spark has planned it.
    */
  private def insert(write: V2WriteCommand, values: Map[String, String], conf: WriteConf, table: PlannedTable)
      : Overwrite = {
    val columns = table.table.toSeq.flatMap(_.config.partitionFields)
    val namesOne = columns.nonEmpty && columns.forall(column => values.keys.exists(SQLConf.get.resolver(_, column)))
    if (values.isEmpty) whole(conf, dataFrame = true)
    else {
      conf.overwrite.where.foreach(text =>
        throw contradiction(WriteOptions.ReplaceWhere.name, text, "the statement names partitions"))
      refuseTable(conf, "the statement names partitions")
      write match {
        case _ if whole(conf.copy(overwrite = conf.overwrite.copy(where = None)), dataFrame = true) != Table =>
          if (namesOne) Named(values) else Partitions(byMode = false)
        case overwrite: OverwriteByExpression => Statement(overwrite.deleteExpr)
        case _ => Condition(condition(values))
      }
    }
  }

  private def condition(values: Map[String, String]): String = values.toSeq.sorted.map { case (column, value) =>
    val name = QuotingUtils.quoteIdentifier(column)
    if (value == null) s"$name IS NULL" else s"$name = ${Literal(value).sql}"
  }.mkString(" AND ")

  /** The file groups of the table that it comes to. */
  def replaces(overwrite: Overwrite, target: WriteTarget, selected: => Replaces): Replaces = overwrite match {
    case Table => Replaces.WholeTable
    case Partitions(byMode) if byMode && target.config.partitionFields.isEmpty => Replaces.WholeTable
    case Partitions(_) => Replaces.WrittenPartitions
    case Named(values) => Replaces.Partitions(Set(path(values, target)))
    case Condition(_) | Statement(_) => selected
  }

  private def path(values: Map[String, String], target: WriteTarget): String = {
    def same(column: String)(name: String): Boolean = SQLConf.get.resolver(name, column)
    def value(column: String): Option[Expression] = for {
      field <- target.schema.fields.find(f => same(column)(f.name))
      text <- values.collectFirst { case (name, text) if same(column)(name) => Literal.create(text, StringType) }
      cast = Cast(text, field.dataType, Some(SQLConf.get.sessionLocalTimeZone), ansiEnabled = true)
    } yield Literal(cast.eval(), field.dataType)
    target.keys.partitionPath(value).map(_.eval().toString).getOrElse(
      throw new IllegalStateException(s"no partition by $values in ${target.schema.simpleString}"))
  }

  /** An overwrite without a condition of its own.
    *
    * @param dataFrame
    *   true where Spark's own setting has not been heeded yet
    */
  private[plan] def whole(conf: WriteConf, dataFrame: Boolean): Overwrite = {
    val operation = conf.operation
    def asked(o: WriteOperation): Boolean = operation.contains(o.name)
    conf.overwrite match {
      case OverwriteConf(Some(text), Some(_), _) =>
        throw contradiction(WriteOptions.ReplaceWhere.name, text, s"${WriteOptions.OverwriteMode.name} says otherwise")
      case OverwriteConf(Some(text), None, _) if asked(WriteOperation.InsertOverwriteTable) =>
        throw contradiction(WriteOptions.ReplaceWhere.name, text, s"${WriteOptions.Operation.name} says otherwise")
      case OverwriteConf(Some(text), None, _) => Condition(text)
      case OverwriteConf(None, Some(dynamic), _)
          if asked(if (dynamic) WriteOperation.InsertOverwriteTable else WriteOperation.InsertOverwrite) =>
        throw contradiction(WriteOptions.OverwriteMode.name, if (dynamic) "dynamic" else "static",
          s"${WriteOptions.Operation.name} is ${operation.mkString}")
      case OverwriteConf(None, Some(dynamic), _) => if (dynamic) Partitions(byMode = true) else Table
      case _ if asked(WriteOperation.InsertOverwrite) => Partitions(byMode = false)
      case _ if asked(WriteOperation.InsertOverwriteTable) => Table
      case OverwriteConf(None, None, Some(dynamic)) => if (dynamic) Partitions(byMode = true) else Table
      case _ if !dataFrame || !sessionIsDynamic => Table
      case _ => Partitions(byMode = true)
    }
  }

  private def sessionIsDynamic: Boolean =
    SQLConf.get.partitionOverwriteMode == SQLConf.PartitionOverwriteMode.DYNAMIC

  private def refuse(asked: OverwriteConf, reason: String): Unit = {
    asked.where.foreach(text => throw contradiction(WriteOptions.ReplaceWhere.name, text, reason))
    asked.dynamic.foreach(d =>
      throw contradiction(WriteOptions.OverwriteMode.name, if (d) "dynamic" else "static", reason))
  }

  private def refuseTable(conf: WriteConf, reason: String): Unit =
    conf.operation.filter(_ == WriteOperation.InsertOverwriteTable.name).foreach(name =>
      throw contradiction(WriteOptions.Operation.name, name, reason))

  private def contradiction(option: String, value: String, reason: String): InvalidInput =
    InvalidInput("INVALID_OPTION_VALUE", "option" -> option, "value" -> value, "reason" -> reason)
}

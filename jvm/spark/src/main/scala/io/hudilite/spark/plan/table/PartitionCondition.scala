package io.hudilite.spark.plan.table

import io.hudilite.config.WriteOptions
import io.hudilite.error.{HudiliteException, InvalidInput, Listed}
import io.hudilite.spark.plan.layout.WriteLayout
import io.hudilite.spark.write.table.WriteTarget

import org.apache.spark.sql.{AnalysisException, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalRelation, LogicalPlan}
import org.apache.spark.sql.hudilite.Datasets
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BooleanType, DataType, StringType}

/** A condition that selects whole partitions of a table: it asks for values of partition columns and for nothing else.
  *
  * @param condition
  *   over columns that are known by their names
  * @param source
  *   as it was written, for errors
  */
private[plan] final case class PartitionCondition(condition: Expression, source: ConditionSource) {

  def columns: Seq[String] = condition.references.toSeq.map(_.name).distinct

  /** Over the columns of these rows. */
  def over(rows: Seq[Attribute]): Expression = condition.transform { case a: AttributeReference =>
    rows.find(r => SQLConf.get.resolver(r.name, a.name)).getOrElse(
      throw source.refusal(s"the rows have no column ${a.name}"))
  }

  /** The rows, each of which must be one of the condition's: another raises an error as it is met. */
  def required(rows: LogicalPlan): LogicalPlan = {
    val values = columns.flatMap(WriteLayout.named(rows)(_))
    Filter(WithinCondition(over(rows.output), values, values.map(_.name), source), rows)
  }
}

private[plan] object PartitionCondition {

  /** The condition of an option; raises `InvalidInput` when it cannot be read or does not select whole partitions. */
  def ofOption(text: String, target: WriteTarget, session: SparkSession): PartitionCondition = {
    val source = ConditionSource(WriteOptions.ReplaceWhere.name, text, None)
    val columns = LocalRelation(target.schema.fields.map(f => AttributeReference(f.name, f.dataType)()).toSeq)
    val analyzed =
      try Datasets.ofRows(session, columns).where(text).queryExecution.analyzed
      catch {
        case e: AnalysisException =>
          // That of a text which is no SQL begins with a blank line.
          throw source.refusal(e.getMessage.trim.takeWhile(_ != '\n').stripSuffix("."))
      }
    val found = analyzed.collectFirst { case Filter(condition, _) => condition }
    checked(PartitionCondition(found.getOrElse(Literal.TrueLiteral), source), target)
  }

  /** The condition of a statement, over the columns of the table. */
  def ofStatement(condition: Expression, target: WriteTarget): PartitionCondition =
    checked(PartitionCondition(condition, ConditionSource("", condition.sql, Some(target.basePath))), target)

  private def checked(found: PartitionCondition, target: WriteTarget): PartitionCondition = {
    val fields = target.shape.keySettings.partitionFields
    found.columns.foreach { column =>
      fields.find(f => SQLConf.get.resolver(f.name, column)) match {
        case None => throw found.source.refusal(s"$column is no partition column; the table has " +
            Listed.of(fields.map(_.name)))
        case Some(field) if field.format.nonEmpty =>
          throw found.source.refusal(
            s"partitions are named by times of $column in a format of their own, so that a value does not tell its partition")
        case _ =>
      }
    }
    if (!found.condition.deterministic || found.condition.exists(_.isInstanceOf[SubqueryExpression]))
      throw found.source.refusal("its value must follow from the partition columns alone")
    found
  }
}

/** Where a condition was written.
  *
  * @param path
  *   of the table, when it is part of a statement
  */
private[plan] final case class ConditionSource(option: String, text: String, path: Option[String]) {
  def refusal(reason: String): Throwable with HudiliteException = path match {
    case None => InvalidInput("INVALID_OPTION_VALUE", "option" -> option, "value" -> text, "reason" -> reason)
    case Some(table) => InvalidInput("STATEMENT_NOT_SUPPORTED", "statement" -> s"OVERWRITE WHERE $text",
        "path" -> table, "reason" -> reason)
  }
}

/** True for a row of the condition; raises the error of `source` for any other.
  *
  * @param values
  *   values of the row that the error shows
  */
private[plan] final case class WithinCondition(condition: Expression, values: Seq[Expression], names: Seq[String],
    source: ConditionSource)
    extends Expression with CodegenFallback {

  override def children: Seq[Expression] = condition +: values
  override def dataType: DataType = BooleanType
  override def nullable: Boolean = false

  // So that it is evaluated once for each row, where it stands.
  override lazy val deterministic: Boolean = false

  override def eval(row: InternalRow): Any = {
    if (condition.eval(row) != true) {
      val shown = names.zip(values).map { case (name, value) =>
        s"$name = ${Cast(value, StringType, Some(SQLConf.get.sessionLocalTimeZone)).eval(row)}"
      }
      throw source.refusal(s"a row to write with ${shown.mkString(", ")} is not within it")
    }
    true
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): WithinCondition =
    copy(condition = newChildren.head, values = newChildren.tail)
}

package io.hudilite.spark.row

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.DataType

/** The value of a column that refuses nulls; a null raises `NULL_IN_REQUIRED_COLUMN`. */
final case class RequiredValue(child: Expression, column: String) extends UnaryExpression with CodegenFallback {

  override def dataType: DataType = child.dataType
  override def nullable: Boolean = false
  override def prettyName: String = "required"

  override def eval(input: InternalRow): Any = {
    val value = child.eval(input)
    if (value == null) throw Nullability.nullInRequired(column)
    value
  }

  override protected def withNewChildInternal(newChild: Expression): RequiredValue = copy(child = newChild)
}

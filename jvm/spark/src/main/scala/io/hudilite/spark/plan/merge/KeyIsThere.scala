package io.hudilite.spark.plan.merge

import io.hudilite.error.InvalidInput

import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.{BooleanType, DataType}

/** Condition of an insert that must not meet a key of the table: raises an error with the key of the first row that
  * does.
  */
final case class KeyIsThere(child: Expression, path: String) extends UnaryExpression with CodegenFallback {

  override def dataType: DataType = BooleanType
  override def nullable: Boolean = false
  override def prettyName: String = "key_is_there"
  override lazy val foldable: Boolean = false

  override protected def nullSafeEval(key: Any): Any =
    throw InvalidInput("RECORD_KEY_EXISTS", "key" -> key.toString, "path" -> path)

  override protected def withNewChildInternal(newChild: Expression): KeyIsThere = copy(child = newChild)
}

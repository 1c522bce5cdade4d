package io.hudilite.spark.stage

import io.hudilite.record.ReservedNames

import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, MonotonicallyIncreasingID, NamedExpression}

/** A column that says which of two rows of a source comes later: it grows in the order in which Spark delivers them. */
object RowNumber {

  val Column: String = ReservedNames.InternalPrefix + "row"

  def apply(): NamedExpression = Alias(MonotonicallyIncreasingID(), Column)()

  def is(expression: Expression): Boolean = expression match {
    case Alias(_: MonotonicallyIncreasingID, Column) => true
    case _ => false
  }
}

package io.hudilite.spark.shim

import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.{DataType, StructType}

/** A parser of Spark's with another one behind it. */
private[shim] abstract class DelegatingParser(parser: ParserInterface) extends ParserInterface {
  override def parsePlan(sql: String): LogicalPlan = parser.parsePlan(sql)
  override def parseQuery(sql: String): LogicalPlan = parser.parseQuery(sql)
  override def parseExpression(sql: String): Expression = parser.parseExpression(sql)
  override def parseTableIdentifier(sql: String): TableIdentifier = parser.parseTableIdentifier(sql)
  override def parseFunctionIdentifier(sql: String): FunctionIdentifier = parser.parseFunctionIdentifier(sql)
  override def parseMultipartIdentifier(sql: String): Seq[String] = parser.parseMultipartIdentifier(sql)
  override def parseTableSchema(sql: String): StructType = parser.parseTableSchema(sql)
  override def parseDataType(sql: String): DataType = parser.parseDataType(sql)
}

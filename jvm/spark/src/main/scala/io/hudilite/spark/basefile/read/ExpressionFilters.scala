package io.hudilite.spark.basefile.read

import io.hudilite.metadata.{ExpressionIndex, IndexFunction, StatType}
import io.hudilite.spark.row.FieldTypes

import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.connector.expressions.{
  Expression,
  Expressions,
  Extract,
  GeneralScalarExpression,
  Literal,
  NamedReference
}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.types._

/** Filters on functions over columns, as far as indexes know their values: pure. A filter counts that looks at nothing else.
  *
  * @param schema
  *   columns of the table as the query has them
  */
private[spark] final class ExpressionFilters(indexes: Seq[ExpressionIndex], schema: StructType) {

  import ExpressionFilters._

  /** Values of an index as if they were those of a column of its name. */
  val values: StructType = StructType(indexes.map(i => StructField(i.partition.name, typeOf(i.function.gives))))

  /** The filter on columns of these values; `None` where it looks at something else, too. */
  def of(predicate: Predicate): Option[ScanFilter] =
    ScanFilter.of(new Predicate(predicate.name, predicate.children.map(onIndexes)), values)

  private def onIndexes(expression: Expression): Expression = expression match {
    case p: Predicate => new Predicate(p.name, p.children.map(onIndexes))
    case other => functionOf(other).flatMap { case (function, column) =>
        indexes.find(i => i.function == function && i.column == column && isOfItsType(i))
      }.fold(other)(index => Expressions.column(quoteIdentifier(index.partition.name)))
  }

  private def isOfItsType(index: ExpressionIndex): Boolean =
    FieldTypes.at(schema, List(index.column)).contains(typeOf(index.function.takes))
}

private object ExpressionFilters {

  private def typeOf(ordinal: Int): DataType = ordinal match {
    case StatType.Text => StringType
    case StatType.Date => DateType
    case _ => IntegerType
  }

  /** The function over a column that an expression is, and the column. */
  private def functionOf(expression: Expression): Option[(IndexFunction, String)] = expression match {
    case call: GeneralScalarExpression => call.children.toSeq match {
        case Seq(Column(name)) => Plain.get(call.name).map(_ -> name)
        case Seq(Column(name), Number(position), Number(length)) if call.name == "SUBSTRING" =>
          Some(IndexFunction.Part(position, length) -> name)
        case _ => None
      }
    case part: Extract => Some(part.source).collect { case Column(name) => name }.flatMap(name =>
        Parts.get(part.field).map(_ -> name))
    case _ => None
  }

  private val Plain: Map[String, IndexFunction] = Map("LOWER" -> IndexFunction.Lower, "UPPER" -> IndexFunction.Upper,
    "TRIM" -> IndexFunction.Trim, "LTRIM" -> IndexFunction.TrimLeft, "RTRIM" -> IndexFunction.TrimRight,
    "CHAR_LENGTH" -> IndexFunction.Length)

  private val Parts: Map[String, IndexFunction] =
    Map("YEAR" -> IndexFunction.Year, "MONTH" -> IndexFunction.Month, "DAY" -> IndexFunction.DayOfMonth)

  private object Column {
    def unapply(expression: Expression): Option[String] = expression match {
      case reference: NamedReference if reference.fieldNames.length == 1 => Some(reference.fieldNames.head)
      case _ => None
    }
  }

  private object Number {
    def unapply(expression: Expression): Option[Int] = expression match {
      case literal: Literal[_] => Some(literal.value: Any).collect { case n: Int => n }
      case _ => None
    }
  }
}

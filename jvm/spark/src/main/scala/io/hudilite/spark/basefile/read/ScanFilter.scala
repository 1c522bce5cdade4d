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
import org.apache.spark.sql.types.{DataType, DateType, IntegerType, StringType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** A filter in the form that pruning works on: plain values, and columns as paths of names.
  *
  * Values have Spark's internal form of the column's own type and are never null.
  */
sealed trait ScanFilter extends Serializable {

  /** All columns that the filter looks at. */
  def columns: Set[Seq[String]] = this match {
    case c: ScanFilter.Comparison => Set(c.column)
    case o: ScanFilter.OneOf => Set(o.column)
    case n: ScanFilter.IsNull => Set(n.column)
    case s: ScanFilter.StartsWith => Set(s.column)
    case ScanFilter.AllOf(parts) => parts.flatMap(_.columns).toSet
    case ScanFilter.AnyOf(parts) => parts.flatMap(_.columns).toSet
    case ScanFilter.Negation(part) => part.columns
  }
}

object ScanFilter {

  sealed trait Operator extends Serializable
  case object Equal extends Operator
  case object Less extends Operator
  case object LessOrEqual extends Operator
  case object Greater extends Operator
  case object GreaterOrEqual extends Operator

  final case class Comparison(column: Seq[String], operator: Operator, value: Any) extends ScanFilter
  final case class OneOf(column: Seq[String], values: Seq[Any]) extends ScanFilter
  final case class IsNull(column: Seq[String]) extends ScanFilter
  final case class StartsWith(column: Seq[String], prefix: UTF8String) extends ScanFilter
  final case class AllOf(parts: Seq[ScanFilter]) extends ScanFilter
  final case class AnyOf(parts: Seq[ScanFilter]) extends ScanFilter
  final case class Negation(part: ScanFilter) extends ScanFilter

  private val Operators = Map[String, Operator]("=" -> Equal, "<" -> Less, "<=" -> LessOrEqual, ">" -> Greater,
    ">=" -> GreaterOrEqual)
  private val Mirrored = Map[Operator, Operator](Equal -> Equal, Less -> Greater, LessOrEqual -> GreaterOrEqual,
    Greater -> Less, GreaterOrEqual -> LessOrEqual)

  /** The predicate as a filter on columns of `schema`; `None` when pruning cannot use it. */
  def of(predicate: Predicate, schema: StructType): Option[ScanFilter] = {
    val children = predicate.children
    predicate.name match {
      case "AND" => both(children, schema).map(AllOf(_))
      case "OR" => both(children, schema).map(AnyOf(_))
      case "NOT" => nested(children(0), schema).map(Negation(_))
      case "IS_NULL" => column(children(0), schema).map(c => IsNull(c._1))
      case "IS_NOT_NULL" => column(children(0), schema).map(c => Negation(IsNull(c._1)))
      case "IN" => oneOf(children, schema)
      case "<=>" => comparison(Equal, children, schema).map(known)
      case "<>" => comparison(Equal, children, schema).map(Negation(_))
      case "STARTS_WITH" => startsWith(children, schema)
      case name => Operators.get(name).flatMap(comparison(_, children, schema))
    }
  }

  // Unlike `=`, this filter is false, not unknown, where the column is null.
  private def known(filter: ScanFilter): ScanFilter =
    AllOf(filter +: filter.columns.toSeq.map(c => Negation(IsNull(c))))

  private def nested(expression: Expression, schema: StructType): Option[ScanFilter] = expression match {
    case p: Predicate => of(p, schema)
    case _ => None
  }

  private def both(children: Array[Expression], schema: StructType): Option[Seq[ScanFilter]] = {
    val parts = children.toSeq.map(nested(_, schema))
    if (parts.forall(_.isDefined)) Some(parts.flatten) else None
  }

  private def comparison(operator: Operator, children: Array[Expression], schema: StructType): Option[ScanFilter] =
    (column(children(0), schema), children(1)) match {
      case (Some((path, dataType)), l: Literal[_]) => value(l, dataType).map(Comparison(path, operator, _))
      case _ => (children(0), column(children(1), schema)) match {
          case (l: Literal[_], Some((path, dataType))) =>
            value(l, dataType).map(Comparison(path, Mirrored(operator), _))
          case _ => None
        }
    }

  // A null in the list makes the filter unknown, never true, for rows that match no other value. So it can be left out
  // where only passing rows are of interest. Below a NOT the shorter list passes more rows than Spark's own filter, not
  // fewer, so no row is lost there either.
  private def oneOf(children: Array[Expression], schema: StructType): Option[ScanFilter] =
    column(children(0), schema).flatMap { case (path, dataType) =>
      val literals = children.toSeq.drop(1).collect { case l: Literal[_] if l.value != null => l }
      val values = literals.flatMap(value(_, dataType))
      val complete = children.toSeq.drop(1).forall(_.isInstanceOf[Literal[_]]) && values.size == literals.size
      if (complete) Some(OneOf(path, values)) else None
    }

  private def startsWith(children: Array[Expression], schema: StructType): Option[ScanFilter] =
    (column(children(0), schema), children(1)) match {
      case (Some((path, _)), l: Literal[_]) => l.value match {
          case prefix: UTF8String => Some(StartsWith(path, prefix))
          case _ => None
        }
      case _ => None
    }

  private def value(literal: Literal[_], dataType: DataType): Option[Any] =
    if (literal.dataType == dataType) Option(literal.value: Any) else None

  private def column(expression: Expression, schema: StructType): Option[(Seq[String], DataType)] = expression match {
    case reference: NamedReference =>
      val path = reference.fieldNames.toList
      FieldTypes.at(schema, path).map(path -> _)
    case _ => None
  }

  /** Filters that all have to hold for `filters` to hold. */
  def conjuncts(filters: Seq[ScanFilter]): Seq[ScanFilter] = filters.flatMap {
    case AllOf(parts) => conjuncts(parts)
    case other => Seq(other)
  }
}

/** Filters on functions over columns, as far as indexes know their values: pure. A filter counts that looks at nothing else.
  *
  * @param schema
  *   columns of the table as the query has them
  */
private[spark] final class ExpressionFilters(indexes: Seq[ExpressionIndex], schema: StructType) {

  import ExpressionFilters._

  /** Values of an index as if they were those of a column of its name. */
  val values: StructType = StructType(indexes.map(i => StructField(i.partition.name, typeOf(i.function.gives))))

  /** Names of the indexes of which it is known only if they have a value. */
  val sets: Set[String] = indexes.filter(_.isFilter).map(_.partition.name).toSet

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
    case Column(name) => Some(IndexFunction.Identity -> name)
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

package io.hudilite.spark.basefile.read

import io.hudilite.spark.basefile.read.ScanFilter._
import io.hudilite.stats.Outcomes

import org.apache.spark.unsafe.types.UTF8String

/** Values that a column may have, by a partition path or the beginning of one. */
private[spark] sealed trait PossibleValues

private[spark] object PossibleValues {

  /** Some values, with `null` perhaps among them. */
  final case class OneOfThese(values: Seq[Any]) extends PossibleValues

  /** A text, and all that go on with a slash behind it. */
  final case class TextFrom(text: UTF8String) extends PossibleValues {

    private val below = UTF8String.fromString(s"$text/")

    // All such texts are less than this one, since `0` is the character after the slash.
    private val end = UTF8String.fromString(s"${text}0")

    def mayEqual(wanted: UTF8String): Boolean = wanted == text || wanted.startsWith(below)

    /** Outcomes of a comparison, from the bounds of the values. */
    def compared(operator: Operator, wanted: UTF8String): Outcomes = {
      val (someBelow, someAbove) = (text.compareTo(wanted) < 0, end.compareTo(wanted) > 0)
      operator match {
        case Equal => Outcomes.of(mayEqual(wanted), isFalse = true)
        case Less => Outcomes.of(someBelow, someAbove)
        case LessOrEqual => Outcomes.of(someBelow || text == wanted, someAbove)
        case Greater => Outcomes.of(someAbove, someBelow || text == wanted)
        case GreaterOrEqual => Outcomes.of(someAbove, someBelow)
      }
    }

    def startsWith(prefix: UTF8String): Outcomes =
      if (text.startsWith(prefix)) Outcomes.of(isTrue = true, isFalse = false)
      else Outcomes.of(prefix.startsWith(below), isFalse = true)
  }
}

private[spark] object FilterOutcomes {

  /** Outcomes of a filter; a column that is absent from `values` may have any value. */
  def of(filter: ScanFilter, values: Map[Seq[String], PossibleValues]): Outcomes =
    filter match {
      case Comparison(column, operator, wanted) => over(values.get(column)) {
          case PossibleValues.OneOfThese(all) => each(all)(v => holds(compare(v, wanted), operator))
          case from: PossibleValues.TextFrom => ofText(wanted)(from.compared(operator, _))
        }
      case OneOf(column, wanted) => over(values.get(column)) {
          case PossibleValues.OneOfThese(all) => each(all)(v => wanted.exists(compare(v, _) == 0))
          case from: PossibleValues.TextFrom =>
            wanted.map(ofText(_)(from.compared(Equal, _))).foldLeft(Outcomes.of(isTrue = false, isFalse = true))(_ | _)
        }
      case StartsWith(column, prefix) => over(values.get(column)) {
          case PossibleValues.OneOfThese(all) => each(all) {
              case text: UTF8String => text.startsWith(prefix)
              case _ => true
            }
          case from: PossibleValues.TextFrom => from.startsWith(prefix)
        }
      case IsNull(column) => values.get(column).fold(Outcomes.of(isTrue = true, isFalse = true)) {
          case PossibleValues.OneOfThese(all) => Outcomes.of(all.contains(null), all.exists(_ != null))
          case _ => Outcomes.of(isTrue = false, isFalse = true)
        }
      case AllOf(parts) => parts.map(of(_, values)).reduce(_ and _)
      case AnyOf(parts) => parts.map(of(_, values)).reduce(_ or _)
      case Negation(part) => !of(part, values)
    }

  private def over(possible: Option[PossibleValues])(outcomes: PossibleValues => Outcomes): Outcomes =
    possible.fold(Outcomes.Any)(outcomes)

  private def each(values: Seq[Any])(test: Any => Boolean): Outcomes =
    values.map(v =>
      if (v == null) Outcomes.None.copy(isNull = true)
      else if (test(v)) Outcomes.of(isTrue = true, isFalse = false)
      else Outcomes.of(isTrue = false, isFalse = true)).foldLeft(Outcomes.None)(_ | _)

  private def ofText(wanted: Any)(outcomes: UTF8String => Outcomes): Outcomes = wanted match {
    case text: UTF8String => outcomes(text)
    case other => throw new IllegalStateException(s"a text is compared with $other")
  }

  private def holds(order: Int, operator: Operator): Boolean = operator match {
    case Equal => order == 0
    case Less => order < 0
    case LessOrEqual => order <= 0
    case Greater => order > 0
    case GreaterOrEqual => order >= 0
  }

  private def compare(value: Any, wanted: Any): Int = (value, wanted) match {
    case (a: UTF8String, b: UTF8String) => a.compareTo(b)
    case (a: Boolean, b: Boolean) => java.lang.Boolean.compare(a, b)
    case (a: Number, b: Number) => java.lang.Long.compare(a.longValue, b.longValue)
    case (a, b) => throw new IllegalStateException(s"partition value $a is compared with $b")
  }
}

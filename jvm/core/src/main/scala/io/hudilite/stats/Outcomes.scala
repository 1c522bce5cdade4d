package io.hudilite.stats

/** Outcomes of a filter over all values that there may be: some of true, false and null. */
private[hudilite] final case class Outcomes(isTrue: Boolean, isFalse: Boolean, isNull: Boolean) {

  def |(other: Outcomes): Outcomes =
    Outcomes(isTrue || other.isTrue, isFalse || other.isFalse, isNull || other.isNull)

  def unary_! : Outcomes = Outcomes(isFalse, isTrue, isNull)

  def and(other: Outcomes): Outcomes = Outcomes(isTrue && other.isTrue, isFalse || other.isFalse,
    (isNull && (other.isTrue || other.isNull)) || (other.isNull && isTrue))

  def or(other: Outcomes): Outcomes = !((!this).and(!other))
}

private[hudilite] object Outcomes {

  val Any: Outcomes = Outcomes(isTrue = true, isFalse = true, isNull = true)
  val None: Outcomes = Outcomes(isTrue = false, isFalse = false, isNull = false)

  def of(isTrue: Boolean, isFalse: Boolean): Outcomes = Outcomes(isTrue, isFalse, isNull = false)
}

package io.hudilite.merge

/** One version of a record, as a merge looks at it: a row of a base file, a record of a log, or a change on its way to
  * either. A view that moves from row to row implements it, so that a merge makes no object for a record.
  */
trait Version {

  /** Value of an ordering field by its number, null when the version has none. All values of a field are of one class. */
  def ordering(field: Int): Any

  /** Deletes the record. */
  def isDelete: Boolean = false

  /** A delete without ordering values: it wins over everything older and loses to everything newer. */
  def isUnordered: Boolean = false

  /** Has only some columns, and leaves the others as they are, by whichever rule. */
  def isPartial: Boolean = false
}

/** Fate of the older of two versions of a record. The caller of the merge says what each outcome does. */
sealed trait Outcome

object Outcome {

  /** The older version stays: the newer one comes too late. */
  case object Kept extends Outcome

  /** The newer version takes the place of the older one. */
  case object Replaced extends Outcome

  /** Nothing is left of either. */
  case object Deleted extends Outcome

  /** The newer version stands on top of the older one, which gives the columns that the newer one lacks. */
  case object Overlaid extends Outcome

  /** The older version stays, and the newer one gives the columns that the older one lacks. */
  case object Underlaid extends Outcome
}

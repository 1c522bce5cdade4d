package io.hudilite.config.key

/** Value of an option, with its origin.
  *
  * @param isGiven
  *   true when the user gave the value, false when it is the default
  */
final case class Setting[T](value: T, isGiven: Boolean) {

  /** The given value, or else this one. */
  def orElse(other: => T): T = if (isGiven) value else other

  /** The setting with another default. */
  def default(change: T => T): Setting[T] = if (isGiven) this else copy(change(value))
}

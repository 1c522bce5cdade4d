package io.hudilite.config.key

/** The value of an option, and its origin where that matters.
  *
  * @param isGiven
  *   true when the user gave the value, false when it is the default
  */
final case class Setting[T](value: T, isGiven: Boolean) {

  /** The value that was given, else this one. */
  def orElse(other: => T): T = if (isGiven) value else other

  /** The setting with another default. */
  def default(change: T => T): Setting[T] = if (isGiven) this else copy(change(value))
}

package io.hudilite.config.key

/** The value of an option where it matters who chose it.
  *
  * @param isGiven
  *   by the user; otherwise it is the default
  */
final case class Setting[T](value: T, isGiven: Boolean) {

  /** The value that was given, else this one. */
  def orElse(other: => T): T = if (isGiven) value else other

  /** The setting with another default. */
  def default(change: T => T): Setting[T] = if (isGiven) this else copy(change(value))
}

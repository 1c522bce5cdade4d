package io.hudilite.config

/** A value in a column of the table's own by which rows delete their keys, as rows with `_hoodie_is_deleted` do.
  *
  * @param field
  *   name of the column
  * @param value
  *   the value as text
  * @param anyCase
  *   letters of the value are compared without regard to case
  */
final case class DeleteMarker(field: String, value: String, anyCase: Boolean = false) {

  def isMark(text: String): Boolean = if (anyCase) text.equalsIgnoreCase(value) else text == value
}

private[config] object DeleteMarker {

  /** First table version that can have one. */
  val FirstVersion = 9
}

package io.hudilite.config

/** Rows with a certain value in a column of the table's own delete their keys, as rows with `_hoodie_is_deleted` do.
  *
  * @param field
  *   name of the column
  * @param value
  *   the value as text
  */
final case class DeleteMarker(field: String, value: String)

private[config] object DeleteMarker {

  /** Table version from which on a table can have one. */
  val FirstVersion = 9
}

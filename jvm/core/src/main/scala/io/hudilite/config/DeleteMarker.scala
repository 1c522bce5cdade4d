package io.hudilite.config

/** A value in a column of the table's own by which rows delete their keys, as rows with `_hoodie_is_deleted` do.
  *
  * @param field
  *   name of the column
  * @param value
  *   the value as text
  */
final case class DeleteMarker(field: String, value: String)

private[config] object DeleteMarker {

  /** First table version that can have one. */
  val FirstVersion = 9
}

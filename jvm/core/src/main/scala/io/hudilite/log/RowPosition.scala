package io.hudilite.log

/** The row of the base file that a record of a log replaces, by its number from 0 on, or the reason for no number. */
object RowPosition {

  /** The base file may have rows of the key. */
  val Unknown: Long = -1L

  /** The base file has no row of the key. */
  val Absent: Long = -2L
}

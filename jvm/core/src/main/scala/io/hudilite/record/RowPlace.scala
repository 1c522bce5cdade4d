package io.hudilite.record

/** Columns that say where a row is. No file holds them; readers make them. */
object RowPlace {

  /** Id of the row's file group; the same for all rows of a file. */
  val FileId: String = ReservedNames.InternalPrefix + "file_id"

  /** Number of the row in its base file, for writes; null where it is not known, as in scans. */
  val Position: String = ReservedNames.InternalPrefix + "row_position"

  /** Whether a log file has deleted the row, which is only told of where it was. Lookups alone tell it. */
  val Gone: String = ReservedNames.InternalPrefix + "gone"

  /** Facts on the file that a row was read from, in a struct as Spark's own file sources have it. */
  val FileFacts: String = "_metadata"

  def contains(column: String): Boolean = column == FileId || column == Position || column == Gone
}

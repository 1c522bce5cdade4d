package io.hudilite.record

/** Columns that say where a row is. Readers make them; no file holds them. */
object RowPlace {

  /** Id of the row's file group, which all rows of a file share. */
  val FileId: String = ReservedNames.InternalPrefix + "file_id"

  /** Number of the row in its base file, for writes. Null where it is not known, as in scans. */
  val Position: String = ReservedNames.InternalPrefix + "row_position"

  /** True for a row that a log file has deleted and of which only the place is told. Only lookups set it. */
  val Gone: String = ReservedNames.InternalPrefix + "gone"

  /** Record key of a row that does not store it, made of its columns for a write. */
  val MadeKey: String = ReservedNames.InternalPrefix + "made_key"

  /** Facts about the file of a row, in a struct as Spark's own file sources have it. */
  val FileFacts: String = "_metadata"

  def contains(column: String): Boolean = column == FileId || column == Position || column == Gone
}

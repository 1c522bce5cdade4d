package io.hudilite.record

import io.hudilite.error.{InvalidInput, Listed}

/** Which partition paths are written (docs/format.md#partitions): those whose files are listed under the same path by
  * hudilite and by Hudi, on any file system that Hadoop knows. Reads take whatever path a listing shows.
  */
object LegalPath {

  private val TableFolder = ".hoodie"
  private val PartitionMarker = ".hoodie_partition_metadata"

  /** Raises `InvalidInput` by the names and values of the partition columns for a path that must not be written.
    *
    * @param values
    *   as text, `null` for none
    */
  def check(path: String, columns: Seq[String], values: => Seq[String]): Unit = problem(path).foreach(reason =>
    throw InvalidInput("ILLEGAL_PARTITION_PATH", "path" -> path, "columns" -> Listed.of(columns),
      "values" -> Listed.of(values.map(v => if (v == null) "null" else s"'$v'")), "reason" -> reason))

  /** Why the path must not be written, if so. */
  def problem(path: String): Option[String] =
    if (path.isEmpty) None
    else {
      val levels = path.split("/", -1).toSeq
      if (levels.exists(_.isEmpty))
        Some("a '/' at its beginning, at its end or behind another one is lost in file names")
      else levels.find(level => level == "." || level == "..").map(level => s"'$level' is no name of a folder")
        .orElse(levels.find(isReserved).map(level => s"'$level' is the name of files of the table itself"))
        .orElse(if (path.indexOf('\u0000') < 0) None else Some("file names have no null characters"))
        .orElse(
          if (!levels.head.contains(':')) None else Some("what stands before ':' would be taken for a file system"))
    }

  private def isReserved(level: String): Boolean = level == TableFolder || level.startsWith(PartitionMarker)
}

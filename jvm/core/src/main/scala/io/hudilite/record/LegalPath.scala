package io.hudilite.record

import io.hudilite.error.{InvalidInput, Listed}

import java.nio.charset.StandardCharsets.UTF_8

/** Partition paths that may be written (docs/format.md#partitions). Their files are listed under one path by hudilite
  * and by Hudi, on any file system that Hadoop knows. Reads take whatever path a listing shows.
  */
object LegalPath {

  private val TableFolder = ".hoodie"
  private val PartitionMarker = ".hoodie_partition_metadata"

  /** Raises `InvalidInput` by the names and values of the partition columns for a path that must not be written.
    *
    * @param mostNameBytes
    *   greatest length of a folder's name, where the file system has a limit
    * @param values
    *   as text, `null` for none
    */
  def check(path: String, mostNameBytes: Option[Int], columns: Seq[String], values: => Seq[String]): Unit =
    problem(path).orElse(mostNameBytes.flatMap(tooLong(path, _))).foreach(refuse(path, columns, values, _))

  private def refuse(path: String, columns: Seq[String], values: Seq[String], reason: String): Nothing =
    throw InvalidInput("ILLEGAL_PARTITION_PATH", "path" -> path, "columns" -> Listed.of(columns),
      "values" -> shown(values), "reason" -> reason)

  private def shown(values: Seq[String]): String = Listed.of(values.map(v => if (v == null) "null" else s"'$v'"))

  /** Raises `InvalidInput` where readers would take other values from the path, which alone tells them. */
  def checkTold(path: String, columns: Seq[String], values: Seq[String]): Unit = {
    val told = FolderValues.of(path, columns).map(_.map(_.orNull))
    if (!told.contains(values)) refuse(path, columns, values,
      "files of the table leave these columns out, and readers take " +
        told.fold("no values")(shown) + " from it")
  }

  /** Reason for which no table may have this path, if there is one. */
  def problem(path: String): Option[String] =
    if (path.isEmpty) None
    else {
      val levels = path.split("/", -1).toSeq
      if (levels.exists(_.isEmpty))
        Some("a '/' at its beginning, at its end or behind another one is lost in file names")
      else levels.find(level => level == "." || level == "..").map(level => s"'$level' cannot be the name of a folder")
        .orElse(levels.find(isReserved).map(level => s"'$level' is the name of files of the table itself"))
        .orElse(levels.find(isHidden).map(level => s"Hadoop takes '$level' for a checksum of local disks and hides it"))
        .orElse(if (path.indexOf('\u0000') < 0) None else Some("file names have no null characters"))
        .orElse(
          if (!levels.head.contains(':')) None else Some("the part before ':' would be taken for a file system"))
    }

  private def tooLong(path: String, most: Int): Option[String] =
    path.split('/').map(_.getBytes(UTF_8).length).find(_ > most).map(bytes =>
      s"a name of $bytes bytes is longer than the $most that local disks allow")

  // Hadoop's checksummed file system lists neither files nor folders of such a name.
  private def isHidden(level: String): Boolean = level.startsWith(".") && level.endsWith(".crc")

  private def isReserved(level: String): Boolean = level == TableFolder || level.startsWith(PartitionMarker)
}

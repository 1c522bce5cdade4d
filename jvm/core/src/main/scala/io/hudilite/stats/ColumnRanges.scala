package io.hudilite.stats

/** Tells between which values columns of files lie. */
private[hudilite] trait ColumnRanges {

  /** It may know something of such a file. */
  def knows(file: AskedFile): Boolean

  /** Ranges in some of the files, by the columns that are asked for. A column that is missing is not known. */
  def of(files: Seq[AskedFile]): Map[AskedFile, Map[FilterColumn, ColumnRange]]
}

/** A file of a slice, and a question about some of its columns.
  *
  * @param columns
  *   columns of a query by their names in the file, fields behind dots
  */
private[hudilite] final case class AskedFile(
    partition: String, name: String, length: Long, isLog: Boolean, columns: Map[FilterColumn, String]) {

  def relativePath: String = if (partition.isEmpty) name else s"$partition/$name"

  def under(basePath: String): String = s"${basePath.stripSuffix("/")}/$relativePath"
}

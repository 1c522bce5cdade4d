package io.hudilite.record

/** The texts of partition columns that files do not hold, as Hudi reads them from the path of a partition: pure
  * (docs/format.md#dropped-partition-columns).
  */
object FolderValues {

  /** The text of each column, itself none for null; `None` for a path that does not tell them.
    *
    * @param columns
    *   all partition columns
    */
  def of(path: String, columns: Seq[String]): Option[Seq[Option[String]]] = {
    val levels = path.split("/", -1).toSeq
    val texts = if (levels.size == columns.size) Some(levels.map(ofLevel))
    else if (columns.size == 1) Some(Seq(Some(path.stripPrefix(s"${columns.head}="))))
    else None
    texts.filterNot(_.exists(_.contains("")))
  }

  /** The texts of partition columns that a folder tells that was there before its table, whether it names the columns or not;
    * `None` for a path that does not tell them (docs/format.md#bootstrapped-tables).
    *
    * @param columns
    *   all partition columns
    * @param urlEncode
    *   folders that do not name their columns are encoded, too
    */
  def ofSource(path: String, columns: Seq[String], urlEncode: Boolean): Option[Seq[Option[String]]] = {
    val levels = if (columns.size == 1) Seq(path) else path.split("/", -1).toSeq
    def text(column: String, level: String): String = {
      val prefix = s"$column="
      if (level.startsWith(prefix)) KeyEncoding.unescape(level.drop(prefix.length))
      else if (urlEncode) KeyEncoding.unescape(level)
      else level
    }
    if (columns.isEmpty || levels.size != columns.size) None
    else Some(columns.zip(levels).map { case (column, level) =>
      Some(text(column, level)).filter(_ != KeyEncoding.DefaultPartition)
    })
  }

  /** The text of a whole level, none for null. Escapes count whether the table encodes values or not. */
  def ofLevel(level: String): Option[String] =
    Some(level.drop(level.indexOf('=') + 1)).filter(_ != KeyEncoding.DefaultPartition).map(KeyEncoding.unescape)

  /** The level is its text, and so is the beginning of a longer text that begins with it and goes on behind a slash. */
  def isPlain(column: String, level: String): Boolean = {
    val text = level.stripPrefix(s"$column=")
    text.nonEmpty && text != KeyEncoding.DefaultPartition && !text.contains('%') && !text.contains('=')
  }
}

package io.hudilite.config

/** The two ways to name a partition: by values alone, and by `column=value`. */
private[config] object PartitionSpelling {

  /** A name of a partition, or the beginning of one, as the paths of the table have it.
    *
    * @return
    *   `None` where the name has their spelling already, and where it has too many levels
    */
  def inPaths(path: String, fields: Seq[String], hiveStyle: Boolean): Option[String] = {
    val levels = if (fields.size == 1) Seq(path) else path.split("/", -1).toSeq
    val spelt = levels.zip(fields).map { case (level, field) =>
      if (!hiveStyle) level.stripPrefix(s"$field=")
      else if (level.startsWith(s"$field=")) level
      else s"$field=$level"
    }.mkString("/")
    if (levels.size > fields.size || spelt == path) None else Some(spelt)
  }
}

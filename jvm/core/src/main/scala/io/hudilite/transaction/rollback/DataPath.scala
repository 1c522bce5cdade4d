package io.hudilite.transaction.rollback

/** Path of a data file below a table's base path. */
private[rollback] final case class DataPath(partition: String, name: String)

private[rollback] object DataPath {

  private val NoFolder = Set("", ".", "..", ".hoodie")

  /** The path, unless it leads out of the table or into the folder of its own files. */
  def parse(relative: String): Option[DataPath] = {
    val segments = relative.split("/", -1).toSeq
    if (segments.exists(NoFolder)) None
    else Some(DataPath(segments.init.mkString("/"), segments.last))
  }
}

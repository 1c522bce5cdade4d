package io.hudilite.transaction.rollback

/** Path of a data file below a table's base path. */
private[rollback] final case class DataPath(partition: String, name: String)

private[rollback] object DataPath {

  private val NoFolder = Set("", ".", "..", ".hoodie")

  /** The path; `None` when it leads out of the table or into the table's own folder. */
  def parse(relative: String): Option[DataPath] = {
    val segments = relative.split("/", -1).toSeq
    if (segments.exists(NoFolder)) None
    else Some(DataPath(segments.init.mkString("/"), segments.last))
  }
}

package io.hudilite.filegroup

/** Selects partitions by their paths. */
trait PathSelection {

  /** True when this folder, or one below it, may be a wanted partition. */
  def mayLead(folder: String): Boolean

  /** True when a partition of this path is wanted. */
  def wants(partition: String): Boolean

  /** The only paths that wanted partitions can have, where they are known beforehand. No folder is searched for others
    * then.
    */
  def only: Option[Seq[String]] = None
}

object PathSelection {

  val All: PathSelection = new PathSelection {
    override def mayLead(folder: String): Boolean = true
    override def wants(partition: String): Boolean = true
  }

  /** The partition of this path. */
  def named(path: String): PathSelection = new PathSelection {
    override def mayLead(folder: String): Boolean = path.startsWith(s"$folder/") || wants(folder)
    override def wants(partition: String): Boolean = partition == path
    override def only: Option[Seq[String]] = Some(Seq(path))
  }
}

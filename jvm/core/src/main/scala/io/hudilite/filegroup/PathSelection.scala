package io.hudilite.filegroup

/** Which partitions are looked for, as their paths tell. */
trait PathSelection {

  /** Whether this folder, or one below it, may be a wanted partition. */
  def mayLead(folder: String): Boolean

  /** Whether a partition of this path is wanted. */
  def wants(partition: String): Boolean

  /** The only paths that wanted partitions can have, where they are known beforehand: no folder is searched for others. */
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

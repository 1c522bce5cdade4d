package io.hudilite.config

/** The way of changes to a file group: its base file is written again, or log files are appended. */
sealed abstract class TableType(val name: String) extends Serializable

object TableType {
  case object CopyOnWrite extends TableType("COPY_ON_WRITE")
  case object MergeOnRead extends TableType("MERGE_ON_READ")

  val all: Seq[TableType] = Seq(CopyOnWrite, MergeOnRead)

  /** The type of that name, in upper or lower case. */
  def of(name: String): Option[TableType] = all.find(_.name.equalsIgnoreCase(name.trim))
}

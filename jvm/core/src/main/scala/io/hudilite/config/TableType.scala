package io.hudilite.config

/** How changes reach a file group: by rewriting its base file, or by appending log files to it. */
sealed abstract class TableType(val name: String) extends Serializable

object TableType {
  case object CopyOnWrite extends TableType("COPY_ON_WRITE")
  case object MergeOnRead extends TableType("MERGE_ON_READ")

  val all: Seq[TableType] = Seq(CopyOnWrite, MergeOnRead)

  /** The type of that name, in any case of letters. */
  def of(name: String): Option[TableType] = all.find(_.name.equalsIgnoreCase(name.trim))
}

package io.hudilite.table

import io.hudilite.metadata.stored.NamedByWrites
import io.hudilite.storage.FileInfo

/** The files that the newest writes of a table have made, which a metadata table must name. */
private[table] final class NewestFiles(table: Table) extends NamedByWrites {

  override def partitions: Iterable[String] = table.committed.bases.partitions

  override def areAmong(files: Map[String, Seq[FileInfo]]): Boolean =
    table.committed.areWhole(table.everything, files)

  override def newest: String = table.lastInstant.fold("")(_.time)
}

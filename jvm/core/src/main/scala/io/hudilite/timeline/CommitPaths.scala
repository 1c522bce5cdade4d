package io.hudilite.timeline

import io.hudilite.storage.TablePath

/** Paths and names of commit metadata, in the one form in which they are compared with listings. A path that leads out
  * of the table is an `IllegalArgumentException`. Hudi records partition paths as they were spelled from the rows.
  */
private[timeline] object CommitPaths {

  def normal(metadata: CommitMetadata): CommitMetadata = metadata.copy(
    stats = byPartition(metadata.stats).map { case (partition, stats) => partition -> stats.map(normal) },
    replaced = byPartition(metadata.replaced).map { case (partition, ids) => partition -> ids.map(fileId) })

  private def byPartition[T](found: Map[String, Seq[T]]): Map[String, Seq[T]] =
    if (found.keys.forall(TablePath.isNormal)) found
    else found.toSeq.groupBy { case (partition, _) => TablePath.relative(partition) }
      .map { case (partition, same) => partition -> same.flatMap(_._2) }

  private def normal(stat: WriteStat): WriteStat = stat.copy(
    fileId = fileId(stat.fileId),
    path = TablePath.relative(stat.path),
    partitionPath = TablePath.relative(stat.partitionPath),
    baseFile = stat.baseFile.map(TablePath.name),
    prevBaseFile = stat.prevBaseFile.map(TablePath.name),
    logFiles = stat.logFiles.map(TablePath.name),
    cdcStats = stat.cdcStats.map { case (path, size) => TablePath.relative(path) -> size })

  // A stub of a file that is yet to be written has no file group.
  private def fileId(text: String): String = if (text.isEmpty) text else TablePath.name(text)
}

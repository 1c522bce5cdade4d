package io.hudilite.upkeep

import io.hudilite.filegroup.{FileNames, Partitions}
import io.hudilite.metadata.KnownFile
import io.hudilite.storage.FileInfo
import io.hudilite.timeline.{Timeline, TimelineStore}

/** Files of a table as its folders list them, as far as its metadata table is to name them: those of writes that count,
  * whatever slice they belong to.
  */
private[hudilite] object ListedFiles {

  /** The files by their names, by partition. */
  def of(data: TimelineStore, now: Timeline): Map[String, Map[String, KnownFile]] =
    if (now.writes.isEmpty) Map.empty
    else Partitions.discover(data.storage, data.basePath).map { case (partition, files) =>
      // A file without content holds nothing to be read, and Hudi's merge fails on it.
      partition -> files.filter(f => !f.isDirectory && f.length > 0 && counts(f, now, data.config.version))
        .map(f => f.name -> KnownFile(f.length)).toMap
    }

  private def counts(file: FileInfo, now: Timeline, version: Int): Boolean =
    FileNames.parseBaseFile(file.name).exists(base => now.isCommitted(base.instant)) ||
      FileNames.parseLogFile(file.name).exists(log =>
        version < GroupFiles.LogsNameTheirWrite || now.isCommitted(log.time))
}

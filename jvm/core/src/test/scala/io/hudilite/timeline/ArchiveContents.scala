package io.hudilite.timeline

import io.hudilite.log.LogFileReader
import io.hudilite.storage.OpenFile
import io.hudilite.table.Table

/** Contents of the archive of a table, with repetitions. */
object ArchiveContents {

  /** Rows of the files that count, as time and action; of layout 2. */
  def rows(table: Table): Seq[(String, String)] = {
    val folder = s"${table.store.folder}/${table.config.historyPath}"
    new HistoryManifests(table.storage, folder).current().files.flatMap { f =>
      HistoryRows.instants(table.storage.read(s"$folder/${f.name}").get).map(r => (r.time, r.action))
    }
  }

  /** Log blocks, of layout 1: one for each state of an instant. */
  def blocks(table: Table): Int =
    table.storage.list(s"${table.basePath}/.hoodie/${table.config.archiveFolder}").map { f =>
      val bytes = table.storage.read(f.path).get
      LogFileReader.blocks(OpenFile.of(f.path, bytes), f.path, bytes.length.toLong).size
    }.sum
}

package io.hudilite.upkeep

import io.hudilite.metadata.KnownFile
import io.hudilite.metadata.known.WantedFacts
import io.hudilite.storage.{Parallel, Storage}

/** A file by its absolute path. */
final case class SizedFile(path: String, bytes: Long)

/** Tells of many files, in their order. */
trait FactsReader {
  def of(wanted: WantedFacts, files: Seq[SizedFile]): Seq[KnownFile]
}

object FactsReader {

  private val FilesAtOnce = 2000

  /** One that reads them itself, several at a time. */
  def here(storage: Storage): FactsReader = (wanted, files) => {
    val facts = wanted.on(storage)
    files.grouped(FilesAtOnce).flatMap(lot => Parallel.map(lot)(file => facts.of(file.path, file.bytes))).toList
  }
}

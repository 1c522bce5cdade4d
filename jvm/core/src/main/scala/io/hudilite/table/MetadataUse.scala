package io.hudilite.table

import io.hudilite.metadata.stored.StoredKeyFacts
import io.hudilite.stats.KnownKeys

/** How a read uses the metadata table of a table.
  *
  * @param isAsked
  *   an option asks for it; else it must be shown to know what has left the timeline, too
  * @param ofPast
  *   an older state is read
  */
final case class MetadataUse(isAsked: Boolean, ofPast: Boolean = false)

/** Facts on record keys in files for those who ask the metadata table for them (docs/format.md#facts-on-keys). */
object AskedMetadata {

  /** Facts that the metadata table of a table knows; `None` where there is none, which a warning says. */
  def keys(table: Table): Option[KnownKeys] = {
    val known = table.askingMetadata.knownKeys
    if (known.isEmpty) StoredKeyFacts.tell(table.basePath, "it has no metadata table")
    known
  }
}

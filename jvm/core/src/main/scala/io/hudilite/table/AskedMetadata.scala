package io.hudilite.table

import io.hudilite.metadata.stored.StoredKeys
import io.hudilite.stats.KnownKeys

/** Facts on record keys in files for those who ask the metadata table for them (docs/format.md#facts-on-keys). */
object AskedMetadata {

  /** What the metadata table of a table knows; `None` where there is none, which a warning says. */
  def keys(table: Table): Option[KnownKeys] = {
    val known = table.knownKeys.orElse(table.readingMetadata(MetadataUse(isAsked = true)).knownKeys)
    if (known.isEmpty) StoredKeys.tell(table.basePath, "it has no metadata table")
    known
  }
}

package io.hudilite.table

/** How a read uses the metadata table of a table.
  *
  * @param isAsked
  *   an option asks for it; else it must be shown to know what has left the timeline, too
  * @param ofPast
  *   an older state is read
  */
final case class MetadataUse(isAsked: Boolean, ofPast: Boolean = false)

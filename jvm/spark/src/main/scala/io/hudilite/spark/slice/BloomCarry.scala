package io.hudilite.spark.slice

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.filegroup.BaseFileFooter
import io.hudilite.spark.basefile.encode.BloomSettings
import io.hudilite.spark.basefile.read.OldBaseFile

/** Decides whether a new version of a base file can take over the bloom filter of the old one.
  *
  * A key costs some thirty hashes, so that is much cheaper than to build the filter again. Keys that the file no longer
  * has stay in it, which only costs some false answers; when they have become too many the filter is built anew.
  */
private[spark] object BloomCarry {

  private val StaleShare = 1.3
  private val StaleSlack = 1000

  /** The old file's filter, when it has the layout that is asked for and holds few keys that are gone. A damaged
    * one, which only a lookup would need, is built anew.
    */
  def of(old: OldBaseFile, settings: BloomSettings): Option[BloomFilter] =
    try carried(old, settings)
    catch { case _: IllegalArgumentException | _: IndexOutOfBoundsException => None }

  private def carried(old: OldBaseFile, settings: BloomSettings): Option[BloomFilter] =
    for {
      text <- old.footer(BaseFileFooter.Bloom)
      typeCode = old.footer(BaseFileFooter.BloomTypeCode).getOrElse(BloomFilter.Simple)
      if typeCode == settings.typeCode
      filter = BloomFilter.read(text, typeCode, settings.maxEntries)
      if filter.isLaidOutFor(settings.entries, settings.fpp)
      if filter.keyCount <= old.rows * StaleShare + StaleSlack
    } yield filter
}

package io.hudilite.spark.write

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.filegroup.BaseFileFooter

/** Decides whether a new version of a base file can take over the bloom filter of the old one.
  *
  * A key costs some thirty hashes, so that is much cheaper than to build the filter again. Keys that the file no longer
  * has stay in it, which only costs some false answers; when they have become too many the filter is built anew.
  */
private[write] object BloomCarry {

  private val StaleShare = 1.3
  private val StaleSlack = 1000

  /** The old file's filter, when it has the layout that the job asks for and holds few keys that are gone. A damaged
    * one, which only a lookup would need, is built anew.
    */
  def of(old: OldBaseFile): Option[BloomFilter] =
    try carried(old)
    catch { case _: IllegalArgumentException | _: IndexOutOfBoundsException => None }

  private def carried(old: OldBaseFile): Option[BloomFilter] = {
    val settings = old.job.bloom
    for {
      text <- old.footer(BaseFileFooter.Bloom)
      typeCode = old.footer(BaseFileFooter.BloomTypeCode).getOrElse(BloomFilter.Simple)
      if typeCode == settings.typeCode
      filter = BloomFilter.read(text, typeCode, settings.maxEntries)
      if filter.isLaidOutFor(settings.entries, settings.fpp)
      if filter.keyCount <= old.rows * StaleShare + StaleSlack
    } yield filter
  }
}

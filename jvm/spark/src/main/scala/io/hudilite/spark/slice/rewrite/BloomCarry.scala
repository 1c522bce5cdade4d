package io.hudilite.spark.slice.rewrite

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.filegroup.BaseFileFooter
import io.hudilite.spark.basefile.encode.{BloomSettings, FittedBloom, KeySummary}
import io.hudilite.spark.basefile.read.OldBaseFile

/** Decides whether a new version of a base file can take over the bloom filter of the old one.
  *
  * A key costs some thirty hashes, so that is much cheaper than to build the filter again. Keys that the file no longer
  * has stay in it, which only costs some false answers; when they have become too many the filter is built anew. One that
  * is laid out for the few keys of a small file has no room for others: it stays when the file gets none.
  */
private[spark] object BloomCarry {

  private val StaleShare = 1.3
  private val StaleSlack = 1000

  /** The old file's filter, when it has the layout that is asked for and holds few keys that are gone. A damaged
    * one, which only a lookup would need, is built anew.
    */
  def of(old: OldBaseFile, settings: BloomSettings): Option[BloomFilter] =
    read(old, settings).map(_._1).filter(isCarried(_, old, settings))

  /** For the keys of the next version of a file, none of which has been noted yet. */
  def keys(old: OldBaseFile, settings: BloomSettings): KeySummary =
    read(old, settings) match {
      case Some((filter, _)) if isCarried(filter, old, settings) =>
        new KeySummary(filter, carried = true, oldUnique = old.uniqueKeys)
      case Some((filter, text)) if isFitted(filter, old, settings) =>
        new KeySummary(settings.create(), oldUnique = old.uniqueKeys, fitted = Some(FittedBloom(text, old.rows)))
      case _ => new KeySummary(settings.create(), oldUnique = old.uniqueKeys)
    }

  private def read(old: OldBaseFile, settings: BloomSettings): Option[(BloomFilter, String)] =
    try for {
      text <- old.footer(BaseFileFooter.Bloom)
      typeCode = old.footer(BaseFileFooter.BloomTypeCode).getOrElse(BloomFilter.Simple)
      if typeCode == settings.typeCode
    } yield BloomFilter.read(text, typeCode, settings.maxEntries) -> text
    catch { case _: IllegalArgumentException | _: IndexOutOfBoundsException => None }

  /** It has the layout that is asked for and holds few keys that are gone. */
  private def isCarried(filter: BloomFilter, old: OldBaseFile, settings: BloomSettings): Boolean =
    filter.isLaidOutFor(settings.entries, settings.fpp) && filter.keyCount <= old.rows * StaleShare + StaleSlack

  /** It has the layout and about the number of keys that one has that is made for the file's keys alone. */
  private def isFitted(filter: BloomFilter, old: OldBaseFile, settings: BloomSettings): Boolean = {
    val entries = BloomFilter.fittedEntries(old.rows, settings.entries)
    entries.exists(filter.isLaidOutFor(_, settings.fpp)) && filter.keyCount <= old.rows * StaleShare
  }
}

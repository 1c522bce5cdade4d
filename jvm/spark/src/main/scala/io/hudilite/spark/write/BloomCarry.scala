package io.hudilite.spark.write

import java.nio.ByteBuffer
import java.util.Base64

import io.hudilite.bloom.BloomFilter
import io.hudilite.filegroup.BaseFileFooter

/** Decides whether a new version of a base file can take over the bloom filter of the old one.
  *
  * A key costs some thirty hashes, so that is much cheaper than to build the filter again. Keys that the file no longer
  * has stay in it, which only costs some false answers; when they have become too many the filter is built anew.
  */
private[write] object BloomCarry {

  private val HeaderBytes = 13
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
      bytes = ByteBuffer.wrap(Base64.getDecoder.decode(text))
      if sameLayout(bytes, ByteBuffer.wrap(Base64.getDecoder.decode(settings.create().serialized)), typeCode)
      if keysIn(bytes, typeCode) <= old.rows * StaleShare + StaleSlack
    } yield BloomFilter.read(text, typeCode, settings.maxEntries)
  }

  // docs/format.md, bloom filters: version, hashes, hash type and bits; a dynamic filter's keys of a row follow.
  private def sameLayout(old: ByteBuffer, fresh: ByteBuffer, typeCode: String): Boolean = {
    val length = if (typeCode == BloomFilter.Dynamic) HeaderBytes + 4 else HeaderBytes
    old.remaining >= length && old.slice(0, length) == fresh.slice(0, length)
  }

  /** About how many keys were added. */
  private def keysIn(bytes: ByteBuffer, typeCode: String): Double =
    if (typeCode == BloomFilter.Dynamic) (bytes.getInt(21) - 1).toDouble * bytes.getInt(13) + bytes.getInt(17)
    else {
      val hashes = bytes.getInt(4)
      val bits = bytes.getInt(9)
      var set = 0L
      var i = HeaderBytes
      while (i < bytes.limit()) {
        set += Integer.bitCount(bytes.get(i) & 0xff)
        i += 1
      }
      if (set >= bits) Double.MaxValue else -bits.toDouble / hashes * math.log1p(-set.toDouble / bits)
    }
}

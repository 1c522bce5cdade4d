package io.hudilite.spark.basefile.encode

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.filegroup.BaseFileFooter

/** Size and layout of files.
  *
  * @param maxFileBytes
  *   size at which inserts go to another file
  * @param codec
  *   parquet's name of the compression codec, any case
  * @param rowGroupBytes
  *   encoded size of a row group; rather small, because a merge copies row groups without changes
  * @param keyPageRows
  *   rows of a page of the record key column; small, because a lookup reads whole pages
  */
final case class FileSettings(
    maxFileBytes: Long = FileSettings.MaxFileBytes,
    codec: String = "zstd",
    rowGroupBytes: Long = FileSettings.RowGroupBytes,
    pageBytes: Int = FileSettings.PageBytes,
    keyPageRows: Int = BaseFileFooter.KeyPageRows)

object FileSettings {
  val MaxFileBytes: Long = 120L * 1024 * 1024
  val RowGroupBytes: Long = 16L * 1024 * 1024
  val PageBytes: Int = 1024 * 1024
}

/** Layout of the bloom filters of new files, as in [[BloomFilter.fitted]]. */
final case class BloomSettings(
    typeCode: String = BloomFilter.Dynamic, entries: Int = 60000, fpp: Double = 0.000000001, maxEntries: Int = 100000) {
  def create(): BloomFilter = BloomFilter.fitted(typeCode, entries, fpp, maxEntries)
}

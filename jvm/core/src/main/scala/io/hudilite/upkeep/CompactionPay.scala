package io.hudilite.upkeep

import io.hudilite.filegroup.FileSlice

/** If a compaction of a metadata table pays, which writes all base files anew (docs/format.md#metadata-table): pure.
  *
  * Plans take all file groups with log files: an archiving takes the instants before a compaction away, and with them Apache
  * Hudi would pass over log files that are left from before it.
  *
  * @param leastBytes
  *   of base files that are looked at; smaller ones are soon written
  * @param share
  *   bytes of base files for one of log files
  * @param most
  *   times the number of delta commits, after which one is due in any case
  */
private[upkeep] final case class CompactionPay(leastBytes: Long = CompactionPay.LeastBytes,
    share: Int = CompactionPay.Share, most: Int = CompactionPay.Most) {

  /** @param since
    *   delta commits since the last compaction
    * @param deltas
    *   number of them that make one due
    * @param indexes
    *   slices with log files of indexes that are asked for keys
    */
  def isDue(since: Int, deltas: Int, indexes: => Seq[FileSlice]): Boolean =
    since >= deltas && (since >= deltas.toLong * most || pays(indexes))

  private def pays(indexes: Seq[FileSlice]): Boolean = {
    val bases = indexes.flatMap(_.base).map(_.length).sum
    bases < leastBytes || indexes.flatMap(_.logs).map(_.length).sum * share >= bases
  }
}

private[upkeep] object CompactionPay {

  /** Some 100,000 keys, a tenth of a second. */
  val LeastBytes: Long = 4L << 20

  val Share = 4

  /** Readers of names have that many small files to merge. */
  val Most = 3
}

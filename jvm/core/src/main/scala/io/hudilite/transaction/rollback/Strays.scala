package io.hudilite.transaction.rollback

import io.hudilite.timeline.WriteStat

/** Files of task attempts that lost. A marker names each, and no write stat does.
  *
  * Hudi's readers list folders, so a stray that stays when its instant completes would be read.
  */
private[transaction] object Strays {

  /** Relative paths of the strays. */
  def find(markers: Seq[Marker], stats: Seq[WriteStat]): Seq[String] = {
    val written = stats.flatMap(s => s.path +: s.cdcStats.keys.toSeq).toSet
    markers.map(_.relativePath).filterNot(written)
  }
}

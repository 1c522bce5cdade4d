package io.hudilite.stats

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.filegroup.BaseFile

/** Facts on record keys from whoever knows them without the files, and from the footers of those of which nobody does.
  *
  * @param filters
  *   bloom filters beside the files, evaluated when one is asked for
  * @param blooms
  *   bloom filters are asked for
  */
final class KeyFacts(footers: FileStatistics, filters: => Option[FilterReader], blooms: Boolean) {

  import KeyFacts._

  private lazy val reader = filters

  private val wanted = BoundsWanted(blooms = blooms)

  private var counts = FactsAsked(0, 0)

  /** Facts so far, by where they were. */
  def asked: FactsAsked = counts

  /** One answer for each of the files. It may take a request for each, and files come beside each other. Footers in memory
    * are asked first.
    *
    * @param bounds
    *   those that are known already
    * @param mayHold
    *   a file with these bounds is of interest: of others no more is looked up
    */
  def each[A](files: Seq[BaseFile], bounds: Map[BaseFile, KeyBounds], mayHold: (BaseFile, KeyBounds) => Boolean)(
      use: (BaseFile, KeyBounds) => A): Map[BaseFile, A] = {
    def known(file: BaseFile): KeyBounds = bounds.getOrElse(file, Nothing)
    val (near, far) = files.partition(file => bounds.get(file).forall(mayHold(file, _)))
    val told =
      if (blooms) byFilters(near)((file, bloom) => use(file, known(file).copy(bloom = Some(bloom))))
      else near.filter(bounds.contains).map(file => file -> use(file, known(file))).toMap
    val left = near.filterNot(told.contains)
    counts = FactsAsked(counts.filters + (if (blooms) told.size else 0), counts.footers + left.size)
    told ++ far.map(file => file -> use(file, known(file))) ++
      footers.eachFile(left, wanted)((file, of) => use(file, of.keys))
  }

  private def byFilters[A](files: Seq[BaseFile])(use: (BaseFile, BloomFilter) => A): Map[BaseFile, A] = {
    val apart = files.filterNot(footers.isAtHand(_, wanted))
    if (apart.isEmpty) Map.empty else reader.fold(Map.empty[BaseFile, A])(_.each(apart)(use))
  }
}

object KeyFacts {
  private val Nothing = KeyBounds(None, None)
}

/** @param filters
  *   bloom filters that were read beside the files
  * @param footers
  *   files whose footers were asked
  */
final case class FactsAsked(filters: Int, footers: Int)

package io.hudilite.spark.lookup

import io.hudilite.filegroup.BaseFile
import io.hudilite.spark.basefile.read.KeyBatches
import io.hudilite.stats.{BoundsWanted, FactsAsked, KeyBounds, KeyFacts, KnownFilters}

/** Facts on the record keys of the files that are looked into next, in a task. Copies of a probe share them.
  *
  * @param filters
  *   bloom filters that are known without the files
  */
private[lookup] final class FactsNearby(batches: KeyBatches, filters: Option[KnownFilters], useBloom: Boolean)
    extends Serializable {

  @transient private lazy val facts =
    new KeyFacts(batches.statistics, filters.map(_.reader(batches.conf)), useBloom)

  @transient private lazy val nearby = new java.util.HashMap[BaseFile, KeyBounds]

  private val wanted = BoundsWanted(blooms = useBloom)

  /** Files that are asked about beside each other: filters in files of a metadata table lie close to each other, and large
    * ones of more files would not be kept until they are used.
    */
  val atOnce: Int = if (filters.isDefined) FactsNearby.FiltersAtOnce else FactsNearby.FootersAtOnce

  /** Lets the facts on these files, and on no others, be in memory.
    *
    * @param mayHold
    *   files with such bounds are of interest
    */
  def bring(files: Seq[BaseFile], bounds: Map[BaseFile, KeyBounds], mayHold: (BaseFile, KeyBounds) => Boolean)
      : FactsAsked = {
    val before = facts.asked
    nearby.clear()
    facts.each(files, bounds, mayHold)(identity).foreach { case (file, of) => nearby.put(file, of) }
    FactsAsked(facts.asked.filters - before.filters, facts.asked.footers - before.footers)
  }

  def of(file: BaseFile): KeyBounds =
    Option(nearby.get(file)).getOrElse(batches.statistics.ofFile(file, wanted).keys)

  /** Rows are in the order of their keys for sure, which the file says. */
  def isSorted(file: BaseFile): Boolean = batches.statistics.ofFile(file).keys.sorted
}

private object FactsNearby {
  private val FootersAtOnce = 16
  private val FiltersAtOnce = 64
}

package io.hudilite.spark.lookup

import io.hudilite.filegroup.BaseFile
import io.hudilite.record.MetaFields
import io.hudilite.spark.basefile.read.KeyBatches
import io.hudilite.stats.{BoundsWanted, FactsAsked, KeyBounds, KeyFacts, KnownFilters}

import org.apache.spark.unsafe.types.UTF8String

/** Verdicts on the files that are looked into next, in a task, made of facts on their record keys. Copies of a probe share
  * them. A bloom filter may take megabytes, so that it is let go with its verdict.
  *
  * @param filters
  *   bloom filters that are known without the files
  */
private[lookup] final class FactsNearby(batches: KeyBatches, filters: Option[KnownFilters], useBloom: Boolean)
    extends Serializable {

  import FactsNearby._

  @transient private lazy val facts =
    new KeyFacts(batches.statistics, filters.map(_.reader(batches.conf)), useBloom)

  @transient private lazy val nearby = new java.util.HashMap[BaseFile, KeysLeft]

  private val wanted = BoundsWanted(blooms = useBloom)

  /** Files that are asked about beside each other: filters in files of a metadata table lie close to each other. */
  val atOnce: Int = if (filters.isDefined) FiltersAtOnce else FootersAtOnce

  /** Lets the verdicts on these files, and on no others, be in memory, and the footers of those that will be opened.
    *
    * @param mayHold
    *   files with such bounds are of interest
    * @param verdict
    *   may be called by several threads
    */
  def bring(files: Seq[BaseFile], bounds: Map[BaseFile, KeyBounds], mayHold: (BaseFile, KeyBounds) => Boolean)(
      verdict: (BaseFile, KeyBounds) => KeysLeft): FactsAsked = {
    val before = facts.asked
    nearby.clear()
    facts.each(files, bounds, mayHold)(verdict).foreach { case (file, left) => nearby.put(file, left) }
    batches.statistics.of(files.filter(nearby.get(_).mayBeThere), WholeFooter)
    FactsAsked(facts.asked.filters - before.filters, facts.asked.footers - before.footers)
  }

  /** The verdict on a file for these keys, where it is in memory. */
  def left(file: BaseFile, keys: Array[UTF8String]): Option[KeysLeft] =
    Option(nearby.get(file)).filter(_.asked eq keys)

  /** Facts on a file of which no verdict is in memory. */
  def of(file: BaseFile): KeyBounds = batches.statistics.ofFile(file, wanted).keys

  /** Rows are in the order of their keys for sure, which the file says. For files that are opened anyway. */
  def isSorted(file: BaseFile): Boolean = batches.statistics.ofFile(file, WholeFooter).keys.sorted
}

private object FactsNearby {
  private val FootersAtOnce = 16
  private val FiltersAtOnce = 64

  /** A reader of the file needs all of its footer. */
  private val WholeFooter = BoundsWanted(columns = Seq(MetaFields.RecordKey))
}

/** A verdict on a file: which of the keys that are asked for it may hold.
  *
  * @param bounds
  *   of its keys, without a bloom filter
  * @param inRange
  *   some of the keys lie within them
  * @param passed
  *   those that a bloom filter let through; `None` where all in the range may be there
  */
private[lookup] final case class KeysLeft(asked: Array[UTF8String], bounds: KeyBounds, inRange: Boolean,
    passed: Option[Array[UTF8String]]) {

  /** The file may hold one. */
  def mayBeThere: Boolean = passed.fold(inRange)(_.nonEmpty)
}

package io.hudilite.index

import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.record.RecordKeys
import io.hudilite.stats.{BoundsWanted, FileStatistics, KeyBounds, KeyFacts, KnownKeys}

/** Locates record keys (docs/format.md#indexes). [[Index]] has the kinds of today.
  *
  * The keys of a write are too many for one place. A write therefore takes from its index only how its plan finds them:
  * by buckets, computed from each row alone, or by a lookup in files, which may ask bloom filters first.
  */
trait KeyIndex {

  /** The part of a table in which a key stands for one row. */
  def scope: Scope

  /** Slices that can hold these keys. A slice that is ruled out holds none of them, neither in its base file nor in its
    * logs.
    */
  def locate(keys: RecordKeys, within: SearchedSlices): Locations

  /** Buckets, when the key alone determines its own, so that no write looks anything up. */
  def buckets: Option[BucketIndex] = None

  /** True when a lookup asks the bloom filters of base files before it reads their keys. */
  def asksBlooms: Boolean = false

  final def isGlobal: Boolean = scope != Scope.Partition

  /** True when a row whose partition path has changed leaves its partition for the new one. An index of partitions
    * never moves rows: equal keys of two partitions are two rows.
    */
  final def movesRows: Boolean = scope == Scope.Table(moves = true)

  /** True when a row whose partition path has changed is updated where it is. */
  final def keepsPlaces: Boolean = scope == Scope.Table(moves = false)
}

/** File slices in which keys are looked for, and the statistics that an index may ask about their files.
  *
  * @param known
  *   facts that are asked for before the files are
  */
final case class SearchedSlices(slices: Seq[FileSlice], statistics: FileStatistics,
    known: Option[AskedFirst] = None) {

  /** One answer for each of the files, made of the facts on its keys. */
  private[index] def each[A](files: Seq[BaseFile], keys: RecordKeys)(use: KeyBounds => A): Map[BaseFile, A] =
    known.fold(statistics.each(files, BoundsWanted.WithBlooms)(of => use(of.keys)))(first =>
      first.facts.each(files, first.keys.bounds(files),
        (_, bounds) => keys.between(bounds.min, bounds.max).nonEmpty)((_, bounds) => use(bounds)))
}

/** @param facts
  *   counts who was asked
  */
final case class AskedFirst(keys: KnownKeys, facts: KeyFacts)

/** Slices that can hold keys.
  *
  * @param verdicts
  *   verdicts on all slices that were searched, in their order
  */
final case class Locations(verdicts: Seq[(FileSlice, KeyVerdict)]) {

  /** Slices that can hold some of the keys. */
  def slices: Seq[FileSlice] = verdicts.collect { case (slice, KeyVerdict.MayHold(_)) => slice }

  /** Slices that can hold this key. */
  def of(key: String): Seq[FileSlice] =
    verdicts.collect { case (slice, KeyVerdict.MayHold(keys)) if keys.contains(key) => slice }

  /** Number of slices that are ruled out for this reason. */
  def ruledOut(reason: KeyVerdict): Int = verdicts.count(_._2 == reason)
}

/** The part of a table in which a key stands for one row. */
sealed trait Scope

object Scope {

  /** Its partition. Other partitions may have rows of the same key. */
  case object Partition extends Scope

  /** The whole table.
    *
    * @param moves
    *   true when a row whose partition path has changed moves there
    */
  final case class Table(moves: Boolean) extends Scope
}

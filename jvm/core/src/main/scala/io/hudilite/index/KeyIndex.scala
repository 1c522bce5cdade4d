package io.hudilite.index

import io.hudilite.filegroup.FileSlice
import io.hudilite.record.RecordKeys
import io.hudilite.stats.FileStatistics

/** Answers where record keys are (docs/format.md#indexes): the kinds that there are today are those of [[Index]].
  *
  * The keys of a write are too many for one place. A write therefore takes from its index how its plan finds them: by
  * buckets, which each row tells by itself, or else by a lookup in files, which may ask bloom filters first.
  */
trait KeyIndex {

  /** Where a key is one key. */
  def scope: Scope

  /** Where these keys can be. A slice that is ruled out holds none of them, neither in its base file nor in its logs. */
  def locate(keys: RecordKeys, within: SearchedSlices): Locations

  /** Buckets that the key itself tells, so that no write looks anything up. */
  def buckets: Option[BucketIndex] = None

  /** A lookup asks the bloom filters of base files before it reads their keys. */
  def asksBlooms: Boolean = false

  final def isGlobal: Boolean = scope != Scope.Partition

  /** A row whose partition path has changed leaves its partition for the new one. With an index of partitions it does not:
    * the row in the other partition is another one.
    */
  final def movesRows: Boolean = scope == Scope.Table(moves = true)

  /** A row whose partition path has changed is updated where it is. */
  final def keepsPlaces: Boolean = scope == Scope.Table(moves = false)
}

/** File slices in which keys are looked for, and whom an index may ask about their files. */
final case class SearchedSlices(slices: Seq[FileSlice], statistics: FileStatistics)

/** Where keys can be.
  *
  * @param verdicts
  *   of all slices that were searched, in their order
  */
final case class Locations(verdicts: Seq[(FileSlice, KeyVerdict)]) {

  /** Slices that can hold some of the keys. */
  def slices: Seq[FileSlice] = verdicts.collect { case (slice, KeyVerdict.MayHold(_)) => slice }

  /** Slices that can hold this key. */
  def of(key: String): Seq[FileSlice] =
    verdicts.collect { case (slice, KeyVerdict.MayHold(keys)) if keys.contains(key) => slice }

  /** How many slices are ruled out for this reason. */
  def ruledOut(reason: KeyVerdict): Int = verdicts.count(_._2 == reason)
}

/** In which part of a table a key stands for one row. */
sealed trait Scope

object Scope {

  /** In its partition: other partitions may have rows of the same key. */
  case object Partition extends Scope

  /** In the whole table.
    *
    * @param moves
    *   whether a row whose partition path has changed moves there
    */
  final case class Table(moves: Boolean) extends Scope
}

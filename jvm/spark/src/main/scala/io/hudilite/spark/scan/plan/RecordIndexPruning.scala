package io.hudilite.spark.scan.plan

import io.hudilite.error.HudiliteException
import io.hudilite.filegroup.{BaseFile, FileGroupId}
import io.hudilite.index.KeyVerdict
import io.hudilite.record.RecordKeys
import io.hudilite.stats.{BoundsWanted, FileStatistics}

import java.io.IOException

import org.slf4j.LoggerFactory

/** Slices that an index of the metadata table left.
  *
  * @param answer
  *   how many it left out, or why nobody can go by it; `None` where it was not asked
  */
private[scan] final case class IndexPruned(slices: StateSlices, answer: Option[Either[String, Int]])

/** Prunes file groups by the record index of the metadata table, where that knows the place of every row
  * (docs/format.md#record-index).
  *
  * @param statistics
  *   of base files, asked where the index says that one has a key
  */
private[scan] final class RecordIndexPruning(state: TableState, statistics: => FileStatistics) {

  import RecordIndexPruning._

  /** Filters on keys can leave out file groups by it, whether these have log files or not. */
  lazy val isThere: Boolean = state.query == Query.Snapshot && state.ofKeys.hasRecordIndex

  /** @param keys
    *   record keys outside of which no row passes the filters
    * @param all
    *   the slices of the whole table, where all of it was looked at anyway
    * @param found
    *   those of them that are left
    */
  def prune(keys: Option[RecordKeys], all: Option[StateSlices], found: StateSlices): IndexPruned =
    (keys, all) match {
      case (Some(wanted), Some(whole)) if isThere && found.size > 1 =>
        state.ofKeys.recordIndex.flatMap(index =>
          tooMany(wanted.sorted.size, index.bytes, found.bytes).toLeft(()).flatMap(_ =>
            groups(index.places, wanted, whole))) match {
          case Left(reason) => IndexPruned(found, Some(Left(reason)))
          case Right(groups) =>
            val kept = found.ofGroups(groups)
            IndexPruned(kept, Some(Right(found.size - kept.size)))
        }
      case _ => IndexPruned(found, None)
    }

  /** The file groups of the keys, each of which may really hold its own.
    *
    * @param areThere
    *   each of the keys is that of a row, so that one without a place shows that something is wrong
    */
  private[plan] def groups(places: Set[String] => Map[String, Set[FileGroupId]], keys: RecordKeys, whole: StateSlices,
      areThere: Boolean = false): Either[String, Set[FileGroupId]] =
    try {
      val known = places(keys.sorted.toSet)
      val groups = known.values.flatten.toSet
      if (groups.size > KeyPruning.MaxFilesOnDriver) Left(s"the keys are in ${groups.size} file groups")
      else placeless(known, keys).filter(_ => areThere).orElse(strange(known, groups, whole)).toLeft(groups)
    } catch {
      // Also a file that was compacted and cleaned away since its folder was listed, or a storage that does not answer.
      case e @ (_: HudiliteException | _: IOException) =>
        log.warn(s"The record index of ${state.table.basePath} is not used: ${e.getMessage}")
        Left(String.valueOf(e.getMessage))
    }

  private def placeless(known: Map[String, Set[FileGroupId]], keys: RecordKeys): Option[String] =
    keys.sorted.find(!known.contains(_)).map(key => s"$key has no place")

  /** A place that is not in a file group which can hold its key. */
  private def strange(known: Map[String, Set[FileGroupId]], groups: Set[FileGroupId], whole: StateSlices)
      : Option[String] = {
    val files = whole.baseFiles.map(base => FileGroupId(base.partition, base.fileId) -> base).toMap
    val held = holding(groups.toSeq.flatMap(files.get), RecordKeys.of(known.keys))
    known.iterator.flatMap { case (key, of) =>
      of.find(group => !files.get(group).exists(held(_)(key))).map(group => s"${group.fileId} does not have $key")
    }.toSeq.headOption
  }

  private def holding(files: Seq[BaseFile], keys: RecordKeys): Map[BaseFile, Set[String]] =
    if (files.isEmpty) Map.empty
    else statistics.each(files, BoundsWanted.WithBlooms)(known => KeyVerdict.possible(known.keys, keys).toSet)
}

private object RecordIndexPruning {

  /** Of so few keys each is a request or two. */
  private val FewKeys = 1000

  // A request or two for all of it.
  private val SmallIndexBytes = 1L << 20

  // A second or so of reading.
  private val MostIndexBytes = 32L << 20

  // The driver reads the index alone, and tasks read the files beside each other.
  private val LeastGain = 4

  /** Reason not to ask for so many keys: all of the index may have to be read for them, by the driver.
    *
    * @param fileBytes
    *   of the files that it may leave out
    */
  def tooMany(keys: Int, indexBytes: Long, fileBytes: Long): Option[String] =
    if (keys <= most(indexBytes, fileBytes)) None
    else Some(s"$keys keys are too many for its $indexBytes bytes beside files of $fileBytes")

  /** So many keys, or values, are asked for. */
  def most(indexBytes: Long, fileBytes: Long): Int =
    if (indexBytes <= SmallIndexBytes || (indexBytes <= MostIndexBytes && indexBytes * LeastGain <= fileBytes))
      KeyFilter.MaxKeys
    else FewKeys

  val log = LoggerFactory.getLogger("io.hudilite.spark.scan.plan.RecordIndexPruning")
}

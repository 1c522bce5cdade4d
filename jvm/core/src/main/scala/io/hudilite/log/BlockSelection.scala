package io.hudilite.log

import io.hudilite.error.CorruptTable

import java.util.{Collections, LinkedHashMap}
import java.util.Map.Entry

import org.slf4j.LoggerFactory

import scala.collection.mutable

/** Instants whose blocks count; ships to tasks.
  *
  * @param version
  *   table version
  * @param latest
  *   greatest requested time that the reader sees; `None` sees all
  * @param completed
  *   completed writes of the active timeline; matters for version 6, where one file holds blocks of several instants
  * @param firstActive
  *   first write of the active timeline; older ones were archived and so had completed
  * @param chosen
  *   the only instants that count, all of them completed
  */
final case class BlockInstants(
    version: Int, latest: Option[String], completed: Set[String], firstActive: Option[String],
    chosen: Option[Set[String]] = None) {

  /** True when data and deletes of this instant are to be read. From version 8 on, a log file belongs to one instant,
    * and the view of the files has left out instants that did not complete.
    */
  def counts(instant: String): Boolean = latest.forall(instant <= _) &&
    chosen.fold(counting(instant))(_.contains(instant))

  private def counting(instant: String): Boolean =
    hasFilesPerInstant || completed(instant) || firstActive.exists(instant < _)

  /** A log file holds the blocks of one write. */
  def hasFilesPerInstant: Boolean = version >= BlockInstants.FirstVersionWithFilesPerInstant
}

object BlockInstants {
  private val FirstVersionWithFilesPerInstant = 8
}

/** Chooses the blocks of a file slice that are merged: pure, no storage (docs/format.md#log-files). */
object BlockSelection {

  /** Data and delete blocks that count, oldest instant first and within an instant as written.
    *
    * A damaged block raises `CorruptTable` from version 8 on, where the files of a slice are those of completed writes.
    * In version 6 it is passed over with a warning: a writer that died may have left it.
    *
    * @param blocks
    *   the blocks of all log files of one slice, in the order of the files
    */
  def select(blocks: Seq[LogBlock], instants: BlockInstants): Seq[LogBlock] = {
    blocks.foreach { block =>
      if (block.kind == BlockKind.Corrupt && !instants.hasFilesPerInstant) LogDamage.warn(block)
      else if (LogDamage.isDamage(block) && instants.hasFilesPerInstant) throw LogDamage.inCommitted(block)
    }
    withCompactedInPlace(byInstant(blocks, instants))
  }

  /** The blocks of each instant, instants in the order in which they first appear. A rollback takes away the blocks
    * before it, so that the instant may be written again afterwards.
    */
  private def byInstant(blocks: Seq[LogBlock], instants: BlockInstants): Seq[(String, Seq[LogBlock])] = {
    val found = mutable.LinkedHashMap.empty[String, Vector[LogBlock]]
    blocks.foreach { block =>
      if (block.kind == BlockKind.Command) found.remove(block.rolledBack)
      else if (block.isMergeable && instants.counts(block.instant))
        found.update(block.instant, found.getOrElse(block.instant, Vector.empty) :+ block)
    }
    found.toList
  }

  /** Puts the blocks of a log compaction in the place of the newest instant that it folded. A compaction may have
    * folded the result of an earlier one, so the newest are looked at first and their claims reach through.
    */
  private def withCompactedInPlace(oldestFirst: Seq[(String, Seq[LogBlock])]): Seq[LogBlock] = {
    val present = oldestFirst.map(_._1).toSet
    val blocksOf = oldestFirst.toMap
    val foldedInto = mutable.Map.empty[String, String]
    val emitted = mutable.Set.empty[String]
    var selected = List.empty[LogBlock]
    def emit(instant: String): Unit = if (emitted.add(instant)) selected = blocksOf(instant).toList ::: selected
    oldestFirst.reverse.foreach { case (instant, blocks) =>
      val folds = blocks.headOption.toList.flatMap(_.compactedInstants).filter(_ != instant)
      val target = foldedInto.getOrElse(instant, instant)
      folds.foreach(foldedInto.update(_, target))
      // Without any of the instants that it folded, a compacted block keeps its own place.
      if (!folds.exists(present)) emit(target)
    }
    selected
  }

  /** Errors and warnings about bytes in a log file that are no whole block. */
  private object LogDamage {

    private val log = LoggerFactory.getLogger("io.hudilite.log.LogDamage")

    private val MostRemembered = 10000

    // Places that were warned of. The oldest of many are forgotten.
    private val warned = Collections.newSetFromMap(Collections.synchronizedMap(
        new LinkedHashMap[(String, Long), java.lang.Boolean]() {
          override def removeEldestEntry(eldest: Entry[(String, Long), java.lang.Boolean]): Boolean = size >
            MostRemembered
        }))

    /** True for bytes that are no block, and for blocks of a type that files of rows do not have: change data has files
      * of its own.
      */
    def isDamage(block: LogBlock): Boolean = block.kind == BlockKind.Corrupt || block.kind == BlockKind.ChangeData

    def inCommitted(block: LogBlock): CorruptTable = CorruptTable("CORRUPT_FILE", "path" -> block.path,
      "reason" -> s"${describe(block)}, although the write of the file has completed")

    /** Warns once for each place in a process. */
    def warn(block: LogBlock): Unit =
      if (warned.add(block.path -> block.contentOffset))
        log.warn(
          s"Passing over damage in the log file ${block.path}: ${describe(block)}. Apache Hudi's readers pass over " +
            "it, too: in a table of version 6 a writer that died may have left it.")

    private def describe(block: LogBlock): String = {
      val found =
        if (block.kind == BlockKind.Corrupt) "no whole log block" else "change data, which has files of its own"
      s"its ${block.contentLength} bytes at offset ${block.contentOffset} are $found"
    }
  }
}

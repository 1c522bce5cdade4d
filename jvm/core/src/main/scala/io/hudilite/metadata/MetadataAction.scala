package io.hudilite.metadata

import io.hudilite.record.KeyChange
import io.hudilite.timeline.{CleanMetadata, CommitMetadata, WriteStat}
import io.hudilite.timeline.plan.{RollbackMetadata, RollbackPlan}

/** An action of a table as it completes, with all that its records in the metadata table are made of: `MetadataRecords`. */
sealed trait MetadataAction extends Product with Serializable {

  /** Instant of the action, which is also that of the write of the metadata table. */
  def instant: String
}

object MetadataAction {

  /** A commit, delta commit, replace commit, compaction, log compaction, clustering, or a change of columns.
    *
    * @param facts
    *   by path below the table, of each file that was written: of base files from their footers, of log files from the
    *   records that went into them
    * @param keys
    *   none where jobs deal them to the file groups of the record index
    */
  final case class Written(instant: String, commit: CommitMetadata, facts: Map[String, KnownFile] = Map.empty,
      keys: ActionKeys = ActionKeys.None) extends MetadataAction {

    private[metadata] def factsOf(stat: WriteStat): KnownFile =
      facts.getOrElse(stat.path, throw new IllegalArgumentException(s"nothing is known of ${stat.path}"))
  }

  /** A cleaning. */
  final case class Cleaned(instant: String, clean: CleanMetadata) extends MetadataAction

  /** A rollback. Before version 8 log files of the write stay, with blocks appended that take theirs back; from then on
    * the metadata table takes its own write back.
    */
  final case class RolledBack(instant: String, rollback: RollbackMetadata, plan: RollbackPlan) extends MetadataAction

  /** A restore, after which the metadata table that went back to the same instant is held against the files.
    *
    * @param there
    *   all files of the table, by partition and name
    */
  final case class Restored(instant: String, there: Map[String, Map[String, KnownFile]]) extends MetadataAction

  /** All that is there when a metadata table, or one of its partitions, is made.
    *
    * @param instant
    *   newest completed write of the table; empty where there is none
    * @param there
    *   all files of completed writes, by partition and name
    * @param keys
    *   of all rows; none where jobs deal them to the file groups of the record index
    */
  final case class Everything(instant: String, there: Map[String, Map[String, KnownFile]],
      keys: ActionKeys = ActionKeys.None) extends MetadataAction
}

/** Changes of keys that an action makes, in memory.
  *
  * @param instantMs
  *   epoch milliseconds that their places bear
  */
final case class ActionKeys(changes: Seq[KeyChange], instantMs: Option[Long])

object ActionKeys {
  val None: ActionKeys = ActionKeys(Nil, scala.None)
}

/** All that records of a metadata table say of a file.
  *
  * @param columns
  *   by dotted name, of the columns that the file has
  * @param bloom
  *   bloom filter of a base file, as its footer has it
  * @param bloomKind
  *   Hudi's name of its kind, where the footer says it
  * @param expressed
  *   values of functions over columns, by the name of the index; none of a file without rows
  * @param filtered
  *   texts of bloom filters of such values, by the name of the index; of none where a value is not certain
  */
final case class KnownFile(bytes: Long, columns: Map[String, ColumnFacts] = Map.empty, bloom: Option[String] = None,
    bloomKind: Option[String] = None, expressed: Map[String, ColumnFacts] = Map.empty,
    filtered: Map[String, Option[String]] = Map.empty)

/** A column of a file: of a base file as its footer tells of it, of a log file as all its records do, deletes left out.
  *
  * @param values
  *   number of values, nulls among them
  * @param nulls
  *   `None` where the file does not tell
  * @param bytes
  *   compressed length in the file, 0 in log files
  * @param bounds
  *   least and greatest value; `None` where the file does not tell for sure, or there is none
  * @param isEmpty
  *   there are no values but nulls
  * @param kind
  *   type of the column in this file
  */
final case class ColumnFacts(values: Long, nulls: Option[Long], bytes: Long, uncompressedBytes: Long,
    bounds: Option[(StatValue, StatValue)], isEmpty: Boolean, kind: StatType)

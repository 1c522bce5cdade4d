package io.hudilite.timeline

import io.hudilite.storage.Storage

/** Knowledge of the writer of a file that no commit records. */
trait ToldFacts extends Serializable

/** Tells the facts on files that were written, once they are whole. */
trait FactsTeller extends Serializable {

  /** @param tasks
    *   number of tasks that tell of their files
    */
  def told(storage: Storage, basePath: String, stats: Seq[WriteStat], tasks: Int): Seq[WriteStat]
}

/** Statistics of one file that a write, a compaction or a clustering wrote. Counts are records, sizes are bytes.
  *
  * Readers of other engines depend on `fileId`, `path`, `partitionPath` and the exact file size; the rest feeds
  * statistics, change capture and rollbacks (docs/format.md, commit metadata).
  *
  * @param path
  *   relative to the table's base path; empty in the stub of a pending write
  * @param prevCommit
  *   instant of the slice that the file continues, [[WriteStat.NoPreviousCommit]] for a new file group
  * @param baseFile
  *   of a log write: name of the slice's base file
  * @param prevBaseFile
  *   of a base file: name of the base file that it replaces
  * @param cdcStats
  *   relative path of a change data file to its size
  * @param facts
  *   facts on the file where its writer has told them
  * @param keys
  *   on one file of a task, record keys that came to its files or left them, where they are asked for
  * @param taken
  *   of a log file: rows that it takes out of its slice, less those that it brings back, where its writer has counted them
  */
final case class WriteStat(
    fileId: String,
    path: String,
    prevCommit: String,
    partitionPath: String,
    numWrites: Long = 0,
    numDeletes: Long = 0,
    numUpdateWrites: Long = 0,
    numInserts: Long = 0,
    totalWriteBytes: Long = 0,
    fileSizeInBytes: Long = 0,
    totalWriteErrors: Long = 0,
    baseFile: Option[String] = None,
    prevBaseFile: Option[String] = None,
    logFiles: Seq[String] = Nil,
    logVersion: Int = 0,
    logOffset: Long = 0,
    cdcStats: Map[String, Long] = Map.empty,
    minEventTime: Option[Long] = None,
    maxEventTime: Option[Long] = None,
    logScan: LogScan = LogScan.None,
    facts: Option[ToldFacts] = None,
    keys: Option[ToldFacts] = None,
    taken: Option[Long] = None) {

  /** Name of the written file without its folder. */
  def fileName: String = path.substring(path.lastIndexOf('/') + 1)

  /** True for a log file, false for a base file. */
  def isLog: Boolean = fileName.startsWith(".")
}

object WriteStat {

  /** The text that Hudi writes for the first file of a file group. */
  val NoPreviousCommit = "null"
}

/** Statistics of the log files that a compaction read to write one base file. */
final case class LogScan(
    records: Long = 0,
    files: Long = 0,
    filesCompacted: Long = 0,
    sizeCompacted: Long = 0,
    updatedRecords: Long = 0,
    blocks: Long = 0,
    corruptBlocks: Long = 0,
    rollbackBlocks: Long = 0,
    readTimeMs: Long = 0)

object LogScan {
  val None: LogScan = LogScan()
}

/** Content of a completed `commit`, `deltacommit` or `replacecommit`.
  *
  * @param operation
  *   Hudi's upper-case name, e.g. `UPSERT`
  * @param stats
  *   files written, by partition path
  * @param extra
  *   free keys; [[CommitMetadata.SchemaKey]] holds the table's Avro schema without meta columns
  * @param replaced
  *   ids of the file groups that this commit replaces, by partition path
  * @param compacted
  *   true only for a commit that completes a compaction
  */
final case class CommitMetadata(
    operation: String,
    stats: Map[String, Seq[WriteStat]],
    extra: Map[String, String],
    replaced: Map[String, Seq[String]] = Map.empty,
    compacted: Boolean = false) {

  /** True for a log compaction: it folded log blocks of other writes and has no records of its own. */
  def isLogCompaction: Boolean = operation == CommitMetadata.LogCompact

  /** True for a service: it moves rows, and Apache Hudi does not ask its commit for the columns of the table. */
  def isService: Boolean = CommitMetadata.Services(operation)

  /** The commit with more entries. */
  def and(entries: Map[String, String]): CommitMetadata = copy(extra = extra ++ entries)

  def allStats: Seq[WriteStat] = stats.values.flatten.toList

  /** Paths below the table of all data files that were written. */
  def allPaths: Set[String] = stats.flatMap { case (partition, files) =>
    val prefix = if (partition.isEmpty) "" else s"$partition/"
    files.flatMap(s => (s.path +: s.logFiles.map(prefix + _)) ++ s.cdcStats.keys)
  }.toSet

  /** The table's Avro schema as this commit recorded it. */
  def schema: Option[String] = extra.get(CommitMetadata.SchemaKey).filter(_.nonEmpty)

  /** The columns of `schema` with their ids, as Hudi's schema-on-read keeps them. */
  def schemaById: Option[String] = extra.get(CommitMetadata.SchemaByIdKey).filter(_.nonEmpty)
}

object CommitMetadata {
  val SchemaKey = "schema"
  val SchemaByIdKey = "latest_schema"

  /** Operation of a completed compaction. */
  val Compact = "COMPACT"

  /** Operation of a completed log compaction. */
  val LogCompact = "LOG_COMPACT"

  /** Operation of a completed clustering. */
  val Cluster = "CLUSTER"

  /** Operation of a write that drops all rows of partitions. */
  val DeletePartition = "DELETE_PARTITION"

  /** Operation of a write that replaces all rows of the table. */
  val InsertOverwriteTable = "INSERT_OVERWRITE_TABLE"

  private val Services = Set(Compact, LogCompact, Cluster)

  /** Operation of a commit that changes the table's columns and no row. */
  val AlterSchema = "ALTER_SCHEMA"

  /** Stands for a file without content. */
  val Empty: CommitMetadata = CommitMetadata("UNKNOWN", Map.empty, Map.empty)
}

package io.hudilite.record

/** Names of the columns that Hudi adds to every row, and of the columns with a meaning of their own. */
object MetaFields {

  /** Instant that wrote the row's content. */
  val CommitTime = "_hoodie_commit_time"

  /** `<instant>_<task>_<counter>`, unique in the table. */
  val CommitSeqno = "_hoodie_commit_seqno"
  val RecordKey = "_hoodie_record_key"

  /** Partition path, empty in an unpartitioned table. */
  val PartitionPath = "_hoodie_partition_path"

  /** Name of the base file that holds the row. */
  val FileName = "_hoodie_file_name"

  /** The meta columns in file order; all are optional strings and come before the data columns. */
  val all: Seq[String] = Seq(CommitTime, CommitSeqno, RecordKey, PartitionPath, FileName)

  /** Data column; a row with `true` in it deletes its key. */
  val IsDeleted = "_hoodie_is_deleted"

  /** Change type column of tables written in changelog mode; sits behind the meta columns. */
  val Operation = "_hoodie_operation"
}

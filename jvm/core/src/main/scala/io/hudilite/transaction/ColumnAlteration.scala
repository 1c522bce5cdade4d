package io.hudilite.transaction

import io.hudilite.config.TableType
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CommitMetadata, Instant}

/** Changes the columns of a table by a commit without rows; no file is touched. */
object ColumnAlteration {

  /** Columns that are only added, or as a write widens them: readers find them by their names.
    *
    * @param avroJson
    *   the columns afterwards, without meta columns
    */
  def grow(table: Table, avroJson: String, options: TransactionOptions): Instant =
    run(table, options)(_.commit(Nil, columns = Some(avroJson), assumption = Assumption.Nothing))

  /** Columns that are renamed, dropped, moved or get other types: from now on each has an id (Hudi's schema-on-read). */
  def alter(table: Table, columns: AlteredColumns, options: TransactionOptions): Instant =
    run(table, options)(_.alter(columns))

  private def run(table: Table, options: TransactionOptions)(commit: Transaction => Instant): Instant = {
    val action = if (table.config.tableType == TableType.MergeOnRead) Action.DeltaCommit else Action.Commit
    val write = Transaction.begin(table, action, CommitMetadata.AlterSchema, options)
    try commit(write)
    finally write.rollback() // does nothing after a commit
  }
}

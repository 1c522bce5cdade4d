package io.hudilite.transaction

import io.hudilite.config.TableType
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CommitMetadata, Instant}

/** Changes the columns of a table by a commit without rows; no file is touched. */
object ColumnAlteration {

  /** Adds columns, or widens them as a write does. Readers go on finding them by their names.
    *
    * @param avroJson
    *   columns after the change, without meta columns
    */
  def grow(table: Table, avroJson: String, options: TransactionOptions,
      assumption: Assumption = Assumption.Nothing): Instant =
    run(table, options)(_.commit(Nil, columns = Some(avroJson), assumption = assumption))

  /** Renames, drops, moves or retypes columns. From then on each column has an id (Hudi's schema-on-read). */
  def alter(table: Table, columns: AlteredColumns, options: TransactionOptions,
      assumption: Assumption = Assumption.Nothing): Instant = run(table, options)(_.alter(columns, assumption))

  private def run(table: Table, options: TransactionOptions)(commit: Transaction => Instant): Instant = {
    val action = if (table.config.tableType == TableType.MergeOnRead) Action.DeltaCommit else Action.Commit
    val write = Transaction.begin(table, action, CommitMetadata.AlterSchema, options)
    try commit(write)
    finally write.rollback() // does nothing after a commit
  }
}

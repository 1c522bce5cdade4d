package io.hudilite.spark.plan

import io.hudilite.spark.plan.merge.KeyedRows
import io.hudilite.spark.plan.table.{AwaitedClusterings, PlannedTable}
import io.hudilite.spark.shim.TableOfPath
import io.hudilite.spark.stage.{SharedRows, SharedRowsAgain}
import io.hudilite.spark.write.attempt.{CommitJudge, Rebase}
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.table.Table

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Statistics, V2WriteCommand}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** The keyed rows of a write, as its query makes them or as an earlier attempt has evaluated them.
  *
  * @param attempt
  *   number of the attempt that is planned
  * @param held
  *   the rows of the earlier attempt
  * @param rebases
  *   an exchange holds the rows for a later attempt
  */
private[plan] final class WriteSource private (judge: CommitJudge, attempt: Int, held: Option[SharedRowsAgain],
    rebases: Boolean) {

  /** @param keyed
    *   the rows of the query, see `WriteLayout.keyed`
    */
  def rows(keyed: => LogicalPlan, of: KeyedRows): LogicalPlan =
    held.getOrElse(if (rebases) of.evaluatedOnce(keyed).copy(again = true) else keyed)

  /** The way to the next attempt of a write of these rows.
    *
    * @param over
    *   plans the write over a later snapshot of its table
    */
  def rebase(rows: LogicalPlan, target: WriteTarget)(over: (Table, WriteSource) => LogicalPlan): Option[Rebase] = for {
    found <- target.existing
    again <- rows match {
      case again: SharedRowsAgain => Some(again)
      case shared: SharedRows if rebases =>
        Some(SharedRowsAgain(shared.shared, shared.output, Statistics(rows.conf.defaultSizeInBytes)))
      case _ => None
    }
  } yield new Rebase(judge, attempt,
    now =>
      if (AwaitedClusterings.isSameTable(found, now) && target.shape.isSpelledAlike(now))
        Some(over(now, new WriteSource(judge, attempt + 1, Some(again), rebases)))
      else None)
}

private[plan] object WriteSource {

  /** Rows that are made of those of the table itself are made anew where these have changed: no attempt may take them from
    * an earlier one.
    */
  def of(write: V2WriteCommand, table: PlannedTable, judge: CommitJudge): WriteSource =
    new WriteSource(judge, 1, None, judge.rebases && !reads(write.query, table.basePath))

  private def reads(query: LogicalPlan, path: String): Boolean = query.collectWithSubqueries {
    case relation: DataSourceV2Relation => relation.table
  }.exists {
    case table: TableOfPath => table.basePath == path
    case _ => false
  }
}

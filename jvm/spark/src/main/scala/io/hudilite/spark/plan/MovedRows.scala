package io.hudilite.spark.plan

import io.hudilite.merge.MergeRule
import io.hudilite.record.{ColumnNames, MetaFields}
import io.hudilite.spark.write.{RowLevelWrite, WriteTarget}

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.Literal.FalseLiteral
import org.apache.spark.sql.catalyst.plans.logical.{Expand, Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.util.RowDeltaUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BooleanType, DataType}

/** Changes that take a row to another partition, before they are dealt to tasks: a delete where the row was, and an
  * insert where it goes, which is dealt like any other new row of that partition.
  */
private[plan] object MovedRows {

  private val MovesColumn = ColumnNames.InternalPrefix + "moves"
  private val ArrivesColumn = ColumnNames.InternalPrefix + "arrives"

  /** The row changes with each move split in two; as they are where no change can move a row.
    *
    * Where the table's merge mode may keep the old row against a change that moves it, and the plan does not know its
    * ordering values, the writer has to decide, so that such changes stay whole.
    */
  def split(query: LogicalPlan, operation: RowLevelWrite): LogicalPlan = {
    val target = operation.target
    val mayMove = !operation.byKey && target.buckets.isEmpty && !target.index.keepsPlaces
    if (mayMove && moving(RowUpdates.of(query), target)) inTwo(query, operation) else query
  }

  private def moving(updates: Option[RowUpdates], target: WriteTarget): Boolean = updates.exists { found =>
    val rule = MergeRule.of(target.config.mergeMode, target.config.orderingFields)
    val ordering = if (rule.compares) rule.fields.map(root) else Nil
    val moves = found.updates.filter(u => target.keys.partitionFields.exists(f => u.changes(root(f))))
    moves.nonEmpty && moves.forall(u => u.comparesOrdering || !ordering.exists(u.changes))
  }

  private def root(field: String): String = field.takeWhile(_ != '.')

  private def inTwo(query: LogicalPlan, operation: RowLevelWrite): LogicalPlan = {
    val told = Project(query.output :+ Alias(moves(query, operation.target), MovesColumn)(), query)
    val moved = told.output.last
    val kept = (operation.rowId() ++ operation.requiredMetadataAttributes()).map(_.fieldNames().last).toSet
    // What stays behind is a delete, which needs no values.
    val leaving = query.output.map {
      case a if a.name == RowDeltaUtils.OPERATION_COLUMN => If(moved, Literal(RowDeltaUtils.DELETE_OPERATION), a)
      case a if kept(a.name) => a
      case a => If(moved, nothing(a.dataType), a)
    }
    val arriving = query.output.map {
      case a if a.name == RowDeltaUtils.OPERATION_COLUMN => Literal(RowDeltaUtils.INSERT_OPERATION)
      case a if kept(a.name) => nothing(a.dataType)
      case a => a
    }
    val changes = query.output.map { a =>
      val nullable = a.nullable || a.name != RowDeltaUtils.OPERATION_COLUMN // which Spark wants never to be null
      AttributeReference(a.name, a.dataType, nullable, a.metadata)()
    }
    val flags = Seq(MovesColumn, ArrivesColumn).map(AttributeReference(_, BooleanType, nullable = false)())
    val both = Expand(Seq(leaving :+ moved :+ FalseLiteral, arriving :+ moved :+ Literal.TrueLiteral), changes ++ flags,
      told)
    Project(changes, Filter(Or(Not(flags(1)), flags(0)), both))
  }

  private def nothing(dataType: DataType): Expression = Literal.create(null, dataType)

  /** A change of the record key is none of these: the writer refuses it. */
  private def moves(query: LogicalPlan, target: WriteTarget): Expression = {
    def missing: Nothing = throw new IllegalStateException(s"no key columns in ${query.output}")
    val columns: String => Option[Expression] = name => query.output.find(a => SQLConf.get.resolver(a.name, name))
    val key = target.keys.recordKey(columns).getOrElse(missing)
    val partition = target.keys.partitionPath(columns, toWrite = true).getOrElse(missing)
    val elsewhere = And(EqualNullSafe(key, WriteLayout.column(query, MetaFields.RecordKey)),
      Not(EqualNullSafe(partition, WriteLayout.column(query, MetaFields.PartitionPath))))
    If(EqualTo(WriteLayout.column(query, RowDeltaUtils.OPERATION_COLUMN), Literal(RowDeltaUtils.UPDATE_OPERATION)),
      elsewhere, FalseLiteral)
  }
}

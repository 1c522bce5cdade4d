package io.hudilite.spark.plan

import io.hudilite.config.{WriteConf, WriteOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.merge.MergeRule
import io.hudilite.record.MetaFields
import io.hudilite.spark.lookup.OnlyLeaves
import io.hudilite.spark.plan.layout.{AppendPlan, KeepsLatest, WriteLayout}
import io.hudilite.spark.row.{KeyValues, MissingOrdering, SchemaAlignment}
import io.hudilite.spark.shim.PlanNodes
import io.hudilite.spark.stage.{RowNumber, SharedRows}
import io.hudilite.spark.write._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{And, Cast, EqualNullSafe, EqualTo, Expression, If, Literal, Or}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.{BooleanType, LongType, StringType}

import scala.collection.JavaConverters._

/** Gives every write to a hudilite table its plan.
  *
  * An upsert or delete of a DataFrame becomes a MERGE over the de-duplicated rows, which Spark rewrites into a delta of
  * rows by itself; everything else stays an append, with its rows laid out for the writers.
  *
  * @param after
  *   the work that follows a write
  */
final case class WriteRule(session: SparkSession, after: AfterCommit) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case append: AppendData if ready(append) => planned(append, append.writeOptions, WriteOperation.Insert)
    case overwrite: OverwriteByExpression if ready(overwrite) =>
      planned(overwrite, overwrite.writeOptions, WriteOperation.InsertOverwriteTable)
    case overwrite: OverwritePartitionsDynamic if ready(overwrite) =>
      planned(overwrite, overwrite.writeOptions, WriteOperation.InsertOverwrite)
    case merge: MergeIntoTable => HeldMerge.released(merge).fold(merge)(MergeStatements.prepared)
  }

  private def ready(write: V2WriteCommand): Boolean =
    write.resolved &&
      (write.table match {
        case r: DataSourceV2Relation => r.table match {
            case t: PlannedTable => t.prepared.isEmpty
            case _ => false
          }
        case _ => false
      })

  private def planned(write: V2WriteCommand, writeOptions: Map[String, String], sqlOperation: WriteOperation)
      : LogicalPlan = {
    val relation = write.table.asInstanceOf[DataSourceV2Relation]
    val resolved = relation.table.asInstanceOf[PlannedTable]
    val asked = resolved.writeConf(relation.options.asCaseSensitiveMap.asScala.toMap, writeOptions)
    val overwrite = Overwrite.of(write, asked, resolved)
    val operation =
      effective(overwrite, asked, if (resolved.dataFrame) WriteOperation.Upsert else sqlOperation)
    val table = if (overwrite.isEmpty && addsOnly(operation, asked)) resolved else awaited(resolved, asked)
    if (operation == WriteOperation.Delete && table.table.isEmpty)
      throw InvalidInput("TABLE_NOT_FOUND", "path" -> table.basePath)
    val needed = if (operation == WriteOperation.Delete || operation == WriteOperation.DeletePartition)
      NeededColumns.KeysOnly
    else NeededColumns.All
    val target = WriteTarget.of(table.basePath, table.storage, table.table, asked, write.query.schema, needed)
      .copy(found = resolved.table)
    after.check(session, target)
    AwaitedClusterings.check(write.query, target)
    if (looksUp(operation, target) && overwrite.isEmpty) merge(relation, table, target, operation, write.query)
    else append(write, relation, table, appendPlan(write.query, target, operation, overwrite))
  }

  private def awaited(table: PlannedTable, asked: WriteConf): PlannedTable = table.table.fold(table) { found =>
    val now = AwaitedClusterings.of(found, asked)
    if (now eq found) table else table.at(now)
  }

  /** Rows go to new file groups, or to such as no clustering takes. */
  private def addsOnly(operation: WriteOperation, asked: WriteConf): Boolean = !asked.index.byBuckets &&
    (operation == WriteOperation.Insert || operation == WriteOperation.BulkInsert)

  private def looksUp(operation: WriteOperation, target: WriteTarget): Boolean =
    target.existing.isDefined && operation.looksUp && (target.buckets.isEmpty || operation == WriteOperation.Delete)

  /** How the rows are brought. What they replace, an overwriting write says apart from it. */
  private def effective(overwrite: Option[Overwrite], asked: WriteConf, default: WriteOperation): WriteOperation = {
    val operation = WriteOperation.of(asked, default)
    overwrite match {
      case None => operation
      case _ if operation == WriteOperation.Delete || operation == WriteOperation.DeletePartition =>
        throw InvalidInput("INVALID_OPTION_VALUE", "option" -> WriteOptions.Operation.name, "value" -> operation.name,
          "reason" -> "it removes rows and cannot go with the save mode overwrite; use append")
      case Some(Overwrite.Table) => operation
      case _ => if (asked.operation.isEmpty) WriteOperation.InsertOverwrite else operation
    }
  }

  private def merge(relation: DataSourceV2Relation, table: PlannedTable, target: WriteTarget,
      operation: WriteOperation,
      query: LogicalPlan): LogicalPlan = {
    val into = written(relation, table, PreparedWrite.Delta(WriteIntent(target, operation)))
    val rows = evaluatedOnce(aligned(query, target, operation), target)
    val (matched, notMatched) =
      if (operation == WriteOperation.Delete) (Seq(DeleteAction(None)), Nil)
      else (updates(into, rows, target), Seq(InsertStarAction(None)))
    PlanNodes.mergeInto(into, rows, matches(into, rows, target), matched, notMatched)
  }

  private def written(relation: DataSourceV2Relation, table: PlannedTable, write: PreparedWrite): DataSourceV2Relation =
    DataSourceV2Relation.create(table.writing(write), relation.catalog, relation.identifier)

  /** The rows of a key are updated where they are, or one of them moves, unless the key is there already: a key that an
    * earlier write left in several partitions must not come twice into one.
    */
  private def updates(into: DataSourceV2Relation, rows: LogicalPlan, target: WriteTarget): Seq[MergeAction] = {
    val inTime = this.inTime(into, rows, target)
    val leaves = if (target.index.movesRows) Some(OnlyLeaves(WriteLayout.column(rows, WriteLayout.PartitionColumn)))
    else None
    leaves.map(only => DeleteAction(Some(inTime.fold(only: Expression)(And(_, only))))).toSeq :+
      (if (target.index.keepsPlaces) KeptPlaces.update(inTime, into, rows, target) else UpdateStarAction(inTime))
  }

  private def aligned(query: LogicalPlan, target: WriteTarget, operation: WriteOperation): LogicalPlan =
    if (operation != WriteOperation.Delete) SchemaAlignment.project(query, target.schema)
    else {
      val names = (target.config.recordKeyFields ++ target.config.partitionFields).map(_.takeWhile(_ != '.')).distinct
      val fields = target.schema.fields.filter(f => names.exists(conf.resolver(_, f.name)))
      SchemaAlignment.project(query, org.apache.spark.sql.types.StructType(fields))
    }

  /** A row matches by record key, and by partition path too unless the index is global. */
  private def matches(into: DataSourceV2Relation, rows: LogicalPlan, target: WriteTarget): Expression = {
    // In terms of the data columns: meta columns in the condition would make Spark want values assigned to them.
    val value = WriteLayout.named(into)
    def equal(stored: Option[Expression], column: String): Expression =
      EqualTo(stored.getOrElse(throw new IllegalStateException(s"no key columns in ${into.output}")),
        WriteLayout.column(rows, column))
    val byKey = equal(target.keys.recordKey(value), WriteLayout.KeyColumn)
    if (target.index.isGlobal) byKey
    else And(byKey, equal(target.keys.partitionPath(value), WriteLayout.PartitionColumn))
  }

  /** Which updates a row that can change its partition makes: a move is a delete and an insert in two places, which
    * cannot be held back until it is known whether it comes too late, so it is compared with the row that it would move.
    */
  private def inTime(into: DataSourceV2Relation, rows: LogicalPlan, target: WriteTarget): Option[Expression] = {
    val rule = MergeRule.of(target.config.mergeMode, target.config.orderingFields)
    val compares = rule.compares && target.index.movesRows
    val (now, old) = (WriteLayout.named(rows), WriteLayout.named(into))
    val fields = if (compares) rule.fields.filter(f => now(f).isDefined && old(f).isDefined) else Nil
    if (fields.isEmpty) None
    else {
      val ordering = fields.flatMap(now(_))
      val wins = WinsOver(ordering, fields.flatMap(old(_)), MergeRule(fields))
      Some(unorderedDelete(now, ordering, target).fold[Expression](wins)(Or(_, wins)))
    }
  }

  /** Whether a row deletes its key and lacks an ordering value: it does so in the order of commits. */
  private def unorderedDelete(now: String => Option[Expression], ordering: Seq[Expression], target: WriteTarget)
      : Option[Expression] = {
    val flag = now(MetaFields.IsDeleted).filter(_.dataType == BooleanType).map(EqualNullSafe(_, Literal.TrueLiteral))
    val mark = for (marker <- target.config.deleteMarker; column <- now(marker.field))
      yield EqualNullSafe(Cast(column, StringType), Literal(marker.value))
    if (ordering.isEmpty) None
    else (flag.toSeq ++ mark).reduceOption[Expression](Or(_, _)).map(And(_, MissingOrdering.of(ordering)))
  }

  /** The rows of an upsert or delete, which the lookup and the write use both. */
  private def evaluatedOnce(rows: LogicalPlan, target: WriteTarget): LogicalPlan = {
    val combine = target.conf.combine.beforeUpsert
    val keyed = WriteLayout.keyed(rows, target, numbered = combine)
    val shared = SharedRows(keysOf(keyed, target), keyed)
    if (combine) latest(shared, target) else shared
  }

  private def deduplicated(rows: LogicalPlan, target: WriteTarget, combine: Boolean): LogicalPlan = {
    val keyed = WriteLayout.keyed(rows, target, numbered = combine)
    if (combine) WriteLayout.unnumbered(latest(keyed, target)) else keyed
  }

  private def latest(keyed: LogicalPlan, target: WriteTarget): LogicalPlan =
    latest(keyed, target, keysOf(keyed, target), keyed, Nil)

  private def latest(keyed: LogicalPlan, target: WriteTarget, keys: Seq[Expression], rows: LogicalPlan,
      place: Seq[Expression]): LogicalPlan =
    LatestByKey(keys, newest(keyed, target), rows, place, valuesOf(keyed, target), inOrder(keyed, target))

  private def valuesOf(keyed: LogicalPlan, target: WriteTarget): Option[KeyValues] =
    target.keys.keyValues(WriteLayout.column(keyed, WriteLayout.KeyColumn), WriteLayout.named(keyed))

  // The key first: by its beginning Spark's sorter tells most rows apart.
  private def keysOf(keyed: LogicalPlan, target: WriteTarget): Seq[Expression] =
    (WriteLayout.KeyColumn +: (if (target.index.isGlobal) Nil else Seq(WriteLayout.PartitionColumn)))
      .map(WriteLayout.column(keyed, _))

  /** What makes a row newer than another of its key; of two that are equal in all else the later one is. */
  private def newest(numbered: LogicalPlan, target: WriteTarget): Seq[Expression] =
    WriteLayout.orderingOf(numbered, target) :+ WriteLayout.column(numbered, RowNumber.Column)

  /** The number of a row that deletes its key in the order of commits: it does so in that of the rows of one write, too. */
  private def inOrder(numbered: LogicalPlan, target: WriteTarget): Option[Expression] =
    unorderedDelete(WriteLayout.named(numbered), WriteLayout.orderingColumns(numbered, target), target)
      .map(If(_, WriteLayout.column(numbered, RowNumber.Column), Literal.create(null, LongType)))

  private def append(write: V2WriteCommand, relation: DataSourceV2Relation, table: PlannedTable, plan: AppendPlan)
      : LogicalPlan = {
    val prepared = written(relation, table, PreparedWrite.Append(plan.write))
    write match {
      case overwrite: OverwriteByExpression => PlanNodes.overwrite(overwrite, prepared, plan.rows)
      case _ => write.withNewTable(prepared).withNewQuery(plan.rows)
    }
  }

  private def appendPlan(query: LogicalPlan, target: WriteTarget, operation: WriteOperation,
      overwrite: Option[Overwrite]): AppendPlan = {
    val combine = operation match {
      case WriteOperation.Upsert => target.conf.combine.beforeUpsert
      case WriteOperation.DeletePartition => false
      case _ => target.conf.combine.beforeInsert
    }
    val condition = overwrite.collect {
      case Overwrite.Condition(text) => PartitionCondition.ofOption(text, target, session)
      case Overwrite.Statement(condition) => PartitionCondition.ofStatement(condition, target)
    }
    val replaced = overwrite.map(Overwrite.replaces(_, target, SelectedPartitions.of(target, condition.get, session)))
    val all = SchemaAlignment.project(query, target.schema)
    val rows = condition.fold(all)(_.required(all))
    target.buckets match {
      case Some(index) if operation != WriteOperation.DeletePartition =>
        val keyed = WriteLayout.keyed(rows, target, numbered = combine)
        val keepsLatest: KeepsLatest = (keys, place, dealt) => latest(keyed, target, keys, dealt, Seq(place))
        AppendPlan.intoBuckets(target, index, operation, replaced, keyed, Some(keepsLatest).filter(_ => combine),
          session.sparkContext.defaultParallelism)
      case _ => AppendPlan.of(target, operation, replaced, deduplicated(rows, target, combine), session)
    }
  }
}

package io.hudilite.spark.plan

import io.hudilite.config.{TableOptions, WriteConf, WriteOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.spark.plan.layout.{AppendPlan, KeepsLatest, WriteLayout}
import io.hudilite.spark.plan.merge.{HeldMerge, HeldUpdate, KeyMerge, KeyedRows, MergeStatements, StoredKeys}
import io.hudilite.spark.plan.table.{
  AwaitedClusterings,
  Overwrite,
  PartitionCondition,
  PlannedTable,
  PreparedWrite,
  SelectedPartitions
}
import io.hudilite.spark.row.{ColumnChecks, SchemaAlignment, StoreAssignment}
import io.hudilite.spark.shim.{PlanNodes, Sessions}
import io.hudilite.spark.write.attempt.{AfterCommit, CommitJudge, Replaces, WriteIntent}
import io.hudilite.spark.write.table.{Duplicates, NeededColumns, WriteOperation, WriteTarget}
import io.hudilite.table.Buckets

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.StructType

import scala.collection.JavaConverters._

/** Gives every write to a hudilite table its plan.
  *
  * An upsert or delete of a DataFrame becomes a MERGE over the de-duplicated rows, which Spark rewrites into a delta of
  * rows by itself; everything else stays an append, with its rows laid out for the writers.
  *
  * @param after
  *   the work that follows a write
  * @param judge
  *   decides about attempts of a write
  */
final case class WriteRule(session: SparkSession, after: AfterCommit, judge: CommitJudge)
    extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case append: AppendData if ready(append) => planned(append, append.writeOptions, WriteOperation.Insert)
    case overwrite: OverwriteByExpression if ready(overwrite) =>
      planned(overwrite, overwrite.writeOptions, WriteOperation.InsertOverwriteTable)
    case overwrite: OverwritePartitionsDynamic if ready(overwrite) =>
      planned(overwrite, overwrite.writeOptions, WriteOperation.InsertOverwrite)
    case merge: MergeIntoTable => HeldMerge.released(merge).fold[LogicalPlan](merge)(whole =>
        SeenVersions.skipped(whole.targetTable).getOrElse(MergeStatements.prepared(
            ColumnChecks.merge(stored(whole), required(whole.targetTable)), session)))
    case update: UpdateTable => HeldUpdate.released(update).fold[LogicalPlan](update)(whole =>
        SeenVersions.skipped(whole.table).getOrElse(ColumnChecks.update(stored(whole), required(whole.table))))
    case delete: DeleteFromTable if delete.resolved => SeenVersions.skipped(delete.table).getOrElse(delete)
    case delta: WriteDelta => SeenVersions.skippedChanges(delta).getOrElse(delta)
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
    SeenVersions.skipped(relation, writeOptions).getOrElse {
      val keyed = withStoredKeys(write, resolved, writeOptions)
      planned(AskedWrite(keyed, relation, writeOptions, sqlOperation), resolved,
        WriteSource.of(keyed, resolved, judge))
    }
  }

  /** A DataFrame's rows that were read from this table, whose keys are generated, bring these along unless they are to be
    * rows of their own.
    */
  private def withStoredKeys(write: V2WriteCommand, table: PlannedTable, options: Map[String, String])
      : V2WriteCommand = write match {
    case append: AppendData if table.dataFrame && table.table.exists(_.config.generatesKeys) =>
      val asked = table.writeConf(options).operation
      if (asked.exists(name => !WriteOperation.all.exists(known => known.name == name && known.looksUp))) write
      else append.withNewQuery(StoredKeys.brought(append.query, table.basePath, session))
    case _ => write
  }

  /** The write over a snapshot of its table. */
  private def planned(asked: AskedWrite, resolved: PlannedTable, source: WriteSource): LogicalPlan = {
    import asked.{relation, write}
    val conf = resolved.writeConf(relation.options.asCaseSensitiveMap.asScala.toMap, asked.options)
    val overwrite = Overwrite.of(write, conf, resolved)
    val whole = overwrite.exists(Overwrite.isReplacement(_, conf, resolved))
    val namesKeys = TableOptions.RecordKeyFields.isSet(conf.options)
    val generatesKeys = resolved.table.fold(!namesKeys)(found => found.config.generatesKeys && !(whole && namesKeys))
    val operation = possible(effective(overwrite, conf, default(asked, conf, resolved, generatesKeys)), conf,
      generatesKeys && !StoredKeys.areIn(write.query))
    // No key that is generated is there already.
    val duplicates =
      if (generatesKeys) Duplicates.Added else Duplicates.of(conf.inserts, operation, overwrite.isDefined)
    val table = if (overwrite.isEmpty && duplicates == Duplicates.Added && addsOnly(operation, resolved)) resolved
    else awaited(resolved, conf)
    if (operation == WriteOperation.Delete && table.table.isEmpty)
      throw InvalidInput("TABLE_NOT_FOUND", "path" -> table.basePath)
    val needed = if (operation == WriteOperation.Delete || operation == WriteOperation.DeletePartition)
      NeededColumns.KeysOnly
    else NeededColumns.All
    val target =
      WriteTarget.of(table.basePath, table.storage, table.table, conf, columnsOf(write, table, needed), needed,
        () => Sessions.hadoopConf(session), whole).copy(found = resolved.table)
    after.check(session, target)
    if (target.generatesKeys && operation.looksUp)
      StoredKeys.check(operation, write.query, isThere = overwrite.isEmpty && target.existing.isDefined)
    AwaitedClusterings.check(write.query, target)
    val condition = overwrite.flatMap(partitionCondition(_, target))
    val finds = overwrite.isEmpty && looksUp(operation, duplicates, target)
    if (finds) StoredKeys.checkLogs(operation, target)
    val insertsMissing = duplicates != Duplicates.Added
    val numbered = combines(operation, target) || insertsMissing
    val rows = source.rows(keyed(asked, resolved, target, operation, condition, numbered), rowsOf(target, operation))
    val rebase = source.rebase(rows, target)((now, held) => planned(asked, resolved.at(now), held))
    if (finds)
      merge(relation, table, WriteIntent(target, operation, rebase = rebase, insertsMissing = insertsMissing), rows,
        duplicates)
    else {
      val replaced = overwrite.map(Overwrite.replaces(_, target, SelectedPartitions.of(target, condition.get, session)))
      val plan = append(rows, target, operation, replaced, insertsMissing)
      append(write, relation, table, plan.copy(write = plan.write.asked(rebase, insertsMissing)))
    }
  }

  /** Columns of the rows, as far as the write looks at them. */
  private def columnsOf(write: V2WriteCommand, table: PlannedTable, needed: NeededColumns): StructType =
    (needed, table.table) match {
      case (NeededColumns.KeysOnly, Some(found)) =>
        val names = (found.config.recordKeyFields ++ found.config.partitionFields).map(_.takeWhile(_ != '.'))
        StructType(write.query.schema.filter(field => names.exists(conf.resolver(_, field.name))))
      case _ => write.query.schema
    }

  private def awaited(table: PlannedTable, asked: WriteConf): PlannedTable = table.table.fold(table) { found =>
    val now = AwaitedClusterings.of(found, asked)
    if (now eq found) table else table.at(now)
  }

  /** Rows go to new file groups, or to such as no clustering takes. */
  private def addsOnly(operation: WriteOperation, table: PlannedTable): Boolean =
    (operation == WriteOperation.Insert || operation == WriteOperation.BulkInsert) &&
      !table.table.exists(Buckets(_).haveRows)

  private def looksUp(operation: WriteOperation, duplicates: Duplicates, target: WriteTarget): Boolean =
    target.existing.isDefined &&
      (duplicates != Duplicates.Added ||
        (operation.looksUp && (target.buckets.isEmpty || operation == WriteOperation.Delete)))

  /** The operation of a write whose options say none. Where keys are generated it is Hudi's: INSERT packs small files,
    * all others begin new ones.
    */
  private def default(asked: AskedWrite, conf: WriteConf, table: PlannedTable, generatesKeys: Boolean): WriteOperation =
    if (table.dataFrame) if (generatesKeys && !isChange(asked.write, table)) WriteOperation.BulkInsert
    else WriteOperation.Upsert
    else if (asked.sqlOperation != WriteOperation.Insert) asked.sqlOperation
    else conf.inserts.statement.flatMap(name => WriteOperation.all.find(_.name == name)).getOrElse(
      if (generatesKeys && table.table.isEmpty) WriteOperation.BulkInsert else asked.sqlOperation)

  /** Rows of a table with generated keys that bring theirs are changes of it, as with Apache Hudi. */
  private def isChange(write: V2WriteCommand, table: PlannedTable): Boolean = write match {
    case append: AppendData => table.table.isDefined && StoredKeys.areIn(append.query)
    case _ => false
  }

  /** How the rows are brought; an overwriting write says apart from it which rows they replace. */
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

  /** Rows without keys are added where session or table have all writes upsert, as with Apache Hudi. */
  private def possible(operation: WriteOperation, conf: WriteConf, lacksKeys: Boolean): WriteOperation =
    if (operation == WriteOperation.Upsert && lacksKeys && !conf.saysOperation) WriteOperation.Insert else operation

  private def partitionCondition(overwrite: Overwrite, target: WriteTarget): Option[PartitionCondition] =
    overwrite match {
      case Overwrite.Condition(text) => Some(PartitionCondition.ofOption(text, target, session))
      case Overwrite.Statement(condition) => Some(PartitionCondition.ofStatement(condition, target))
      case _ => None
    }

  private def rowsOf(target: WriteTarget, operation: WriteOperation): KeyedRows =
    new KeyedRows(target, haveKeys = !target.generatesKeys || operation.looksUp)

  /** The rows as the table has them, with their keys. */
  private def keyed(asked: AskedWrite, resolved: PlannedTable, target: WriteTarget, operation: WriteOperation,
      condition: Option[PartitionCondition], numbered: Boolean): LogicalPlan =
    if (target.generatesKeys && operation.looksUp)
      StoredKeys.keyed(checked(asked.write.query, asked, resolved, operation), columns(target, operation), target,
        numbered)
    else {
      val aligned = SchemaAlignment.project(asked.write.query, columns(target, operation))
      val all = checked(aligned, asked, resolved, operation)
      WriteLayout.keyed(condition.fold(all)(_.required(all)), target, numbered)
    }

  /** The rows with the rules of their columns. Spark has checked lengths where a statement gives the rows. */
  private def checked(rows: LogicalPlan, asked: AskedWrite, table: PlannedTable, operation: WriteOperation)
      : LogicalPlan =
    if (operation == WriteOperation.Delete || operation == WriteOperation.DeletePartition) rows
    else ColumnChecks.rows(rows, table.required, if (table.dataFrame) asked.relation.output else Nil)

  private def stored(merge: MergeIntoTable): MergeIntoTable =
    if (isOurs(merge.targetTable)) StoreAssignment.merge(merge) else merge

  private def stored(update: UpdateTable): UpdateTable =
    if (isOurs(update.table)) StoreAssignment.update(update) else update

  private def isOurs(target: LogicalPlan): Boolean = EliminateSubqueryAliases(target) match {
    case relation: DataSourceV2Relation => PlannedTable.of(relation).isDefined
    case _ => false
  }

  /** Columns of a statement's table that refuse nulls. */
  private def required(target: LogicalPlan): Seq[Attribute] = EliminateSubqueryAliases(target) match {
    case relation: DataSourceV2Relation =>
      val names = PlannedTable.of(relation).toSeq.flatMap(_.required)
      relation.output.filter(column => names.contains(column.name))
    case _ => Nil
  }

  private def combines(operation: WriteOperation, target: WriteTarget): Boolean = operation match {
    case WriteOperation.Upsert | WriteOperation.Delete => target.conf.combine.beforeUpsert
    case WriteOperation.DeletePartition => false
    case _ => !target.generatesKeys && target.conf.combine.beforeInsert
  }

  /** The columns that the rows must have. */
  private def columns(target: WriteTarget, operation: WriteOperation): StructType =
    if (operation != WriteOperation.Delete) target.schema
    else {
      val names = (target.config.recordKeyFields ++ target.config.partitionFields).map(_.takeWhile(_ != '.')).distinct
      StructType(target.schema.fields.filter(f => names.exists(conf.resolver(_, f.name))))
    }

  private def merge(relation: DataSourceV2Relation, table: PlannedTable, intent: WriteIntent, keyed: LogicalPlan,
      duplicates: Duplicates): LogicalPlan = {
    import intent.{operation, target}
    val into = written(relation, table, PreparedWrite.Delta(intent))
    val of = rowsOf(target, operation)
    val shared = of.evaluatedOnce(keyed)
    val rows = if (combines(operation, target) || duplicates != Duplicates.Added) of.latest(shared) else shared
    new KeyMerge(into, rows, target).of(operation, duplicates)
  }

  private def written(relation: DataSourceV2Relation, table: PlannedTable, write: PreparedWrite): DataSourceV2Relation =
    DataSourceV2Relation.create(table.writing(write), relation.catalog, relation.identifier)

  private def append(write: V2WriteCommand, relation: DataSourceV2Relation, table: PlannedTable, plan: AppendPlan)
      : LogicalPlan = {
    val prepared = written(relation, table, PreparedWrite.Append(plan.write))
    write match {
      case overwrite: OverwriteByExpression => PlanNodes.overwrite(overwrite, prepared, plan.rows)
      case _ => write.withNewTable(prepared).withNewQuery(plan.rows)
    }
  }

  private def append(keyed: LogicalPlan, target: WriteTarget, operation: WriteOperation, replaced: Option[Replaces],
      insertsMissing: Boolean): AppendPlan = {
    val (of, combine) = (rowsOf(target, operation), combines(operation, target) || insertsMissing)
    target.buckets match {
      case Some(index) if operation != WriteOperation.DeletePartition =>
        val keepsLatest: KeepsLatest = (keys, place, dealt) => of.latest(keyed, keys, dealt, Seq(place))
        AppendPlan.intoBuckets(target, index, operation, replaced, keyed, Some(keepsLatest).filter(_ => combine),
          session)
      case _ =>
        val rows = if (combine) WriteLayout.unnumbered(of.latest(keyed)) else keyed
        AppendPlan.of(target, operation, replaced, rows, session)
    }
  }
}

/** A write as a command asks for it.
  *
  * @param sqlOperation
  *   its operation where options say none and its rows are no DataFrame's
  */
private[plan] final case class AskedWrite(write: V2WriteCommand, relation: DataSourceV2Relation,
    options: Map[String, String], sqlOperation: WriteOperation)

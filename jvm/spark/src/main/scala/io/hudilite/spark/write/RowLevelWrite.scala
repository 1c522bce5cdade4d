package io.hudilite.spark.write

import io.hudilite.error.InvalidInput
import io.hudilite.record.{MetaFields, RowPlace}
import io.hudilite.spark.write.attempt.{LateGroups, WriteIntent}
import io.hudilite.spark.write.table.{WriteOperation, WriteTarget}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, WriteDelta}
import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.write._
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.hudilite.RowLevelTables
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** MERGE, UPDATE, DELETE and upserts as a delta of rows: Spark finds which rows change and in which file group they
  * are, the writers merge them into the base files.
  *
  * @param session
  *   that the statement is of
  * @param scan
  *   makes the scan of the table's rows, given the options of the read
  * @param byKey
  *   rows are found by the keys that an index knows, deleted ones included, as for the rows of a DataFrame; otherwise as
  *   a query sees them
  * @param groups
  *   where the changes go; `None` until `hudilite`'s optimizer rule has laid the changes out by file group
  * @param updated
  *   ordinals of the columns that logs get of rows that are updated; `None` = all
  */
final case class RowLevelWrite(session: SparkSession, intent: WriteIntent, command: RowLevelOperation.Command,
    scan: CaseInsensitiveStringMap => ScanBuilder, byKey: Boolean, groups: Option[LateGroups] = None,
    updated: Option[Seq[Int]] = None)
    extends RowLevelOperation with SupportsDelta {

  def target: WriteTarget = intent.target

  def operation: WriteOperation = intent.operation

  override def description(): String = s"hudilite ${operation.name}"

  /** Of new rows of one key in a partition the newest is written, as of the rows of an upsert, which are so already. No
    * two rows have one generated key.
    */
  def keepsNewest: Boolean = command == RowLevelOperation.Command.MERGE && !byKey && !target.generatesKeys &&
    target.conf.combine.beforeUpsert

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = scan(options)

  override def rowId(): Array[NamedReference] = Array(Expressions.column(RowLevelWrite.keyColumn(target)))

  // Rows that are found as a query sees them are changed one by one: a statement changes those that its condition finds,
  // and no other of their keys. An index of keys changes all rows of a key that it finds, so that positions serve the
  // blocks of logs alone.
  override def requiredMetadataAttributes(): Array[NamedReference] =
    Array(Expressions.column(MetaFields.PartitionPath), Expressions.column(RowPlace.FileId)) ++
      (if (target.recordsPositions || !byKey) Seq(Expressions.column(RowPlace.Position)) else Nil)

  override def representUpdateAsDeleteAndInsert(): Boolean = false

  override def newWriteBuilder(info: LogicalWriteInfo): DeltaWriteBuilder = {
    val laidOut = groups.getOrElse(throw InvalidInput("EXTENSION_NOT_LOADED"))
    new DeltaWriteBuilder { override def build(): DeltaWrite = new DeltaFileWrite(RowLevelWrite.this, laidOut) }
  }
}

object RowLevelWrite {

  /** Name of the column with the record key of a row that is there. */
  def keyColumn(target: WriteTarget): String =
    if (target.config.populateMetaFields) MetaFields.RecordKey else RowPlace.MadeKey

  /** Raises `InvalidInput` for a statement that would append records without keys to log files. */
  private[spark] def check(target: WriteTarget, command: RowLevelOperation.Command): Unit =
    if (target.logsLackKeys) throw InvalidInput("STATEMENT_NOT_SUPPORTED",
      "statement" -> command.name, "path" -> target.basePath,
      "reason" ->
        ("it is merge-on-read, and records of logs have no keys without meta columns; insert rows, or " +
          "overwrite partitions or the table"))

  def operationOf(relation: DataSourceV2Relation): Option[RowLevelWrite] =
    RowLevelTables.operation(relation.table).collect { case w: RowLevelWrite => w }

  def operationOf(write: WriteDelta): Option[RowLevelWrite] = relationOf(write.table).flatMap(operationOf)

  def relationOf(plan: LogicalPlan): Option[DataSourceV2Relation] =
    plan.collectFirst { case r: DataSourceV2Relation => r }
}

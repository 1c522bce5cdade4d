package io.hudilite.spark.catalog.statement

import io.hudilite.config.WriteOptions
import io.hudilite.spark.catalog.HudiliteTable
import io.hudilite.spark.catalog.metastore.Registered
import io.hudilite.spark.plan.merge.{HeldMerge, HeldUpdate}
import io.hudilite.spark.shim.PlanNodes
import io.hudilite.spark.write.table.WriteOperation

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.SQLConfHelper
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.collection.JavaConverters._

/** Statements whose tables are only named, in one pass: as Spark resolves names it drops or rewrites parts of them.
  *
  *   - MERGE and UPDATE are held back until they are prepared: Spark 4.3 rewrites the statement in the step that resolves
  *     it, so that other rules of ours do not see it any more, and every Spark looks at its values in that step.
  *   - CREATE TABLE ... USING hudi by a name of the session's own catalog, where that is hudilite's, makes the table and
  *     registers it as Apache Hudi would. Before Spark asks a catalog it looks for the classes of the format, which are
  *     there only with Hudi's jar, and with Hudi's extension the statement never comes to the catalog. So the format gets
  *     the name of a class of hudilite's until then.
  */
final case class NamesRule(session: SparkSession) extends Rule[LogicalPlan] {

  private val names = new NameResolution(session)
  private val refusals = new NamedRefusals(names)
  private val writes = new NamedWrites(names)

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators { case statement =>
    refusals.check(statement)
    statement match {
      case merge: MergeIntoTable if names.pathOf(merge.targetTable).isDefined => HeldMerge.hold(merge)
      case update: UpdateTable if names.pathOf(update.table).isDefined => HeldUpdate.hold(update)
      case insert: InsertIntoStatement => writes.intoNamedPartition(insert)
      case write: V2WriteCommand => writes.withOwnColumns(write)
      case other => CreateTarget.named(other, names).filter(_.provider.exists(isHudi) && names.tables.takesHudi)
          .fold(other)(PlanNodes.withFormat(other, _, Registered.HudiName))
    }
  }

  private def isHudi(provider: String): Boolean =
    provider != Registered.HudiName && Registered.providerOf(provider).contains(Registered.Hudi)
}

/** Writes to a name, with facts for the table that Spark's resolution would drop. */
private[statement] final class NamedWrites(names: NameResolution) extends SQLConfHelper {

  /** INSERT OVERWRITE, with the values that it gives partition columns, perhaps none. The resolved statement has them no
    * more, so the table gets them before: a value for each column names the partition, whatever rows come, as in a table
    * of Spark's own, and options may say otherwise than Spark's setting which part is overwritten.
    */
  def intoNamedPartition(insert: InsertIntoStatement): InsertIntoStatement = insert.table match {
    case named: UnresolvedRelation if insert.overwrite && !replacesWhere(insert) =>
      // Spark's own rule sees the statement next, before the rule for columns that are left out.
      told(named, insert.partitionSpec.collect { case (column, Some(value)) => column -> value })
        .fold(insert)(table => LeftOutColumns.filled(PlanNodes.into(insert, table)))
    case _ => insert
  }

  // Spark 4.3 has a statement with REPLACE WHERE, too, as an INSERT that overwrites: an option in it is its condition.
  private def replacesWhere(insert: InsertIntoStatement): Boolean =
    insert.productIterator.exists(_.isInstanceOf[Some[_]])

  private def told(named: UnresolvedRelation, values: Map[String, String]): Option[DataSourceV2Relation] = for {
    (catalog, ident) <- names.place(named.multipartIdentifier)
    table <- catalog.present(ident, dataFrame = false)
    knowing = table.copy(namedPartition = Some(values))
  } yield PlanNodes.withOptions(DataSourceV2Relation.create(knowing, Some(catalog), Some(ident)), options(named))

  // Options of the name. Spark keeps the privileges of the statement there, too, and removes them once it finds the
  // table.
  private def options(named: UnresolvedRelation): CaseInsensitiveStringMap =
    new CaseInsensitiveStringMap(named.options.asCaseSensitiveMap.asScala.filterNot(_._1.startsWith("__")).asJava)

  /** Rows that a DataFrame brings to a table by its name, with an option that allows other columns. The write decides
    * about columns then, as it does for a path, and not Spark, which would require those of the table. This works only
    * where Spark asks rules before it resolves names.
    */
  def withOwnColumns(write: V2WriteCommand): V2WriteCommand = (write match {
    case append: AppendData => decided(append, append.writeOptions, Some(WriteOperation.Insert))
    case overwrite: OverwriteByExpression => decided(overwrite, overwrite.writeOptions,
        Some(WriteOperation.InsertOverwriteTable).filter(_ => overwrite.deleteExpr == Literal.TrueLiteral))
    case overwrite: OverwritePartitionsDynamic => decided(overwrite, overwrite.writeOptions, None)
    case _ => None
  }).getOrElse(write)

  // In all else the write is one to a name: no upsert unless its options ask for one.
  private def decided(write: V2WriteCommand, options: Map[String, String], operation: Option[WriteOperation])
      : Option[V2WriteCommand] =
    for ((table, target) <- if (write.isByName && sayOfColumns(options)) acceptingAny(write.table) else None) yield {
      val asked = table.writeConf(options)
      val said = operation.map(by =>
        asked.inserts.statement.filter(_ => by == WriteOperation.Insert).getOrElse(by.name))
        .filter(_ => asked.operation.isEmpty)
      PlanNodes.withOptions(write, options ++ said.map(WriteOptions.Operation.name -> _)).withNewTable(target)
    }

  private def sayOfColumns(options: Map[String, String]): Boolean =
    Seq(WriteOptions.MergeSchema, WriteOptions.NullForMissing).exists(key =>
      key.raw(options).exists(_._2.trim.equalsIgnoreCase("true")))

  private def acceptingAny(target: LogicalPlan): Option[(HudiliteTable, DataSourceV2Relation)] = target match {
    case u: UnresolvedRelation => for {
        (catalog, ident) <- names.place(u.multipartIdentifier)
        table <- catalog.present(ident, dataFrame = true)
      } yield table -> DataSourceV2Relation.create(table, Some(catalog), Some(ident))
    case r: DataSourceV2Relation => Some(r.table).collect {
        case table: HudiliteTable if !table.dataFrame =>
          val any = table.copy(dataFrame = true)
          any -> PlanNodes.withTable(r, any)
      }
    case _ => None
  }
}

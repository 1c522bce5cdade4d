package io.hudilite.spark.catalog.statement

import io.hudilite.config.{BootstrapOptions, TableOptions}
import io.hudilite.error.{InvalidInput, Listed}
import io.hudilite.spark.catalog.{
  CreateRequest,
  HudiliteCatalog,
  HudiliteSessionCatalog,
  HudiliteTable,
  UnsupportedStatement
}
import io.hudilite.spark.catalog.metastore.Registered
import io.hudilite.spark.row.{SessionConf, StoreAssignment}
import io.hudilite.spark.shim.{CatalogEntries, PlanNodes, SavesByCommand}
import io.hudilite.spark.write.attempt.AfterCommit

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.{SaveMode, SparkSession}
import org.apache.spark.sql.catalyst.SQLConfHelper
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogUtils}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.{CaseInsensitiveMap, ResolveDefaultColumns}
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.connector.expressions.{Expressions, Transform}
import org.apache.spark.sql.execution.datasources.{CreateTable, SaveIntoDataSourceCommand}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import scala.collection.JavaConverters._

/** Writes as Spark can plan them: INSERT of some columns, `df.write.format("hudilite").save(path)`, and `saveAsTable`
  * where Spark takes the table for one of its own formats, since the name has or had one of those.
  *
  * Spark demands of a source of its newer kind that `partitionBy` names the partitions of an existing table, and does
  * not hand these on. A source that is given a command gets all of them.
  *
  * @param after
  *   the work that follows a write
  */
final case class WritesRule(session: SparkSession, after: AfterCommit) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case insert: InsertIntoStatement => LeftOutColumns.filled(insert)
    case save: SaveIntoDataSourceCommand if isOurs(save.dataSource) => planned(save)
    case create @ CreateTable(table, mode, Some(rows)) if isOurs(table) =>
      named(table, mode, rows).getOrElse(create)
  }

  // Spark's names for the columns of `partitionBy` and `clusterBy` among the options.
  private val Partitions = "__partition_columns"
  private val Clustering = "__clustering_columns"

  private def isOurs(source: AnyRef): Boolean = source match {
    case _: SavesByCommand => true
    case _ => false
  }

  private def isOurs(table: CatalogTable): Boolean = table.provider.flatMap(Registered.providerOf)
    .exists(format => format == Registered.Hudilite || !Registered.isHudiHere)

  // Spark itself refuses to add rows to a table of another format, and says why.
  private def named(table: CatalogTable, mode: SaveMode, rows: LogicalPlan): Option[LogicalPlan] = {
    val names = Seq(table.identifier.database.getOrElse(CatalogEntries.catalog(session).getCurrentDatabase),
      table.identifier.table)
    val whole = HudiliteSessionCatalog.Name +: names
    val (catalog, ident) =
      new NameResolution(session).place(whole).getOrElse(throw UnsupportedStatement.SaveAsTable.of(names.mkString(".")))
    // The table may exist still. Before 4.3 a writer in mode overwrite has dropped it by now.
    if (mode == SaveMode.Overwrite) UnsupportedStatement.ReplaceOther.check(catalog, ident)
    if (mode == SaveMode.Append) None
    else Some(PlanNodes.saveAsTable(whole, partitions(table.partitionColumnNames), rows,
        table.provider.getOrElse(WritesRule.Format),
        table.storage.locationUri.map(CatalogUtils.URIToString), table.storage.properties))
  }

  private def planned(save: SaveIntoDataSourceCommand): LogicalPlan =
    new BootstrapRows(session, after).taken(save, partitioned(original(save.options))) match {
      case Right((asked, write)) => planned(asked, write)
      case Left(statement) => statement
    }

  // Columns of folders, which the rows of the writer do not have.
  private def partitioned(asked: Map[String, String]): Map[String, String] = {
    val said = asked - Partitions
    if (!BootstrapOptions.areAsked(asked)) asked
    else said ++ asked.get(Partitions).toSeq.flatMap(columns => partitionOption(names(columns), said))
  }

  private def planned(asked: Map[String, String], save: SaveIntoDataSourceCommand): LogicalPlan = {
    asked.get(Clustering).foreach(columns =>
      throw InvalidInput("OPTION_NOT_SUPPORTED", "option" -> "clusterBy", "value" -> names(columns).mkString(","),
        "reason" ->
          "a write does not order rows by columns; cluster by hoodie.clustering.plan.strategy.sort.columns instead"))
    val said = asked - Partitions
    val place = HudiliteCatalog.table(session, HudiliteCatalog.pathOf(said), said, dataFrame = true)
    val known = place.table.toSeq.flatMap(_.config.partitionFields) ++ save.query.output.map(_.name)
    val partitions =
      asked.get(Partitions).toSeq.flatMap(names).map(name => known.find(conf.resolver(_, name)).getOrElse(name))
    val options = said ++ partitionOption(partitions, said)
    val relation = DataSourceV2Relation.create(place, None, None)
    save.mode match {
      case SaveMode.Overwrite => PlanNodes.replaceAll(relation, save.query, options)
      case SaveMode.Ignore if place.table.isDefined => LocalRelation(Nil)
      case SaveMode.ErrorIfExists if place.table.isDefined =>
        throw InvalidInput("TABLE_ALREADY_EXISTS", "path" -> place.basePath)
      case _ => PlanNodes.append(relation, save.query, options)
    }
  }

  /** The option that stands for `partitionBy`. Raises `InvalidInput` when it is given with other columns. */
  private def partitionOption(columns: Seq[String], said: Map[String, String]): Map[String, String] = {
    CreateRequest.partitioned(partitions(columns), SessionConf.lowerCase(said)).filter(
      _._1 == TableOptions.PartitionPathFields.name)
  }

  // One column for each whole name, as in Spark's own way of writing.
  private def partitions(columns: Seq[String]): Seq[Transform] =
    columns.map(name => Expressions.identity(quoteIdentifier(name)): Transform)

  // Options as the user spelled them. Spark's own map has lower-case names.
  private def original(options: Map[String, String]): Map[String, String] = options match {
    case folded: CaseInsensitiveMap[String @unchecked] => folded.originalMap
    case plain => plain
  }

  private def names(json: String): Seq[String] = new ObjectMapper().readTree(json).elements.asScala.map(_.asText).toSeq
}

object WritesRule {

  /** Name of the source. */
  val Format = "hudilite"
}

/** INSERT of some columns, which it names itself or has from its query BY NAME. The others have their default values in
  * its rows, or null. Spark before 4.1 refuses the statement. A statement without a required column is refused, with the
  * column's name, before anything runs.
  *
  * Spark resolves a table after it has looked for inserts into tables, so rules see each insert before.
  */
private[statement] object LeftOutColumns extends SQLConfHelper {

  def filled(insert: InsertIntoStatement): InsertIntoStatement =
    if (!insert.query.resolved) insert
    else {
      val columns = named(insert)
      checkTypes(insert, columns)
      columns.fold(insert)(filled(insert, _))
    }

  private def checkTypes(insert: InsertIntoStatement, named: Option[Seq[String]]): Unit = target(insert).foreach { _ =>
    def column(name: String): Option[Attribute] = insert.table.output.find(known => conf.resolver(known.name, name))
    val fixed = insert.partitionSpec.collect { case (name, Some(_)) => name }
    val columns = named.fold(insert.table.output.filterNot(known => fixed.exists(conf.resolver(known.name, _))))(
      _.flatMap(column))
    val areKnown = named.isDefined || (!insert.byName && insert.userSpecifiedCols.isEmpty)
    if (areKnown && columns.size == insert.query.output.size) columns.zip(insert.query.output).foreach {
      case (stored, value) =>
        StoreAssignment.check(stored.name, value.dataType, stored.dataType)
    }
  }

  /** Names of the columns of the insert; `None` when it has none, or some that Spark refuses. */
  private def named(insert: InsertIntoStatement): Option[Seq[String]] = {
    val columns = if (insert.byName) insert.query.output.map(_.name) else insert.userSpecifiedCols
    val fits = columns.size == insert.query.output.size &&
      columns.forall(name => insert.table.output.exists(column => conf.resolver(column.name, name)))
    Some(columns).filter(_.nonEmpty && fits)
  }

  private def filled(insert: InsertIntoStatement, named: Seq[String]): InsertIntoStatement =
    target(insert).fold(insert) { table =>
      val brought = named ++ insert.partitionSpec.collect { case (name, Some(_)) => name }
      val leftOut = insert.table.output.filterNot(column => brought.exists(conf.resolver(column.name, _)))
      leftOut.find(isNeeded(table, _)).foreach(column =>
        throw InvalidInput("MISSING_COLUMN", "column" -> column.name, "columns" -> Listed.of(brought)))
      if (leftOut.isEmpty) insert else withDefaults(insert, leftOut)
    }

  private def target(insert: InsertIntoStatement): Option[HudiliteTable] =
    Some(insert.table).collect { case r: DataSourceV2Relation => r.table }.collect { case table: HudiliteTable =>
      table
    }

  private def isNeeded(table: HudiliteTable, column: Attribute): Boolean =
    !hasDefault(column) &&
      (table.required.contains(column.name) ||
        table.table.exists(
          _.config.recordKeyFields.exists(field => conf.resolver(field.takeWhile(_ != '.'), column.name))))

  private def hasDefault(column: Attribute): Boolean =
    ResolveDefaultColumns.getDefaultValueExprOrNullLit(column, false).isDefined

  private def withDefaults(insert: InsertIntoStatement, columns: Seq[Attribute]): InsertIntoStatement = {
    val values = columns.flatMap(ResolveDefaultColumns.getDefaultValueExprOrNullLit(_, true))
    PlanNodes.withRows(insert, if (insert.byName) Nil else insert.userSpecifiedCols ++ columns.map(_.name),
      Project(insert.query.output ++ values, insert.query))
  }
}

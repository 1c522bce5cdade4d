package io.hudilite.spark.catalog.statement

import io.hudilite.config.{TableOptions, TableRequest}
import io.hudilite.config.key.ConfigKey
import io.hudilite.spark.catalog.{
  ColumnRules,
  HudiliteCatalog,
  HudiliteSessionCatalog,
  HudiliteTable,
  NamedTables,
  StatementCatalog,
  UnsupportedStatement
}
import io.hudilite.spark.catalog.metastore.{Registered, TableProperty}
import io.hudilite.spark.row.Nullability
import io.hudilite.spark.shim.{CatalogEntries, Catalogs}
import io.hudilite.table.{Table, TableAccess, TableSupport}

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, ResolvedTable, TableAlreadyExistsException}
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogUtils}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.connector.catalog.{Identifier, TableCatalog}
import org.apache.spark.sql.connector.expressions.{Expressions, Transform}
import org.apache.spark.sql.execution.command.{CreateTableLikeCommand, LeafRunnableCommand}
import org.apache.spark.sql.types.StructType

import scala.collection.JavaConverters._

/** CREATE TABLE LIKE that makes a Hudi table: a CREATE TABLE with the columns of another table and, when that is a Hudi
  * table, with its facts.
  */
private[catalog] final case class LikeStatement(catalog: StatementCatalog, ident: Identifier, columns: StructType,
    partitions: Seq[Transform], properties: Map[String, String], ifNotExists: Boolean)
    extends LeafRunnableCommand {

  // Arguments in the text of EXPLAIN.
  override protected def stringArgs: Iterator[Any] = Iterator(ident, columns.simpleString, ifNotExists)

  override def run(session: SparkSession): Seq[Row] = {
    if (!catalog.tableExists(ident)) {
      catalog.createTable(ident, ColumnRules.columns(columns), partitions.toArray, properties.asJava)
    } else if (!ifNotExists) throw new TableAlreadyExistsException(ident)
    Nil
  }
}

private[catalog] object LikeStatement {

  /** The statement; `None` when the new table has another format. */
  def of(session: SparkSession, like: AskedLike): Option[LikeStatement] = {
    val provider = like.provider.fold(providerLike(like.source))(Registered.providerOf)
    provider.map { found =>
      val catalog = like.target.getOrElse(throw UnsupportedStatement.Like.of(like.ident.name))
      val format = if (like.provider.isEmpty && catalog.isPath(like.ident)) Registered.Hudilite else found
      if (format == Registered.Hudi && !new NamedTables(session).takesHudi)
        throw UnsupportedStatement.HiveForHudi.of(like.ident.name)
      val said = TableProperty.options(like.properties)
      val columns = StructType(ColumnRules.said(like.source.columns).map { field =>
        val isOurs = like.source.table.isDefined
        field.copy(dataType = Nullability.relaxed(field.dataType), nullable = field.nullable || !isOurs)
      })
      val facts = like.source.table.fold(Map.empty[String, String])(factsOf(_, said))
      val partitions =
        if (like.source.table.isDefined) Nil
        else like.source.partitions.map(name => Expressions.identity(quoteIdentifier(name)): Transform)
      val own = facts ++ like.source.buckets.filterNot { case (name, _) => ConfigKey.lookUp(said, name).isDefined }
      LikeStatement(catalog, like.ident, columns, partitions,
        own ++ said ++ like.location.map(TableCatalog.PROP_LOCATION -> _) + (TableCatalog.PROP_PROVIDER -> format),
        like.ifNotExists)
    }
  }

  /** The statement; refuses another format, too, since Spark's own catalog makes no such table with the columns of a
    * table that is not its own.
    */
  def orRefused(session: SparkSession, like: AskedLike): Option[LikeStatement] = of(session, like).orElse {
    for (table <- like.source.table; _ <- like.target; format <- like.provider)
      throw UnsupportedStatement.LikeOther(format).of(table.basePath)
    None
  }

  private def providerLike(source: LikeSource): Option[String] =
    source.provider.orElse(source.table.map(_ => Registered.Hudilite))

  /** Facts of a table that the statement does not override. Raises `UnsupportedTable` for a fact that a new table
    * cannot have.
    */
  private def factsOf(table: Table, said: Map[String, String]): Map[String, String] = {
    TableSupport.of(table, TableAccess.Write)
    TableRequest.facts(table.config).collect {
      case (key, value) if !(key +: FollowsFrom.getOrElse(key, Nil)).exists(_.isSet(said)) => key.name -> value
    }.toMap
  }

  // Facts that follow from others when a table is created.
  private val FollowsFrom: Map[ConfigKey[_], Seq[ConfigKey[_]]] = Map(
    TableOptions.RecordMergeMode -> Seq(TableOptions.OrderingFields),
    TableOptions.KeyGeneratorName ->
      Seq(TableOptions.KeyGeneratorClass, TableOptions.RecordKeyFields, TableOptions.PartitionPathFields))
}

/** The table after which another one is made.
  *
  * @param table
  *   the Hudi table, when it is one
  * @param provider
  *   format under which the catalog registers it
  * @param buckets
  *   options of its writes that determine how keys are dealt to buckets
  */
private[catalog] final case class LikeSource(columns: StructType, partitions: Seq[String], table: Option[Table],
    provider: Option[String], buckets: Map[String, String])

private[catalog] object LikeSource {

  def of(table: HudiliteTable): LikeSource =
    LikeSource(ColumnRules.applied(table.schema, table.entry), Nil, table.table, table.entry.map(_.provider),
      table.entry.fold(Map.empty[String, String])(found => TableProperty.ofBuckets(found.kept)))

  def of(entry: CatalogTable): LikeSource =
    LikeSource(entry.schema, entry.partitionColumnNames, None, None, Map.empty)
}

/** A CREATE TABLE LIKE as it is written.
  *
  * @param target
  *   catalog of the new table, when it makes Hudi tables
  * @param provider
  *   format behind USING
  */
private[catalog] final case class AskedLike(target: Option[StatementCatalog], ident: Identifier, source: LikeSource,
    location: Option[String], provider: Option[String], properties: Map[String, String], ifNotExists: Boolean)

private[catalog] object AskedLike {

  /** Name of the statement in plans from Spark 4.2 on, which has it for all catalogs. */
  val Node = "CreateTableLike"

  /** The statement as earlier versions of Spark plan it. Both names are those of the session's own catalog, or look so.
    */
  def of(session: SparkSession, like: CreateTableLikeCommand): AskedLike = {
    val (catalog, ident) = place(session, like.targetTable)
    AskedLike(catalog, ident, source(session, like.sourceTable),
      like.fileFormat.locationUri.map(CatalogUtils.URIToString), like.provider, like.properties, like.ifNotExists)
  }

  private def place(session: SparkSession, name: TableIdentifier): (Option[StatementCatalog], Identifier) = {
    val catalog = if (isPath(name)) HudiliteCatalog.Name else HudiliteSessionCatalog.Name
    val ident = if (isPath(name)) Identifier.of(Array.empty, name.table)
    else Identifier.of(Array(name.database.getOrElse(CatalogEntries.catalog(session).getCurrentDatabase)), name.table)
    val found = Catalogs.of(session, catalog) match {
      case ours: StatementCatalog => Some(ours)
      case _ => None
    }
    (found, ident)
  }

  private def isPath(name: TableIdentifier): Boolean =
    name.database.exists(_.equalsIgnoreCase(HudiliteCatalog.Name)) && name.table.contains('/')

  private def source(session: SparkSession, name: TableIdentifier): LikeSource = {
    val entries = CatalogEntries.catalog(session)
    val (catalog, ident) = place(session, name)
    val found =
      if (isPath(name)) catalog.flatMap(_.present(ident, dataFrame = false))
      else if (entries.isTempView(name)) None // a view has the name before a table
      else {
        val tables = new NamedTables(session)
        tables.find(ident).map(tables.load(_, Map.empty))
      }
    found.fold(LikeSource.of(entries.getTempViewOrPermanentTableMetadata(name)))(LikeSource.of(_))
  }

  /** The statement of later versions, by the places of its arguments. */
  def of(like: LogicalPlan): Option[AskedLike] = like.productIterator.toSeq match {
    case Seq(ResolvedIdentifier(catalog, ident), from: LogicalPlan, location: Option[String @unchecked],
          provider: Option[String @unchecked], _, properties: Map[String @unchecked, String @unchecked],
          ifNotExists: Boolean) =>
      val ours = catalog match {
        case found: StatementCatalog => Some(found)
        case _ => None
      }
      source(from).map(AskedLike(ours, ident, _, location, provider, properties, ifNotExists))
    case _ => None
  }

  private def source(from: LogicalPlan): Option[LikeSource] = from match {
    case r: ResolvedTable => Some(r.table match {
        case table: HudiliteTable => LikeSource.of(table)
        case other => LikeSource(StructType(other.columns().map(ColumnRules.field)),
            other.partitioning().toSeq.flatMap(_.references.map(_.fieldNames.mkString("."))), None, None, Map.empty)
      })
    case view => view.productIterator.collectFirst { case entry: CatalogTable => LikeSource.of(entry) }
  }
}

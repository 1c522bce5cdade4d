package io.hudilite.spark.catalog

import io.hudilite.config.{OptionSide, Options, TableOptions, TableRequest}
import io.hudilite.error.InvalidInput
import io.hudilite.spark.catalog.metastore.{CatalogEntry, HudiEntry, Metastore, Registered, TableProperty}
import io.hudilite.spark.row.{Nullability, SchemaAlignment, SessionConf}
import io.hudilite.spark.shim.Sessions
import io.hudilite.spark.sync.MetastoreSync
import io.hudilite.spark.write.table.{NeededColumns, WriteTarget}
import io.hudilite.storage.Undo
import io.hudilite.table.Table
import io.hudilite.transaction.{FirstWrite, TransactionOptions}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException
import org.apache.spark.sql.connector.catalog.{Identifier, Table => SparkTable, TableCatalog, TableChange}
import org.apache.spark.sql.types.StructType

import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Tables by their names in the session's own catalog. */
private[catalog] final class NamedTables(session: SparkSession) {

  import NamedTables._

  private val metastore = new Metastore(session)

  /** True when tables can be registered for Apache Hudi. */
  def takesHudi: Boolean = metastore.takesHudi

  def find(ident: Identifier): Option[Registered] = metastore.find(ident)

  /** Path of a table from the location of a statement, as Spark's own formats take it. Raises `InvalidInput` for an
    * empty one.
    */
  def location(ident: Identifier, said: String): String = {
    checkLocation(said)
    metastore.pathOf(ident, said)
  }

  def list(database: Option[String]): Seq[Identifier] = metastore.list(database).map(table =>
    Identifier.of(table.database.toArray, table.entry.identifier.table))

  /** The table of an entry. Raises `TABLE_NOT_FOUND` when none lies where the catalog says.
    *
    * @param dataFrame
    *   true when a write may bring columns that the table does not have
    */
  def load(found: Registered, options: Map[String, String], dataFrame: Boolean = false): HudiliteTable = {
    val table = at(found, options, dataFrame)
    if (table.table.isEmpty) throw InvalidInput("TABLE_NOT_FOUND", "path" -> table.basePath)
    table
  }

  private def at(found: Registered, options: Map[String, String], dataFrame: Boolean): HudiliteTable = {
    val table = HudiliteCatalog.table(session, found.path, found.reads ++ options, dataFrame)
    // Options of the entry outrank those of the session, and yield to those of one write.
    table.copy(request = table.request.copy(table = SessionConf.lowerCase(named(found) ++ found.kept)),
      entry = Some(found)).ofStatement
  }

  // A name that a sync may have made is the one that statements on it keep up.
  private def named(found: Registered): Map[String, String] =
    if (!found.byHudi) Map.empty
    else MetastoreSync.named(session, found.database.getOrElse("default"), found.entry.identifier.table)

  /** Creates the table and its name. Raises `InvalidInput` for facts that a Hudi table cannot have, or that differ from
    * a table that lies there already.
    */
  def create(ident: Identifier, schema: StructType, asked: CreateRequest): SparkTable = {
    if (metastore.exists(ident)) throw new TableAlreadyExistsException(ident)
    metastore.requireDatabase(ident)
    val path = asked.location.fold(metastore.newPath(ident))(location(ident, _))
    if (!metastore.takes(ident)) throw UnsupportedStatement.Name(ident.name()).of(path)
    val format = asked.registeredAs(path)
    if (asked.external && asked.location.isEmpty) throw UnsupportedStatement.External.of(path)
    if (format == Registered.Hudi && !takesHudi) throw UnsupportedStatement.HiveForHudi.of(path)
    val place = HudiliteCatalog.table(session, path, asked.options, dataFrame = true)
    place.request.writing // raises an error for options of reads
    place.table match {
      case Some(table) =>
        if (asked.location.isEmpty || asked.byWrite)
          throw InvalidInput("TABLE_ALREADY_EXISTS", "path" -> place.basePath)
        ExistingTable.check(table, place.schema, ColumnRules.stored(nameOf(ident), schema), asked.options)
        place.checkWrites(TableProperty.kept(asked.options))
        register(ident, place, ColumnRules.over(place.schema, ColumnRules.kept(schema)), asked)
        place
      case None =>
        if (asked.location.isEmpty) requireEmpty(place)
        if (format == Registered.Hudi && Registered.isHudiHere && !asked.byWrite) ColumnRules.refuse(schema)
        val columns = asked.ordered(nameOf(ident), schema)
        val named = Map(TableOptions.Name.name -> ident.name()) ++ asked.ofNewTable.options
        val fresh = asProperties(HudiliteCatalog.table(session, path, named, dataFrame = true).ofStatement)
        if (asked.byWrite) fresh.copy(created = () => registerWritten(ident, fresh, columns, asked))
        else createEmpty(ident, fresh, columns, asked)
    }
  }

  private def nameOf(ident: Identifier): String = (ident.namespace() :+ ident.name()).mkString(".")

  // The options that the entry will keep rank below those of the rows' own write.
  private def asProperties(place: HudiliteTable): HudiliteTable = {
    val kept = TableProperty.kept(place.request.own)
    place.copy(request = place.request.copy(table = kept, own = place.request.own -- kept.keys))
  }

  /** The place where a table would be made. Raises Spark's error where there is no such database. */
  def newPlace(ident: Identifier, said: Option[String], options: Map[String, String]): HudiliteTable = {
    metastore.requireDatabase(ident)
    val path = said.fold(metastore.newPath(ident))(location(ident, _))
    HudiliteCatalog.table(session, path, Map(TableOptions.Name.name -> ident.name()) ++ options, dataFrame = true)
      .ofStatement
  }

  private def createEmpty(ident: Identifier, place: HudiliteTable, schema: StructType, asked: CreateRequest)
      : SparkTable = {
    val stored = ColumnRules.stored(nameOf(ident), schema)
    val keepsRules = !(asked.registeredAs(place.basePath) == Registered.Hudi && Registered.isHudiHere)
    val made = EmptyTable.create(place,
      if (keepsRules) StructType(stored.map(_.copy(nullable = true))) else stored)
    try register(ident, place, schema, asked)
    catch { case e: Throwable => throw Undo.after(e)(made.remove("")) }
    find(ident).fold(place)(load(_, Map.empty))
  }

  private def register(ident: Identifier, place: HudiliteTable, schema: StructType, asked: CreateRequest): Unit =
    asked.registeredAs(place.basePath) match {
      case Registered.Hudi if Registered.isHudiHere =>
        val made = HudiliteCatalog.table(session, place.basePath, Map.empty, dataFrame = true)
        val entry = HudiEntry.of(made.table.getOrElse(throw InvalidInput("TABLE_NOT_FOUND", "path" -> made.basePath)),
          made.source.fold(new StructType())(_.dataSchema), TableProperty.kept(asked.options) ++ asked.own)
        metastore.register(ident, asked.location.isEmpty, place.basePath, entry, asked.comment)
      case format =>
        val alone = if (format == Registered.Hudi) Map(Registered.Alone -> "true") else Map.empty
        val entry = CatalogEntry(format, ColumnRules.kept(schema), Nil,
          TableProperty.kept(asked.options) ++ asked.own ++ alone, None)
        metastore.register(ident, asked.location.isEmpty, place.basePath, entry, asked.comment)
    }

  // The write may have kept this very name up already, as one whose files belong to somebody else.
  private def registerWritten(ident: Identifier, place: HudiliteTable, schema: StructType, asked: CreateRequest)
      : Unit = {
    find(ident).filter(found => place.storage.place(found.path).key == place.storage.place(place.basePath).key)
      .foreach(metastore.drop(_, purge = false))
    register(ident, place, schema, asked)
  }

  /** Makes the entry of a table that was replaced as a whole show its columns, and what the statement says of it. The
    * table is replaced by now, so that a failure is told and no more.
    *
    * @param said
    *   properties of the statement
    * @param rules
    *   columns of the statement, with what an entry keeps of them
    */
  def follow(table: HudiliteTable, said: Map[String, String], comment: Option[String], rules: StructType): Unit =
    table.entry.flatMap(found => find(Identifier.of(found.database.toArray, found.entry.identifier.table)))
      .filterNot(_.byHudi).foreach { found =>
        try {
          val options = TableProperty.options(said -- TableProperty.own(said).keys)
          val kept = TableProperty.kept(options) ++ TableProperty.own(said)
          if (kept.nonEmpty || comment.isDefined)
            metastore.describe(found, found.entry.properties ++ kept, comment.orElse(found.entry.comment))
          metastore.describe(found, ColumnRules.over(load(found, Map.empty).schema, ColumnRules.kept(rules)))
        } catch {
          case NonFatal(e) =>
            log.warn(s"The table ${found.name} is replaced; its entry in the catalog stays as it was.", e)
        }
      }

  // The folder is removed when the table is dropped, so nothing else may lie in it.
  private def requireEmpty(place: HudiliteTable): Unit =
    if (place.storage.list(place.basePath).nonEmpty) throw UnsupportedStatement.NotEmpty.of(place.basePath)

  def drop(found: Registered, purge: Boolean): Boolean = {
    HudiliteCatalog.forget(session, found.path)
    metastore.drop(found, purge)
    true
  }

  /** Gives the table another name. Its files stay. */
  def rename(found: Registered, to: Identifier): Unit = {
    if (metastore.exists(to)) throw new TableAlreadyExistsException(to)
    metastore.rename(found, to)
  }

  /** Changes the columns of a table, or the options that the catalog keeps for its writes, and its comment. */
  def alter(found: Registered, changes: Seq[TableChange]): Unit = {
    val columns = ColumnStatements.among(changes)
    if (columns.nonEmpty) {
      ColumnStatements.run(load(found, Map.empty), columns)
      // Entries of Apache Hudi have meta columns among the columns, and Hudi takes the columns from the table.
      if (!found.byHudi)
        metastore.describe(found, ColumnRules.after(found.entry.schema, columns, load(found, Map.empty).schema))
    }
    if (columns.size < changes.size) alterEntry(found, changes.filterNot(columns.contains))
  }

  private def alterEntry(found: Registered, changes: Seq[TableChange]): Unit = {
    if (found.byHudi) throw UnsupportedStatement.OfHudi.of(found.path)
    val comment = changes.foldLeft(found.entry.comment) {
      case (_, set: TableChange.SetProperty) if set.property == TableCatalog.PROP_COMMENT => Some(set.value)
      case (_, gone: TableChange.RemoveProperty) if gone.property == TableCatalog.PROP_COMMENT => None
      case (before, _) => before
    }
    val kept = changes.foldLeft(found.entry.properties) {
      case (all, set: TableChange.SetProperty) if set.property != TableCatalog.PROP_COMMENT =>
        all.filterNot(_._1.equalsIgnoreCase(set.property)) + checked(found, set.property, set.value)
      case (all, gone: TableChange.RemoveProperty) if gone.property != TableCatalog.PROP_COMMENT =>
        all.filterNot(_._1.equalsIgnoreCase(mutable(found, gone.property)))
      case (all, _: TableChange.SetProperty | _: TableChange.RemoveProperty) => all
      case (_, _) => throw UnsupportedStatement.Alter.of(found.path)
    }
    metastore.describe(found, kept, comment)
  }

}

private[catalog] object NamedTables {

  private val log = LoggerFactory.getLogger("io.hudilite.spark.catalog.NamedTables")

  def checkLocation(said: String): Unit =
    if (said.trim.isEmpty) throw InvalidInput("INVALID_OPTION_VALUE", "option" -> "LOCATION", "value" -> said,
      "reason" -> "an empty text names no folder; give the path of the table, or leave LOCATION out")

  /** Raises `InvalidInput` for a fact of the table, and for an option that no write takes. A property of a user's own may
    * have any value.
    */
  def checkProperties(found: Registered, properties: Map[String, String]): Unit =
    (properties - TableCatalog.PROP_COMMENT).foreach { case (name, value) => checked(found, name, value) }

  private def checked(found: Registered, name: String, value: String): (String, String) = {
    val option = mutable(found, name) -> value
    if (!TableProperty.isOwn(name)) Options.check(Map(option), OptionSide.Write)
    option
  }

  private def mutable(found: Registered, name: String): String =
    if (TableProperty.isFact(name)) throw UnsupportedStatement.Fact(name).of(found.path) else name
}

/** A table that is created without rows. */
private[catalog] object EmptyTable {

  /** Creates the table. Raises `InvalidInput` for facts that a table cannot have, and for a NOT NULL column for which
    * the table would accept nulls. After any failure nothing of the table is left.
    */
  def create(place: HudiliteTable, schema: StructType): FirstWrite = {
    val conf = place.request.writing
    val target = WriteTarget.of(place.basePath, place.storage, None, conf, schema, NeededColumns.All,
      () => Sessions.hadoopConf(place.session))
    checkColumns(schema, target.config.recordKeyFields, place.basePath)
    FirstWrite.create(place.storage, place.basePath, target.declared,
      TransactionOptions.of(conf.commit))
  }

  /** Columns of a table in the place of this one, as files have them. Raises `InvalidInput` for those that it cannot have
    * as they are declared.
    */
  def checkColumns(table: HudiliteTable, schema: StructType, keys: Option[Seq[String]]): StructType = {
    val keepsRules = table.entry.exists(!_.byHudi)
    if (!keepsRules) ColumnRules.refuse(schema)
    val stored = ColumnRules.stored(table.name(), schema)
    val columns = if (keepsRules) StructType(stored.map(_.copy(nullable = true))) else stored
    checkColumns(columns, keys.getOrElse(table.table.toSeq.flatMap(_.config.recordKeyFields)), table.basePath)
    columns
  }

  private def checkColumns(schema: StructType, keys: Seq[String], path: String): Unit =
    schema.find(column =>
      (!column.nullable && keys != Seq(column.name)) || Nullability.relaxed(column.dataType) != column.dataType)
      .foreach(column => throw UnsupportedStatement.NotNull(column.name).of(path))
}

/** A table that already lies where a CREATE TABLE puts one. */
private[catalog] object ExistingTable {

  /** Raises `InvalidInput` for the first fact or column that differs in the statement.
    *
    * @param said
    *   columns of the statement; none when it leaves them to the table
    */
  def check(table: Table, present: StructType, said: StructType, options: Map[String, String]): Unit = {
    TableRequest.checkAgainst(table.config, TableRequest.spelt(options, SchemaAlignment.spelling(present)))
    def typeOf(schema: StructType, name: String): String = schema.find(_.name == name).fold("none")(_.dataType.sql)
    if (said.nonEmpty) (present.fieldNames ++ said.fieldNames).distinct
      .find(name => typeOf(present, name) != typeOf(said, name)).foreach { name =>
        throw InvalidInput("OPTION_CONTRADICTS_TABLE", "option" -> s"column $name", "value" -> typeOf(said, name),
          "actual" -> typeOf(present, name))
      }
  }
}

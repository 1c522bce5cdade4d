package io.hudilite.spark.catalog.statement

import io.hudilite.config.{TableOptions, WriteOptions}
import io.hudilite.spark.catalog.{
  ColumnOrder,
  CreateRequest,
  EmptyTable,
  HudiliteCatalog,
  HudiliteTable,
  NamedTables,
  UnsupportedStatement
}
import io.hudilite.spark.catalog.metastore.TableProperty
import io.hudilite.spark.shim.{PlanNodes, Sessions}
import io.hudilite.spark.write.table.{NeededColumns, WriteOperation, WriteTarget}

import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.StructType

/** Tables that are created or replaced by the rows of a query, each by one write, which leaves everything as it was
  * when it fails. Spark by itself would create an empty table first, and drop the old one before it writes the new.
  */
private[statement] object AsSelect {

  def created(create: CreateTableAsSelect): LogicalPlan = CreateTarget.of(create).fold(create)(byWrite(create, _))

  def replaced(replace: ReplaceTableAsSelect): LogicalPlan =
    CreateTarget.of(replace).fold[LogicalPlan](replace)(replaced(replace, _))

  /** A table that gives way to one without rows, by one write like any other. */
  def emptied(replace: ReplaceTable): LogicalPlan = (for {
    target <- CreateTarget.of(replace)
    table <- target.catalog.present(target.ident, dataFrame = true)
  } yield {
    val keys = TableOptions.RecordKeyFields.get(said(target.spec, table.entry.isDefined))
    val columns = EmptyTable.checkColumns(table, replace.tableSchema, keys).map(f =>
      AttributeReference(f.name, f.dataType, f.nullable)())
    overwrite(replace, LocalRelation(columns), Map.empty, target, table, replace.tableSchema)
  }).getOrElse(replace)

  /** The statement with the options of its write where the catalog sees them. */
  private def byWrite(create: CreateTableAsSelect, target: CreateTarget): CreateTableAsSelect =
    if (target.spec.properties.contains(CreateRequest.ByWrite)) create
    else {
      val ofWrite = TableProperty.options(create.writeOptions)
      val asked = CreateRequest.partitioned(create.partitioning,
        said(target.spec, hasEntry = !target.catalog.isPath(target.ident)) ++ ofWrite)
      val wanted = order(create.query, target.spec, asked)
      val isNew = !target.catalog.tableExists(target.ident)
      if (isNew) {
        checkNew(target, create.query, asked)
        ColumnOrder.tell((target.ident.namespace() :+ target.ident.name()).mkString("."),
          create.query.output.map(_.name), wanted)
      }
      val properties = target.spec.properties ++ TableProperty.ofBuckets(ofWrite) + (CreateRequest.ByWrite -> "true")
      PlanNodes.created(create, ordered(create.query, wanted), PlanNodes.withProperties(target.spec, properties),
        ofWrite ++ (if (isNew) operation(target, asked) else None))
    }

  /** The operation of rows that make a table: unless something says another one they are not looked at, as with Apache
    * Hudi.
    */
  private def operation(target: CreateTarget, asked: Map[String, String]): Option[(String, String)] = {
    val conf = target.catalog.newPlace(target.ident, target.spec.location, asked).writeConf()
    val plain = if (conf.inserts.duplicates.value == "none") WriteOperation.BulkInsert else WriteOperation.Insert
    if (conf.operation.isDefined || !TableOptions.RecordKeyFields.isSet(conf.options)) None
    else Some(WriteOptions.Operation.name -> conf.inserts.statement.getOrElse(plain.name))
  }

  /** Raises the errors of a write to a new table early. Later, Spark would have begun and would log a failure. */
  private def checkNew(target: CreateTarget, rows: LogicalPlan, asked: Map[String, String]): Unit = {
    val place = target.catalog.newPlace(target.ident, target.spec.location, asked)
    if (place.table.isEmpty)
      WriteTarget.of(place.basePath, place.storage, None, place.writeConf(), rows.schema, NeededColumns.All,
        () => Sessions.hadoopConf(place.session))
    ()
  }

  private def order(query: LogicalPlan, spec: TableSpec, asked: Map[String, String]): Seq[String] =
    CreateRequest(asked, None, spec.provider, None, byWrite = true).ordered(query.output.map(_.name))

  /** The rows with their columns in the order of the table. */
  private def ordered(query: LogicalPlan, wanted: Seq[String]): LogicalPlan =
    if (wanted == query.output.map(_.name)) query
    else Project(query.output.sortBy(column => wanted.indexOf(column.name)), query)

  // Properties of a user's own are for the entry in the catalog.
  private def said(spec: TableSpec, hasEntry: Boolean): Map[String, String] = {
    val properties = if (hasEntry) spec.properties -- TableProperty.own(spec.properties).keys else spec.properties
    TableProperty.options(properties ++ spec.options)
  }

  private def replaced(replace: ReplaceTableAsSelect, target: CreateTarget): LogicalPlan =
    target.catalog.present(target.ident, dataFrame = true) match {
      case Some(table) =>
        overwrite(replace, replace.query, TableProperty.options(replace.writeOptions), target, table, new StructType())
      case None =>
        if (!replace.orCreate) target.catalog.notFound(target.ident).foreach(throw _)
        UnsupportedStatement.ReplaceOther.check(target.catalog, target.ident)
        if (replace.orCreate) PlanNodes.createAsSelect(replace) else replace
    }

  private def overwrite(replace: V2CreateTablePlan, rows: LogicalPlan, writeOptions: Map[String, String],
      target: CreateTarget, table: HudiliteTable, columns: StructType): LogicalPlan = {
    check(target.spec, table)
    val options =
      CreateRequest.partitioned(replace.partitioning, said(target.spec, table.entry.isDefined) ++ writeOptions)
    val stated = target.spec.properties ++ TableProperty.ofBuckets(writeOptions)
    // Rules of the columns that go are none for the rows that come.
    val into = table.copy(entry = table.entry.map(_.copy(hasRules = false)),
      created = () => new NamedTables(table.session).follow(table, stated, target.spec.comment, columns))
    val relation = DataSourceV2Relation.create(into, Some(target.catalog), Some(target.ident))
    PlanNodes.replaceAll(relation, ordered(rows, order(rows, target.spec, asTable(table, options))),
      options ++ asWhole(table, options))
  }

  // Partition columns that the statement leaves out stay those of the table.
  private def asTable(table: HudiliteTable, options: Map[String, String]): Map[String, String] = {
    val own = table.table.toSeq.flatMap(_.config.partitionFields)
    if (TableOptions.PartitionPathFields.isSet(options) || own.isEmpty) options
    else options + (TableOptions.PartitionPathFields.name -> own.mkString(","))
  }

  /** The option by which the rows replace the whole table, unless the write itself names the part. Settings of the
    * session about overwrites do not count for tables that are replaced.
    */
  private def asWhole(table: HudiliteTable, options: Map[String, String]): Map[String, String] = {
    val asked = table.copy(request = table.request.copy(ofStatement = false)).writeConf(options)
    val says = asked.overwrite.where.isDefined || asked.overwrite.preferred.isDefined ||
      asked.operation.contains(WriteOperation.InsertOverwrite.name)
    val isSet = asked.operation.isEmpty && table.writeConf(options).operation.isDefined
    val operation = if (isSet) Some(WriteOptions.Operation.name -> WriteOperation.Upsert.name) else None
    if (says) Map.empty else Map(WriteOptions.OverwriteMode.name -> "static") ++ operation
  }

  /** Raises `InvalidInput` where the entry of the catalog cannot follow the statement. */
  private def check(spec: TableSpec, table: HudiliteTable): Unit = {
    def refuse(part: String): Nothing = throw UnsupportedStatement.Replace(part).of(table.basePath)
    if (spec.location.exists(at => HudiliteCatalog.qualified(table.session, at) != table.basePath)) refuse("LOCATION")
    val follows = table.entry.exists(!_.byHudi)
    if (spec.comment.exists(said => !follows && !table.entry.flatMap(_.entry.comment).contains(said))) refuse("COMMENT")
    val kept = TableProperty.kept(TableProperty.options(spec.properties))
    val asked = kept ++ TableProperty.own(spec.properties)
    if (table.entry.exists(found => !follows && (asked.toSet -- found.kept -- found.own).nonEmpty))
      refuse("TBLPROPERTIES")
  }
}

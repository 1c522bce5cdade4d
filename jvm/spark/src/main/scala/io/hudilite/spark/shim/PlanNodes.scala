package io.hudilite.spark.shim

import org.apache.spark.sql.catalyst.analysis.{ResolvedFieldPosition, UnresolvedIdentifier}
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, Literal, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, DataSourceV2ScanRelation}
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.catalog.TableChange.ColumnPosition
import org.apache.spark.sql.connector.expressions.{NamedReference, Transform}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Builds Spark's own plan nodes in a way that links on every Spark of a line.
  *
  * Spark adds constructor parameters to these classes between minor versions (always with defaults), so a compiled call
  * to `apply` or `copy` of 4.0 does not exist in 4.3. The primary constructor is looked up instead. Parameters that the
  * caller does not name get the neutral value of their type.
  */
object PlanNodes {

  def mergeInto(
      target: LogicalPlan,
      source: LogicalPlan,
      condition: Expression,
      matched: Seq[MergeAction],
      notMatched: Seq[MergeAction]): MergeIntoTable =
    build(classOf[MergeIntoTable], Seq(target, source, condition, matched, notMatched, Nil))

  /** The rows into the table, column by column in their order. */
  def append(target: DataSourceV2Relation, rows: LogicalPlan): AppendData =
    build(classOf[AppendData], Seq(target, rows, Map.empty, java.lang.Boolean.FALSE))

  /** The rows into the table, by the names of their columns. */
  def append(target: DataSourceV2Relation, rows: LogicalPlan, writeOptions: Map[String, String]): AppendData =
    build(classOf[AppendData], Seq(target, rows, writeOptions, java.lang.Boolean.TRUE))

  /** The statement with its resolved target. */
  def into(insert: InsertIntoStatement, target: DataSourceV2Relation): InsertIntoStatement =
    copied(insert, Map(0 -> target))

  /** The overwrite with a target that knows which rows it replaces. The statement's own condition goes. */
  def overwrite(write: OverwriteByExpression, target: DataSourceV2Relation, rows: LogicalPlan): OverwriteByExpression =
    copied(write, Map(0 -> target, 1 -> Literal.TrueLiteral, 2 -> rows))

  /** The MERGE with other conditions and actions. Parameters that Spark added behind them stay. */
  def changed(merge: MergeIntoTable, source: LogicalPlan, condition: Expression, matched: Seq[MergeAction])
      : MergeIntoTable =
    copied(merge, Map(1 -> source, 2 -> condition, 3 -> matched))

  /** The statement with its new columns at the end of the row at these places. */
  def placed(add: AddColumns, columns: Seq[(QualifiedColType, ColumnPosition)]): AddColumns = {
    val at = columns.map { case (column, place) => (column: Any) -> place }.toMap
    copied(add,
      Map(1 -> add.columnsToAdd.map { column =>
        at.get(column).fold(column) { place =>
          val arguments = column.productIterator.map(_.asInstanceOf[AnyRef]).toSeq
          build(classOf[QualifiedColType], arguments.updated(5, Some(ResolvedFieldPosition(place))))
        }
      }))
  }

  /** The MERGE with other clauses: for matched rows, for new ones and for those that only the table has. */
  def withActions(merge: MergeIntoTable, actions: Seq[Seq[MergeAction]]): MergeIntoTable =
    copied(merge, actions.zipWithIndex.map { case (some, at) => at + 3 -> some }.toMap)

  def withCondition(update: UpdateTable, condition: Option[Expression]): UpdateTable =
    copied(update, Map(2 -> condition))

  def withAssignments(update: UpdateTable, assignments: Seq[Assignment]): UpdateTable =
    copied(update, Map(1 -> assignments))

  /** The clause with other assignments, the second of its arguments. */
  def withAssignments[T <: MergeAction](action: T, assignments: Seq[Assignment]): T = {
    val arguments = action.productIterator.map(_.asInstanceOf[AnyRef]).toSeq.updated(1, assignments)
    build(action.getClass, arguments).asInstanceOf[T]
  }

  /** Columns of the PRIMARY KEY of a new table, which statements have from Spark 4.1 on. */
  def primaryKey(spec: TableSpec): Option[Seq[String]] = lists(spec).flatMap(_._1).collectFirst {
    case key: AnyRef if isPrimaryKey(key) =>
      val columns = key.getClass.getMethod("columns").invoke(key).asInstanceOf[Array[NamedReference]]
      columns.map(_.fieldNames.mkString(".")).toSeq
  }

  def withoutPrimaryKey(spec: TableSpec): TableSpec = lists(spec).foldLeft(spec) { case (now, (all, at)) =>
    changed(now, at, all.filterNot(isPrimaryKey))
  }

  private def isPrimaryKey(part: Any): Boolean = part.getClass.getSimpleName == "PrimaryKey"

  // Lists among the parts of a specification: constraints are the only one.
  private def lists(spec: TableSpec): Seq[(Seq[Any], Int)] = spec.productIterator.zipWithIndex.collect {
    case (all: Seq[Any @unchecked], at) => all -> at
  }.toSeq

  /** The merged rows without a check that no row of the table has several of the source. */
  def unchecked(rows: MergeRows): MergeRows = copied(rows, Map(5 -> java.lang.Boolean.FALSE))

  /** The merged rows by other clauses for rows of the table. */
  def withInstructions(rows: MergeRows, matched: Seq[MergeRows.Instruction], bySource: Seq[MergeRows.Instruction])
      : MergeRows = copied(rows, Map(2 -> matched, 4 -> bySource))

  /** The merged rows by other clauses for new rows. */
  def withInserts(rows: MergeRows, notMatched: Seq[MergeRows.Instruction]): MergeRows =
    copied(rows, Map(3 -> notMatched))

  /** The relation over another table, with its attributes. */
  def withTable(relation: DataSourceV2Relation, table: Table): DataSourceV2Relation = copied(relation, Map(0 -> table))

  /** The relation with another scan of the same columns. */
  def withScan(relation: DataSourceV2ScanRelation, scan: Scan): DataSourceV2ScanRelation =
    copied(relation, Map(1 -> scan))

  /** The relation whose scan groups its rows by these. */
  def withPartitioning(relation: DataSourceV2ScanRelation, by: Seq[Expression]): DataSourceV2ScanRelation =
    copied(relation, Map(3 -> Some(by)))

  /** The relation whose scan has its rows in this order within each group. */
  def withOrdering(relation: DataSourceV2ScanRelation, order: Seq[SortOrder]): DataSourceV2ScanRelation =
    copied(relation, Map(4 -> Some(order)))

  /** The relation with a scan of other columns: a relation that is equal but for the numbers of its columns. */
  def withScan(relation: DataSourceV2ScanRelation, scan: Scan, output: Seq[AttributeReference],
      of: DataSourceV2Relation)
      : DataSourceV2ScanRelation = copied(relation, Map(0 -> of, 1 -> scan, 2 -> output))

  /** The relation with these options. */
  def withOptions(relation: DataSourceV2Relation, options: CaseInsensitiveStringMap): DataSourceV2Relation =
    copied(relation, Map(4 -> options))

  /** Condition with the source in it, by which Spark leaves file groups out before it reads them, from 4.2 on. */
  def groupFilter(write: WriteDelta): Option[Expression] =
    write.productIterator.collectFirst { case Some(condition: Expression) => condition }

  def withoutGroupFilter(write: WriteDelta): WriteDelta = copied(write,
    write.productIterator.zipWithIndex.collect {
      case (Some(_: Expression), at) => at -> None
    }.toMap)

  def withProperties(spec: TableSpec, properties: Map[String, String]): TableSpec =
    changed(spec, 0, properties)

  def withLocation(spec: TableSpec, location: String): TableSpec = changed(spec, 3, Some(location))

  private def changed(spec: TableSpec, at: Int, value: AnyRef): TableSpec =
    build(classOf[TableSpec], spec.productIterator.map(_.asInstanceOf[AnyRef]).toSeq.updated(at, value))

  /** A CREATE or REPLACE TABLE statement with another specification of the table. */
  def withSpec(statement: LogicalPlan, spec: TableSpecBase): LogicalPlan = copied(statement, Map(3 -> spec))

  /** The specification with another format. */
  def withFormat(statement: LogicalPlan, spec: UnresolvedTableSpec, format: String): LogicalPlan =
    withSpec(statement,
      build(classOf[UnresolvedTableSpec],
        Seq[AnyRef](spec.properties, Some(format)) ++ spec.productIterator.drop(2).map(_.asInstanceOf[AnyRef])))

  def created(create: CreateTableAsSelect, query: LogicalPlan, spec: TableSpec, writeOptions: Map[String, String])
      : CreateTableAsSelect = copied(create, Map(2 -> query, 3 -> spec, 4 -> writeOptions))

  /** The rows of a DataFrame as a table of a format, by its name.
    *
    * @param location
    *   folder of the table, if one was given
    */
  def saveAsTable(name: Seq[String], partitions: Seq[Transform], rows: LogicalPlan, format: String,
      location: Option[String], writeOptions: Map[String, String]): CreateTableAsSelect = {
    val spec = build(classOf[UnresolvedTableSpec],
      Seq[AnyRef](Map.empty, Some(format), OptionList(Nil), location))
    build(classOf[CreateTableAsSelect],
      Seq(build(classOf[UnresolvedIdentifier], Seq(name)), partitions, rows, spec, writeOptions))
  }

  /** The write with other options. Appends and overwrites have theirs before the parameter that says if columns go by
    * name.
    */
  def withOptions(write: V2WriteCommand, options: Map[String, String]): V2WriteCommand = {
    val at = write match {
      case _: OverwriteByExpression => 3
      case _ => 2
    }
    copied(write, Map(at -> options))
  }

  /** The INSERT of other rows, of these columns where it names columns. */
  def withRows(insert: InsertIntoStatement, columns: Seq[String], rows: LogicalPlan): InsertIntoStatement =
    copied(insert, Map(2 -> columns, 3 -> rows))

  /** The statement for a table that does not exist yet. */
  def createAsSelect(replace: ReplaceTableAsSelect): CreateTableAsSelect = build(classOf[CreateTableAsSelect],
    Seq(replace.name, replace.partitioning, replace.query, replace.tableSpec, replace.writeOptions))

  /** Replaces all rows of the table with these, by the names of their columns. */
  def replaceAll(target: DataSourceV2Relation, rows: LogicalPlan, writeOptions: Map[String, String])
      : OverwriteByExpression = build(classOf[OverwriteByExpression],
    Seq(target, Literal.TrueLiteral, rows, writeOptions, java.lang.Boolean.TRUE))

  /** The node with other arguments at some places of its constructor. */
  private def copied[T <: LogicalPlan](node: T, changes: Map[Int, AnyRef]): T =
    node.makeCopy(node.productIterator.zipWithIndex.map { case (old, at) =>
      changes.getOrElse(at, old.asInstanceOf[AnyRef])
    }.toArray).asInstanceOf[T]

  /** True when the statement may add columns to its target. Nodes have gained this property in different versions,
    * MERGE in 4.0 and INSERT later.
    */
  def evolvesSchema(statement: LogicalPlan): Boolean =
    statement.getClass.getMethods.exists(m =>
      m.getName == "withSchemaEvolution" && m.getParameterCount == 0 &&
        m.invoke(statement) == java.lang.Boolean.TRUE)

  /** True when the statement adds, drops, renames or alters columns. False for one that replaces all columns, whose
    * class has another name since 4.0.
    */
  def changesColumns(statement: AlterTableCommand): Boolean = statement match {
    case _: AddColumns | _: DropColumns | _: RenameColumn => true
    case other => Set("AlterColumn", "AlterColumns")(other.getClass.getSimpleName)
  }

  /** `cls`'s primary constructor applied to `first`, with neutral values for the other parameters. */
  def build[T](cls: Class[T], first: Seq[AnyRef]): T = {
    val constructor = cls.getConstructors.maxBy(_.getParameterCount)
    val rest = constructor.getParameterTypes.drop(first.size).map(neutral)
    constructor.newInstance(first ++ rest: _*).asInstanceOf[T]
  }

  private def neutral(parameter: Class[_]): AnyRef =
    if (parameter == classOf[Boolean]) java.lang.Boolean.FALSE
    else if (parameter == classOf[Option[_]]) None
    else if (parameter.isAssignableFrom(Nil.getClass)) Nil
    else throw new IllegalStateException(s"no neutral value for a parameter of type ${parameter.getName}")
}

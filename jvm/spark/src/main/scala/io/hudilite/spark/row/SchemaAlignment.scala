package io.hudilite.spark.row

import io.hudilite.config.TableConfig
import io.hudilite.error.{InvalidInput, UnsupportedTable}
import io.hudilite.record.{ColumnNames, MetaFields}

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Cast, Expression, Literal, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/** How the columns of incoming rows meet the columns of the table: by name, new ones appended, narrower ones widened. */
object SchemaAlignment {

  /** Columns of the table after rows with schema `rows` were written to it.
    *
    * @param needed
    *   columns that the rows must have; `None` = every column of the table
    */
  def evolved(table: StructType, rows: StructType, needed: Option[Set[String]]): StructType = {
    val incoming = withoutMeta(rows)
    table.fields.foreach { field =>
      if (needed.forall(_.exists(same(_, field.name))) && find(incoming, field.name).isEmpty)
        throw missing(field.name, rows)
    }
    val kept =
      table.fields.map(f => find(incoming, f.name).map(i => f.copy(dataType = merged(f, i.dataType))).getOrElse(f))
    // A delete brings keys only: other columns of its rows are of no interest.
    val added =
      if (needed.isDefined) Array.empty[StructField] else incoming.fields.filter(i => find(table, i.name).isEmpty)
    Nullability.relaxed(StructType(kept ++ added))
  }

  /** Raises `MISSING_COLUMN` unless the rows have every key, partition and ordering column. */
  def requireColumns(rows: StructType, config: TableConfig): Unit =
    (config.recordKeyFields ++ config.partitionFields ++ config.orderingFields).foreach { name =>
      if (!has(rows, name.split('.').toList)) throw missing(name, rows)
    }

  /** Raises an error unless the column that marks deletes is there and every engine spells its values alike. */
  def requireDeleteColumn(schema: StructType, config: TableConfig, path: String): Unit =
    config.deleteMarker.map(_.field).foreach { name =>
      schema.fields.find(_.name == name).getOrElse(throw missing(name, schema)).dataType match {
        case _: StringType | BooleanType | ByteType | ShortType | IntegerType | LongType =>
        case other => throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> path,
            "feature" -> s"the column $name of type ${other.simpleString} as the mark of deletes",
            "reason" -> "readers spell its values in different ways")
      }
    }

  private def has(schema: StructType, path: List[String]): Boolean = path match {
    case Nil => true
    case head :: rest => find(schema, head).exists(_.dataType match {
        case inner: StructType => has(inner, rest)
        case _ => rest.isEmpty
      })
  }

  private def missing(name: String, rows: StructType): InvalidInput =
    InvalidInput("MISSING_COLUMN", "column" -> name, "columns" -> rows.fieldNames.mkString(", "))

  /** The rows with exactly the table's columns, in its order and types; a column they lack is null. */
  def project(rows: LogicalPlan, schema: StructType): LogicalPlan = {
    val columns = schema.fields.map(f => column(rows.output.find(a => same(a.name, f.name)), f))
    if (rows.output.map(_.name) == schema.fieldNames.toSeq && columns.forall(_.isInstanceOf[Attribute])) rows
    else Project(columns.toSeq, rows)
  }

  private def column(found: Option[Attribute], field: StructField): NamedExpression = found match {
    case Some(a) if a.name == field.name && sameType(a.dataType, field.dataType) => a
    case Some(a) => Alias(cast(a, field.dataType), field.name)()
    case None => Alias(Literal(null, field.dataType), field.name)()
  }

  private def cast(e: Expression, to: DataType): Expression =
    if (sameType(e.dataType, to)) e else Cast(e, to, Some(SQLConf.get.sessionLocalTimeZone), ansiEnabled = true)

  private def merged(table: StructField, incoming: DataType): DataType =
    if (sameType(table.dataType, incoming)) table.dataType
    else widest(table.dataType, incoming).getOrElse(throw InvalidInput("INCOMPATIBLE_TYPE", "column" -> table.name,
        "tableType" -> table.dataType.simpleString, "incomingType" -> incoming.simpleString))

  /** The type that holds both without loss, if it is one of the two; otherwise the types do not go together. */
  private def widest(a: DataType, b: DataType): Option[DataType] =
    if (widens(a, b)) Some(b) else if (widens(b, a)) Some(a) else None

  private def widens(from: DataType, to: DataType): Boolean = (from, to) match {
    case (ByteType | ShortType, ShortType | IntegerType | LongType) => true
    case (ByteType | ShortType | IntegerType, LongType | DoubleType) => true
    case (FloatType, DoubleType) => true
    case (a: DecimalType, b: DecimalType) => a.scale == b.scale && a.precision <= b.precision
    case (NullType, _) => true
    case _ => false
  }

  private def sameType(a: DataType, b: DataType): Boolean = Nullability.sameType(a, b)

  /** Raises `INVALID_COLUMN_NAME` for two columns that are one for a session that does not regard case.
    *
    * @param path
    *   names of the structs around them, the innermost first
    */
  def checkAlike(columns: StructType, path: List[String] = Nil): Unit =
    ColumnNames.alike(columns.fieldNames.toSeq).foreach { case (one, other) =>
      throw InvalidInput("INVALID_COLUMN_NAME", "column" -> (other :: path).reverse.mkString("."),
        "reason" -> s"there is a column $one, too, and names that differ only by case are one to most readers")
    }

  /** The columns without Hudi's meta columns, which every write makes anew. */
  def withoutMeta(rows: StructType): StructType =
    StructType(rows.fields.filterNot(f => MetaFields.all.contains(f.name)))

  private def find(schema: StructType, name: String): Option[StructField] = schema.fields.find(f => same(f.name, name))

  private def same(a: String, b: String): Boolean = SQLConf.get.resolver(a, b)
}

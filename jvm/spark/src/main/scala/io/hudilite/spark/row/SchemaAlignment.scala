package io.hudilite.spark.row

import io.hudilite.config.TableConfig
import io.hudilite.error.{InvalidInput, Listed, UnsupportedTable}
import io.hudilite.record.{MetaFields, ReservedNames}

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  ArrayTransform,
  Attribute,
  Cast,
  CreateNamedStruct,
  Expression,
  GetStructField,
  If,
  IsNull,
  LambdaFunction,
  Literal,
  NamedExpression,
  NamedLambdaVariable,
  TransformValues
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/** Permitted differences between the columns of incoming rows and those of the table.
  *
  * @param needed
  *   columns that the rows must have; `None` = every column of the table
  * @param takesNew
  *   true to make columns that the table lacks columns of it
  * @param fillNull
  *   true to write null where the rows have no value, fields of structs included
  */
final case class ColumnsRule(needed: Option[Set[String]], takesNew: Boolean, fillNull: Boolean)

/** Aligns the columns of incoming rows with the columns of the table: by name, new ones appended, narrower ones
  * widened. Fields of structs are aligned in this way, too, wherever they lie.
  */
object SchemaAlignment {

  /** Columns of the table after a write of rows with schema `rows`. */
  def evolved(table: StructType, rows: StructType, rule: ColumnsRule): StructType = {
    val incoming = withoutMeta(rows)
    table.fields.filter(f => find(incoming, f.name).isEmpty).foreach { field =>
      if (rule.needed.forall(_.exists(same(_, field.name)))) throw missing(field.name, rows)
      if (rule.fillNull && !field.nullable) throw Nullability.nullInRequired(field.name)
    }
    Nullability.relaxed(new TypeGrowth(rule).struct(table, incoming, Nil))
  }

  /** The columns of rows for a table that has texts for what only paths tell: values become the texts that paths have of
    * them.
    */
  def asTexts(rows: StructType, table: StructType, dropped: Seq[String]): StructType = {
    val texts = table.fields.filter(f => f.dataType == StringType && dropped.contains(f.name)).map(_.name)
    if (texts.isEmpty) rows
    else StructType(rows.map(f =>
        if (texts.exists(same(_, f.name)) && PathText.tells(f.dataType)) f.copy(dataType = StringType) else f))
  }

  /** Changes that a write would make to the columns of the table, in words. */
  def changes(table: StructType, evolved: StructType): Seq[String] = evolved.fields.toSeq.flatMap { field =>
    find(table, field.name) match {
      case None => Some(s"${field.name} (${field.dataType.simpleString}) is new")
      case Some(old) if !sameType(old.dataType, field.dataType) =>
        Some(s"${field.name} changes from ${old.dataType.simpleString} to ${field.dataType.simpleString}")
      case _ => None
    }
  }

  /** Raises `INCOMPATIBLE_TYPE` when a write would change the type of a column that distinguishes rows. */
  def requireKeyTypes(table: StructType, evolved: StructType, config: TableConfig): Unit = for {
    (role, names) <- Seq("record key" -> config.recordKeyFields, "partition" -> config.partitionFields,
      "ordering" -> config.orderingFields)
    name <- names
    path = name.split('.').toList
    (old, now) <- typeAt(table, path).flatMap(o => typeAt(evolved, path).map(o -> _))
    if !sameType(old, now)
  } throw incompatible(name, old, now, s"a $role column keeps its type")

  private def typeAt(schema: StructType, path: List[String]): Option[DataType] =
    fieldsAt(schema, path).map(_.last.dataType)

  /** The fields of a path of names: the column, behind the structs around it. */
  private def fieldsAt(schema: StructType, path: List[String]): Option[List[StructField]] = for {
    name <- path.headOption
    field <- find(schema, name)
    fields <- (field.dataType, path.tail) match {
      case (_, Nil) => Some(List(field))
      case (inner: StructType, rest) => fieldsAt(inner, rest).map(field :: _)
      case _ => None
    }
  } yield fields

  /** The column of this name, dotted when nested, in the spelling of the schema; the name itself where there is none.
    */
  def spelling(columns: StructType)(name: String): String =
    fieldsAt(columns, name.split('.').toList).fold(name)(_.map(_.name).mkString("."))

  /** Raises `MISSING_COLUMN` unless the rows of a new table have every key, partition and ordering column, in the exact
    * letters of the table's properties. Readers and writers of its files regard case.
    */
  def requireColumns(rows: StructType, config: TableConfig): Unit =
    (config.recordKeyFields ++ config.partitionFields ++ config.orderingFields).foreach { name =>
      if (FieldTypes.at(rows, name.split('.').toList).isEmpty) throw missing(name, rows)
    }

  /** Raises an error unless the column that marks deletes exists and every engine spells its values alike. */
  def requireDeleteColumn(schema: StructType, config: TableConfig, path: String): Unit =
    config.deleteMarker.map(_.field).foreach { name =>
      schema.fields.find(_.name == name).getOrElse(throw missing(name, schema)).dataType match {
        case _: StringType | BooleanType | ByteType | ShortType | IntegerType | LongType =>
        case other => throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> path,
            "feature" -> s"the column $name of type ${other.simpleString} as the mark of deletes",
            "reason" -> "readers spell its values in different ways")
      }
    }

  /** Raises `UNSUPPORTED_COLUMN_TYPE` for a key or partition column whose values have no text. */
  def requireTexts(columns: StructType, config: TableConfig): Unit = for {
    name <- config.recordKeyFields ++ config.partitionFields
    dataType <- typeAt(columns, name.split('.').toList) if !FieldText.hasText(dataType)
  } throw FieldText.noText(name, dataType)

  private[row] def missing(name: String, rows: StructType): InvalidInput =
    InvalidInput("MISSING_COLUMN", "column" -> name, "columns" -> Listed.of(rows.fieldNames.toSeq))

  /** The rows with exactly the table's columns, in its order and types. A missing column is null. */
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

  private def cast(e: Expression, to: DataType): Expression = (e.dataType, to) match {
    case (from, _) if sameType(from, to) => e
    case (from: StructType, into: StructType) => If(IsNull(e), Literal(null, into), struct(e, from, into))
    case (from: ArrayType, into: ArrayType) =>
      val element = NamedLambdaVariable("element", from.elementType, from.containsNull)
      ArrayTransform(e, LambdaFunction(cast(element, into.elementType), Seq(element)))
    case (from: MapType, into: MapType) =>
      val key = NamedLambdaVariable("key", from.keyType, nullable = false)
      val value = NamedLambdaVariable("value", from.valueType, from.valueContainsNull)
      TransformValues(e, LambdaFunction(cast(value, into.valueType), Seq(key, value)))
    // Cast through the text, as Hudi widens it and as readers widen older files: 0.1 stays 0.1.
    case (FloatType, DoubleType) => sparks(sparks(e, StringType), DoubleType)
    case _ => sparks(e, to)
  }

  /** A cast of Spark's own. */
  private def sparks(e: Expression, to: DataType): Expression =
    Cast(e, to, Some(SQLConf.get.sessionLocalTimeZone), ansiEnabled = true)

  /** The struct with the fields of another, by name. Missing fields are null. */
  private def struct(e: Expression, from: StructType, into: StructType): Expression =
    CreateNamedStruct(into.fields.toSeq.flatMap { field =>
      val at = from.fields.indexWhere(f => same(f.name, field.name))
      val value = if (at < 0) Literal(null, field.dataType) else cast(GetStructField(e, at), field.dataType)
      Seq(Literal(field.name), value)
    })

  private[row] def incompatible(column: String, table: DataType, rows: DataType, reason: String): InvalidInput =
    InvalidInput("INCOMPATIBLE_TYPE", "column" -> column, "tableType" -> table.simpleString,
      "incomingType" -> rows.simpleString, "reason" -> reason)

  private def sameType(a: DataType, b: DataType): Boolean = Nullability.sameType(a, b)

  /** Raises `INVALID_COLUMN_NAME` for two columns that differ only in case.
    *
    * @param path
    *   names of the structs around them, the innermost first
    */
  def checkAlike(columns: StructType, path: List[String] = Nil): Unit =
    ReservedNames.alike(columns.fieldNames.toSeq).foreach { case (one, other) =>
      throw InvalidInput("INVALID_COLUMN_NAME", "column" -> (other :: path).reverse.mkString("."),
        "reason" -> s"the column $one differs from it only by case, and most readers take both for one")
    }

  /** The columns without Hudi's meta columns, which every write makes anew. */
  def withoutMeta(rows: StructType): StructType =
    StructType(rows.fields.filterNot(f => MetaFields.all.contains(f.name)))

  /** The column of this name in the session's sense; `None` where there is none. */
  private[spark] def find(schema: StructType, name: String): Option[StructField] =
    schema.fields.find(f => same(f.name, name))

  private def same(a: String, b: String): Boolean = SQLConf.get.resolver(a, b)
}

private[spark] object FieldTypes {

  /** The type of the column or field of a struct at this path, by its exact letters; `None` when there is none. */
  def at(schema: StructType, path: List[String]): Option[DataType] = path match {
    case name :: rest => schema.fields.find(_.name == name).map(_.dataType).flatMap {
        case dataType if rest.isEmpty => Some(dataType)
        case struct: StructType => at(struct, rest)
        case _ => None
      }
    case Nil => None
  }
}

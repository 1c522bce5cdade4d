package io.hudilite.spark.catalog

import io.hudilite.error.InvalidInput
import io.hudilite.spark.catalog.metastore.Registered
import io.hudilite.spark.row.Nullability

import org.apache.spark.sql.catalyst.util.{CharVarcharUtils, ResolveDefaultColumns}
import org.apache.spark.sql.connector.catalog.{Column, ColumnDefaultValue}
import org.apache.spark.sql.connector.catalog.TableChange._
import org.apache.spark.sql.connector.expressions.Expressions
import org.apache.spark.sql.types._
import org.slf4j.LoggerFactory

/** Lengths of texts, default values and NOT NULL: rules of columns that the files of a Hudi table do not keep. The entry
  * of a table in the session's catalog has them, in the way of Spark's own formats. A table by path has no place for them.
  */
private[catalog] object ColumnRules {

  // Spark's own names of the properties of a column.
  private val Length = "__CHAR_VARCHAR_TYPE_STRING"
  private val Default = "CURRENT_DEFAULT"
  private val OfRows = "EXISTS_DEFAULT"

  private val log = LoggerFactory.getLogger("io.hudilite.spark.catalog.ColumnRules")

  /** Columns of a statement as files have them. Says once which of them get a wider type. */
  def stored(table: String, said: StructType): StructType = {
    tell(table, said)
    StructType(said.map { f =>
      val plain = StructField(f.name, asText(f.dataType), f.nullable)
      f.getComment().fold(plain)(plain.withComment)
    })
  }

  /** Says which of these new columns get a wider type. */
  def tell(table: String, said: StructType): Unit = {
    val narrow = said.filter(f => f.dataType == ByteType || f.dataType == ShortType)
    if (narrow.nonEmpty) log.warn(widened(table, narrow.map(f => s"${f.name} ${f.dataType.sql}")))
  }

  private[catalog] def widened(table: String, columns: Seq[String]): String =
    s"The table $table has columns of the type INT for ${columns.mkString(", ")}: Hudi's tables have no narrower one. " +
      "The range is not checked."

  /** Columns of a statement as an entry keeps them. */
  def kept(said: StructType): StructType = StructType(said.map { f =>
    val text = asText(f.dataType)
    if (text == f.dataType) f
    else f.copy(dataType = text,
      metadata = new MetadataBuilder().withMetadata(f.metadata).putString(Length, f.dataType.catalogString).build())
  })

  /** Raises `InvalidInput` for the first rule, since nothing would keep it. Its error for NOT NULL is that of the table. */
  def refuse(said: StructType): Unit = said.foreach { f =>
    if (asText(f.dataType) != f.dataType) throw InvalidInput("UNSUPPORTED_COLUMN_TYPE", "column" -> f.name,
      "type" -> f.dataType.catalogString,
      "reason" -> "only an entry of hudilite's own in the session's catalog keeps a length; use STRING, or a name")
    f.getCurrentDefaultValue().foreach(value =>
      throw InvalidInput("OPTION_NOT_SUPPORTED", "option" -> s"${f.name} DEFAULT", "value" -> value,
        "reason" -> "only an entry of hudilite's own in the session's catalog keeps default values; leave DEFAULT out"))
  }

  /** Columns of the table with what its entry says of them. */
  def applied(columns: StructType, entry: Option[Registered]): StructType =
    entry.filter(e => e.hasRules && !e.byHudi).fold(columns)(found => over(columns, found.entry.schema))

  /** These columns with what others of their names say. */
  def over(columns: StructType, said: StructType): StructType =
    StructType(columns.map(c => said.find(_.name == c.name).fold(c)(withRules(c, _))))

  private def withRules(column: StructField, said: StructField): StructField = {
    val metadata = new MetadataBuilder().withMetadata(column.metadata)
    Seq(Default, OfRows).filter(said.metadata.contains).foreach(key =>
      metadata.putString(key,
        said.metadata.getString(key)))
    CharVarcharUtils.getRawType(said.metadata).filter(raw => Nullability.sameType(asText(raw), column.dataType))
      .foreach(_ => metadata.putString(Length, said.metadata.getString(Length)))
    column.copy(nullable = said.nullable, metadata = metadata.build())
  }

  /** Names of the columns that refuse nulls. */
  def required(columns: StructType, entry: Option[Registered]): Seq[String] =
    applied(columns, entry).filterNot(_.nullable).map(_.name)

  /** Columns as a statement says them: with their lengths. */
  def said(columns: StructType): StructType =
    StructType(columns.map(f => CharVarcharUtils.getRawType(f.metadata).fold(f)(raw => f.copy(dataType = raw))))

  /** Columns as Spark has them of a table. */
  def columns(columns: StructType): Array[Column] = said(columns).map { f =>
    val comment = f.getComment().orNull
    f.getCurrentDefaultValue().fold(Column.create(f.name, f.dataType, f.nullable, comment, null)) { value =>
      Column.create(f.name, f.dataType, f.nullable, comment,
        new ColumnDefaultValue(value, Expressions.literal[Any](null)), null)
    }
  }.toArray

  /** A column as a statement declares it. */
  def field(column: Column): StructField = {
    val plain = StructField(column.name, column.dataType, column.nullable)
    val told = Option(column.comment).fold(plain)(plain.withComment)
    Option(column.defaultValue).fold(told)(value => told.withCurrentDefaultValue(value.getSql))
  }

  /** Changes that the entry alone keeps. Raises Spark's error for a default value that is none of the column's. */
  def ofEntry(columns: StructType, entry: Option[Registered], change: ColumnChange): Boolean = change match {
    case set: UpdateColumnDefaultValue if entry.exists(!_.byHudi) && set.fieldNames.length == 1 =>
      columns.find(_.name == set.fieldNames.head).foreach { f =>
        if (isSet(set)) ResolveDefaultColumns.analyze(f.withCurrentDefaultValue(set.newDefaultValue), "ALTER TABLE")
      }
      true
    case typed: UpdateColumnType if entry.exists(!_.byHudi) && typed.fieldNames.length == 1 =>
      val before = entry.flatMap(_.entry.schema.find(_.name == typed.fieldNames.head)).flatMap(f =>
        CharVarcharUtils.getRawType(f.metadata))
      (before, typed.newDataType) match {
        case (Some(VarcharType(old)), VarcharType(now)) => now >= old
        case _ => false
      }
    case _ => false
  }

  private def isSet(set: UpdateColumnDefaultValue): Boolean = Option(set.newDefaultValue).exists(_.nonEmpty)

  /** The columns of an entry after these changes of the table's, which now has `columns`. */
  def after(entry: StructType, changes: Seq[ColumnChange], columns: StructType): StructType =
    over(columns,
      changes.filter(_.fieldNames.length == 1).foldLeft(entry) { (said, change) =>
        val name = change.fieldNames.head
        def one(now: StructField => StructField): StructType = StructType(said.map(f =>
            if (f.name == name) now(f) else f))
        change match {
          case add: AddColumn =>
            StructType(said ++ kept(StructType(Seq(StructField(name, add.dataType, add.isNullable)))))
          case renamed: RenameColumn => one(_.copy(name = renamed.newName))
          case _: DeleteColumn => StructType(said.filterNot(_.name == name))
          case typed: UpdateColumnType =>
            one(f => kept(StructType(Seq(without(f, Length).copy(dataType = typed.newDataType)))).head)
          case nulls: UpdateColumnNullability => one(_.copy(nullable = nulls.nullable))
          case set: UpdateColumnDefaultValue =>
            one(f => if (isSet(set)) f.withCurrentDefaultValue(set.newDefaultValue) else without(f, Default, OfRows))
          case _ => said
        }
      })

  private def without(field: StructField, keys: String*): StructField = field.copy(metadata =
    keys.foldLeft(new MetadataBuilder().withMetadata(field.metadata))(_.remove(_)).build())

  /** The type with texts of any length. */
  def asText(dataType: DataType): DataType = dataType match {
    case _: CharType | _: VarcharType => StringType
    case s: StructType => StructType(s.map(f => f.copy(dataType = asText(f.dataType))))
    case a: ArrayType => a.copy(elementType = asText(a.elementType))
    case m: MapType => m.copy(keyType = asText(m.keyType), valueType = asText(m.valueType))
    case other => other
  }
}

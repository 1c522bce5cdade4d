package io.hudilite.spark.basefile.stored

import org.apache.parquet.schema.{MessageType, PrimitiveType, Type, Types}
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.execution.datasources.parquet.{ParquetColumn, ParquetToSparkSchemaConverter}
import org.apache.spark.sql.types._

import scala.collection.JavaConverters._

/** The type of a column of a file: its type in Spark, and the stored type of each value. */
private[spark] sealed trait FileType

private[spark] object FileType {

  /** @param dataType
    *   the type in Spark
    */
  final case class Leaf(dataType: DataType, stored: PrimitiveType) extends FileType
  final case class Group(fields: IndexedSeq[(String, FileType)]) extends FileType
  final case class Items(element: FileType) extends FileType
  final case class Entries(key: FileType, value: FileType) extends FileType

  /** Spark has no type for it. */
  final case class Unknown(stored: Type) extends FileType

  /** Columns of a file. A value of a type that Spark lacks does not affect other columns. */
  def of(schema: MessageType, converter: ParquetToSparkSchemaConverter): Group =
    whole(schema, converter, Map.empty).getOrElse {
      val unknown = schema.getColumns.asScala.map(c => c.getPath.toList -> c.getPrimitiveType).filter {
        case (_, leaf) =>
          whole(new MessageType("leaf", leaf), converter, Map.empty).isEmpty
      }.toMap
      val fields = schema.getFields.asScala.toVector.map(field => field -> plain(field, unknown, Nil))
      Group(fields.map { case (field, known) =>
        val found = whole(new MessageType("field", known), converter, unknown)
        field.getName -> found.fold(Unknown(field): FileType)(_.fields.head._2)
      })
    }

  /** The field without the annotations of some values, given by the paths of their names. */
  private[stored] def plain(field: Type, unknown: Map[List[String], PrimitiveType], parents: List[String]): Type = {
    val path = field.getName :: parents
    if (!field.isPrimitive) {
      val group = field.asGroupType
      group.withNewFields(group.getFields.asScala.map(plain(_, unknown, path)).asJava)
    } else unknown.get(path.reverse).fold(field) { leaf =>
      val bare = Types.primitive(leaf.getPrimitiveTypeName, leaf.getRepetition)
      (if (leaf.getTypeLength > 0) bare.length(leaf.getTypeLength) else bare).named(leaf.getName)
    }
  }

  private def whole(schema: MessageType, converter: ParquetToSparkSchemaConverter,
      unknown: Map[List[String], PrimitiveType]): Option[Group] =
    try typed(converter.convertParquetColumn(schema, None), schema, unknown) match {
        case group: Group => Some(group)
        case _ => None
      }
    catch { case _: AnalysisException => None }

  private def typed(column: ParquetColumn, around: Type, unknown: Map[List[String], PrimitiveType]): FileType =
    (column.sparkType, column.descriptor) match {
      case (dataType, Some(leaf)) =>
        unknown.get(leaf.getPath.toList).fold(Leaf(dataType, leaf.getPrimitiveType): FileType)(Unknown(_))
      case (struct: StructType, _) if struct.length == column.children.length =>
        Group(struct.fields.toVector.zip(column.children).map { case (f, child) =>
          f.name -> typed(child, around, unknown)
        })
      case (_: ArrayType, _) => Items(typed(column.children.head, around, unknown))
      case (_: MapType, _) =>
        Entries(typed(column.children.head, around, unknown), typed(column.children(1), around, unknown))
      case _ => Unknown(around)
    }

  /** The type in the text of an error: `INT64 (TIME(MICROS,true))`. */
  def text(fileType: FileType): String = fileType match {
    case Leaf(_, stored) => text(stored)
    case Unknown(stored) => text(stored)
    case _: Group => "group"
    case _: Items => "list"
    case _: Entries => "map"
  }

  private def text(stored: Type): String = {
    val annotated = Option(stored.getLogicalTypeAnnotation).fold("")(a => s" ($a)")
    if (!stored.isPrimitive) s"group$annotated of ${stored.asGroupType.getFields.asScala.map(text).mkString(", ")}"
    else {
      val leaf = stored.asPrimitiveType
      val length = if (leaf.getTypeLength > 0) s"(${leaf.getTypeLength})" else ""
      s"${leaf.getPrimitiveTypeName}$length$annotated"
    }
  }
}

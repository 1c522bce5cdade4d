package io.hudilite.spark.basefile.stored

import org.apache.parquet.schema.{MessageType, PrimitiveType, Type}
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.execution.datasources.parquet.{ParquetColumn, ParquetToSparkSchemaConverter}
import org.apache.spark.sql.types._

import scala.collection.JavaConverters._

/** The type of a column of a file: what Spark makes of it, and of each value how it is stored. */
private[spark] sealed trait FileType

private[spark] object FileType {

  /** @param dataType
    *   as Spark has it
    */
  final case class Leaf(dataType: DataType, stored: PrimitiveType) extends FileType
  final case class Group(fields: IndexedSeq[(String, FileType)]) extends FileType
  final case class Items(element: FileType) extends FileType
  final case class Entries(key: FileType, value: FileType) extends FileType

  /** Spark has no type for it. */
  final case class Unknown(stored: Type) extends FileType

  /** Columns of a file. One that Spark has no type for stands in the way of no other. */
  def of(schema: MessageType, converter: ParquetToSparkSchemaConverter): Group =
    whole(schema, converter).getOrElse(Group(schema.getFields.asScala.toVector.map(f =>
          f.getName -> field(f, converter))))

  private def whole(schema: MessageType, converter: ParquetToSparkSchemaConverter): Option[Group] =
    try typed(converter.convertParquetColumn(schema, None), schema) match {
        case group: Group => Some(group)
        case _ => None
      }
    catch { case _: AnalysisException => None }

  private def field(field: Type, converter: ParquetToSparkSchemaConverter): FileType =
    whole(new MessageType("file", field), converter) match {
      case Some(Group(fields)) => fields.head._2
      case None if isStruct(field) =>
        Group(field.asGroupType.getFields.asScala.toVector.map(f => f.getName -> this.field(f, converter)))
      case None => Unknown(field)
    }

  private def isStruct(field: Type): Boolean =
    !field.isPrimitive && field.getLogicalTypeAnnotation == null && !field.isRepetition(Type.Repetition.REPEATED)

  private def typed(column: ParquetColumn, stored: Type): FileType =
    (column.sparkType, column.descriptor) match {
      case (dataType, Some(leaf)) => Leaf(dataType, leaf.getPrimitiveType)
      case (struct: StructType, _) if struct.length == column.children.length =>
        Group(struct.fields.toVector.zip(column.children).map { case (f, child) => f.name -> typed(child, stored) })
      case (_: ArrayType, _) => Items(typed(column.children.head, stored))
      case (_: MapType, _) => Entries(typed(column.children.head, stored), typed(column.children(1), stored))
      case _ => Unknown(stored)
    }

  /** What an error calls it: `INT64 (TIME(MICROS,true))`. */
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

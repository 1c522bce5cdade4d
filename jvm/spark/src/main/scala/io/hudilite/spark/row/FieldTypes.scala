package io.hudilite.spark.row

import org.apache.spark.sql.types.{DataType, StructType}

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

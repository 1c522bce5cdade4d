package io.hudilite.spark.basefile.encode

import io.hudilite.record.MetaFields
import io.hudilite.spark.row.SharedConf

import org.apache.spark.sql.types.{StringType, StructField, StructType}

/** Layout shared by the files of one instant.
  *
  * @param dataSchema
  *   the table's columns without meta columns, in file order
  * @param avroSchema
  *   the columns as Avro JSON, with the meta columns, for the footers
  * @param metaFields
  *   the meta columns have values, and the footers tell of the record keys
  */
final case class BaseFileLayout(
    basePath: String, instant: String, dataSchema: StructType, avroSchema: String, files: FileSettings,
    conf: SharedConf, metaFields: Boolean = true) {

  /** Schema of the files: the meta columns, then the data columns. */
  lazy val fileSchema: StructType =
    StructType(MetaFields.all.map(StructField(_, StringType)) ++ dataSchema.fields)
}

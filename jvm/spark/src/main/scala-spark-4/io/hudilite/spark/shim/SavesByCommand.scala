package io.hudilite.spark.shim

import org.apache.spark.sql.sources.CreatableRelationProvider
import org.apache.spark.sql.types.DataType

/** A source to which Spark plans saves as commands. */
trait SavesByCommand extends CreatableRelationProvider {

  // Which types a table can have is said when the write is planned, with the column and the reason.
  override def supportsDataType(dataType: DataType): Boolean = true
}

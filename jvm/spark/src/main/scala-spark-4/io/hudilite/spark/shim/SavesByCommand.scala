package io.hudilite.spark.shim

import org.apache.spark.sql.sources.CreatableRelationProvider
import org.apache.spark.sql.types.DataType

/** A source whose saves Spark plans as commands. */
trait SavesByCommand extends CreatableRelationProvider {

  // Types are checked when the write is planned, where the error can name the column and the reason.
  override def supportsDataType(dataType: DataType): Boolean = true
}

package io.hudilite.spark.catalog

import io.hudilite.error.InvalidInput

/** A statement that a table named by its path cannot follow.
  *
  * @param statement
  *   its beginning, in SQL
  * @param reason
  *   why, and what is there instead
  */
private[catalog] sealed abstract class Refusal(statement: String, reason: String) {
  def of(path: String): InvalidInput =
    InvalidInput("STATEMENT_NOT_SUPPORTED", "statement" -> statement, "path" -> path, "reason" -> reason)
}

private[catalog] object Refusal {
  case object Drop extends Refusal("DROP TABLE", "hudilite deletes no table; remove its directory")
  case object Alter extends Refusal("ALTER TABLE",
        "a table keeps the properties that it was created with, and rows that are appended bring new columns")
  case object Rename extends Refusal("ALTER TABLE RENAME", "it is named by its path; move its directory")
  case object Replace
      extends Refusal("REPLACE TABLE", "write with INSERT OVERWRITE or the save mode overwrite to replace its rows")
  case object Evolve extends Refusal("WITH SCHEMA EVOLUTION",
        "a statement adds no columns; append rows that have them with format(\"hudilite\")")
  case object Location extends Refusal("LOCATION", "its path is its location")
  case object Provider extends Refusal("USING", "it is a table of Hudi's format; write USING hudilite")
}

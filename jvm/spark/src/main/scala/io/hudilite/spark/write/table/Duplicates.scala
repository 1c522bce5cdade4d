package io.hudilite.spark.write.table

import io.hudilite.config.{InsertConf, WriteOptions}
import io.hudilite.error.InvalidInput

/** The treatment of inserted rows whose keys the table has. */
private[spark] sealed trait Duplicates

private[spark] object Duplicates {

  /** They are added beside the rows that are there, or take their place, as the operation says. */
  case object Added extends Duplicates
  case object Dropped extends Duplicates
  case object Refused extends Duplicates

  /** Raises `InvalidInput` for a `bulk_insert`, which looks no keys up, with a policy that needs that. */
  def of(conf: InsertConf, operation: WriteOperation, overwrites: Boolean): Duplicates = conf.duplicates.value match {
    case "none" => Added
    case _ if overwrites => Added
    case policy if operation == WriteOperation.BulkInsert =>
      throw InvalidInput.option(WriteOptions.DuplicatePolicy.name, policy,
        "bulk_insert looks no keys up; choose insert, or none")
    case "drop" if operation == WriteOperation.Insert || (operation == WriteOperation.Upsert && conf.dropsInUpserts) =>
      Dropped
    case "fail" if operation == WriteOperation.Insert => Refused
    case _ => Added
  }
}

package io.hudilite.spark.write.table

import io.hudilite.config.{ParallelismConf, WriteConf, WriteOptions}
import io.hudilite.error.InvalidInput

import java.util.Locale

/** The use that a write makes of its rows.
  *
  * @param name
  *   spelling in options
  * @param looksUp
  *   true when incoming keys are looked up in the table
  */
sealed abstract class WriteOperation(val name: String, val looksUp: Boolean) extends Serializable {

  /** Spelling in commit metadata. */
  def metadataName: String = name.toUpperCase(Locale.ROOT)

  /** The error for an option that asks for it in vain. */
  def refused(reason: String): InvalidInput = InvalidInput.option(WriteOptions.Operation.name, name, reason)

  /** Tasks of the write's shuffle that the options ask for; `None` = as many as fit. */
  def tasks(asked: ParallelismConf): Option[Int] = Some(this match {
    case WriteOperation.Upsert => asked.upsert
    case WriteOperation.BulkInsert => asked.bulkInsert
    case WriteOperation.Delete => asked.delete
    case _ => asked.insert
  }).filter(_ > 0)
}

object WriteOperation {
  case object Upsert extends WriteOperation("upsert", looksUp = true)
  case object Insert extends WriteOperation("insert", looksUp = false)
  case object BulkInsert extends WriteOperation("bulk_insert", looksUp = false)
  case object Delete extends WriteOperation("delete", looksUp = true)
  case object InsertOverwrite extends WriteOperation("insert_overwrite", looksUp = false)
  case object InsertOverwriteTable extends WriteOperation("insert_overwrite_table", looksUp = false)
  case object DeletePartition extends WriteOperation("delete_partition", looksUp = false)

  val all: Seq[WriteOperation] =
    Seq(Upsert, Insert, BulkInsert, Delete, InsertOverwrite, InsertOverwriteTable, DeletePartition)

  /** The operation that the options ask for, `default` when they do not say. */
  def of(conf: WriteConf, default: WriteOperation): WriteOperation =
    conf.operation.fold(default)(name => all.find(_.name == name).get)
}

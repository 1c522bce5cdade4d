package io.hudilite.spark.service.clean

import io.hudilite.spark.row.SharedConf
import io.hudilite.spark.shim.Sessions
import io.hudilite.spark.task.{TaskJob, TaskWork}
import io.hudilite.storage.{HadoopStorage, Parallel, Storage, TableStorage}
import io.hudilite.table.Table

import org.apache.spark.sql.SparkSession
import org.apache.spark.util.LongAccumulator
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Deletes files of a table: few from here, many in tasks.
  *
  * @param done
  *   counts the files that are gone
  */
private[spark] final class FileDeletion(session: SparkSession, done: LongAccumulator) {

  /** Deletes files, told by their paths below the table's base path, and returns those that could not be deleted. */
  def delete(table: Table, paths: Seq[String]): Set[String] = {
    val failed =
      if (paths.size <= FileDeletion.Few) FileDeletion.delete(table.storage, table.basePath, paths, done)
      else {
        val work = FileDeletion.Work(table.basePath, SharedConf(Sessions.hadoopConf(session)), done)
        TaskJob.run(session, s"hudilite deletes files of ${table.basePath}", work,
          paths.grouped(FileDeletion.FilesATask).map(batch => FileDeletion.Files(batch.toArray)).toSeq)
      }
    failed.toSet
  }
}

private object FileDeletion {

  /** A job takes longer to start than the driver takes to delete these. */
  val Few = 64
  val FilesATask = 256

  private val log = LoggerFactory.getLogger("io.hudilite.spark.service.clean.FileDeletion")

  def delete(storage: Storage, basePath: String, paths: Seq[String], done: LongAccumulator): Seq[String] =
    Parallel.map(paths) { path =>
      try {
        storage.delete(s"${basePath.stripSuffix("/")}/$path") // one that is gone already is no failure
        done.add(1L)
        None
      } catch {
        case NonFatal(e) =>
          log.warn(s"$path of the table $basePath could not be deleted.", e)
          Some(path)
      }
    }.flatten

  private final case class Files(paths: Array[String])

  private final case class Work(basePath: String, conf: SharedConf, done: LongAccumulator)
      extends TaskWork[Files, String] {

    override def apply(batch: Files): Seq[String] = {
      val storage = TableStorage.of(new HadoopStorage(conf.value), basePath)
      FileDeletion.delete(storage, basePath, batch.paths.toSeq, done)
    }
  }
}

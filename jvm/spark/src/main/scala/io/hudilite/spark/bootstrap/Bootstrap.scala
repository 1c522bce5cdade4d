package io.hudilite.spark.bootstrap

import io.hudilite.config.{BootstrapIndexName, BootstrapOptions, IndexesConf, TableConfig, TableKeys}
import io.hudilite.error.HudiliteException
import io.hudilite.filegroup.BootstrapIndexFiles
import io.hudilite.service.undo.Rollbacks
import io.hudilite.spark.bootstrap.task.{FoundSource, SkeletonWork, WrittenSkeleton}
import io.hudilite.spark.keys.KeyedOptions
import io.hudilite.spark.row.RunningTask
import io.hudilite.spark.shim.CachedPlans
import io.hudilite.spark.write.attempt.CommittedWrite
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.timeline.{Action, InstantTime}
import io.hudilite.transaction.{BegunBootstrap, FirstWrite, MetadataUpkeep, Transaction}

import java.util.Locale

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** A new table whose rows stay in the files that were there before: it gets a skeleton for each of them, and an index that
  * tells which file that is (docs/format.md#bootstrapped-tables).
  *
  * @param target
  *   the table to come
  * @param source
  *   folder of all files, absolute
  */
private[bootstrap] final class Bootstrap(session: SparkSession, target: WriteTarget, source: String) {

  import Bootstrap._

  private val options = KeyedOptions.of(session, target.basePath, target.conf.commit)

  // Hudi makes no statistics of skeletons either; a metadata table follows the commit.
  private val plain = options.copy(keepsMetadata = None, indexes = IndexesConf())

  private def declared: TableConfig = {
    val index = if (target.config.version < IndexByType) TableKeys.BootstrapIndexClass -> BootstrapIndexName.Class
    else TableKeys.BootstrapIndexType -> BootstrapIndexName.Type
    TableConfig(target.declared.properties ++ Map(TableKeys.BootstrapBasePath -> source, index))
  }

  /** Makes the table. After any failure nothing of it is left.
    *
    * @param toCome
    *   number of the partitions whose rows `follow` writes
    * @param follow
    *   the rest of the bootstrap, by the token of its write; when it fails, the table goes, too
    */
  def run(sources: Seq[FoundSource], toCome: Int)(follow: String => Unit): CommittedWrite = {
    val first = FirstWrite.create(target.storage, target.basePath, declared, plain)
    val action = if (target.isMergeOnRead) Action.DeltaCommit else Action.Commit
    val transaction = first.begin(action, Operation, Some(InstantTime.OfSkeletons))
    val committed =
      try {
        val written = HudiliteException.unwrapping(SkeletonWork.run(session, work(transaction), sources))
        commit(first, transaction, written, toCome)
      } catch {
        case e: Throwable =>
          transaction.rollback()
          if (transaction.isRolledBack) RunningTask.uninterrupted(first.remove(transaction.instant))
          throw e
      }
    try BegunBootstrap.completing(first.table)(follow)
    catch {
      case e: Throwable =>
        undo(first, e)
        throw e
    }
    makeMetadata(first)
    CachedPlans.refresh(session, target.basePath)
    committed
  }

  private def work(transaction: Transaction): SkeletonWork = {
    val job = WriteJob.of(target, transaction.permit, session)
    val names = target.config.recordKeyFields.map(_.takeWhile(_ != '.')).toSet
    SkeletonWork(job.skeletons(target.config.name), StructType(target.schema.filter(field => names(field.name))))
  }

  private def commit(first: FirstWrite, transaction: Transaction, written: Seq[WrittenSkeleton], toCome: Int)
      : CommittedWrite = {
    new BootstrapIndexFiles(target.storage, target.basePath).write(source, written.map(_.mapped))
    // A version of the application's is that of the last write, which would be skipped otherwise.
    val notes = target.conf.notes
    val instant = transaction.commit(written.map(_.stat), columns = Some(target.shape.schemaJson),
      notes = notes.copy(notes.entries ++ BegunBootstrap.entries(toCome), notes.version.filter(_ => toCome == 0)))
    CommittedWrite(target, first.table, instant)
  }

  private def undo(first: FirstWrite, cause: Throwable): Unit =
    try RunningTask.uninterrupted {
        Rollbacks.run(first.table.refresh(), Some(InstantTime.OfSkeletons), plain)
        first.remove(InstantTime.OfSkeletons)
      }
    catch { case NonFatal(e) => cause.addSuppressed(e) }

  // The table is there, and the next write makes what is missing.
  private def makeMetadata(first: FirstWrite): Unit =
    if (options.keepsMetadata.contains(true) || options.indexes.asked.nonEmpty)
      try MetadataUpkeep.prepareNow(first.table.refresh(), options)
      catch { case NonFatal(e) => log.warn(s"The metadata table of ${target.basePath} waits for the next write.", e) }
}

private[bootstrap] object Bootstrap {

  private val log = LoggerFactory.getLogger("io.hudilite.spark.bootstrap.Bootstrap")

  private val Operation = BootstrapOptions.Operation.toUpperCase(Locale.ROOT)

  /** Version from which on a table names its index by type. */
  private val IndexByType = 8
}

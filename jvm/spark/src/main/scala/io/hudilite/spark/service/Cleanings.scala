package io.hudilite.spark.service

import io.hudilite.service.clean.{CleanScheduler, Cleaning, FinishedCleaning}
import io.hudilite.timeline.CleanPlan
import io.hudilite.transaction.TransactionOptions

import java.util.{Map => JMap}

import org.apache.spark.sql.SparkSession
import org.apache.spark.util.LongAccumulator

/** Cleaning of a table by its path: what programs call, in Scala, in Java or from Python. Options are those of
  * docs/options.md; all calls raise `TABLE_NOT_FOUND`.
  */
object Cleanings {

  /** What [[start]] would delete beyond the cleanings that are planned already; nothing is written. */
  def preview(session: SparkSession, path: String, options: JMap[String, String]): CleanPlan =
    Compactions.onDriver(session, path, options)((table, conf) => CleanScheduler.preview(table, conf.services.cleaning))

  /** Plans a cleaning, to be run later, here or elsewhere: its instant and the plan, `None` when nothing has to go. */
  def schedule(session: SparkSession, path: String, options: JMap[String, String]): Option[(String, CleanPlan)] =
    Compactions.onDriver(session, path, options)((table, conf) =>
      CleanScheduler.schedule(table, conf.services.cleaning, TransactionOptions.of(conf.commit))
        .map(instant => instant.time -> table.store.readCleanPlan(instant)))

  /** Starts cleaning in the background: what is planned first, then what the options let go.
    *
    * @param onlyPlanned
    *   leave it at what is planned
    */
  def start(session: SparkSession, path: String, options: JMap[String, String], onlyPlanned: Boolean = false)
      : RunningService[Seq[FinishedCleaning]] = {
    val done = session.sparkContext.longAccumulator
    val total = preview(session, path, options).files.values.map(_.size).sum
    new RunningService(session.sparkContext, "cleaning", done, total,
      _ =>
        Compactions.changing(session, path, options) { (table, conf) =>
          val cleanings = cleaning(session, TransactionOptions.of(conf.commit), done)
          if (onlyPlanned) cleanings.runPending(table) else cleanings.run(table, conf.services.cleaning)
        })
  }

  private[service] def cleaning(session: SparkSession, transaction: TransactionOptions, done: LongAccumulator)
      : Cleaning = {
    val deletion = new FileDeletion(session, done)
    new Cleaning(transaction, deletion.delete)
  }
}

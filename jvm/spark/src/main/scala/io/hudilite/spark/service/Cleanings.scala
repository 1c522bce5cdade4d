package io.hudilite.spark.service

import io.hudilite.config.WriteConf
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

  /** What [[start]] would delete: the plans that are there, by their instants and the oldest first, then the one that it
    * would make. Nothing is written.
    */
  def preview(session: SparkSession, path: String, options: JMap[String, String], onlyPlanned: Boolean = false)
      : Seq[(Option[String], CleanPlan)] = Compactions.onDriver(session, path, options) { (table, conf) =>
    val planned = Cleaning.planned(table)
    val known = planned.flatMap(_._2.files.values.flatten).toSet
    def added = CleanScheduler.preview(table, conf.services.cleaning)
    planned.map { case (instant, plan) => Some(instant) -> plan } ++
      (if (onlyPlanned) Nil else Seq(None -> without(known, added)))
  }

  private def without(known: Set[String], plan: CleanPlan): CleanPlan =
    if (known.isEmpty) plan
    else plan.copy(files = plan.files.map { case (partition, files) => partition -> files.filterNot(known) })

  /** Plans a cleaning, to be run later, here or elsewhere, or says what that would be: its instant and the plan, `None`
    * when nothing has to go. While one is planned that is the answer.
    */
  def schedule(session: SparkSession, path: String, options: JMap[String, String], dryRun: Boolean)
      : Option[(Option[String], CleanPlan)] = Compactions.onDriver(session, path, options) { (table, conf) =>
    def planned = Cleaning.planned(table).headOption.map { case (instant, plan) => Some(instant) -> plan }
    if (dryRun)
      planned.orElse(Some(CleanScheduler.preview(table, conf.services.cleaning)).filter(_.files.nonEmpty).map(
          None -> _))
    else CleanScheduler.schedule(table, conf.services.cleaning, called(conf))
      .map { case (instant, plan) => Some(instant.time) -> plan }
  }

  /** Starts cleaning in the background: what is planned first, then what the options let go.
    *
    * @param onlyPlanned
    *   leave it at what is planned
    */
  def start(session: SparkSession, path: String, options: JMap[String, String], onlyPlanned: Boolean = false)
      : RunningService[Seq[FinishedCleaning]] = {
    val done = session.sparkContext.longAccumulator
    val total = preview(session, path, options, onlyPlanned).flatMap(_._2.files.values).map(_.size).sum
    new RunningService(session.sparkContext, "cleaning", done, total,
      isCancelled =>
        Compactions.changing(session, path, options) { (table, conf) =>
          val cleanings = cleaning(session, called(conf), done, isCancelled)
          if (onlyPlanned) cleanings.runPending(table) else cleanings.run(table, conf.services.cleaning)
        })
  }

  // Who calls for a cleaning wants all of it.
  private def called(conf: WriteConf): TransactionOptions = TransactionOptions.of(conf.commit).copy(sweepsAtOnce = true)

  private[service] def cleaning(session: SparkSession, transaction: TransactionOptions, done: LongAccumulator,
      isStopped: () => Boolean = () => false): Cleaning = {
    val deletion = new FileDeletion(session, done)
    new Cleaning(transaction, deletion.delete, isStopped)
  }
}

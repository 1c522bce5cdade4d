package io.hudilite.spark.service

import io.hudilite.config.{OptionSide, Options, WriteConf}
import io.hudilite.config.service.CompactionConf
import io.hudilite.service.compact.{
  CompactionCandidate,
  CompactionKind,
  CompactionScheduler,
  PendingCompactions,
  PlannedCompaction
}
import io.hudilite.spark.row.SessionConf
import io.hudilite.spark.shim.{CachedPlans, Sessions}
import io.hudilite.spark.task.Stop
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table
import io.hudilite.timeline.Instant

import java.util.{Map => JMap}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

import scala.collection.JavaConverters._

/** Compaction of a table by its path: what programs call, in Scala, in Java or from Python.
  *
  * Options are those of docs/options.md; settings of the session under `spark.datasource.hudilite.` count, too. All calls
  * raise `TABLE_NOT_FOUND` and, for a copy-on-write table, `COMPACTION_NOT_POSSIBLE`.
  */
object Compactions {

  /** Plans a compaction, to be run later, here or elsewhere.
    *
    * @param onlyIfDue
    *   plan only when the trigger of the options says that it is time
    * @param dryRun
    *   only say what would be planned, due or not
    * @param kind
    *   what is made of the log files
    * @return
    *   the plan; `None` when nothing was planned
    */
  def schedule(session: SparkSession, path: String, options: JMap[String, String], onlyIfDue: Boolean,
      dryRun: Boolean, kind: CompactionKind = CompactionKind.Base): Option[PlannedCompaction] =
    onDriver(session, path, options) { (table, conf) =>
      CompactionScheduler.check(table, conf.services.compaction, kind)
      val compactor = new Compactor(session, conf, session.sparkContext.longAccumulator, kind)
      if (dryRun)
        Some(CompactionScheduler.preview(PendingCompactions.withoutOutdated(table), conf.services.compaction, kind))
          .filter(_.candidates.nonEmpty)
      else if (onlyIfDue) compactor.scheduleIfDue(table)
      else compactor.schedule(table)
    }

  /** What [[start]] would run: the pending compactions, else the one that it would plan. */
  def preview(session: SparkSession, path: String, options: JMap[String, String], instant: Option[String],
      kind: CompactionKind = CompactionKind.Base): Seq[PlannedCompaction] = onDriver(session, path, options) {
    (table, conf) =>
      check(table, conf.services.compaction, instant, kind)
      plans(if (instant.isEmpty) PendingCompactions.withoutOutdated(table) else table, conf.services.compaction,
        instant, kind)
  }

  /** Starts compacting in the background.
    *
    * @param instant
    *   the planned compaction to run, of any kind; `None` runs all pending ones of the kind or, when there are none,
    *   plans one and runs it
    */
  def start(session: SparkSession, path: String, options: JMap[String, String], instant: Option[String],
      kind: CompactionKind = CompactionKind.Base): RunningService[Seq[FinishedCompaction]] = {
    val done = session.sparkContext.longAccumulator
    val (conf, now, upcoming) = onDriver(session, path, options) { (table, conf) =>
      check(table, conf.services.compaction, instant, kind)
      val now = if (instant.isEmpty) new Compactor(session, conf, done, kind).withoutOutdated(table) else table
      (conf, now, plans(now, conf.services.compaction, instant, kind))
    }
    new RunningService(session.sparkContext, "compaction", done, upcoming.map(_.candidates.size).sum,
      isCancelled =>
        active(session) {
          val compactor = new Compactor(session, conf, done, kind, new Stop(isCancelled))
          instant.fold(compactor.planAndRun(now))(i => Seq(compactor.run(now, PendingCompactions.named(now, i))))
        })
  }

  private def check(table: Table, conf: CompactionConf, instant: Option[String], kind: CompactionKind): Unit =
    if (instant.isEmpty) CompactionScheduler.check(table, conf, kind) else CompactionScheduler.checkType(table)

  /** The named compaction, else what is planned, else what would be.
    *
    * @param table
    *   without outdated log compactions unless one is named
    */
  private def plans(table: Table, conf: CompactionConf, instant: Option[String], kind: CompactionKind)
      : Seq[PlannedCompaction] = {
    val pending =
      instant.fold(PendingCompactions.runnable(table, kind))(i => Seq(PendingCompactions.named(table, i)))
    if (pending.nonEmpty) pending.map(planned(table, _))
    else Seq(CompactionScheduler.preview(table, conf, kind)).filter(_.candidates.nonEmpty)
  }

  private def planned(table: Table, instant: Instant): PlannedCompaction =
    PlannedCompaction(Some(instant.time), "",
      PendingCompactions.open(table, instant).slices
        .map(CompactionCandidate(_, 0L)), CompactionKind.of(instant.action))

  /** What a program does with a table by its path, in a session. */
  private[service] def onDriver[T](session: SparkSession, path: String, options: JMap[String, String])(
      body: (Table, WriteConf) => T): T =
    atPath(session, path, options)((storage, qualified, conf) => body(Table.open(storage, qualified), conf))

  /** The same with what takes rows or files away; what the session has cached of the table is read again. */
  private[service] def changing[T](session: SparkSession, path: String, options: JMap[String, String],
      dryRun: Boolean = false)(body: (Table, WriteConf) => T): T = onDriver(session, path, options) { (table, conf) =>
    try body(table, conf)
    finally if (!dryRun) CachedPlans.refresh(session, table.basePath)
  }

  /** The same with a table that may be too damaged to be opened. */
  private[service] def atPath[T](session: SparkSession, path: String, options: JMap[String, String])(
      body: (HadoopStorage, String, WriteConf) => T): T = active(session) {
    val own = SessionConf.lowerCase(options.asScala.toMap)
    Options.check(own, OptionSide.Write)
    val conf = WriteConf.of(SessionConf.options ++ own)
    val hadoop = Sessions.hadoopConf(session)
    val place = new Path(path)
    val qualified = place.getFileSystem(hadoop).makeQualified(place).toString
    body(new HadoopStorage(hadoop), qualified, conf)
  }

  private def active[T](session: SparkSession)(body: => T): T = {
    val before = SparkSession.getActiveSession
    SparkSession.setActiveSession(session)
    try body
    finally before match {
        case Some(active) => SparkSession.setActiveSession(active)
        case None => SparkSession.clearActiveSession()
      }
  }
}

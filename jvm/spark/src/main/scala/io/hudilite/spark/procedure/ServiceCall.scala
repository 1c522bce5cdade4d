package io.hudilite.spark.procedure

import io.hudilite.config.{OptionSide, Options, WriteConf}
import io.hudilite.spark.row.SessionConf
import io.hudilite.spark.service.RunningService
import io.hudilite.spark.shim.{CachedPlans, Sessions}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.LongAccumulator

/** The table that a procedure works on, by its path, and the options that it is called with.
  *
  * @param options
  *   of docs/options.md; settings of the session under `spark.datasource.hudilite.` count, too
  */
private[spark] final case class ServiceCall(session: SparkSession, path: String,
    options: Map[String, String] = Map.empty) {

  /** Opens the table and works on it; raises `TABLE_NOT_FOUND`. */
  def onTable[T](body: (Table, WriteConf) => T): T =
    atPath((storage, qualified, conf) => body(Table.open(storage, qualified), conf))

  /** As [[onTable]] for a body that takes rows or files away; the session reads what it has cached of the table again. */
  def changing[T](dryRun: Boolean = false)(body: (Table, WriteConf) => T): T = onTable { (table, conf) =>
    try body(table, conf)
    finally if (!dryRun) CachedPlans.refresh(session, table.basePath)
  }

  /** Works on a table that may be too damaged to be opened. */
  def atPath[T](body: (HadoopStorage, String, WriteConf) => T): T = active {
    val own = SessionConf.lowerCase(options)
    Options.check(own, OptionSide.Write)
    val conf = WriteConf.of(SessionConf.options ++ own)
    val hadoop = Sessions.hadoopConf(session)
    val place = new Path(path)
    val qualified = place.getFileSystem(hadoop).makeQualified(place).toString
    body(new HadoopStorage(hadoop), qualified, conf)
  }

  /** Starts a service of this name in the background.
    *
    * @param total
    *   amount of work, in the unit that the body counts
    * @param body
    *   gets a counter, and whether the service was cancelled
    */
  def start[T](name: String, total: Int)(body: (LongAccumulator, () => Boolean) => T): RunningService[T] = {
    val done = counter
    new RunningService(session.sparkContext, name, done, total, isCancelled => active(body(done, isCancelled)))
  }

  def counter: LongAccumulator = session.sparkContext.longAccumulator

  private def active[T](body: => T): T = {
    val before = SparkSession.getActiveSession
    SparkSession.setActiveSession(session)
    try body
    finally before match {
        case Some(active) => SparkSession.setActiveSession(active)
        case None => SparkSession.clearActiveSession()
      }
  }
}

private[spark] object ServiceCall {

  /** @param more
    *   options that other arguments stand for, which win over those of the argument `options`
    */
  def of(session: SparkSession, arguments: Arguments, more: Iterable[(String, String)] = Nil): ServiceCall =
    ServiceCall(session, TableArgument.pathOf(session, arguments), arguments.options ++ more)
}

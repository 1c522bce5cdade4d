package io.hudilite.spark.procedure

import io.hudilite.config.{HudiSettings, OptionSide, Options, WriteConf}
import io.hudilite.error.InvalidInput
import io.hudilite.spark.catalog.metastore.Registered
import io.hudilite.spark.row.SessionConf
import io.hudilite.spark.service.RunningService
import io.hudilite.spark.shim.{CachedPlans, Sessions}
import io.hudilite.spark.sync.MetastoreSync
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.util.LongAccumulator

import scala.util.Try

/** The table that a procedure works on, by its path, and the options that it is called with.
  *
  * @param options
  *   of docs/options.md; settings of the session, `spark.datasource.hudilite.` and `SET hoodie.`, count, too
  * @param names
  *   options of the names that are kept up where nothing else says which
  */
private[spark] final case class ServiceCall(session: SparkSession, path: String,
    options: Map[String, String] = Map.empty, names: Map[String, String] = Map.empty) {

  /** Opens the table and works on it; raises `TABLE_NOT_FOUND`. */
  def onTable[T](body: (Table, WriteConf) => T): T =
    atPath((storage, qualified, conf) => body(Table.open(storage, qualified), conf))

  /** As [[onTable]] for a body that takes rows or files away; the session reads what it has cached of the table again, and
    * its names in the session's catalog are kept up where the options say so.
    */
  def changing[T](dryRun: Boolean = false)(body: (Table, WriteConf) => T): T = onTable { (table, conf) =>
    if (dryRun) body(table, conf)
    else MetastoreSync.around(session, table, conf.sync) {
      try body(table, conf)
      finally CachedPlans.refresh(session, table.basePath)
    }
  }

  /** Works on a table that may be too damaged to be opened. */
  def atPath[T](body: (HadoopStorage, String, WriteConf) => T): T = active {
    val own = SessionConf.lowerCase(options)
    Options.check(own, OptionSide.Write)
    val ofSession = Options.outranking(HudiSettings.ofWrites(SessionConf.ofHudi), SessionConf.options)
    val conf = WriteConf.of(Options.outranking(own, Options.outranking(ofSession, SessionConf.lowerCase(names))))
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
    ServiceCall(session, TableArgument.pathOf(session, arguments), arguments.options ++ more,
      TableArgument.synced(session, arguments))
}

/** Where the table is that somebody names in a text. */
object TableArgument {

  /** The path of the arguments `table` and `path`, of which one is needed; raises `InvalidInput` otherwise. */
  def pathOf(session: SparkSession, arguments: Arguments): String =
    (arguments.text("path"), arguments.text("table")) match {
      case (Some(path), None) => path
      case (None, Some(table)) => pathOf(session, table)
      case (Some(path), Some(table)) =>
        throw arguments.invalid("path", path, s"the argument table names $table, too; leave one of them out")
      case _ => throw InvalidInput("MISSING_OPTION", "option" -> "table",
          "reason" -> s"${arguments.procedure} works on one table, which the argument table or path names")
    }

  /** A path is told by its slashes; a name is what the session resolves to a table of Hudi's format. */
  def pathOf(session: SparkSession, table: String): String =
    if (isPath(table)) table else located(session, table)

  /** Options of the names that are kept up for a table that is called by its name; none for a path. */
  def synced(session: SparkSession, arguments: Arguments): Map[String, String] =
    arguments.values.get("table").flatMap(_ => arguments.text("table")).filterNot(isPath).map(
      _.replace("`", "").split('.').toSeq.filterNot(part => CatalogNames(part))).collect {
      case Seq(name) => MetastoreSync.named(session, session.catalog.currentDatabase, name)
      case Seq(database, name) => MetastoreSync.named(session, database, name)
    }.getOrElse(Map.empty)

  private val CatalogNames = Set("spark_catalog", "hudilite")

  /** The path of a table of Hudi's format that lies at this path, or that the session knows by this name. */
  def find(session: SparkSession, table: String): Option[String] =
    if (isPath(table)) Some(table).filter(path =>
      Try(ServiceCall(session, path).atPath((storage, at, _) => Table.find(storage, at)).isDefined).getOrElse(false))
    else Try(located(session, table)).toOption

  /** True when the session knows a table of this name, whatever its format. */
  def isTaken(session: SparkSession, table: String): Boolean =
    !isPath(table) && Try(session.catalog.tableExists(table)).getOrElse(false)

  // A slash in backticks is one of a name.
  private def isPath(table: String): Boolean = table.takeWhile(_ != '`').contains('/')

  // DESCRIBE answers alike for tables of all catalogs, those of Hudi's own among them.
  private def located(session: SparkSession, table: String): String = {
    if (!session.catalog.tableExists(table))
      throw invalid(table, "the session has no table of this name; correct it, or give the path")
    val described = session.sql(s"DESCRIBE TABLE EXTENDED $table").collect().toSeq
      .dropWhile(row => !said(row, 0).startsWith("# Detailed Table Information"))
    def fact(name: String): Option[String] = described.find(said(_, 0) == name).map(said(_, 1)).filter(_.nonEmpty)
    val provider = fact("Provider").getOrElse("")
    val location = fact("Location").filter(_ => Registered.providerOf(provider).isDefined)
    location.getOrElse(throw invalid(table,
        if (provider.isEmpty) "a view has no files; name a table of Hudi's format"
        else s"the table has the format $provider; name one of Hudi's format"))
  }

  private def invalid(table: String, reason: String): InvalidInput =
    InvalidInput.option("table", table, reason)

  private def said(row: Row, at: Int): String = Option(row.getString(at)).getOrElse("")
}

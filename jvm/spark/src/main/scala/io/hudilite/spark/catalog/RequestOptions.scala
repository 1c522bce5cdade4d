package io.hudilite.spark.catalog

import io.hudilite.config.{IneffectiveOption, IneffectiveOptions, OptionSide, Options, ReadConf, WriteConf}
import io.hudilite.error.InvalidInput
import io.hudilite.spark.row.SessionConf

import java.util.WeakHashMap
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

/** The options of one read or write, with lower-case names: what a session may set for all of them is not what one of
  * them may be given.
  *
  * @param session
  *   `spark.datasource.hudilite.*` as it was when the table was looked up
  * @param own
  *   given to this read or write
  */
final case class RequestOptions(session: Map[String, String], own: Map[String, String]) {

  /** Both; what is given comes before what the session says. */
  def all: Map[String, String] = ReadConf.inherited(session, own) ++ own

  /** With options that came later, on a relation or a statement; Spark mixes those of the session in. Raises
    * `InvalidInput` for one that nobody knows, and says of those without effect that they have none.
    */
  def and(more: Map[String, String], asking: SparkSession): RequestOptions = {
    Options.check(more) // in the spelling of the user
    OptionWarnings.tell(asking, more)
    copy(own = own ++ SessionConf.lowerCase(more).filterNot { case (key, text) => session.get(key).contains(text) })
  }

  /** The options of a read; raises `InvalidInput` for one of writes. */
  def reading: ReadConf = {
    Options.check(own, OptionSide.Read)
    ReadConf.of(all)
  }

  /** The options of a write; raises `InvalidInput` for one of reads, and when the session says that all reads see older
    * rows than the newest, since what a statement changes are these.
    */
  def writing: WriteConf = {
    Options.check(own, OptionSide.Write)
    ReadConf.chosenRows(session).foreach(option =>
      throw InvalidInput("OPTION_NOT_SUPPORTED", "option" -> option.name, "value" -> option.text,
        "reason" -> "the session sets it for all reads, and a write works on the newest rows"))
    WriteConf.of(all)
  }
}

object RequestOptions {

  /** Options of the session and those given with a path; raises `InvalidInput` for one that nobody knows, and for such a
    * setting of the session.
    */
  def of(session: SparkSession, options: Map[String, String]): RequestOptions = {
    val settings = SessionConf.options
    Options.check(settings)
    OptionWarnings.tell(session, settings)
    OptionWarnings.tellOfSettings(session)
    RequestOptions(settings, Map.empty).and(options, session)
  }
}

/** Says once in a session of each option without effect that it has none. */
object OptionWarnings {

  private val logger = LoggerFactory.getLogger("io.hudilite.options")
  private val told = new WeakHashMap[SparkSession, ConcurrentHashMap.KeySetView[String, java.lang.Boolean]]

  def tell(session: SparkSession, options: Map[String, String]): Unit =
    log(news(session, IneffectiveOptions.among(options)))

  /** The same of settings by which Apache Hudi would set options of all statements. */
  def tellOfSettings(session: SparkSession): Unit = log(news(session, settings))

  private[catalog] def settings: Seq[IneffectiveOption] = SessionConf.withoutPrefix.map(name =>
    IneffectiveOption(name, s"the session's options are set as ${SessionConf.Prefix}<option>"))

  private def log(news: Seq[IneffectiveOption]): Unit = news.foreach(option => logger.warn(option.text))

  /** What the session has not been told of. */
  private[catalog] def news(session: SparkSession, found: Seq[IneffectiveOption]): Seq[IneffectiveOption] = {
    if (found.isEmpty) Nil
    else {
      val names = told.synchronized(told.computeIfAbsent(session, _ => ConcurrentHashMap.newKeySet[String]()))
      found.filter(option => names.add(option.name.toLowerCase(java.util.Locale.ROOT)))
    }
  }
}

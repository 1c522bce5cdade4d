package io.hudilite.spark.catalog

import io.hudilite.config.{IneffectiveOption, IneffectiveOptions, OptionSide, Options, ReadConf, WriteConf}
import io.hudilite.error.InvalidInput
import io.hudilite.spark.row.SessionConf

import java.util.WeakHashMap
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

/** Options of one read or write, with lower-case names. Those of the session are kept apart, since a session may set
  * others than one read or write.
  *
  * @param session
  *   `spark.datasource.hudilite.*` as it was when the table was looked up
  * @param own
  *   options of this read or write
  */
final case class RequestOptions(session: Map[String, String], own: Map[String, String]) {

  /** All options. Those of this read or write outrank those of the session. */
  def all: Map[String, String] = ReadConf.inherited(session, own) ++ own

  /** These options and later ones, from a relation or a statement, with which Spark mixes those of the session. Raises
    * `InvalidInput` for an unknown option, and warns of options without effect.
    */
  def and(more: Map[String, String], asking: SparkSession): RequestOptions = {
    Options.check(more, beside = session) // names in the spelling of the user
    OptionWarnings.tell(asking, more)
    copy(own = own ++ SessionConf.lowerCase(more, session).filterNot { case (key, text) =>
      session.get(key).contains(text)
    })
  }

  /** Options of a read. Raises `InvalidInput` for one of writes. */
  def reading: ReadConf = {
    Options.check(own, OptionSide.Read)
    ReadConf.of(all)
  }

  /** Options of a write. Raises `InvalidInput` for one of reads, and when the session has all reads see older rows,
    * since statements change the newest ones.
    */
  def writing: WriteConf = {
    Options.check(own, OptionSide.Write, session)
    ReadConf.chosenRows(session).foreach(option =>
      throw InvalidInput("OPTION_NOT_SUPPORTED", "option" -> option.name, "value" -> option.text,
        "reason" ->
          "a write works on the newest rows, but the session sets this for all reads; unset it for writes"))
    WriteConf.of(all)
  }
}

object RequestOptions {

  /** Options of the session and those given with a path. Raises `InvalidInput` for an unknown option or setting. */
  def of(session: SparkSession, options: Map[String, String]): RequestOptions = {
    val settings = SessionConf.options
    Options.check(settings)
    OptionWarnings.tell(session, settings)
    OptionWarnings.tellOfSettings(session)
    RequestOptions(settings, Map.empty).and(options, session)
  }
}

/** Warnings of options without effect, each once in a session. */
object OptionWarnings {

  private val logger = LoggerFactory.getLogger("io.hudilite.options")
  private val told = new WeakHashMap[SparkSession, ConcurrentHashMap.KeySetView[String, java.lang.Boolean]]

  def tell(session: SparkSession, options: Map[String, String]): Unit =
    log(news(session, IneffectiveOptions.among(options)))

  def tellOfWrite(session: SparkSession, options: Map[String, String]): Unit =
    log(news(session, IneffectiveOptions.inWrites(options)))

  /** Warns of settings by which Apache Hudi would set options of all statements. */
  def tellOfSettings(session: SparkSession): Unit = log(news(session, settings))

  private[catalog] def settings: Seq[IneffectiveOption] = SessionConf.withoutPrefix.map(name =>
    IneffectiveOption(name, s"the session's options are set as ${SessionConf.Prefix}<option>"))

  private def log(news: Seq[IneffectiveOption]): Unit = news.foreach(option => logger.warn(option.text))

  /** Options that the session was not warned of before. */
  private[catalog] def news(session: SparkSession, found: Seq[IneffectiveOption]): Seq[IneffectiveOption] = {
    if (found.isEmpty) Nil
    else {
      val names = told.synchronized(told.computeIfAbsent(session, _ => ConcurrentHashMap.newKeySet[String]()))
      found.filter(option => names.add(option.name.toLowerCase(java.util.Locale.ROOT)))
    }
  }
}

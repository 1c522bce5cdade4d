package io.hudilite.spark.catalog

import io.hudilite.config.{
  HudiSettings,
  IneffectiveOption,
  IneffectiveOptions,
  OptionSide,
  Options,
  ReadConf,
  WriteConf
}
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
  * @param table
  *   options that the entry of the table in the catalog keeps for its writes
  * @param reads
  *   options of reads among the settings of Apache Hudi's SQL, which reads of all kinds heed
  * @param ofStatement
  *   true for a statement or a name, whose writes heed settings of Apache Hudi's SQL, too; a DataFrame that is saved to a
  *   path does not
  */
final case class RequestOptions(session: Map[String, String], own: Map[String, String],
    table: Map[String, String] = Map.empty, reads: Map[String, String] = Map.empty, ofStatement: Boolean = false) {

  /** Options of a read. Its own outrank those of the session. */
  def ofRead: Map[String, String] = ReadConf.inherited(session ++ table ++ reads, own) ++ own

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
    ReadConf.of(ofRead)
  }

  /** Options of a write. Its own come first, then settings of Apache Hudi's SQL, as they do there, then properties of the
    * table and hudilite's settings. Raises `InvalidInput` for one of reads, and when the session has all reads see older
    * rows, since statements change the newest ones.
    */
  def writing: WriteConf = {
    Options.check(own, OptionSide.Write, session)
    ReadConf.chosenRows(session).foreach(option =>
      throw InvalidInput("OPTION_NOT_SUPPORTED", "option" -> option.name, "value" -> option.text,
        "reason" ->
          "a write works on the newest rows, but the session sets this for all reads; unset it for writes"))
    val settings = if (ofStatement) HudiSettings.ofWrites(SessionConf.ofHudi) else Map.empty[String, String]
    WriteConf.of(ReadConf.inherited(session, own) ++ Options.outranking(own, Options.outranking(settings, table)),
      Some(own))
  }
}

object RequestOptions {

  /** Options of the session and those given with a path. Raises `InvalidInput` for an unknown option or setting. */
  def of(session: SparkSession, options: Map[String, String]): RequestOptions = {
    val settings = SessionConf.options
    Options.check(settings)
    OptionWarnings.tell(session, settings)
    OptionWarnings.tellOfSettings(session)
    RequestOptions(settings, Map.empty, reads = HudiSettings.ofReads(SessionConf.ofHudi)).and(options, session)
  }
}

/** Warnings of options without effect, each once in a session. */
object OptionWarnings {

  private val logger = LoggerFactory.getLogger("io.hudilite.options")
  private val told = new WeakHashMap[SparkSession, ConcurrentHashMap.KeySetView[String, java.lang.Boolean]]

  def tell(session: SparkSession, options: Map[String, String]): Unit =
    log(news(session, IneffectiveOptions.among(options)))

  /** Warns of settings of Apache Hudi's SQL that no statement heeds. */
  def tellOfSettings(session: SparkSession): Unit = log(news(session, HudiSettings.ineffective(SessionConf.ofHudi)))

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

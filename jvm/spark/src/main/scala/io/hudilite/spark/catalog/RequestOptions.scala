package io.hudilite.spark.catalog

import io.hudilite.config.{OptionSide, Options, ReadConf, WriteConf}
import io.hudilite.error.InvalidInput
import io.hudilite.spark.row.SessionConf

import org.apache.spark.sql.SparkSession

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

package io.hudilite.config

import io.hudilite.config.key.ConfigKey

/** The options of one read, checked and read once.
  *
  * @param options
  *   as they were given, session settings included: Hadoop's file systems and Parquet take theirs from them
  * @param states
  *   the states of the table that the options name; more than one when they say it under several names
  * @param begin
  *   where an incremental read begins, by its option
  * @param end
  *   where it ends; `None` = with the newest instant
  * @param orWhatIsLeft
  *   where rows of an incremental read have been overwritten since and cleaned away, the others are read
  * @param showsMeta
  *   `SELECT *` has the meta columns
  * @param usesMetadata
  *   the files of the table may come from its metadata table
  */
final case class ReadConf(
    options: Map[String, String],
    query: QueryType,
    states: Seq[NamedState],
    begin: Option[GivenOption],
    end: Option[GivenOption],
    orWhatIsLeft: Boolean,
    showsMeta: Boolean,
    usesMetadata: Boolean)

object ReadConf {

  /** Raises `InvalidInput` for an option that nobody knows and for a value that cannot be read. */
  def of(options: Map[String, String]): ReadConf = {
    Options.check(options)
    ReadConf(
      options = options,
      query = QueryType.of(ReadOptions.QueryType(options)),
      states = statesOf(options),
      begin = asked(ReadOptions.BeginInstant, options),
      end = asked(ReadOptions.EndInstant, options),
      orWhatIsLeft = ReadOptions.FullScanFallback(options),
      showsMeta = ReadOptions.MetaColumns(options),
      usesMetadata = ReadOptions.UsesMetadata(options))
  }

  /** The options of the session as far as those of one read leave them standing: a read that names a state itself takes
    * none from the session.
    */
  def inherited(session: Map[String, String], own: Map[String, String]): Map[String, String] =
    if (statesOf(own).isEmpty) session
    else session.filterNot { case (key, _) => ReadOptions.TimeTravel.exists(_.name.equalsIgnoreCase(key)) }

  /** What a session says about the rows that reads see, unless it is what they see anyway. */
  def chosenRows(session: Map[String, String]): Option[GivenOption] =
    ReadOptions.ChoosesRows.filter(key => key.get(session) != key.default).flatMap(asked(_, session)).headOption

  private def statesOf(options: Map[String, String]): Seq[NamedState] = for {
    key <- ReadOptions.TimeTravel
    option <- asked(key, options).toList
  } yield NamedState(option, bySession = key == ReadOptions.TimestampAsOf)

  private def asked(key: ConfigKey[String], options: Map[String, String]): Option[GivenOption] =
    key.raw(options).map { case (name, text) => GivenOption(name, text) }
}

/** Which rows a read asks for. */
sealed abstract class QueryType(val name: String)

object QueryType {

  /** The newest ones, or those of a named state. */
  case object Snapshot extends QueryType("snapshot")

  /** Those that changed between two instants. */
  case object Incremental extends QueryType("incremental")

  /** Those of base files alone. */
  case object ReadOptimized extends QueryType("read_optimized")

  val all: Seq[QueryType] = Seq(Snapshot, Incremental, ReadOptimized)

  private[config] def of(name: String): QueryType = all.find(_.name == name).get
}

/** An option in the spelling in which it was given. */
final case class GivenOption(name: String, text: String)

/** A state of the table that a read names.
  *
  * @param bySession
  *   a time without a zone is one of the session's, otherwise of the table's clock
  */
final case class NamedState(option: GivenOption, bySession: Boolean)

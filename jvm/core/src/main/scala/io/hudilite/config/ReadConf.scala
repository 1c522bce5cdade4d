package io.hudilite.config

import io.hudilite.config.key.ConfigKey

/** Options of one read, checked and read once.
  *
  * @param options
  *   options as they were given, session settings included, for Hadoop's file systems and Parquet
  * @param states
  *   states of the table that the options name; several when they use several names
  * @param begin
  *   begin of an incremental read, by its option
  * @param end
  *   end of it; `None` = the newest instant
  * @param glob
  *   pattern of the files of an incremental read; `None` = all
  * @param orWhatIsLeft
  *   true to read the other rows of an incremental read when some were overwritten since and cleaned away
  * @param showsMeta
  *   true when `SELECT *` has the meta columns
  * @param usesMetadata
  *   true when the files of the table may come from its metadata table
  * @param asksForMetadata
  *   true when an option says so
  */
final case class ReadConf(
    options: Map[String, String],
    query: QueryType,
    states: Seq[NamedState],
    begin: Option[GivenOption],
    end: Option[GivenOption],
    glob: Option[GivenOption],
    orWhatIsLeft: Boolean,
    showsMeta: Boolean,
    usesMetadata: Boolean,
    asksForMetadata: Boolean)

object ReadConf {

  /** A read leaves out files by statistics of their columns. */
  def skipsFiles(options: Map[String, String]): Boolean = ReadOptions.SkipsFiles(options)

  /** A read by key asks the metadata table for ranges and bloom filters of keys. */
  def asksForKeys(options: Map[String, String]): Boolean = IndexOptions.asksForKeys(options)

  /** Options of a read. Raises `InvalidInput` for an unknown option and for a malformed value. */
  def of(options: Map[String, String]): ReadConf = {
    Options.check(options)
    ReadConf(
      options = options,
      query = QueryType.of(ReadOptions.QueryType(options)),
      states = statesOf(options),
      begin = asked(ReadOptions.BeginInstant, options),
      end = asked(ReadOptions.EndInstant, options),
      glob = asked(ReadOptions.PathGlob, options).filter(_.text.nonEmpty),
      orWhatIsLeft = ReadOptions.FullScanFallback(options),
      showsMeta = ReadOptions.MetaColumns(options),
      usesMetadata = ReadOptions.UsesMetadata(options),
      asksForMetadata = ReadOptions.UsesMetadata.isSet(options) && ReadOptions.UsesMetadata(options))
  }

  /** Options of the session that hold for a read with options of its own. A read that names a state takes no other from
    * the session, and one that names a state or another kind of query no range of instants.
    */
  def inherited(session: Map[String, String], own: Map[String, String]): Map[String, String] = {
    val namesState = statesOf(own).nonEmpty
    val inOwn = ReadOptions.QueryType.isSet(own)
    val states = if (namesState) ReadOptions.TimeTravel else Nil
    val range = if (namesState || (inOwn && !isIncremental(own))) ReadOptions.OfRange else Nil
    val query = if (namesState && !inOwn && isIncremental(session)) Seq(ReadOptions.QueryType) else Nil
    val left = (states ++ range ++ query).flatMap(_.names)
    if (left.isEmpty) session else session.filterNot { case (key, _) => left.exists(_.equalsIgnoreCase(key)) }
  }

  private def isIncremental(options: Map[String, String]): Boolean =
    ReadOptions.QueryType(options) == QueryType.Incremental.name

  /** The session's option about the rows that reads see, unless it asks for those that they see anyway. */
  def chosenRows(session: Map[String, String]): Option[GivenOption] =
    ReadOptions.ChoosesRows.filter(key => key.get(session) != key.default).flatMap(asked(_, session)).headOption

  private def statesOf(options: Map[String, String]): Seq[NamedState] = for {
    key <- ReadOptions.TimeTravel
    option <- asked(key, options).toList
  } yield NamedState(option, bySession = key == ReadOptions.TimestampAsOf)

  private def asked(key: ConfigKey[String], options: Map[String, String]): Option[GivenOption] =
    key.raw(options).map { case (name, text) => GivenOption(name, text) }
}

/** The kind of rows that a read asks for. */
sealed abstract class QueryType(val name: String)

object QueryType {

  /** The newest rows, or those of a named state. */
  case object Snapshot extends QueryType("snapshot")

  /** Rows that changed between two instants. */
  case object Incremental extends QueryType("incremental")

  /** Rows of base files alone. */
  case object ReadOptimized extends QueryType("read_optimized")

  val all: Seq[QueryType] = Seq(Snapshot, Incremental, ReadOptimized)

  private[config] def of(name: String): QueryType = all.find(_.name == name).get
}

/** An option in the spelling in which it was given. */
final case class GivenOption(name: String, text: String)

/** A state of the table that a read names.
  *
  * @param bySession
  *   true when a time without a zone is in the session's, false when it is in that of the table's clock
  */
final case class NamedState(option: GivenOption, bySession: Boolean)

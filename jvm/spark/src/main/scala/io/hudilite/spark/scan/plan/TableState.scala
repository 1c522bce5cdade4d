package io.hudilite.spark.scan.plan

import io.hudilite.config.{GivenOption, PlannedBuckets, QueryType, ReadConf, ReadOptions, TableConfig, TableType}
import io.hudilite.error.{InvalidInput, UnsupportedTable}
import io.hudilite.filegroup.{BaseFile, FileGroupId, FileSlice, PathSelection}
import io.hudilite.index.BucketIndex
import io.hudilite.record.MetaFields
import io.hudilite.schema.EvolvedColumns
import io.hudilite.spark.logfile.read.LogJob
import io.hudilite.spark.row.SchemaConversion
import io.hudilite.table.{
  Buckets,
  IncrementalFiles,
  IncrementalRange,
  StatedBuckets,
  Table,
  TableAccess,
  TableFiles,
  TableSupport
}
import io.hudilite.timeline.InstantTime

import org.apache.spark.sql.types.{StringType, StructField, StructType}

/** A state of a table that can be read. */
sealed trait Query

object Query {

  /** The newest committed rows. */
  case object Snapshot extends Query

  /** The rows as of an instant, by requested time and inclusive. */
  final case class AsOf(instant: String) extends Query

  /** The rows of base files alone, the newest ones or those as of an instant. */
  final case class ReadOptimized(asOf: Option[String]) extends Query

  /** The rows that writes of a range left behind.
    *
    * @param orWhatIsLeft
    *   where some have been overwritten since and cleaned away, the others are read; otherwise that is an error
    * @param glob
    *   pattern of the only files to read
    */
  final case class Incremental(range: IncrementalRange, orWhatIsLeft: Boolean = false, glob: Option[String] = None)
      extends Query

  /** The rows that some slices held at the instant at which a service planned to write them again.
    *
    * @param slices
    *   as they lie on storage
    */
  final case class Planned(instant: String, slices: Seq[FileSlice]) extends Query

  /** The query that read options ask for; in copy-on-write tables `read_optimized` is a snapshot. */
  def of(conf: ReadConf, config: TableConfig): Query = {
    val asOf = TimeTravel.instant(conf.states, config.zone)
    conf.query match {
      case QueryType.Incremental =>
        conf.states.headOption.foreach(state =>
          without(state.option, "an incremental read has a beginning and an end"))
        incremental(conf, config)
      case other =>
        (conf.begin ++ conf.end ++ conf.glob).headOption.foreach(
          without(_, s"it goes with ${ReadOptions.QueryType.name}=${QueryType.Incremental.name}"))
        if (other == QueryType.ReadOptimized && config.tableType == TableType.MergeOnRead) ReadOptimized(asOf)
        else asOf.fold(Snapshot: Query)(AsOf(_))
    }
  }

  private def without(option: GivenOption, reason: String): Unit =
    throw InvalidInput("INVALID_OPTION_VALUE", "option" -> option.name, "value" -> option.text, "reason" -> reason)

  private def incremental(conf: ReadConf, config: TableConfig): Query = {
    val begin = conf.begin.getOrElse(throw InvalidInput("MISSING_OPTION",
        "option" -> ReadOptions.BeginInstant.name, "reason" -> "an incremental read begins there"))
    conf.glob.foreach(GlobbedSlices.check)
    Incremental(IncrementalRange(position(begin, config), conf.end.map(position(_, config))), conf.orWhatIsLeft,
      conf.glob.map(_.text))
  }

  // `000`, `0` and `earliest` lie before every instant.
  private def position(option: GivenOption, config: TableConfig): String = {
    val text = option.text.trim
    if (text.forall(_ == '0') || text.equalsIgnoreCase("earliest")) "0"
    else InstantTime.parseUserInput(text, config.zone)
  }
}

/** The file slices of some partitions that a query looks at, those with and those without log files apart.
  *
  * @param files
  *   base files without log files on top
  * @param merged
  *   slices with log files
  * @param partitions
  *   partitions that were looked at
  */
final case class StateSlices(files: Seq[BaseFile], merged: Seq[FileSlice], partitions: Int) {

  /** All slices; each has a base file, or log files, or both. */
  def size: Int = files.size + merged.size

  def baseFiles: Seq[BaseFile] = files ++ merged.flatMap(_.base)

  def bytes: Long = files.map(_.bytes).sum + merged.map(_.totalLength).sum

  /** Those of the file groups that are wanted. */
  def ofGroups(wanted: FileGroupId => Boolean): StateSlices =
    copy(files = files.filter(f => wanted(FileGroupId(f.partition, f.fileId))),
      merged =
        merged.filter(s => wanted(s.groupId)))

  def groups: Iterator[FileGroupId] =
    files.iterator.map(f => FileGroupId(f.partition, f.fileId)) ++ merged.iterator.map(_.groupId)

  /** Those of the partitions that are wanted. */
  def in(selection: PathSelection): StateSlices =
    if (selection eq PathSelection.All) this
    else {
      val kept = (files.map(_.partition) ++ merged.map(_.partition)).distinct.filter(selection.wants).toSet
      StateSlices(files.filter(f => kept(f.partition)), merged.filter(s => kept(s.partition)), kept.size)
    }
}

/** One table in the state that a query asks for. Its partitions are read when they are asked for, once each.
  *
  * @param statistics
  *   of this very state, if somebody has found them out
  * @param keyed
  *   the table as its record index is asked, where that is another way than for its files
  */
final class TableState(
    val table: Table, val query: Query = Query.Snapshot,
    statistics: TableState => Option[KnownStatistics] = _ => None, keyed: Option[Table] = None) {

  /** The table that is asked for its record index. */
  private[plan] def ofKeys: Table = keyed.getOrElse(table)

  /** The rows that writes of a range left behind, in place of those that the query asks for. */
  def during(range: IncrementalRange): TableState = new TableState(table, Query.Incremental(range), statistics)

  /** Differs between a state and those before and after. */
  def state: String =
    (describe +: table.timeline.writes.map(write =>
      s"${write.action} ${write.time} ${write.completionTime.getOrElse("")}")).mkString("\n")

  /** Statistics of just this state. */
  lazy val knownStatistics: Option[KnownStatistics] = statistics(this)

  // An error of a state that cannot be read is raised as the query is planned, whose first question is for the columns.
  private lazy val support: TableSupport = {
    asOf.foreach(TimeTravel.tellOfFuture(table, _))
    TableSupport.of(table,
      query match {
        case Query.Planned(instant, _) => TableAccess.Service(instant)
        case _: Query.Incremental =>
          TableSupport.checkIncremental(table)
          TableAccess.Read(asOf)
        case _ => TableAccess.Read(asOf)
      })
  }

  /** Data columns of the state read; an empty table without a schema has none. */
  lazy val dataSchema: StructType =
    support.schema.map(s => SchemaConversion.columns(s.avroJson)).getOrElse(new StructType())

  /** Data columns, then the meta columns that are none of them: all that files can hold. */
  lazy val known: StructType = StructType(dataSchema.fields ++
    MetaFields.all.map(StructField(_, StringType)).filterNot(f => dataSchema.fieldNames.contains(f.name)))

  /** Names of the columns in files, where some have changed. */
  def evolved: Option[EvolvedColumns] = support.columns

  /** Data columns, behind the meta columns when those are to be seen. */
  def schema(withMeta: Boolean): StructType =
    if (withMeta) StructType(MetaFields.all.map(StructField(_, StringType)) ++ dataSchema.fields) else dataSchema

  /** The index that all rows have been dealt by, as commits say it. */
  def buckets: Option[BucketIndex] =
    if (isOneMoment) StatedBuckets.ofAllRows(table.store, asOf.fold(table.timeline)(table.timeline.upTo)) else None

  /** The index as a reader was told it, where no commit says anything. */
  def bucketsAsTold(told: Option[PlannedBuckets]): Option[BucketIndex] =
    if (isOneMoment) told.flatMap(Buckets(table).told) else None

  private[scan] def isNewest: Boolean = isOneMoment && asOf.isEmpty

  // Slices of a range or a plan may be from before the table had the buckets that it has now.
  private[scan] def isOneMoment: Boolean = query match {
    case Query.Snapshot | Query.AsOf(_) | Query.ReadOptimized(_) => true
    case _ => false
  }

  private def asOf: Option[String] = query match {
    case Query.AsOf(instant) => Some(instant)
    case Query.ReadOptimized(instant) => instant
    case _ => None
  }

  /** Of an incremental query: only rows with one of these commit times count. */
  lazy val commitTimes: Option[Set[String]] = query match {
    case _: Query.Incremental => Some(changed.commitTimes)
    case _ => None
  }

  /** Of an incremental query: the slices with what was there before the range. */
  lazy val beforeRange: Map[FileGroupId, FileSlice] = query match {
    case _: Query.Incremental =>
      changed.slices.values.flatten.filter(_.logs.nonEmpty).map(slice => slice.groupId -> slice).toMap
    case _ => Map.empty
  }

  /** The files of all partitions. */
  lazy val files: StateSlices = read(PathSelection.All)

  /** The files of the wanted partitions. */
  def files(selection: PathSelection): StateSlices =
    if (selection eq PathSelection.All) files else read(selection)

  private def read(selection: PathSelection): StateSlices = query match {
    case Query.ReadOptimized(_) =>
      val slices = index.find(selection)
      StateSlices(inOrder(slices).flatMap(_.base), Nil, slices.size)
    case Query.Incremental(_, _, glob) =>
      val wanted = changed.slices.filter { case (partition, _) => selection.wants(partition) }
      val slices = if (changed.fullScan) wanted else wanted.map { case (p, s) => p -> s.map(ofRange) }
      of(glob.fold(slices)(new GlobbedSlices(table.basePath, _).of(slices)))
    case Query.Planned(_, slices) => of(slices.filter(s => selection.wants(s.partition)).groupBy(_.partition))
    case _ => of(index.find(selection))
  }

  private lazy val index: TableFiles = asOf.fold(table.files)(table.filesAsOf)

  private lazy val changed: IncrementalFiles = query match {
    case Query.Incremental(range, orWhatIsLeft, _) => table.incremental(range, orWhatIsLeft)
    case _ => throw new IllegalStateException(s"$describe has no range")
  }

  /** The slice as far as the writes of the range made it: as in Hudi, their records are not compared with older ones. Log
    * files that bear the instant of the slice, as those of version 6 do, may hold blocks of other writes; `logs` chooses
    * there.
    */
  private def ofRange(slice: FileSlice): FileSlice =
    if (slice.logs.isEmpty) slice
    else {
      val ofSlice = Set(slice.instant) ++ table.pendingCompactions.get(slice.groupId)
      slice.copy(base = slice.base.filter(b => changed.instants(b.instant)),
        logs = slice.logs.filter(l => ofSlice(l.time) || changed.instants(l.time)))
    }

  /** How log records are merged with the rows of base files. Raises `UnsupportedTable` for a rule that is not known. */
  lazy val logs: LogJob = {
    val job = LogJob.of(table, support, asOf)
    query match {
      case Query.Incremental(range, _, _) =>
        val all = if (table.config.layout == 1) job.instants.copy(latest = range.end) else job.instants
        job.copy(instants = if (changed.fullScan) all else all.copy(chosen = Some(changed.instants)))
      case Query.Planned(instant, _) => job.copy(instants = job.instants.copy(latest = Some(instant)))
      case _ => job
    }
  }

  private def of(slices: Map[String, Seq[FileSlice]]): StateSlices = {
    val (merged, plain) = inOrder(slices).partition(_.logs.nonEmpty)
    if (table.config.tableType == TableType.CopyOnWrite) merged.headOption.foreach(slice =>
      throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath,
        "feature" -> s"the log file ${slice.logs.head.name}", "reason" -> "a copy-on-write table has none"))
    StateSlices(plain.flatMap(_.base), merged, slices.size)
  }

  private def inOrder(slices: Map[String, Seq[FileSlice]]): Seq[FileSlice] = slices.toSeq.sortBy(_._1).flatMap(_._2)

  def describe: String = query match {
    case Query.Snapshot => "snapshot"
    case Query.AsOf(instant) => s"as of $instant"
    case Query.ReadOptimized(instant) => "base files" + instant.map(i => s" as of $i").getOrElse("")
    case Query.Planned(instant, slices) => s"${slices.size} file slices of the plan $instant"
    case Query.Incremental(range, _, glob) => s"incremental after ${range.begin}" +
        range.end.map(e => s" up to $e").getOrElse("") + glob.map(g => s" in files like $g").getOrElse("")
  }
}

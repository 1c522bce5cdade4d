package io.hudilite.upkeep

import io.hudilite.error.HudiliteException
import io.hudilite.filegroup.FileNames
import io.hudilite.metadata.{
  ExpressionIndex,
  KnownFile,
  MetadataAction,
  MetadataPartition,
  MetadataRecords,
  MetadataShape,
  SecondaryIndex
}
import io.hudilite.metadata.known.{KnownState, WantedFacts}
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.table.Table
import io.hudilite.timeline.Action

import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Makes partitions of a metadata table that is there: of the footers of base files, and of the records in log files
  * (docs/format.md#metadata-table). The caller holds the lock of the table.
  *
  * No reader trusts a partition before the properties list it, which is the last step. Whatever an earlier attempt has left
  * goes first.
  */
private[hudilite] final class IndexInitialisation(home: MetadataHome, jobs: KeyJobs, reading: FactsReader) {

  def this(home: MetadataHome, jobs: KeyJobs) = this(home, jobs, FactsReader.here(home.storage))

  import IndexInitialisation._

  private type Known = Map[String, Map[String, KnownFile]]

  /** Makes those that can be made; of others a warning says the reason, and they wait for the next write that asks for them.
    *
    * @param table
    *   the table as it is
    */
  def run(table: Table, indexes: IndexesToMake): Unit = if (!indexes.isEmpty) {
    new OwnWrites(home).dropInitialisations(home.timeline)
    val named = indexes.copy(
      expressions = indexes.expressions.filter(isPossible(table, _)),
      values = indexes.values.filter(v => IndexInitialisation.refusal(table, v.index.column).isEmpty))
    told(indexes.partitions.diff(named.partitions), "its column is another one, or has been changed by its id")
    lazy val files = ListedFiles.of(home.data, table.timeline)
    val possible = withoutMany(named, files)
    lazy val ofFiles = known(table, possible.copy(keys = None, values = Nil), files)
    possible.partitions.foldLeft(home)((so, partition) =>
      if (partition == MetadataPartition.RecordIndex) possible.keys.fold(so)(madeOfKeys(so, table, _))
      else if (partition.isSecondary)
        possible.values.filter(_.index.partition == partition).foldLeft(so)(madeOfValues(_, table, _))
      else ofFiles.fold(so)(made(so, partition, table, possible, _)))
  }

  // All other indexes can be had without the filters.
  private def withoutMany(indexes: IndexesToMake, files: => Known): IndexesToMake = {
    val (filters, others) = indexes.expressions.partition(_.isFilter)
    lazy val count = countOf(files) * filters.size
    if (filters.isEmpty || !ActionUpkeep.areTooMany(count)) indexes
    else {
      told(filters.map(_.partition), s"one process would write $count bloom filters")
      indexes.copy(expressions = others)
    }
  }

  // By ids, older files may have the column under another name.
  private def isPossible(table: Table, index: ExpressionIndex): Boolean =
    keeps(table, index.column) && table.storedJson.forall(index.refusal(_).isEmpty)

  private def madeOfKeys(so: MetadataHome, table: Table, asked: KeysToMake): MetadataHome =
    listedOrTold(so, MetadataPartition.RecordIndex, table)(
      new KeyInitialisation(so, jobs).made(table, asked, InitialInstants.next(so, newest(table))))

  private def madeOfValues(so: MetadataHome, table: Table, asked: ValuesToMake): MetadataHome = {
    // As its definition is going to say.
    val index = asked.index.copy(hashesValues = SecondaryIndex.hashesValues(so.version)).in(table.storedJson)
    listedOrTold(so, index.partition, table)(so.refusal(index).orElse(
        new PairUpkeep(so, index, jobs).made(table, asked, InitialInstants.next(so, newest(table)))))
  }

  /** @param made
    *   makes the partition, or says why it cannot be made
    */
  private def listedOrTold(so: MetadataHome, partition: MetadataPartition, table: Table)(made: => Option[String])
      : MetadataHome = {
    val reason =
      try made
      catch {
        case NonFatal(e) =>
          undo(so, partition, e)
          e match {
            case own: HudiliteException => Some(own.getMessage)
            case other => throw other
          }
      }
    reason match {
      case Some(reason) =>
        told(Seq(partition), reason)
        so
      case None => listed(so, partition, table)
    }
  }

  private def undo(so: MetadataHome, partition: MetadataPartition, reason: Throwable): Unit =
    try {
      new OwnWrites(so).dropInitialisations(so.timeline)
      so.drop(Set(partition.name))
    } catch { case NonFatal(e) => reason.addSuppressed(e) }

  private def newest(table: Table): String = table.timeline.lastCompleted.fold("")(_.time)

  private def countOf(files: Known): Long = files.values.map(_.size.toLong).sum

  private def known(table: Table, indexes: IndexesToMake, listed: Known): Option[Known] = {
    val count = countOf(listed) * math.max(1, (indexes.columns.size + indexes.expressions.size))
    def not(reason: String): Option[Known] = {
      told(indexes.partitions, reason)
      None
    }
    if (count > MostFacts) not(s"one process would write $count facts on files")
    else
      try Some(facts(listed, table, indexes))
      catch {
        case e: Throwable with HudiliteException => not(e.getMessage)
        case e: IllegalArgumentException => not(e.getMessage)
      }
  }

  private def facts(listed: Known, table: Table, indexes: IndexesToMake): Known = {
    val wanted =
      WantedFacts(indexes.columns, indexes.groups.contains(MetadataPartition.BloomFilters), indexes.expressions)
    val logs = if (home.version < GroupFiles.LogsNameTheirWrite) namedLogs(table) else Set.empty[String]
    def path(partition: String, name: String): String = if (partition.isEmpty) name else s"$partition/$name"
    def isKnown(partition: String, name: String): Boolean = home.version >= GroupFiles.LogsNameTheirWrite ||
      FileNames.parseLogFile(name).isEmpty || logs(path(partition, name))
    val all = for ((partition, found) <- listed.toSeq; (name, file) <- found.toSeq if isKnown(partition, name))
      yield (partition, name, file.bytes)
    val base = home.basePath.stripSuffix("/")
    val found = reading.of(wanted,
      all.map { case (partition, name, bytes) =>
        SizedFile(s"$base/${path(partition, name)}", bytes)
      })
    all.zip(found).groupBy(_._1._1).map { case (partition, some) =>
      partition -> some.map { case ((_, name, _), of) => name -> of }.toMap
    }
  }

  // Before version 8 only commits tell which log files count.
  private def namedLogs(table: Table): Set[String] = table.store
    .readCommits(table.timeline.writes.filter(_.action == Action.DeltaCommit)).flatMap(_._2.allPaths).toSet

  private def made(so: MetadataHome, partition: MetadataPartition, table: Table, indexes: IndexesToMake, there: Known)
      : MetadataHome = {
    val newest = this.newest(table)
    val shape = MetadataShape(Set(partition), so.version, indexes.columns,
      expressions = indexes.expressions.filter(_.partition == partition))
    val action = MetadataAction.Everything(newest, there)
    val before = new KnownState(table, new MetadataTable(so.data, table.timeline)).before(action, shape)
    val changes = MetadataRecords.of(action, before)
    val lost = ActionUpkeep.tooLarge(changes) ++
      MetadataRecords.withoutBounds(action, before).map(MetadataPartition.PartitionStats -> _) ++
      MetadataRecords.withoutValues(action, before)
    lost.foreach { case (of, reason) => told(Seq(of), reason) }
    if (lost.nonEmpty) so
    else {
      MetadataHome.deleteBelow(so.storage, so.folderOf(partition))
      new MetadataWriter(so).begin(partition, indexes.groups(partition), changes, InitialInstants.next(so, newest),
        table.timeline)
      if (partition == MetadataPartition.ColumnStats) so.define(indexes.columns)
      listed(so, partition, table)
    }
  }

  private def listed(so: MetadataHome, partition: MetadataPartition, table: Table): MetadataHome =
    if (so.data.load().completed == table.timeline.completed) so.list(so.partitions :+ partition)
    else {
      told(Seq(partition), "the table has changed meanwhile")
      so
    }

  private def told(partitions: Seq[MetadataPartition], reason: String): Unit =
    if (partitions.nonEmpty) log.warn(
      s"${partitions.map(_.name).mkString(", ")} of the metadata table of ${home.basePath} is not made: $reason")
}

private[hudilite] object IndexInitialisation {

  /** Why a table cannot have a secondary index of this column: by its columns and by their history. */
  def refusal(table: Table, column: String): Option[String] =
    if (!keeps(table, column))
      Some(s"$column has had another name or type, or has been away")
    else table.storedJson.fold(Option("the table has no columns"))(SecondaryIndex.refusal(column, _))

  private def keeps(table: Table, column: String): Boolean = table.evolved(table.schema).forall(_.keeps(column))

  val log = LoggerFactory.getLogger("io.hudilite.upkeep.IndexInitialisation")
  // Records of one process, which are made in memory.
  val MostFacts = 2000000L
}

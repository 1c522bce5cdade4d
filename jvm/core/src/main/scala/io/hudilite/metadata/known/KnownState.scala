package io.hudilite.metadata.known

import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.metadata.{
  ColumnStatistics,
  KnownLog,
  KnownSlice,
  MetadataAction,
  MetadataKeys,
  MetadataPartition,
  MetadataRecord,
  MetadataRecords,
  MetadataShape,
  MetadataState
}
import io.hudilite.metadata.MetadataPayload.Statistics
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.table.Table
import io.hudilite.timeline.InstantTime

/** The table before an action, as its folders and its metadata table have it: no more is asked of them than the records of
  * the action depend on.
  *
  * @param table
  *   before the action, as folders list it
  * @param metadata
  *   its metadata table before the action
  */
final class KnownState(table: Table, metadata: MetadataTable) {

  import KnownState._

  /** The partitions whose records can be made. */
  lazy val shape: MetadataShape = {
    val partitions = metadata.listed.flatMap(MetadataPartition.of).filter(MetadataRecords.Made).toSet
    MetadataShape(partitions, table.config.version, columns)
  }

  private def columns: Seq[String] =
    metadata.definitions.get(MetadataPartition.ColumnStats.name).map(_.columns).getOrElse(
      // Older writers have kept no definition.
      if (metadata.listed.contains(MetadataPartition.ColumnStats.name)) stored.map(_.column).toSeq.distinct else Nil)

  def before(action: MetadataAction, shape: MetadataShape = shape): MetadataState = action match {
    case w: MetadataAction.Written if ofSlices(shape) => ofPartitions(w.commit.stats.keys.toSeq, shape)
    case _: MetadataAction.Everything if ofSlices(shape) =>
      MetadataState(shape, known(table.allSlices()))
    case _: MetadataAction.Restored =>
      MetadataState(shape, named = metadata.named().files.map { case (path, files) => path -> files.keySet })
    case _ => MetadataState(shape)
  }

  private def ofSlices(shape: MetadataShape): Boolean =
    shape.partitions(MetadataPartition.PartitionStats) || shape.expressions.exists(!_.isFilter)

  private def ofPartitions(touched: Seq[String], shape: MetadataShape): MetadataState = {
    val found = table.slices(touched)
    val filled = known(found).filter(_._2.nonEmpty)
    val told = if (!shape.partitions(MetadataPartition.PartitionStats)) Map.empty: Told
    else statistics(MetadataPartition.ColumnStats, filled, shape.columns)
    val expressed = shape.expressions.filterNot(_.isFilter).map(index =>
      index.partition -> statistics(index.partition, filled, Seq(index.column))).toMap
    val all = (told +: expressed.values.toSeq).filter(_.nonEmpty)
    MetadataState(shape,
      known(found.map { case (partition, slices) =>
        partition -> slices.map(slice => slice.copy(base = slice.base.filterNot(hasNoRows(_, all))))
      }), told, expressed = expressed)
  }

  // Base files without rows have no statistics, neither of Hudi's writing nor of ours; their footers make sure.
  private def hasNoRows(base: BaseFile, told: Seq[Told]): Boolean =
    !InstantTime.isOfSkeleton(base.name) && !told.exists(_.get(base.partition).exists(_.contains(base.name))) &&
      new FactsOfFiles(table.storage, Nil, blooms = false)
        .isEmpty(s"${table.basePath.stripSuffix("/")}/${base.relativePath}", base.length)

  // The records of a column in a partition lie together.
  private def statistics(of: MetadataPartition, slices: Map[String, Seq[KnownSlice]], columns: Seq[String])
      : Told = {
    val names = slices.map { case (partition, all) => partition -> all.flatMap(_.names).toSet }
    val prefixes = (for (partition <- slices.keys; column <- columns)
      yield MetadataKeys.ofColumn(column, partition) -> partition).toMap
    val length = prefixes.keys.headOption.fold(0)(_.length)
    metadata.recordsBeginning(of, prefixes.keySet).collect {
      case MetadataRecord(key, Statistics(of, _)) if names(prefixes(key.take(length)))(of.file) =>
        prefixes(key.take(length)) -> of
    }.groupBy(_._1).map { case (partition, some) => partition -> some.map(_._2).groupBy(_.file) }
  }

  private def stored: Iterator[ColumnStatistics] = metadata.records(MetadataPartition.ColumnStats).collect {
    case MetadataRecord(_, Statistics(of, _)) => of
  }

  private def known(slices: Map[String, Seq[FileSlice]]): Map[String, Seq[KnownSlice]] =
    slices.map { case (partition, all) => partition -> all.map(known) }

  private def known(slice: FileSlice): KnownSlice = KnownSlice(slice.fileId, slice.base.map(_.name),
    slice.logs.map(log => KnownLog(log.name, since(log.time))))

  private def since(time: String): String =
    if (table.config.version < CompletedLogs) time else table.timeline.completionTime(time).getOrElse(time)
}

private object KnownState {

  /** Statistics by partition and name of the file. */
  type Told = Map[String, Map[String, Seq[ColumnStatistics]]]

  // From this version on log files bear the instant of their write, which need not complete in their order.
  val CompletedLogs = 8
}

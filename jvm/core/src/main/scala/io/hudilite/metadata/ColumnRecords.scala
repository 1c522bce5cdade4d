package io.hudilite.metadata

import io.hudilite.metadata.MetadataAction._
import io.hudilite.metadata.MetadataPayload.Statistics
import io.hudilite.metadata.StatValue.Decimal

/** Statistics of the columns of files: the partition `column_stats`.
  *
  * A file of which nothing is certain in a column has no record of it: readers open it.
  */
private[metadata] object ColumnRecords extends RecordKind {

  // Of all decimals in version 1.
  private val DecimalScale = 15

  override def of(action: MetadataAction, before: MetadataState): Seq[MetadataRecord] =
    (for ((partition, files) <- ofFiles(action, before); (_, statistics) <- files; of <- statistics)
      yield record(partition, of)).toSeq ++ gone(action, before).flatMap { case (partition, name) =>
      before.shape.columns.map(column => record(partition, deleted(name, column)))
    }

  private def record(partition: String, of: ColumnStatistics): MetadataRecord =
    MetadataRecord(MetadataKeys.ofColumn(of.column, partition, of.file), Statistics(of, ofPartition = false))

  def deleted(file: String, column: String): ColumnStatistics =
    ColumnStatistics(file, column, None, None, 0L, 0L, 0L, 0L, isDeleted = true)

  /** Statistics of the files that an action brings, by partition and name. */
  def ofFiles(action: MetadataAction, before: MetadataState): Map[String, Map[String, Seq[ColumnStatistics]]] = {
    def known(there: Map[String, Map[String, KnownFile]]) = there.map { case (partition, files) =>
      partition -> files.map { case (name, facts) => name -> told(name, facts, before.shape) }
    }
    action match {
      case w: Written => w.commit.stats.map { case (partition, stats) =>
          partition ->
            stats.filter(_.path.nonEmpty).map(s => s.fileName -> written(s.fileName, w.factsOf(s), before.shape))
              .toMap
        }
      case Everything(_, there, _) => known(there)
      case Restored(_, there) => known(there.map { case (partition, files) =>
          partition -> (files -- before.named.getOrElse(partition, Set.empty))
        })
      case _ => Map.empty
    }
  }

  private def gone(action: MetadataAction, before: MetadataState): Seq[(String, String)] = action match {
    case Cleaned(_, clean) => clean.partitions.flatMap(p => p.deleted.map(p.partition -> _))
    case Restored(_, there) => before.named.toSeq.flatMap { case (partition, names) =>
        (names -- there.getOrElse(partition, Map.empty).keySet).toSeq.map(partition -> _)
      }
    case _ => Nil
  }

  // A log file of deletes alone has a record of each column, which says that it has no value.
  private def written(name: String, facts: KnownFile, shape: MetadataShape): Seq[ColumnStatistics] =
    if (isLog(name) && facts.columns.isEmpty)
      shape.columns.map(ColumnStatistics(name, _, None, None, 0L, 0L, 0L, 0L,
          valueType = valueType(StatType.plain(StatType.Null), shape)))
    else told(name, facts, shape)

  private def told(name: String, facts: KnownFile, shape: MetadataShape): Seq[ColumnStatistics] = for {
    column <- shape.columns
    of <- facts.columns.get(column)
    nulls <- of.nulls
    if of.isEmpty || of.bounds.isDefined
  } yield ColumnStatistics(name, column, of.bounds.map(b => stored(b._1, shape)),
    of.bounds.map(b => stored(b._2, shape)),
    of.values, nulls, of.bytes, of.uncompressedBytes, valueType = valueType(of.kind, shape))

  private def stored(value: StatValue, shape: MetadataShape): StatValue = value match {
    case Decimal(number) if shape.version < MetadataShape.TypedStatistics => Decimal(number.setScale(DecimalScale))
    case other => other
  }

  private def valueType(kind: StatType, shape: MetadataShape): Option[StatType] =
    if (shape.version < MetadataShape.TypedStatistics) None else Some(kind)

  def isLog(name: String): Boolean = name.startsWith(".")
}

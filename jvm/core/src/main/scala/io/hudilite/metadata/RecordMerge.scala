package io.hudilite.metadata

import io.hudilite.metadata.MetadataPayload._

/** Merges two records of one key: pure (docs/format.md#metadata-table). */
object RecordMerge {

  /** The newer record on top of the older one. */
  def merge(older: MetadataPayload, newer: MetadataPayload): MetadataPayload = (older, newer) match {
    case (before: Names, after: Names) => Names(names(before.entries, after.entries), after.ofPartitions)
    case (before: Statistics, after: Statistics) => Statistics(statistics(before.of, after.of), after.ofPartition)
    case _ => newer
  }

  /** The merged record as far as it says something that is there. */
  def live(merged: MetadataPayload): Option[MetadataPayload] = merged match {
    case Names(entries, ofPartitions) => Some(Names(entries.filterNot(_._2.isDeleted), ofPartitions))
    case Statistics(of, _) if of.isDeleted => None
    case Bloom(_, _, _, true) | Pair(true) | NoPlace => None
    case other => Some(other)
  }

  // The name of something that is gone stays: more of it may come in from below.
  private def names(before: Map[String, NamedFile], after: Map[String, NamedFile]): Map[String, NamedFile] =
    after.foldLeft(before) { case (all, (name, entry)) =>
      val bytes = all.get(name).filter(known => !known.isDeleted && !entry.isDeleted).map(_.bytes)
      all.updated(name, entry.copy(bytes = bytes.fold(entry.bytes)(_.max(entry.bytes))))
    }

  private def statistics(before: ColumnStatistics, after: ColumnStatistics): ColumnStatistics =
    if (after.isDeleted || after.isTight || before.isDeleted) after
    else together(before, after).getOrElse(throw new IllegalArgumentException("bounds of one column that do not " +
        s"compare: ${before.min.orNull} to ${before.max.orNull} and ${after.min.orNull} to ${after.max.orNull}"))

  /** Statistics of the values of both; `None` where their bounds do not compare. */
  def together(before: ColumnStatistics, after: ColumnStatistics): Option[ColumnStatistics] = for {
    min <- outer(before.min, after.min, -1)
    max <- outer(before.max, after.max, 1)
  } yield after.copy(min = min, max = max,
    values = before.values + after.values,
    nulls = before.nulls + after.nulls,
    bytes = before.bytes + after.bytes,
    uncompressedBytes = before.uncompressedBytes + after.uncompressedBytes,
    valueType = after.valueType.filterNot(_.ordinal == StatType.Null).orElse(before.valueType).orElse(after.valueType))

  private def outer(a: Option[StatValue], b: Option[StatValue], side: Int): Option[Option[StatValue]] = (a, b) match {
    case (Some(x), Some(y)) => StatValue.compare(x, y).map(order => Some(if (order * side >= 0) x else y))
    case _ => Some(a.orElse(b))
  }
}

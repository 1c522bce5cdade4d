package io.hudilite.service.advise

import io.hudilite.error.HudiliteException
import io.hudilite.filegroup.FileSlice
import io.hudilite.metadata.MetadataPartition
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.table.Table
import io.hudilite.timeline.{CommitMetadata, Instant}
import io.hudilite.upkeep.MetadataHome

/** The partitions of the metadata table of a table, as they lie on storage. Nothing is changed.
  *
  * @param entries
  *   counts the records of file slices of a partition
  */
final class MetadataIndexes(table: Table, entries: Seq[FileSlice] => Long) {

  import MetadataIndexes._

  private val metadata = new MetadataTable(table.store, table.timeline)
  private val home = new MetadataHome(table.store)

  /** Those that the properties list, and those that are being built. */
  def all: Seq[KnownIndex] = metadata.listed.sorted.map(listed) ++
    table.config.metadataPartitionsInflight.diff(metadata.listed).sorted.map(unusable(_, "it is being built"))

  private def listed(name: String): KnownIndex = MetadataPartition.of(name) match {
    case None => unusable(name, "its kind is not known")
    case Some(partition) =>
      try {
        val slices = metadata.slices(partition)
        KnownIndex(name, kindOf(partition), Place, columnsOf(partition), slices.size, slices.size,
          slices.map(_.totalLength).sum, Some(entries(slices)), maintained, costs(name), "")
      } catch {
        case e: Throwable with HudiliteException => unusable(name, e.parameters.getOrElse("reason", e.getMessage))
      }
  }

  private def unusable(name: String, reason: String): KnownIndex = {
    val there = table.storage.list(s"${home.folder}/$name").filterNot(_.isDirectory)
    KnownIndex(name, MetadataPartition.of(name).fold(name)(kindOf), Place, Nil, 0, 0, there.map(_.length).sum, None,
      maintained, costs(name), reason)
  }

  private def columnsOf(partition: MetadataPartition): Seq[String] =
    metadata.definitions.get(partition.name).map(_.columns).filter(_.nonEmpty).getOrElse(
      if (OfKeys(partition)) table.config.recordKeyFields else Nil)

  /** The newest writes of the metadata table, the newest first; none where its timeline cannot be read. */
  private lazy val newest: Seq[(Instant, CommitMetadata)] =
    try if (home.isThere) home.store.readCommits(home.timeline.writes.reverse.take(Writes)) else Nil
    catch { case _: HudiliteException => Nil }

  private def maintained: Option[String] = newest.headOption.map(_._1.time)

  private def costs(name: String): Seq[IndexCost] = newest.map { case (instant, commit) =>
    IndexCost(instant.time,
      commit.stats.getOrElse(name, Nil).map(s =>
        if (s.totalWriteBytes > 0) s.totalWriteBytes else s.fileSizeInBytes).sum)
  }
}

private object MetadataIndexes {

  private val Place = "metadata table"

  /** Writes of the metadata table whose cost is told. */
  private val Writes = 10

  private val OfKeys = Set(MetadataPartition.BloomFilters, MetadataPartition.RecordIndex)

  private def kindOf(partition: MetadataPartition): String =
    if (partition.name.startsWith(MetadataPartition.SecondaryPrefix)) "secondary_index"
    else if (partition.name.startsWith(MetadataPartition.ExpressionPrefix)) "expression_index"
    else partition.name
}

package io.hudilite.metadata.check

import io.hudilite.error.HudiliteException
import io.hudilite.filegroup.{FileGroupId, FileNames}
import io.hudilite.metadata.{
  MetadataAction,
  MetadataKeys,
  MetadataPartition,
  MetadataRecord,
  MetadataRecords,
  MetadataShape,
  MetadataState
}
import io.hudilite.metadata.MetadataPayload.{Bloom, Place}
import io.hudilite.metadata.known.FactsOfFiles
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.storage.FileInfo
import io.hudilite.table.Table

import scala.collection.mutable

/** Holds the metadata table of a table against its files, partition by partition. Nothing is changed. Of a table that is
  * written to meanwhile, what is under way may be told, too.
  *
  * @param table
  *   as folders list it
  */
final class MetadataValidator(table: Table) {

  private val metadata = new MetadataTable(table.store, table.timeline)
  private val files = new NamedFiles(table, metadata)
  private lazy val statistics = new StatisticsCheck(table, metadata, files)

  /** All differences; none where the table has no metadata table. */
  def differences(): Seq[MetadataDifference] = {
    // Bounds of partitions are compared with those of their files.
    val inOrder = metadata.listed.sortBy(_ == MetadataPartition.PartitionStats.name)
    inOrder.flatMap(name => trusted(name)(differences(name)))
  }

  /** Those in which files there are. No file is opened. */
  def ofFiles(): Seq[MetadataDifference] =
    if (metadata.listed.isEmpty) Nil else trusted(MetadataPartition.Files.name)(files.differences())

  /** Files that a folder or the metadata table has. None is opened. Raises `CORRUPT_FILE` where it cannot be trusted. */
  def filesOfBoth(): Seq[ComparedFile] = files.all()

  private def differences(name: String): Seq[MetadataDifference] = MetadataPartition.of(name) match {
    case Some(MetadataPartition.Files) => files.differences()
    case Some(MetadataPartition.ColumnStats) => statistics.ofFiles()
    case Some(MetadataPartition.PartitionStats) => statistics.ofPartitions()
    case Some(MetadataPartition.BloomFilters) => blooms()
    case Some(MetadataPartition.RecordIndex) => places()
    case Some(other) =>
      metadata.records(other).foreach(_ => ()) // it can be read; its content has no equal in the files
      Nil
    case None => Seq(MetadataDifference(DifferenceKind.NotTrusted, "", name, "", "", "a partition of an unknown kind"))
  }

  private def trusted(name: String)(compared: => Seq[MetadataDifference]): Seq[MetadataDifference] =
    try compared
    catch {
      case e: Throwable with HudiliteException =>
        Seq(MetadataDifference(DifferenceKind.NotTrusted, "", name, "", "",
            e.parameters.getOrElse("reason", e.getMessage)))
    }

  private def blooms(): Seq[MetadataDifference] = {
    val bases = for ((partition, found) <- files.committed; (name, file) <- found
      if FileNames.parseBaseFile(name).isDefined) yield MetadataKeys.ofFile(partition, name) -> (partition -> file)
    val met = mutable.Set.empty[String]
    val ofNobody = files.ofNobody.map { case (partition, name) => MetadataKeys.ofFile(partition, name) }.toSet
    val different = metadata.records(MetadataPartition.BloomFilters).collect {
      case MetadataRecord(key, bloom: Bloom) if !ofNobody(key) =>
        met += key
        bases.get(key) match {
          case Some((partition, file)) =>
            val written = bloomOf(partition, file)
            if (written.contains(bloom.text)) None
            else Some(MetadataDifference(DifferenceKind.Bloom, partition, file.name, "", characters(written),
                characters(Some(bloom.text))))
          case None =>
            Some(MetadataDifference(DifferenceKind.Bloom, "", s"of the key $key", "", "", characters(Some(bloom.text))))
        }
    }.flatten.toList
    val missing = for ((key, (partition, file)) <- bases.toSeq if !met(key); text <- bloomOf(partition, file))
      yield MetadataDifference(DifferenceKind.Bloom, partition, file.name, "", characters(Some(text)), "")
    different ++ missing
  }

  private lazy val facts = new FactsOfFiles(table.storage, Nil, blooms = true)
  private lazy val shape = MetadataShape(Set(MetadataPartition.BloomFilters), table.config.version)

  /** The filter that a metadata table made now would have of the file. */
  private def bloomOf(partition: String, file: FileInfo): Option[String] = {
    val there = Map(partition -> Map(file.name -> facts.of(file.path, file.length)))
    MetadataRecords.of(MetadataAction.Everything("", there), MetadataState(shape)).records(
      MetadataPartition.BloomFilters)
      .collectFirst { case MetadataRecord(_, bloom: Bloom) => bloom.text }
  }

  private def characters(filter: Option[String]): String = filter.fold("")(text => s"${text.length} characters")

  private def places(): Seq[MetadataDifference] = {
    val groups = table.allSlices().values.flatten.map(_.groupId).toSet
    val lost = mutable.Map.empty[FileGroupId, Long]
    metadata.records(MetadataPartition.RecordIndex).foreach {
      case MetadataRecord(_, Place(partition, fileId, _, _)) =>
        val group = FileGroupId(partition, fileId)
        if (!groups(group)) lost.update(group, lost.getOrElse(group, 0L) + 1L)
      case _ =>
    }
    lost.toSeq.sortBy { case (group, _) => (group.partition, group.fileId) }.map { case (group, keys) =>
      MetadataDifference(DifferenceKind.Place, group.partition, group.fileId, "", "", s"$keys keys")
    }
  }
}

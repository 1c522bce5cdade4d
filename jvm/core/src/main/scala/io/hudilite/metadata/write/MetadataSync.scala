package io.hudilite.metadata.write

import io.hudilite.metadata.{MetadataChanges, MetadataKeys, MetadataPartition, MetadataPayload, MetadataRecord, NamedFile}
import io.hudilite.metadata.stored.NamedContent

/** Records that bring a metadata table to what the folders of its table list: pure. */
private[hudilite] object MetadataSync {

  /** The records of a new metadata table: also of a table without partitions there is one that names them. */
  def everything(listed: Map[String, Map[String, Long]]): MetadataChanges = {
    val all = changes(NamedContent(Set.empty, Map.empty), listed)
    val records = all.records.getOrElse(MetadataPartition.Files, Nil)
    if (records.exists(_.key == MetadataKeys.AllPartitions)) all
    else MetadataChanges(
      Map(MetadataPartition.Files -> (records :+ record(MetadataKeys.AllPartitions, Map.empty, ofPartitions = true))))
  }

  /** No records where nothing differs. */
  def changes(named: NamedContent, listed: Map[String, Map[String, Long]]): MetadataChanges = {
    val partitions = (listed.keySet ++ named.partitions ++ named.files.keySet).toSeq.sorted.flatMap { path =>
      val entries = differences(named.files.getOrElse(path, Map.empty), listed.getOrElse(path, Map.empty))
      if (entries.isEmpty) None else Some(record(MetadataKeys.ofPartition(path), entries, ofPartitions = false))
    }
    val all = (listed.keySet -- named.partitions).map(_ -> NamedFile(0, isDeleted = false)) ++
      (named.partitions -- listed.keySet).map(_ -> NamedFile(0, isDeleted = true))
    val ofAll = if (all.isEmpty) None
    else Some(record(MetadataKeys.AllPartitions,
      all.map { case (path, entry) => MetadataKeys.ofPartition(path) -> entry }.toMap, ofPartitions = true))
    MetadataChanges(Map(MetadataPartition.Files -> (partitions ++ ofAll)))
  }

  private def differences(named: Map[String, Long], listed: Map[String, Long]): Map[String, NamedFile] =
    listed.collect { case (name, bytes) if !named.get(name).exists(_ >= bytes) => name -> NamedFile(bytes, isDeleted = false) } ++
      (named.keySet -- listed.keySet).map(_ -> NamedFile(0, isDeleted = true))

  private def record(key: String, entries: Map[String, NamedFile], ofPartitions: Boolean): MetadataRecord =
    MetadataRecord(key, MetadataPayload.Names(entries, ofPartitions))
}

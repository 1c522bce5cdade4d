package io.hudilite.metadata

import io.hudilite.metadata.MetadataAction._
import io.hudilite.metadata.MetadataPayload.Names
import io.hudilite.timeline.{CleanMetadata, WriteStat}

/** Names and lengths of files, and names of partitions: the partition `files`. */
private[metadata] object NameRecords extends RecordKind {

  private val Gone = NamedFile(0L, isDeleted = true)

  override def of(action: MetadataAction, before: MetadataState): Seq[MetadataRecord] = action match {
    case Written(_, commit, _, _) =>
      val touched = commit.stats.toSeq
      partitions(touched.map(_._1), isDeleted = false) +: touched.map { case (partition, stats) =>
        files(partition, lengths(stats))
      }
    case Cleaned(_, clean) => cleaned(clean)
    case RolledBack(_, rollback, plan) =>
      stayed(rollback.partitions.map(p => p.partition -> p.rollbackLogFiles) ++
        plan.requests.map(r => r.partition -> r.logBlocks))
    case Restored(_, there) => restored(there, before.named)
    case Everything(_, there, _) =>
      partitions(there.keys.toSeq, isDeleted = false) +: there.toSeq.map { case (partition, found) =>
        files(partition, found.map { case (name, facts) => name -> NamedFile(facts.bytes, isDeleted = false) })
      }
  }

  private def partitions(paths: Seq[String], isDeleted: Boolean): MetadataRecord =
    MetadataRecord(MetadataKeys.AllPartitions,
      Names(paths.map(MetadataKeys.ofPartition(_) -> NamedFile(0L, isDeleted)).toMap, ofPartitions = true))

  private def files(partition: String, named: Map[String, NamedFile]): MetadataRecord =
    MetadataRecord(MetadataKeys.ofPartition(partition), Names(named, ofPartitions = false))

  // Files of change data lie beside the others, and nobody but their readers looks for them.
  private def lengths(
      stats: Seq[WriteStat]): Map[String, NamedFile] = largest(stats.filter(_.path.nonEmpty).flatMap(s =>
      (s.fileName -> s.fileSizeInBytes) +: s.cdcStats.toSeq.map { case (path, bytes) => bare(path) -> bytes }))

  private def bare(path: String): String = path.substring(path.lastIndexOf('/') + 1)

  private def largest(lengths: Seq[(String, Long)]): Map[String, NamedFile] = lengths.groupBy(_._1).map {
    case (name, all) => name -> NamedFile(all.map(_._2).max, isDeleted = false)
  }

  private def cleaned(clean: CleanMetadata): Seq[MetadataRecord] = {
    val gone = clean.partitions.filter(_.partitionDeleted).map(_.partition)
    (if (gone.isEmpty) Nil else Seq(partitions(gone, isDeleted = true))) ++
      clean.partitions.map(p => files(p.partition, p.deleted.map(_ -> Gone).toMap))
  }

  private def stayed(logs: Seq[(String, Map[String, Long])]): Seq[MetadataRecord] =
    logs.groupBy(_._1).toSeq.map { case (partition, all) => partition -> largest(all.flatMap(_._2)) }
      .collect { case (partition, lengths) if lengths.nonEmpty => files(partition, lengths) }

  private def restored(there: Map[String, Map[String, KnownFile]], named: Map[String, Set[String]])
      : Seq[MetadataRecord] = {
    val gone = (named.keySet -- there.keySet).toSeq
    val changed = (there.keySet ++ named.keySet).toSeq.map { partition =>
      val (found, known) = (there.getOrElse(partition, Map.empty), named.getOrElse(partition, Set.empty))
      val added = (found -- known).map { case (name, facts) => name -> NamedFile(facts.bytes, isDeleted = false) }
      partition -> (added ++ (known -- found.keySet).map(_ -> Gone))
    }
    (if (gone.isEmpty) Nil else Seq(partitions(gone, isDeleted = true))) ++
      changed.collect { case (partition, names) if names.nonEmpty => files(partition, names) }
  }
}

package io.hudilite.metadata

import io.hudilite.metadata.MetadataAction._
import io.hudilite.metadata.MetadataPayload.Bloom

/** Bloom filters of base files: the partition `bloom_filters`. */
private[metadata] object BloomRecords extends RecordKind {

  override def of(action: MetadataAction, before: MetadataState): Seq[MetadataRecord] = {
    val kind = before.shape.bloomKind
    action match {
      case w: Written =>
        for {
          stat <- w.commit.allStats.filter(_.path.nonEmpty)
          facts = w.factsOf(stat)
          text <- bloomOf(stat.fileName, facts)
        } yield there(stat.partitionPath, stat.fileName, facts.bloomKind.getOrElse(kind), w.instant, text)
      case Everything(instant, files, _) => ofFiles(files, kind, instant)
      case cleaned: Cleaned => deleted(cleaned)
      case _: RolledBack | _: Restored => Nil
    }
  }

  /** The metadata table goes back to a moment of which nobody has kept the filters of files that come back. */
  override def isEmptied(action: MetadataAction): Boolean = action.isInstanceOf[Restored]

  private def ofFiles(files: Map[String, Map[String, KnownFile]], kind: String, instant: String): Seq[MetadataRecord] =
    (for ((partition, found) <- files; (name, facts) <- found; text <- bloomOf(name, facts))
      yield there(partition, name, facts.bloomKind.getOrElse(kind), instant, text)).toSeq

  private def bloomOf(name: String, facts: KnownFile): Option[String] =
    if (ColumnRecords.isLog(name)) None else facts.bloom

  private def there(partition: String, name: String, kind: String, instant: String, text: String): MetadataRecord =
    MetadataRecord(MetadataKeys.ofFile(partition, name), Bloom(kind, instant, text, isDeleted = false))

  /** The filters of base files that a cleaning has deleted. */
  def deleted(by: Cleaned): Seq[MetadataRecord] = for {
    of <- by.clean.partitions
    name <- of.deleted if !ColumnRecords.isLog(name)
  } yield MetadataRecord(MetadataKeys.ofFile(of.partition, name), Bloom("", by.instant, "", isDeleted = true))
}

package io.hudilite.metadata

import io.hudilite.metadata.MetadataAction._
import io.hudilite.metadata.MetadataPayload.Bloom

/** Bloom filters of base files: the partition `bloom_filters`. */
private[metadata] object BloomRecords extends RecordKind {

  override def of(action: MetadataAction, before: MetadataState): Seq[MetadataRecord] =
    ofAction(action)((name, file) => bloomOf(name, file).map(_ -> file.bloomKind.getOrElse(before.shape.bloomKind)))

  /** @param filterOf
    *   the filter of a file and its kind, by the file's name
    */
  def ofAction(action: MetadataAction)(filterOf: (String, KnownFile) => Option[(String, String)])
      : Seq[MetadataRecord] = {
    def there(partition: String, name: String, file: KnownFile, instant: String): Option[MetadataRecord] =
      filterOf(name, file).map { case (text, kind) =>
        MetadataRecord(MetadataKeys.ofFile(partition, name), Bloom(kind, instant, text, isDeleted = false))
      }
    action match {
      case w: Written => w.commit.allStats.filter(_.path.nonEmpty).flatMap(stat =>
          there(stat.partitionPath, stat.fileName, w.factsOf(stat), w.instant))
      case Everything(instant, files, _) =>
        (for ((partition, found) <- files; (name, file) <- found; record <- there(partition, name, file, instant))
          yield record).toSeq
      case cleaned: Cleaned => deleted(cleaned)
      case _: RolledBack | _: Restored => Nil
    }
  }

  /** The metadata table goes back to a moment of which nobody has kept the filters of files that come back. */
  override def isEmptied(action: MetadataAction): Boolean = action.isInstanceOf[Restored]

  private def bloomOf(name: String, facts: KnownFile): Option[String] =
    if (ColumnRecords.isLog(name)) None else facts.bloom

  /** The filters of base files that a cleaning has deleted. */
  private def deleted(by: Cleaned): Seq[MetadataRecord] = for {
    of <- by.clean.partitions
    name <- of.deleted if !ColumnRecords.isLog(name)
  } yield MetadataRecord(MetadataKeys.ofFile(of.partition, name), Bloom("", by.instant, "", isDeleted = true))
}

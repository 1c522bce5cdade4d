package io.hudilite.metadata

import io.hudilite.metadata.MetadataAction._
import io.hudilite.metadata.MetadataPayload.Bloom

/** Bloom filters of the values of a function over a column, of base and log files: one index of an expression. */
private[metadata] final class FilterRecords(index: ExpressionIndex) extends RecordKind {

  override def of(action: MetadataAction, before: MetadataState): Seq[MetadataRecord] = action match {
    case w: Written =>
      for {
        stat <- w.commit.allStats.filter(_.path.nonEmpty)
        text <- filterOf(w.factsOf(stat))
      } yield record(stat.partitionPath, stat.fileName, w.instant, text, before)
    case Everything(instant, files, _) =>
      (for ((partition, found) <- files; (name, file) <- found; text <- filterOf(file))
        yield record(partition, name, instant, text, before)).toSeq
    case _ => Nil
  }

  /** A restore takes files back whose filters nobody has kept. */
  override def isEmptied(action: MetadataAction): Boolean = action.isInstanceOf[Restored]

  /** The reason why the index cannot be kept up through the action. */
  def untold(action: MetadataAction): Option[String] = files(action).collectFirst {
    case (name, file) if file.filtered.get(index.partition.name).contains(None) =>
      s"values of its function over ${index.column} are not certain in $name"
  }

  private def files(action: MetadataAction): Seq[(String, KnownFile)] = action match {
    case w: Written => w.facts.toSeq
    case Everything(_, there, _) => there.values.flatten.toSeq
    case _ => Nil
  }

  private def filterOf(file: KnownFile): Option[String] = file.filtered.get(index.partition.name).flatten

  private def record(partition: String, name: String, instant: String, text: String, before: MetadataState)
      : MetadataRecord = MetadataRecord(MetadataKeys.ofFile(partition, name),
    Bloom(before.shape.bloomKind, instant, text, isDeleted = false))
}

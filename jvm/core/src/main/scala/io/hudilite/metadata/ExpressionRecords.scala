package io.hudilite.metadata

import io.hudilite.metadata.MetadataAction._
import io.hudilite.metadata.MetadataPayload.{Bloom, Statistics}

/** Statistics of the values of a function over a column, of files and of partitions: one index of an expression.
  *
  * They are those of a column with these values, but that nulls do not count as values, and that the lengths are those of
  * the files. Cleanings leave the records of files that go, as Apache Hudi does.
  */
private[metadata] final class ExpressionRecords(index: ExpressionIndex) extends RecordKind {

  override def of(action: MetadataAction, before: MetadataState): Seq[MetadataRecord] = action match {
    case _: Written | _: Everything =>
      val (own, state) = (ofValues(action), ofColumn(before))
      ColumnRecords.of(own, state).filterNot(isOfNothing) ++ PartitionRecords.of(own, state).map(ofPartition)
    case _ => Nil
  }

  /** A restore takes values back that nobody has kept. */
  override def isEmptied(action: MetadataAction): Boolean = action.isInstanceOf[Restored]

  /** The reason why the index cannot be kept up through the action. */
  def untold(action: MetadataAction, before: MetadataState): Option[String] =
    files(action).flatMap { case (name, file) => file.expressed.get(index.partition.name).map(name -> _) }
      .collectFirst {
        case (name, facts) if facts.nulls.isEmpty =>
          s"values of its function over ${index.column} are not certain in $name"
      }.orElse(PartitionRecords.untold(ofValues(action), ofColumn(before)))

  private def files(action: MetadataAction): Seq[(String, KnownFile)] = action match {
    case w: Written => w.facts.toSeq
    case Everything(_, there, _) => there.values.flatten.toSeq
    case _ => Nil
  }

  private def ofColumn(before: MetadataState): MetadataState = before.copy(
    shape = before.shape.copy(columns = Seq(index.column)),
    statistics = before.expressed.getOrElse(index.partition, Map.empty))

  private def ofValues(action: MetadataAction): MetadataAction = action match {
    case w: Written => w.copy(facts = w.facts.map { case (path, file) => path -> ofValues(file) })
    case e: Everything => e.copy(there = e.there.map { case (partition, files) =>
        partition -> files.map { case (name, file) => name -> ofValues(file) }
      })
    case other => other
  }

  private def ofValues(file: KnownFile): KnownFile = file.copy(columns =
    file.expressed.get(index.partition.name).map(facts =>
      index.column -> facts.copy(values = facts.values - facts.nulls.getOrElse(0L), bytes = file.bytes,
        uncompressedBytes = 2 * file.bytes)).toMap)

  // Log files of deletes alone.
  private def isOfNothing(record: MetadataRecord): Boolean = record.payload match {
    case Statistics(of, _) => !of.isDeleted && of.bytes == 0
    case _ => false
  }

  // A table without partitions has an empty name there.
  private def ofPartition(record: MetadataRecord): MetadataRecord = MetadataRecord(MetadataKeys.ofValues(record.key),
    record.payload match {
      case of: Statistics => of.copy(of = of.of.copy(file = MetadataKeys.path(of.of.file)))
      case other => other
    })
}

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
    case cleaned: Cleaned => BloomRecords.deleted(cleaned)
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

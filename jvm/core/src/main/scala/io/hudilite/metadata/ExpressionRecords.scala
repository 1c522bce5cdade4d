package io.hudilite.metadata

import io.hudilite.metadata.MetadataAction._
import io.hudilite.metadata.MetadataPayload.Statistics

/** One index of an expression: what is kept of the values of a function over a column. */
private[metadata] sealed abstract class ValueRecords(index: ExpressionIndex) extends RecordKind {

  /** A restore takes values back that nobody has kept. */
  override def isEmptied(action: MetadataAction): Boolean = action.isInstanceOf[Restored]

  /** The reason why the index cannot be kept up through the action. */
  def untold(action: MetadataAction, before: MetadataState): Option[String] =
    files(action).collectFirst {
      case (name, file) if isUntold(file) => s"values of its function over ${index.column} are not certain in $name"
    }

  protected def isUntold(file: KnownFile): Boolean

  private def files(action: MetadataAction): Seq[(String, KnownFile)] = action match {
    case w: Written => w.facts.toSeq
    case Everything(_, there, _) => there.values.flatten.toSeq
    case _ => Nil
  }
}

private[metadata] object ValueRecords {
  def of(index: ExpressionIndex): ValueRecords =
    if (index.isFilter) new FilterRecords(index) else new ExpressionRecords(index)
}

/** Statistics of the values of a function over a column, of files and of partitions.
  *
  * They are those of a column with these values, but that nulls do not count as values, and that the lengths are those of
  * the files. Cleanings leave the records of files that go, as Apache Hudi does.
  */
private[metadata] final class ExpressionRecords(index: ExpressionIndex) extends ValueRecords(index) {

  override def of(action: MetadataAction, before: MetadataState): Seq[MetadataRecord] = action match {
    case _: Written | _: Everything =>
      val (own, state) = (ofValues(action), ofColumn(before))
      ColumnRecords.of(own, state).filterNot(isOfNothing) ++ PartitionRecords.of(own, state).map(ofPartition)
    case _ => Nil
  }

  override def untold(action: MetadataAction, before: MetadataState): Option[String] =
    super.untold(action, before).orElse(PartitionRecords.untold(ofValues(action), ofColumn(before)))

  override protected def isUntold(file: KnownFile): Boolean =
    file.expressed.get(index.partition.name).exists(_.nulls.isEmpty)

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

/** Bloom filters of the values of a function over a column, of base and log files. */
private[metadata] final class FilterRecords(index: ExpressionIndex) extends ValueRecords(index) {

  override def of(action: MetadataAction, before: MetadataState): Seq[MetadataRecord] =
    BloomRecords.ofAction(action)((_, file) => filterOf(file).flatten.map(_ -> before.shape.bloomKind))

  override protected def isUntold(file: KnownFile): Boolean = filterOf(file).contains(None)

  private def filterOf(file: KnownFile): Option[Option[String]] = file.filtered.get(index.partition.name)
}

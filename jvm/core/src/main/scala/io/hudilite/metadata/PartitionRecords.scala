package io.hudilite.metadata

import io.hudilite.metadata.MetadataAction._
import io.hudilite.metadata.MetadataPayload.Statistics
import io.hudilite.timeline.{CommitMetadata, InstantTime}

/** Statistics of the columns of partitions: the partition `partition_stats`.
  *
  * They are those of the newest file slices, as they are after the action, and replace what was there. A column that some
  * file does not tell of has no record.
  */
private[metadata] object PartitionRecords extends RecordKind {

  /** Statistics of columns, by the name of their file. */
  private type Files = Seq[(String, Map[String, ColumnStatistics])]

  override def of(action: MetadataAction, before: MetadataState): Seq[MetadataRecord] = action match {
    case w: Written if w.commit.operation == CommitMetadata.DeletePartition =>
      for (partition <- w.commit.replaced.keys.toSeq; column <- before.shape.columns) yield deleted(partition, column)
    case w: Written =>
      for ((partition, files) <- tellingFiles(w, before); of <- ofPartition(partition, files, before))
        yield of.fold(deleted(partition, _), record(partition, _))
    case e: Everything =>
      for ((partition, files) <- tellingFiles(e, before);
        of <- ofPartition(partition, files, before).flatMap(_.toOption))
        yield record(partition, of)
    case _: Cleaned | _: RolledBack | _: Restored => Nil
  }

  /** A restore takes bounds back that nobody has kept. */
  override def isEmptied(action: MetadataAction): Boolean = action.isInstanceOf[Restored]

  /** The newest slices of a partition when the write has completed. */
  private def after(write: Written, partition: String, before: MetadataState): Seq[KnownSlice] = {
    val replaced = write.commit.replaced.getOrElse(partition, Nil).toSet
    val stay = before.slices.getOrElse(partition, Nil).filterNot(s => replaced(s.fileId)).map(s => s.fileId -> s).toMap
    write.commit.stats.getOrElse(partition, Nil).filter(_.path.nonEmpty).foldLeft(stay) { (slices, stat) =>
      val slice = slices.getOrElse(stat.fileId, KnownSlice(stat.fileId, None, Nil))
      val grown =
        if (stat.isLog)
          slice.copy(logs = slice.logs.filterNot(_.name == stat.fileName) :+ KnownLog(stat.fileName, write.instant))
        // Log files that were complete before the new base file was begun are in it.
        else KnownSlice(stat.fileId, Some(stat.fileName), slice.logs.filter(_.since >= write.instant))
      slices.updated(stat.fileId, grown)
    }.values.toSeq
  }

  /** Statistics of each column, or its name where some file does not tell. */
  private def ofPartition(partition: String, files: Files, before: MetadataState)
      : Seq[Either[String, ColumnStatistics]] =
    before.shape.columns.map(column =>
      together(files, column).map(_.copy(file = MetadataKeys.ofPartition(partition), isTight = true)).toRight(column))

  /** Files with values of each partition that gets records, as they are after the action. */
  private def tellingFiles(action: MetadataAction, before: MetadataState): Seq[(String, Files)] = {
    val slices = action match {
      case w: Written => w.commit.stats.keys.toSeq.map(p => p -> after(w, p, before))
      case _: Everything => before.slices.toSeq
      case _ => Nil
    }
    val made = ColumnRecords.ofFiles(action, before)
    slices.map { case (partition, all) =>
      val of = before.statistics.getOrElse(partition, Map.empty) ++ made.getOrElse(partition, Map.empty)
      partition ->
        all.flatMap(_.names).map(name => name -> of.getOrElse(name, Nil))
          // A log file without statistics has no values.
          .filterNot { case (name, of) =>
            of.isEmpty && (ColumnRecords.isLog(name) || hasNoRows(partition, name, action))
          }
          .map { case (name, of) => name -> of.map(s => s.column -> s).toMap }
    }
  }

  /** A new base file has no column in its footer: all rows of its group are deleted. A skeleton has rows, and none of the
    * data columns.
    */
  private def hasNoRows(partition: String, name: String, action: MetadataAction): Boolean =
    !InstantTime.isOfSkeleton(name) && hasNoColumns(partition, name, action)

  private def hasNoColumns(partition: String, name: String, action: MetadataAction): Boolean = action match {
    case w: Written =>
      w.commit.stats.getOrElse(partition, Nil).exists(s => s.fileName == name && w.factsOf(s).columns.isEmpty)
    case Everything(_, there, _) => there.get(partition).flatMap(_.get(name)).exists(_.columns.isEmpty)
    case _ => false
  }

  /** A column of a partition with values of which no bounds are known after the action, in words. Apache Hudi takes a
    * partition without a record for one without rows that pass a filter, so that none may be without.
    */
  def untold(action: MetadataAction, before: MetadataState): Option[String] = {
    val partitions = action match {
      case w: Written if w.commit.operation == CommitMetadata.DeletePartition => Nil
      case _ => tellingFiles(action, before)
    }
    partitions.iterator.flatMap { case (partition, files) =>
      before.shape.columns.find(column => files.nonEmpty && together(files, column).isEmpty).map { column =>
        val silent = files.collectFirst { case (name, of) if !of.contains(column) => s" in $name" }
        s"the partition '$partition' has no bounds of $column${silent.getOrElse("")}"
      }
    }.take(1).toList.headOption
  }

  private def together(files: Files, column: String): Option[ColumnStatistics] =
    files.map(_._2.get(column)).reduceOption((a, b) =>
      for (x <- a; y <- b; both <- RecordMerge.together(x, y)) yield both)
      .flatten

  private def deleted(partition: String, column: String): MetadataRecord =
    record(partition, ColumnRecords.deleted("", column))

  private def record(partition: String, of: ColumnStatistics): MetadataRecord =
    MetadataRecord(MetadataKeys.ofColumn(of.column, partition), Statistics(of, ofPartition = true))
}

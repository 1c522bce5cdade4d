package io.hudilite.metadata

import io.hudilite.metadata.MetadataAction.{Everything, Written}
import io.hudilite.metadata.MetadataPayload.{NoPlace, Place}
import io.hudilite.record.KeyChange

/** Pairs of a secondary index, which jobs deal to its file groups: none of them are made here. */
private[metadata] object PairRecords extends RecordKind {
  override def of(action: MetadataAction, before: MetadataState): Seq[MetadataRecord] = Nil
}

/** Places of record keys: the partition `record_index`.
  *
  * Of one key of one file group of the index, the changes of an action make one record or none. Tables with many keys are
  * written group by group by [[record]], which no other rule stands beside.
  */
private[hudilite] object KeyRecords extends RecordKind {

  override def of(action: MetadataAction, before: MetadataState): Seq[MetadataRecord] = {
    def records(keys: ActionKeys): Seq[MetadataRecord] =
      groups(keys.changes, before.shape).flatMap { case (key, changes) =>
        record(key, changes, before.placesOf(key, changes.head.partition), keys.instantMs)
      }
    action match {
      case w: Written => records(w.keys)
      case e: Everything => records(e.keys)
      case _ => Nil
    }
  }

  private def groups(changes: Seq[KeyChange], shape: MetadataShape): Seq[(String, Seq[KeyChange])] =
    changes.groupBy(c => (c.key, if (shape.isPartitioned) c.partition else "")).toSeq.map { case ((key, _), some) =>
      key -> some
    }

  /** The record of a key that these changes make.
    *
    * A key that comes anywhere is there, whatever it leaves. One that leaves goes only where its place is in what it
    * leaves, the file group or the partition: a row that had moved from there lies in an old file still, and another row of the
    * key may lie in another file group.
    *
    * @param before
    *   places that the group of the index has of the key; asked only where no row comes, or where it has been there
    */
  def record(key: String, changes: Seq[KeyChange], before: => Option[Place], instantMs: Option[Long])
      : Option[MetadataRecord] = {
    val coming = changes.collect { case KeyChange(_, partition, Some(fileId), _) => (partition, fileId) }
    if (coming.nonEmpty) {
      // Of rows that share a key one has the place; which one is the same in each attempt.
      val (partition, fileId) = coming.max
      Some(MetadataRecord(key, Place(partition, fileId, instantMs, None)))
    } else if (before.exists(place => changes.exists(_.leaves(place.partition, place.fileId))))
      Some(MetadataRecord(key, NoPlace))
    else None
  }

  /** The record says what the index has. */
  def isSame(record: MetadataRecord, before: Option[Place]): Boolean = (record.payload, before) match {
    case (Place(partition, fileId, _, _), Some(Place(samePartition, sameFile, _, _))) =>
      partition == samePartition && fileId == sameFile
    case _ => false
  }
}

package io.hudilite.spark.write

import io.hudilite.error.InvalidInput
import io.hudilite.log.RowPosition
import io.hudilite.spark.row.{KeyValues, KeysToCome, RowKeys, RunningTask, TaskAttempt}
import io.hudilite.spark.write.attempt.{LateGroups, WriteAttempt}
import io.hudilite.spark.write.job.{WriteGroups, WriteJob}
import io.hudilite.spark.write.table.WriteOperation
import io.hudilite.spark.write.task.{FileGroupWriter, WriteMetrics, WrittenFiles}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.write._
import org.apache.spark.sql.hudilite.LastAttempts
import org.apache.spark.unsafe.types.UTF8String

/** Merges row changes into base files: each task rewrites the file groups that its changes belong to. */
private[write] final class DeltaFileWrite(row: RowLevelWrite, groups: LateGroups) extends DeltaWrite with TableWrite {

  private val target = row.target

  private[write] override val attempt: WriteAttempt = new WriteAttempt(row.intent, Some(groups), row.session)

  override def description(): String = s"hudilite ${row.operation.name}"

  override def supportedCustomMetrics(): Array[CustomMetric] = WriteMetrics.all

  override def toBatch: DeltaBatchWrite = new DeltaBatchWrite {
    override def createBatchWriterFactory(info: PhysicalWriteInfo): DeltaWriterFactory =
      attempt.begin(job =>
        MergeWriterFactory(job.updating(row.updated, revives), groups.groups, onMove, row.keepsNewest))
    // A key that has a place in a record index that answers is that of a row.
    private def revives: Boolean =
      row.byKey && target.keyShards(inserts = row.operation != WriteOperation.Delete).isEmpty
    private def onMove: OnMove =
      if (target.buckets.isDefined)
        OnMove.Refuse // its plan has made two changes of each, or nobody has seen to the bucket
      else if (target.mayMoveRows) OnMove.Move
      else if (row.byKey) OnMove.Stay
      else OnMove.Refuse
    override def useCommitCoordinator(): Boolean = true
    override def commit(messages: Array[WriterCommitMessage]): Unit =
      attempt.commit(messages.toSeq.map(_.asInstanceOf[WrittenFiles]))
    override def abort(messages: Array[WriterCommitMessage]): Unit = attempt.abort()
  }
}

/** The fate of a row whose new values belong to another partition. */
private sealed trait OnMove extends Serializable

private object OnMove {

  /** It leaves its file group and is inserted in the other partition. */
  case object Move extends OnMove

  /** It is updated where it is. */
  case object Stay extends OnMove

  /** The write fails. */
  case object Refuse extends OnMove
}

private final case class MergeWriterFactory(job: WriteJob, groups: WriteGroups, onMove: OnMove, keepsNewest: Boolean)
    extends DeltaWriterFactory {
  override def createWriter(partitionId: Int, taskId: Long): DeltaWriter[InternalRow] =
    new ChangeWriter(job, groups, onMove, keepsNewest, RunningTask.attempt(partitionId, taskId))
}

/** Changes sorted by slot, partition and key. The id of a row is its record key, its metadata are the partition path
  * and the file group that hold it, and the row's
  * number in the base file where that is known.
  *
  * @param keepsNewest
  *   of new rows of one key in a partition, which come together, only the first is written, and so of those that are put
  *   back
  */
private final class ChangeWriter(job: WriteJob, groups: WriteGroups, onMove: OnMove, keepsNewest: Boolean,
    attempt: TaskAttempt) extends DeltaWriter[InternalRow] {

  private val files = new FileGroupWriter(job, attempt)
  private val keys = new RowKeys(job.rowSchema, job.keys, toWrite = true)
  private var lastFile: UTF8String = _
  private var lastPartition: UTF8String = _
  private var lastSlot = 0
  private var updatedAt = RowPosition.Unknown // of the last row that was updated
  private var updatedIn = -1
  private var updatedValues: UTF8String = _ // behind its key
  private var insertedKey: UTF8String = _ // of the last new row
  private var insertedIn: UTF8String = _
  private var insertedValues: UTF8String = _ // behind the key, where others may be spelled alike

  private val toCome: Option[KeysToCome] = if (job.keys.generated) Some(new KeysToCome(job.rowSchema)) else None

  override def insert(row: InternalRow): Unit = toCome.fold(insertKeyed(row)) { stands =>
    val partition = keys.partitionPath(row)
    files.toSlot(groups, groups.slot(null, partition, stands(row)), partition)
    files.insert(files.nextKey(), row)
  }

  private def insertKeyed(row: InternalRow): Unit = {
    val key = keys.recordKey(row)
    val partition = keys.partitionPath(row)
    if (!keepsNewest || key != insertedKey || partition != insertedIn) {
      files.toSlot(groups, groups.slot(null, partition, key), partition)
      files.insert(key, row)
      if (keepsNewest) {
        insertedValues = keys.valuesOf(row, key)
        insertedKey = key.copy()
        if (partition != insertedIn) insertedIn = partition.copy()
      }
    } else checkAlike(key, row, insertedValues)
  }

  /** A row is left out as another one of its key is written; their values behind the key must be the same. */
  private def checkAlike(key: UTF8String, row: InternalRow, written: UTF8String): Unit = {
    val values = keys.valuesOf(row, key)
    if (values != written) throw KeyValues.alike(job.keys.recordKeyFields, written, values)
  }

  override def update(metadata: InternalRow, id: InternalRow, row: InternalRow): Unit = {
    val key = toGroup(metadata, id)
    val partition = metadata.getUTF8String(ChangeWriter.Partition)
    val target = keys.partitionPath(row)
    if (!job.keys.generated) checkKept(key, keys.recordKey(row))
    if (target == partition || onMove == OnMove.Stay) change(key, row, position(metadata))
    else if (onMove == OnMove.Move) files.move(key, row, target, position(metadata))
    else throw ChangeWriter.partitionChanged(key, partition, target)
  }

  private def checkKept(key: UTF8String, newKey: UTF8String): Unit =
    if (newKey != key) throw ChangeWriter.keyChanged(key, newKey)

  private def change(key: UTF8String, row: InternalRow, told: Long): Unit =
    if (RowPosition.isPutBack(told)) update(key, row, RowPosition.PutBack - told, isBack = true)
    else update(key, row, told, isBack = false)

  /** A statement changes a row of a base file once, but for a row that is gone and that it puts back: where it has several
    * new ones of the key, the newest comes first.
    */
  private def update(key: UTF8String, row: InternalRow, position: Long, isBack: Boolean): Unit =
    if (!keepsNewest || position < 0 || position != updatedAt || lastSlot != updatedIn) {
      if (isBack) files.putBack(key, row, position) else files.update(key, row, position)
      if (keepsNewest) updatedValues = keys.valuesOf(row, key)
      updatedAt = position
      updatedIn = lastSlot
    } else checkAlike(key, row, updatedValues)

  override def delete(metadata: InternalRow, id: InternalRow): Unit =
    files.delete(toGroup(metadata, id), position(metadata))

  private def position(metadata: InternalRow): Long =
    if (metadata.numFields <= ChangeWriter.Position || metadata.isNullAt(ChangeWriter.Position)) RowPosition.Unknown
    else metadata.getLong(ChangeWriter.Position)

  private def toGroup(metadata: InternalRow, id: InternalRow): UTF8String = {
    val partition = metadata.getUTF8String(ChangeWriter.Partition)
    val file = metadata.getUTF8String(ChangeWriter.FileId)
    val key = id.getUTF8String(0)
    // Changes of a file group come together, and a name is sooner compared than looked up.
    if (file == null || file != lastFile || partition != lastPartition) {
      lastSlot = groups.slot(file, partition, key)
      lastFile = if (file == null) null else file.copy()
      lastPartition = partition.copy()
    }
    files.toSlot(groups, lastSlot, partition)
    key
  }

  override def currentMetricsValues(): Array[CustomTaskMetric] = files.metrics.values
  override def commit(): WriterCommitMessage = WrittenFiles(files.commit())
  override def abort(): Unit = files.abort()
  override def close(): Unit = ()
}

private object ChangeWriter {
  // In the order of RowLevelWrite.requiredMetadataAttributes.
  val Partition = 0
  val FileId = 1
  val Position = 2

  def keyChanged(from: UTF8String, to: UTF8String): Throwable =
    LastAttempts.failure(InvalidInput("RECORD_KEY_CHANGED", "from" -> from.toString, "to" -> to.toString))

  def partitionChanged(key: UTF8String, from: UTF8String, to: UTF8String): Throwable = LastAttempts.failure(
    InvalidInput("PARTITION_CHANGED", "key" -> key.toString, "from" -> from.toString, "to" -> to.toString))
}

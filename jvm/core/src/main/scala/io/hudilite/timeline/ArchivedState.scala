package io.hudilite.timeline

import io.hudilite.codec.avro.AvroFile
import io.hudilite.error.CorruptTable
import io.hudilite.log.{AvroBlock, BlockKind, HeaderKey, LogBlockWriter}
import io.hudilite.storage.FileInfo

import java.io.ByteArrayOutputStream
import java.time.ZoneId

import org.apache.avro.Schema
import org.apache.avro.generic.{GenericDatumWriter, GenericRecord}
import org.apache.avro.io.EncoderFactory

/** One state of an instant in the archive of layout 1: a log block with one record, and no header but the schema. */
private[timeline] object ArchivedState {

  private val schema: Schema = TimelineSchemas.ArchivedState
  private val headers = Map(HeaderKey.Schema -> schema.toString)

  /** @param state
    *   the state that the file's name says
    * @param content
    *   content of the file
    */
  def block(state: Instant, file: FileInfo, content: Array[Byte], zone: ZoneId): Array[Byte] = {
    val metadata = if (content.isEmpty) None else CorruptTable.guard(file.path)(parsed(state, file.path, content))
    val record = AvroFile.record(schema)(Seq("commitTime" -> state.time, "actionType" -> state.action, "version" -> 1,
        "actionState" -> state.state.name,
        "stateTransitionTime" -> InstantTime.fromEpochMillis(file.modifiedMs, zone)) ++ metadata: _*)
    LogBlockWriter.bytes(BlockKind.AvroData, headers, AvroBlock.encode(Seq(binary(record))))
  }

  private def parsed(state: Instant, path: String, content: Array[Byte]): Option[(String, GenericRecord)] = {
    def copy(target: Schema): GenericRecord = AvroFile.copied(target, AvroFile.read(content))
    def commit(replaces: Boolean): GenericRecord = CommitAvro.encode(CommitCodec.read(content, path), replaces)
    (state.action, state.state) match {
      case (Action.Clean, State.Completed) => Some("hoodieCleanMetadata" -> copy(TimelineSchemas.Clean))
      case (Action.Clean, _) => Some("hoodieCleanerPlan" -> copy(TimelineSchemas.CleanPlan))
      case (Action.Rollback, State.Completed) => Some("hoodieRollbackMetadata" -> copy(TimelineSchemas.Rollback))
      case (Action.Compaction | Action.LogCompaction, State.Requested) =>
        Some("hoodieCompactionPlan" -> copy(TimelineSchemas.CompactionPlan))
      case (Action.ReplaceCommit, State.Completed) => Some("hoodieReplaceCommitMetadata" -> commit(replaces = true))
      case (Action.ReplaceCommit, State.Inflight) => Some("HoodieInflightReplaceMetadata" -> commit(replaces = false))
      case (Action.ReplaceCommit, State.Requested) =>
        Some("hoodieRequestedReplaceMetadata" -> copy(TimelineSchemas.RequestedReplace))
      case (Action.Commit | Action.DeltaCommit, _) => Some("hoodieCommitMetadata" -> commit(replaces = false))
      case _ => None
    }
  }

  private def binary(record: GenericRecord): Array[Byte] = {
    val out = new ByteArrayOutputStream()
    val encoder = EncoderFactory.get.directBinaryEncoder(out, null)
    new GenericDatumWriter[GenericRecord](schema).write(record, encoder)
    encoder.flush()
    out.toByteArray
  }
}

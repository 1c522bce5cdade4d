package io.hudilite.timeline

import io.hudilite.codec.avro.{AvroCodecValues, AvroFields, AvroFile, AvroInput}
import io.hudilite.error.CorruptTable
import io.hudilite.log.{AvroBlock, BlockKind, HeaderKey, LogBlockWriter, LogFileReader}
import io.hudilite.storage.{FileInfo, OpenFile, Storage}

import java.io.ByteArrayOutputStream
import java.time.ZoneId

import org.apache.avro.Schema
import org.apache.avro.generic.{GenericDatumWriter, GenericRecord}
import org.apache.avro.io.EncoderFactory

/** The archived timeline of layout 1: files `.commits_.archive.N` of Avro log blocks (docs/format.md#log-files), a block
  * for each state of an instant.
  */
private[timeline] final class ArchiveLog(storage: Storage, folder: String, zone: ZoneId) extends TimelineArchive {

  import ArchiveLog._

  override def now(): ArchiveImage = new ArchiveImage {
    private val listed = ArchiveLog.this.listed
    private lazy val contents = ArchiveLog.this.contents(listed)

    // Names are numbers, which a table that is made again begins anew.
    override def files: Seq[(String, Long)] = listed.map(f => s"${f.path} ${f.modifiedMs}" -> f.length)

    override def isWhole: Boolean = contents.size == listed.size

    override lazy val completed: Seq[Instant] =
      parsed(contents, OfInstants)(instant).distinct.sortBy(i => (i.time, i.action))

    override def takenBack: Set[String] =
      parsed(contents, OfInstants + Rollback)(entry => if (instant(entry).isEmpty) None else entry.child(Rollback))
        .flatMap(LateWrites.named(PlanCodec.rollbackOf, _)).toSet

    override def commits(times: Set[String]): Map[String, CommitMetadata] = commitsIn(contents, times)

    override def results(actions: Set[String]): Iterator[(Instant, AvroFields)] = contents.iterator.flatMap(file =>
      parsed(Seq(file), OfResults)(entry =>
        instant(entry).filter(i => actions(i.action)).flatMap(i => result(i, entry).map(i -> _))))
  }

  override def commits(times: Set[String]): Map[String, CommitMetadata] = commitsIn(contents(listed), times)

  private def commitsIn(contents: Seq[(String, Array[Byte])], times: Set[String]): Map[String, CommitMetadata] =
    parsed(contents, OfCommits)(commit(_).filter { case (time, _) => times(time) }).toMap

  /** A run takes up interrupted batches before it writes a file, so the newest file has all of them. */
  override def held(instants: Seq[Instant]): Set[Instant] = {
    val newest = parsed(contents(listed.takeRight(1)), OfInstants)(instant).map(i => (i.time, i.action)).toSet
    instants.filter(i => newest((i.time, i.comparableAction))).toSet
  }

  override def append(batch: Seq[InstantStates]): String = {
    val contents = storage.readAll(batch.flatMap(_.files).map(_._2.path))
    val content = batch.flatMap(_.files).flatMap { case (state, file) =>
      contents.get(file.path).map(bytes => ArchivedState.block(state, file, bytes, zone)).toList
    }
    create(storage.list(folder).flatMap(f => number(f.name)).foldLeft(0L)(_ max _) + 1, content.toArray.flatten)
  }

  // Another program may archive meanwhile and take a number, too.
  @annotation.tailrec
  private def create(number: Long, content: Array[Byte]): String = {
    val name = s".commits_.archive.${number}_1-0-1"
    if (storage.createNew(s"$folder/$name", content)) name else create(number + 1, content)
  }

  // Hudi merges the files of this layout only when told to. Nobody needs that: they have few readers.
  override def merge(files: Int): Seq[String] = Nil

  private def listed: Seq[FileInfo] =
    storage.list(folder).flatMap(f => number(f.name).map(_ -> f)).sortBy(_._1).map(_._2)

  private def contents(files: Seq[FileInfo]): Seq[(String, Array[Byte])] = {
    val found = storage.readAll(files.map(_.path))
    files.flatMap(f => found.get(f.path).map(f.path -> _))
  }

  private def parsed[T](contents: Seq[(String, Array[Byte])], fields: Set[String])(parse: AvroFields => Option[T])
      : Seq[T] =
    for {
      (path, bytes) <- contents
      file = OpenFile.of(path, bytes)
      block <- LogFileReader.blocks(file, path, bytes.length.toLong) if block.kind == BlockKind.AvroData
      content = LogFileReader.content(file, block)
      found <- CorruptTable.guard(path)(records(content, block.schemaJson, path, fields).flatMap(parse(_).toList))
    } yield found

  private def records(content: Array[Byte], schemaJson: String, path: String, fields: Set[String]): Seq[AvroFields] = {
    val schema = new Schema.Parser().parse(schemaJson)
    val records = AvroBlock.records(content, path)
    val found = Seq.newBuilder[AvroFields]
    while (records.next()) {
      val record = new AvroInput(content, records.offset, records.offset + records.length)
      found += AvroCodecValues.record(schema, record, fields)
    }
    found.result()
  }

  private def instant(entry: AvroFields): Option[Instant] =
    for {
      time <- entry.text("commitTime")
      action <- entry.text("actionType")
      if entry.text("actionState").forall(_ == State.Completed.name)
    } yield {
      val name = Action.completed(action)
      Instant(time, name, State.Completed, None, s"$time.$name")
    }

  private def result(completed: Instant, entry: AvroFields): Option[AvroFields] =
    Results.get(completed.action).flatMap(_.flatMap(entry.child(_)).headOption)

  private def commit(entry: AvroFields): Option[(String, CommitMetadata)] =
    for {
      completed <- instant(entry) if Action.Writes(completed.action)
      metadata <- entry.child("hoodieReplaceCommitMetadata").orElse(entry.child("hoodieCommitMetadata"))
    } yield completed.time -> CommitPaths.normal(CommitAvro.read(metadata))
}

private object ArchiveLog {

  // The metadata of instants are large and passed over where nobody asks for them.
  private val OfInstants = Set("commitTime", "actionType", "actionState")
  private val OfCommits = OfInstants ++ Set("hoodieCommitMetadata", "hoodieReplaceCommitMetadata")

  private val Rollback = "hoodieRollbackMetadata"

  private val Results = Map(
    Action.Clean -> Seq("hoodieCleanMetadata"),
    Action.Commit -> Seq("hoodieCommitMetadata"),
    Action.DeltaCommit -> Seq("hoodieCommitMetadata"),
    Action.ReplaceCommit -> Seq("hoodieReplaceCommitMetadata", "hoodieCommitMetadata"),
    Action.Rollback -> Seq(Rollback),
    Action.Savepoint -> Seq("hoodieSavePointMetadata"))
  private val OfResults = OfInstants ++ Results.values.flatten

  private val FileName = "\\.commits_\\.archive\\.(\\d{1,18})(_.*)?".r

  private def number(name: String): Option[Long] = name match {
    case FileName(digits, _) => Some(digits.toLong)
    case _ => None
  }
}

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

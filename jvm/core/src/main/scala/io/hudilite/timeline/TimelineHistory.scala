package io.hudilite.timeline

import io.hudilite.codec.avro.{AvroFields, AvroFile}
import io.hudilite.error.CorruptTable
import io.hudilite.storage.Storage

/** The archived timeline of layout 2 (docs/format.md#history): the Parquet files that the newest manifest lists, with
  * one row a completed instant. Small files are merged, layer by layer.
  */
private[timeline] final class TimelineHistory(storage: Storage, folder: String) extends TimelineArchive {

  import TimelineHistory._

  private val manifests = new HistoryManifests(storage, folder)

  override def now(): ArchiveImage = new ArchiveImage {
    private val current = manifests.current().files
    private lazy val contents = TimelineHistory.this.contents(current)

    override def files: Seq[(String, Long)] = current.map(f => pathOf(f) -> f.bytes)

    override lazy val completed: Seq[Instant] =
      rows(contents)(HistoryRows.instants).map(_.instant).distinct.sortBy(i => (i.time, i.action))

    override def takenBack: Set[String] =
      rows(contents)(HistoryRows.commits(_).filter(_.action == Action.Rollback))
        .flatMap(_.metadata.toList).flatMap(LateWrites.named(PlanCodec.rollback, _)).toSet

    override def commits(times: Set[String]): Map[String, CommitMetadata] = {
      val mayHold = ofTimes(current, times.toSeq).map(pathOf).toSet
      commitsIn(contents.filter { case (path, _) => mayHold(path) }, times)
    }

    override def results(actions: Set[String]): Iterator[(Instant, AvroFields)] = for {
      (path, bytes) <- contents.iterator
      row <- rows(Seq(path -> bytes))(HistoryRows.commits(_).filter(row => actions(row.instant.action)))
      content <- row.metadata if content.nonEmpty
    } yield row.instant -> CorruptTable.guard(path)(AvroFile.read(content))
  }

  override def commits(times: Set[String]): Map[String, CommitMetadata] =
    commitsIn(contents(mayHold(times.toSeq)), times)

  private def commitsIn(contents: Seq[(String, Array[Byte])], times: Set[String]): Map[String, CommitMetadata] = {
    val found = for {
      row <- rows(contents)(HistoryRows.commits)
      if times(row.time) && Action.Writes(row.instant.action)
      bytes <- row.metadata.toList
    } yield row.time -> CommitCodec.read(bytes, s"$folder, the instant ${row.time}")
    found.toMap
  }

  override def held(instants: Seq[Instant]): Set[Instant] = {
    val found =
      rows(contents(mayHold(instants.map(_.time))))(HistoryRows.instants).map(r => (r.time, r.instant.action)).toSet
    instants.filter(i => found((i.time, i.comparableAction))).toSet
  }

  private def mayHold(times: Seq[String]): Seq[HistoryFile] =
    if (times.isEmpty) Nil else ofTimes(manifests.current().files, times)

  private def ofTimes(files: Seq[HistoryFile], times: Seq[String]): Seq[HistoryFile] =
    if (times.isEmpty) Nil else files.filter(_.mayHold(times.min, times.max))

  private def pathOf(file: HistoryFile): String = s"$folder/${file.name}"

  private def contents(files: Seq[HistoryFile]): Seq[(String, Array[Byte])] = {
    val paths = files.map(pathOf)
    val found = storage.readAll(paths)
    paths.map(path =>
      path -> found.getOrElse(path,
        throw CorruptTable("CORRUPT_FILE", "path" -> path,
          "reason" -> "the manifest lists it, but it does not exist")))
  }

  private def rows(contents: Seq[(String, Array[Byte])])(read: Array[Byte] => Seq[HistoryRow]): Seq[HistoryRow] =
    contents.flatMap { case (path, bytes) => CorruptTable.guard(path)(read(bytes)) }

  override def append(batch: Seq[InstantStates]): String = {
    val now = manifests.current()
    val made = write(batch.map(row(batch)), layer = 0)
    manifests.publish(now, now.files.filterNot(_.name == made.name) :+ made)
    made.name
  }

  /** The file may be there already, left by a writer that was interrupted before a manifest had it. */
  private def write(rows: Seq[HistoryRow], layer: Int): HistoryFile = {
    val sorted = rows.sortBy(r => (r.time, r.action))
    val bytes = HistoryRows.write(sorted)
    val name = HistoryFile.name(sorted.head.time, sorted.last.time, layer)
    storage.replace(s"$folder/$name", bytes)
    HistoryFile(name, bytes.length.toLong)
  }

  private def row(batch: Seq[InstantStates]): InstantStates => HistoryRow = {
    val contents = storage.readAll(batch.flatMap(_.files).map(_._2.path))
    states => {
      def content(wanted: Instant => Boolean): Option[Array[Byte]] = states.files
        .collectFirst { case (i, file) if wanted(i) && contents.get(file.path).exists(_.nonEmpty) => file.path }
        .map(contents)
      val instant = states.instant
      val metadata = content(_.isCompleted).map(inAvro(_, instant))
      val requested = content(i => i.state == State.Requested && Planned(i.action))
      // The content at the start of a clustering or an overwrite replaces that of its request.
      val started = content(i => i.state == State.Inflight && i.comparableAction == Action.ReplaceCommit)
      HistoryRow(instant.time, instant.completionTime, instant.action, metadata, started.orElse(requested))
    }
  }

  // A table that was upgraded may have commits in JSON. Readers of the archive expect Avro.
  private def inAvro(bytes: Array[Byte], instant: Instant): Array[Byte] =
    if (AvroFile.isAvro(bytes) || !Action.Writes(instant.action)) bytes
    else CommitCodec.write(CommitCodec.read(bytes, instant.fileName), instant.action, layout = 2)

  override def merge(files: Int): Seq[String] = {
    val merged = mergeFrom(0, files)
    manifests.prune(KeptManifests + merged.size, files = merged.nonEmpty)
    merged
  }

  private def mergeFrom(layer: Int, files: Int): List[String] = {
    val now = manifests.current()
    val small = candidates(now.files, layer, files)
    if (small.isEmpty) Nil
    else {
      val all = rows(contents(small))(HistoryRows.all)
      val once = all.groupBy(r => (r.time, r.action)).values.map(_.head).toList
      val made = write(once, layer + 1)
      manifests.publish(now, now.files.filterNot(f => small.contains(f) || f.name == made.name) :+ made)
      made.name :: mergeFrom(layer + 1, files)
    }
  }
}

private[timeline] object TimelineHistory {

  /** Actions whose requested file holds a plan that the archive keeps. */
  private val Planned =
    Set(Action.Clean, Action.Compaction, Action.LogCompaction, Action.Clustering, Action.ReplaceCommit)

  // As many as Hudi leaves for readers that have begun.
  private val KeptManifests = 3

  /** Merging happens in memory, so larger files stay as they are. */
  val MostBytes: Long = 64L << 20

  /** The oldest files of the layer that are to become one. None while the layer has fewer than two, or fewer than
    * `files`.
    */
  def candidates(all: Seq[HistoryFile], layer: Int, files: Int): Seq[HistoryFile] = {
    val small = all.filter(f => f.layer.contains(layer) && f.bytes <= MostBytes / 2).sortBy(_.name)
    val fitting = small.scanLeft(0L)(_ + _.bytes).tail.takeWhile(_ <= MostBytes).size
    if (layer >= HistoryFile.LastLayer || small.size < files) Nil else small.take(math.min(fitting, files))
  }
}

package io.hudilite.timeline

import io.hudilite.error.CorruptTable
import io.hudilite.storage.{Cached, FileInfo, WeightedCache}

import java.nio.charset.StandardCharsets.UTF_8

/** The files `.hoodie/.schema/<instant>.schemacommit`, each with all versions of the table's columns up to the write of
  * that instant (docs/format.md#columns-by-id). Every write adds one; the newest of a committed write counts.
  */
final class SchemaFiles(store: TimelineStore) {

  private val storage = store.storage
  private val layout = store.config.layout
  private val folder = s"${store.basePath.stripSuffix("/")}/.hoodie/.schema"

  /** The history as the newest committed write left it; `None` when there is none. */
  def newest(timeline: Timeline): Option[String] =
    InstantFileName.instants(files, layout, store.config.zone)
      .filter(i => i.isCompleted && i.action == Action.SchemaCommit && timeline.isCommitted(i.time))
      .lastOption.map(i => read(s"$folder/${i.fileName}"))

  private def read(path: String): String = SchemaFiles.cache.of(storage).get(path).getOrElse {
    val bytes = storage.read(path).getOrElse(throw CorruptTable("CORRUPT_FILE", "path" -> path,
        "reason" -> "it was listed, but is gone"))
    val text = new String(bytes, UTF_8)
    SchemaFiles.cache.of(storage).put(path, text, text.length.toLong)
    text
  }

  /** Records the history as of a write that is about to complete. Nobody looks at the file before that. */
  def record(instant: String, history: String): Unit = {
    val done = InstantFileName.completed(instant, Action.SchemaCommit,
      InstantTime.after(instant, store.clock), layout)
    create(InstantFileName.requested(instant, Action.SchemaCommit, layout), "")
    create(InstantFileName.inflight(instant, Action.SchemaCommit, layout), "")
    create(done, history)
  }

  private def create(name: String, content: String): Unit =
    storage.replace(s"$folder/$name", content.getBytes(UTF_8))

  /** Removes the record of a write that is taken back. */
  def delete(instant: String): Unit =
    files.filter(f => InstantFileName.parse(f.name).exists(_.time == instant)).foreach(f => storage.delete(f.path))

  private def files: Seq[FileInfo] = storage.list(folder)
}

private object SchemaFiles {

  private val MaxCharacters = 8L << 20

  private val cache = new Cached(new WeightedCache[String, String](MaxCharacters))
}

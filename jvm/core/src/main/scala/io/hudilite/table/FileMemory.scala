package io.hudilite.table

import io.hudilite.config.TableConfig
import io.hudilite.filegroup.FolderContent
import io.hudilite.metadata.stored.{MetadataFolders, RecordIndex, ValueIndex}
import io.hudilite.storage.{Cached, Storage, WeightedCache}
import io.hudilite.timeline.Timeline

import java.lang.ref.SoftReference
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicReference

/** Files of one snapshot of a table, as far as they are known: its folders as they were listed, and the newest slices.
  */
private[table] final class FileMemory {
  val folders = new ConcurrentHashMap[String, FolderContent]()
  val slices = new KnownSlices
  private var views: Option[CommittedSlices] = None

  private var metadata: Option[MetadataFolders] = None

  private val places = new AtomicReference(Option.empty[Either[String, RecordIndex]])

  private val values = new ConcurrentHashMap[String, Either[String, ValueIndex]]()

  private lazy val asked = new FileMemory
  private lazy val unasked = new FileMemory

  /** That of the same snapshot whose files a metadata table names, for readers that ask for it and for those that do not.
    */
  def ofMetadata(isAsked: Boolean): FileMemory = if (isAsked) asked else unasked

  /** The metadata table of this snapshot. */
  def named(made: => MetadataFolders): MetadataFolders = synchronized {
    val one = metadata.getOrElse(made)
    metadata = Some(one)
    one
  }

  /** Facts on its record index; nothing is kept where they cannot be had, for which an exception is raised. */
  def recordIndex(found: => Either[String, RecordIndex]): Either[String, RecordIndex] = places.synchronized {
    val one = places.get().getOrElse(found)
    places.set(Some(one))
    one
  }

  /** Facts on one of its secondary indexes, as those on the record index. */
  def valueIndex(name: String)(found: => Either[String, ValueIndex]): Either[String, ValueIndex] =
    values.computeIfAbsent(name, _ => found)

  /** The comparison of this snapshot's listings with its commits. */
  def committed(made: => CommittedSlices): CommittedSlices = synchronized {
    val one = views.getOrElse(made)
    views = Some(one)
    one
  }
}

/** Memories of the tables that were opened last, so that a second query does not repeat the listings of the first one.
  *
  * A memory is good while no file of the timeline changes. Each folder in it was listed after that timeline was loaded,
  * so it shows every file of each write that had completed. Files that came later belong to instants which this
  * timeline does not count, or to attempts that no commit names. Files go only by an action that is announced in the
  * timeline first. A folder that somebody empties by hand is missed until the table changes or is refreshed: its files
  * are then reported as missing.
  */
object FileMemory {

  private val MaxTables = 64L

  private final case class Snapshot(config: TableConfig, timeline: Timeline, memory: SoftReference[FileMemory])

  private val recent = new Cached(new WeightedCache[String, Snapshot](MaxTables))

  /** The memory of this snapshot, new when nobody in this process has one. */
  private[table] def of(storage: Storage, basePath: String, config: TableConfig, timeline: Timeline): FileMemory =
    in(storage) { recent =>
      val kept = recent.get(basePath).filter(s => s.timeline == timeline && s.config == config)
      kept.flatMap(s => Option(s.memory.get)).getOrElse {
        val memory = new FileMemory
        recent.put(basePath, Snapshot(config, timeline, new SoftReference(memory)))
        memory
      }
    }

  /** Forgets what is known of the table at this path. */
  def forget(storage: Storage, basePath: String): Unit = in(storage)(_.remove(basePath))

  private def in[T](storage: Storage)(body: WeightedCache[String, Snapshot] => T): T = {
    val ofProcess = recent.of(storage)
    ofProcess.synchronized(body(ofProcess))
  }
}

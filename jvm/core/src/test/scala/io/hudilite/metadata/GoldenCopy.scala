package io.hudilite.metadata

import io.hudilite.{Folders, GoldenFolder, TestTables}
import io.hudilite.config.TableProperties
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.storage.Storage
import io.hudilite.table.Table
import io.hudilite.timeline.{CommitMetadata, TimelineStore}

import java.nio.file.{Files, Path, Paths}

import scala.collection.JavaConverters._

/** A table of Apache Hudi's with a metadata table, to be changed by a test. */
final class GoldenCopy(name: String) {

  val basePath: String = Folders.copy(Paths.get(GoldenFolder.table(name)),
    Files.createTempDirectory("hudilite-golden-copy").resolve("table")).toString

  def metadata: MetadataTable = GoldenCopy.open(basePath)

  /** The newest write of the table, as it tells of itself. */
  def lastWrite: CommitMetadata = {
    val table = Table.open(TestTables.storage, basePath)
    table.store.readCommit(table.lastInstant.get)
  }

  /** The only file below the table whose path matches. */
  def file(pattern: String): Path = files(pattern) match {
    case Seq(one) => one
    case other => throw new IllegalStateException(s"$pattern: ${other.mkString(", ")}")
  }

  /** The files below the table whose paths match, sorted. */
  def files(pattern: String): Seq[Path] = {
    val all = Files.walk(Paths.get(basePath))
    try
      all.iterator.asScala.filter(p => Files.isRegularFile(p) && p.toString.stripPrefix(s"$basePath/").matches(pattern))
        .toList.sorted
    finally all.close()
  }
}

object GoldenCopy {

  def open(basePath: String, storage: Storage = TestTables.storage): MetadataTable = {
    val store = new TimelineStore(storage, basePath, TableProperties.read(storage, basePath))
    new MetadataTable(store, store.load())
  }
}

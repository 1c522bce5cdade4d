package io.hudilite.upkeep

import io.hudilite.config.{IndexesConf, TableProperties}
import io.hudilite.metadata.check.{MetadataDifference, MetadataValidator}
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.storage.Storage
import io.hudilite.table.Table
import io.hudilite.timeline.TimelineStore

/** A table with a metadata table of hudilite's. */
final class KeptMetadata(val storage: Storage, val path: String) {

  def data: TimelineStore = new TimelineStore(storage, path, TableProperties.read(storage, path))

  def home: MetadataHome = new MetadataHome(data)

  def initialise(): Unit = {
    val now = home
    new Initialisation(now).run(now.data.load())
    ()
  }

  /** Makes it with all partitions that hudilite keeps up. */
  def initialiseAll(groups: Int = 2): Unit = {
    val table = Table.open(storage, path)
    val asked = IndexesConf(columnStats = Some(true), columnGroups = groups, bloomFilters = Some(true),
      bloomGroups = groups)
    new Initialisation(home).run(table, IndexesToMake.of(asked, table, Nil, Nil))
    ()
  }

  def partitions: Seq[String] = data.config.metadataPartitions

  /** Where it says otherwise than the files. */
  def differences: Seq[MetadataDifference] = new MetadataValidator(Table.open(storage, path)).differences()

  /** Files as the metadata table names them. */
  def named: Map[String, Map[String, Long]] = {
    val store = data
    val content = new MetadataTable(store, store.load()).named()
    content.partitions.map(path => path -> content.files.getOrElse(path, Map.empty)).toMap
  }

  /** Files as folders list them. */
  def listed: Map[String, Map[String, Long]] = ListedFiles.of(data, data.load()).map { case (partition, files) =>
    partition -> files.map { case (name, file) => name -> file.bytes }
  }

  /** Paths of its files below the table. */
  def files: Seq[String] = storage.listBelow(MetadataHome.folder(path)).map(_.path.stripPrefix(s"$path/")).sorted
}

package io.hudilite.transaction

import io.hudilite.config.{TableConfig, TableKeys, TableProperties}
import io.hudilite.error.{Listed, UnsupportedTable}
import io.hudilite.storage.Storage
import io.hudilite.table.Table
import io.hudilite.timeline.TimelineStore
import io.hudilite.upkeep.MetadataHome

import org.slf4j.LoggerFactory

/** Removal of a metadata table by a writer that cannot keep it up (docs/format.md#metadata-table).
  *
  * Readers trust a metadata table blindly, and one that misses a commit hides its rows for good. So before the commit
  * the property that makes readers trust it is emptied, and then its folder is removed. Hudi builds it anew.
  */
object MetadataTablePolicy {

  /** Metadata tables that a write may remove. */
  sealed trait Policy extends Serializable

  /** None. */
  case object KeepAll extends Policy

  /** Those that list files and hold what footers say. One with an index stays, since to build it takes a pass over all rows.
    */
  case object KeepIndexes extends Policy

  /** Any. */
  case object DropAll extends Policy

  /** The policy of an option's value: `true`, `indexes` or `false`. */
  def policy(name: String): Policy = name match {
    case "true" => KeepAll
    case "false" => DropAll
    case _ => KeepIndexes
  }

  private val log = LoggerFactory.getLogger("io.hudilite.transaction.MetadataTablePolicy")

  // Partitions that are built from listings and footers.
  private val Cheap = Set("files", "column_stats", "partition_stats", "bloom_filters")

  /** Raises `METADATA_TABLE_LOST` when writing would remove what the policy keeps.
    *
    * @param table
    *   as the write finds it
    * @param config
    *   its properties as they are now
    * @param keeps
    *   false where the write is to remove also a metadata table that can be kept up
    */
  def refuse(table: Table, config: TableConfig, policy: Policy, keeps: Option[Boolean] = None): Unit = {
    val (storage, basePath) = (table.storage, table.basePath)
    val home = new MetadataHome(new TimelineStore(storage, basePath, config))
    if (keeps.contains(false) || !home.isKept) refuseLoss(storage, basePath, listed(config), policy)
    else refuseLoss(storage, basePath, table.storedJson.toSeq.flatMap(home.withoutColumn).map(_.name), policy)
  }

  /** Raises `METADATA_TABLE_LOST` where the policy keeps any of these partitions. */
  private[transaction] def refuseLoss(storage: Storage, basePath: String, partitions: Seq[String], policy: Policy)
      : Unit = {
    val kept = policy match {
      case KeepAll => partitions
      case KeepIndexes => partitions.filterNot(Cheap)
      case DropAll => Nil
    }
    if (kept.nonEmpty) throw UnsupportedTable("METADATA_TABLE_LOST", "path" -> basePath,
      "partitions" -> Listed.of(kept), "bytes" -> bytesOf(storage, basePath, kept).toString)
  }

  /** Empties the property and removes the folder. The order property, folder, commit leaves a correct table after a
    * crash at any point.
    */
  private[hudilite] def clear(storage: Storage, basePath: String, config: TableConfig): Unit = {
    val partitions = listed(config)
    if (partitions.nonEmpty) {
      log.warn(s"Removing the metadata table of $basePath, which hudilite does not maintain: " +
        s"${partitions.mkString(", ")}, ${bytesOf(storage, basePath, partitions)} bytes. Apache Hudi builds it again at " +
        "its next write.")
      TableProperties.update(storage, basePath)(
        _ ++ Map(TableKeys.MetadataPartitions -> "", TableKeys.MetadataPartitionsInflight -> ""))
      MetadataHome.delete(storage, MetadataHome.folder(basePath))
    }
  }

  private def bytesOf(storage: Storage, basePath: String, partitions: Seq[String]): Long =
    storage.list(partitions.map(p => s"${MetadataHome.folder(basePath)}/$p")).values.flatten.map(_.length).sum

  private[transaction] def listed(config: TableConfig): Seq[String] =
    (config.metadataPartitions ++ config.metadataPartitionsInflight).distinct
}

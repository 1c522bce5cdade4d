package io.hudilite.transaction

import io.hudilite.config.{TableConfig, TableKeys, TableProperties}
import io.hudilite.error.UnsupportedTable
import io.hudilite.storage.Storage

import org.slf4j.LoggerFactory

/** What a writer does that does not maintain Hudi's metadata table (docs/format.md#metadata-table).
  *
  * Readers trust a metadata table blindly, and one that misses a commit hides its rows for good. So before the commit
  * the property that makes readers trust it is emptied, then its folder is removed; Hudi builds it anew.
  */
private[transaction] object MetadataTable {

  private val log = LoggerFactory.getLogger("io.hudilite.transaction.MetadataTable")

  def refuse(config: TableConfig, basePath: String, options: TransactionOptions): Unit =
    if (options.keepMetadataTable && listed(config).nonEmpty)
      throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> basePath,
        "feature" -> s"a metadata table (${listed(config).mkString(", ")})",
        "reason" -> "writing would remove it, and the write was told to keep it")

  /** The order property, folder, commit leaves a correct table wherever a crash falls. */
  def clear(storage: Storage, basePath: String, config: TableConfig): Unit = if (listed(config).nonEmpty) {
    log.warn(s"Removing the metadata table (${listed(config).mkString(", ")}) of $basePath, which this writer does " +
      "not maintain; Apache Hudi builds it again at its next write.")
    TableProperties.update(storage, basePath)(
      _ ++ Map(TableKeys.MetadataPartitions -> "", TableKeys.MetadataPartitionsInflight -> ""))
    storage.delete(s"${basePath.stripSuffix("/")}/.hoodie/metadata")
  }

  private def listed(config: TableConfig): Seq[String] =
    (config.metadataPartitions ++ config.metadataPartitionsInflight).distinct
}

package io.hudilite.spark.procedure

import java.util.Locale

/** Procedures of others that hudilite does not have, with what takes the place of each. */
private[procedure] object Elsewhere {

  private val Doctor = "doctor finds what is wrong with a table, and fix => true mends what is safe to mend"
  private val Loads =
    "read the files with Spark, and write them with format(\"hudilite\") and the operation bulk_insert"
  private val Audits = "hudilite writes no audit files of its lock; show_timeline tells who wrote when"
  private val Restores = "restore_to_instant brings a state back"
  private val Clusters = "run_clustering writes small files together"

  private val OfHudi: Map[String, String] = Map(
    "sync_validate" -> "compare the counts of both tables by a query",
    "set_audit_lock" -> Audits,
    "show_audit_lock_status" -> Audits,
    "validate_audit_lock" -> Audits,
    "cleanup_audit_lock" -> Audits,
    "partition_bucket_index_manager" ->
      "run_clustering with buckets => n moves a table or its selected partitions to another number of buckets",
    "run_rollback_inflight_tableservice" -> "rollback_to_instant takes a planned service back",
    "delete_marker" -> "the next write, or doctor with fix => true, takes a dead write back with its markers",
    "repair_migrate_partition_meta" -> Doctor,
    "repair_add_partition_meta" -> Doctor,
    "show_fs_path_detail" -> "the metadata table partitions tells files and bytes")

  private val OfIceberg: Map[String, String] = Map(
    "rewrite_data_files" -> Clusters,
    "rewrite_manifests" -> "archive_commits shortens the timeline",
    "rewrite_position_delete_files" -> "run_compaction merges log files into base files",
    "expire_snapshots" -> "run_clean deletes the files of past states",
    "remove_orphan_files" -> Doctor,
    "rollback_to_snapshot" -> Restores,
    "rollback_to_timestamp" -> Restores,
    "set_current_snapshot" -> Restores,
    "ancestors_of" -> "show_commits shows the writes",
    "create_changelog_view" -> "the function hudi_table_changes reads the rows that writes changed",
    "compute_table_stats" -> "ANALYZE TABLE ... COMPUTE STATISTICS keeps them in the catalog",
    "add_files" -> Loads,
    "migrate" -> Loads,
    "snapshot" -> Loads,
    "register_table" -> "CREATE TABLE ... USING hudilite LOCATION '<path>' gives a table a name")

  val All: Map[String, String] = OfHudi ++ OfIceberg

  def of(name: String): Option[String] = All.get(name.toLowerCase(Locale.ROOT))
}

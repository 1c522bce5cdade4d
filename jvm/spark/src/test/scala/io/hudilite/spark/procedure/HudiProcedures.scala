package io.hudilite.spark.procedure

/** The procedures of Apache Hudi 1.2 with their arguments in order, and those that its page alone names. */
private[procedure] object HudiProcedures {

  private val text = """
      |archive_commits(table, path, min_commits, max_commits, retain_commits, enable_metadata)
      |cleanup_audit_lock(table, path, dry_run, age_days)
      |commits_compare(table, path)
      |copy_to_table(table, query_type, new_table, begin_instance_time, end_instance_time, as_of_instant,
      |  save_mode, columns)
      |copy_to_temp_view(table, query_type, view_name, begin_instance_time, end_instance_time, as_of_instant,
      |  replace, global)
      |create_metadata_table(table)
      |create_savepoint(table, commit_time, user, comments, path)
      |delete_marker(table, instant_time)
      |delete_metadata_table(table)
      |delete_savepoint(table, instant_time, path)
      |downgrade_table(table, to_version)
      |drop_partition(table, partition)
      |export_instants(table, local_folder, limit, actions, desc)
      |hdfs_parquet_import(table, table_type, src_path, target_path, row_key, partition_key, schema_file_path,
      |  command, retry, parallelism, props_file_path)
      |help(cmd)
      |hive_sync(table, metastore_uri, username, password, use_jdbc, mode, partition_fields,
      |  partition_extractor_class, strategy, sync_incremental)
      |init_metadata_table(table, read_only)
      |partition_bucket_index_manager(table, overwrite, bucket_number, add, dry_run, rollback, show_config,
      |  rule, options)
      |repair_add_partition_meta(table, dry_run)
      |repair_corrupted_clean_files(table)
      |repair_deduplicate(table, duplicated_partition_path, repaired_output_path, dry_run, dedupe_type)
      |repair_migrate_partition_meta(table, dry_run)
      |repair_overwrite_hoodie_props(table, new_props_file_path)
      |rollback_to_instant(table, instant_time)
      |rollback_to_savepoint(table, instant_time, path)
      |run_bootstrap(table, table_type, bootstrap_path, base_path, rowKey_field, base_file_format,
      |  partition_path_field, bootstrap_index_class, selector_class, key_generator_class,
      |  full_bootstrap_input_provider, schema_provider_class, payload_class, parallelism, enable_hive_sync,
      |  props_file_path, bootstrap_overwrite, options)
      |run_clean(table, schedule_in_line, clean_policy, retain_commits, hours_retained, file_versions_retained,
      |  trigger_strategy, trigger_max_commits, options)
      |run_clustering(table, path, predicate, order, show_involved_partition, op, order_strategy, options,
      |  instants, selected_partitions, partition_regex_pattern, limit)
      |run_compaction(op, table, path, timestamp, options, instants, limit)
      |run_rollback_inflight_tableservice(table, path, pending_instant, delete_request_instant_file)
      |run_ttl(table, ttl_policy, retain_days, options)
      |set_audit_lock(table, path, state)
      |show_archived_commits(table, limit, start_ts, end_ts)
      |show_archived_commits_metadata(table, limit, start_ts, end_ts)
      |show_audit_lock_status(table, path)
      |show_bootstrap_mapping(table, path, partition_path, file_ids, limit, sort_by, desc, filter)
      |show_bootstrap_partitions(table, path, filter)
      |show_clean_plans(table, limit, showArchived, filter)
      |show_cleans(table, limit, showArchived, filter)
      |show_cleans_metadata(table, limit, showArchived, filter)
      |show_clustering(table, path, limit, show_involved_partition)
      |show_commit_extra_metadata(table, limit, instant_time, metadata_key)
      |show_commit_files(table, limit, instant_time)
      |show_commit_partitions(table, limit, instant_time)
      |show_commit_write_stats(table, limit, instant_time)
      |show_commits(table, limit)
      |show_commits_metadata(table, limit)
      |show_compaction(table, path, limit)
      |show_file_status(table, path, partition, file, filter)
      |show_fs_path_detail(path, is_sub, sort, limit, filter)
      |show_fsview_all(table, path, max_instant, include_max, include_in_flight, exclude_compaction, limit,
      |  path_regex, filter)
      |show_fsview_latest(table, path, max_instant, include_max, include_in_flight, exclude_compaction, limit,
      |  path_regex, filter, partition_path, merge)
      |show_invalid_parquet(path, parallelism, limit, needDelete, partitions, instants, filter)
      |show_logfile_metadata(table, path, log_file_path_pattern, limit, filter)
      |show_logfile_records(table, path, log_file_path_pattern, merge, limit, filter)
      |show_metadata_column_stats_overlap(table, path, partition, targetColumns, filter)
      |show_metadata_table_column_stats(table, path, partition, targetColumns, filter)
      |show_metadata_table_files(table, path, partition, limit, filter)
      |show_metadata_table_partitions(table, path, filter)
      |show_metadata_table_stats(table, path, filter)
      |show_rollback_detail(table, limit, instant_time)
      |show_rollbacks(table, limit)
      |show_savepoints(table, path)
      |show_table_properties(table, path, limit, filter)
      |show_timeline(table, path, limit, showArchived, filter, startTime, endTime)
      |stats_file_sizes(table, partition_path, limit)
      |stats_wa(table, limit)
      |sync_validate(src_table, dst_table, mode, hive_server_url, hive_pass, src_db, target_db, partition_cnt,
      |  hive_user)
      |truncate_table(table, partitions)
      |upgrade_table(table, to_version)
      |validate_audit_lock(table, path)
      |validate_metadata_table_files(table, verbose)
      |show_column_stats_overlap(table, path, partition, targetColumns)
      |""".stripMargin

  private val Call = """(\w+)\(([^)]*)\)""".r

  val All: Seq[(String, Seq[String])] = Call.findAllMatchIn(text).toList.map(found =>
    found.group(1) -> found.group(2).split(',').toSeq.map(_.trim))
}

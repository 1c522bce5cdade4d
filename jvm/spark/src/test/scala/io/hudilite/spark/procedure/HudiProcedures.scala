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

  private val answers = """
      |commits_compare -> compare_detail:string
      |copy_to_table -> status:int
      |copy_to_temp_view -> status:int
      |create_metadata_table -> result:string
      |create_savepoint -> create_savepoint_result:boolean
      |delete_metadata_table -> result:string
      |downgrade_table -> result:boolean
      |export_instants -> export_detail:string
      |hdfs_parquet_import -> import_result:int
      |init_metadata_table -> result:string
      |repair_corrupted_clean_files -> result:boolean
      |repair_deduplicate -> result:string
      |repair_overwrite_hoodie_props -> property:string, old_value:string, new_value:string
      |rollback_to_savepoint -> rollback_savepoint_result:boolean
      |run_ttl -> deleted_partitions:string
      |show_archived_commits -> commit_time:string, state_transition_time:string, total_bytes_written:bigint,
      |  total_files_added:bigint, total_files_updated:bigint, total_partitions_written:bigint,
      |  total_records_written:bigint, total_update_records_written:bigint, total_errors:bigint
      |show_archived_commits_metadata -> commit_time:string, state_transition_time:string, action:string,
      |  partition:string, file_id:string, previous_commit:string, num_writes:bigint, num_inserts:bigint,
      |  num_deletes:bigint, num_update_writes:bigint, total_errors:bigint, total_log_blocks:bigint,
      |  total_corrupt_log_blocks:bigint, total_rollback_blocks:bigint, total_log_records:bigint,
      |  total_updated_records_compacted:bigint, total_bytes_written:bigint
      |show_bootstrap_mapping -> partition:string, file_id:string, source_base_path:string,
      |  source_partition:string, source_file:string
      |show_bootstrap_partitions -> indexed_partitions:string
      |show_clean_plans -> plan_time:string, state:string, action:string, earliest_instant_to_retain:string,
      |  last_completed_commit_timestamp:string, policy:string, version:int, total_partitions_to_clean:int,
      |  total_partitions_to_delete:int, extra_metadata:string
      |show_cleans -> clean_time:string, state_transition_time:string, action:string, start_clean_time:string,
      |  time_taken_in_millis:bigint, total_files_deleted:int, earliest_commit_to_retain:string,
      |  last_completed_commit_timestamp:string, version:int
      |show_cleans_metadata -> clean_time:string, state_transition_time:string, action:string,
      |  start_clean_time:string, partition_path:string, policy:string, delete_path_patterns:int,
      |  success_delete_files:int, failed_delete_files:int, is_partition_deleted:boolean,
      |  time_taken_in_millis:bigint, total_files_deleted:int
      |show_clustering -> timestamp:string, input_group_size:int, state:string, involved_partitions:string
      |show_commit_extra_metadata -> instant_time:string, action:string, metadata_key:string,
      |  metadata_value:string
      |show_commit_files -> action:string, partition_path:string, file_id:string, previous_commit:string,
      |  total_records_updated:bigint, total_records_written:bigint, total_bytes_written:bigint,
      |  total_errors:bigint, file_size:bigint
      |show_commit_partitions -> action:string, partition_path:string, total_files_added:bigint,
      |  total_files_updated:bigint, total_records_inserted:bigint, total_records_updated:bigint,
      |  total_bytes_written:bigint, total_errors:bigint
      |show_commit_write_stats -> action:string, total_bytes_written:bigint, total_records_written:bigint,
      |  avg_record_size:bigint
      |show_commits -> commit_time:string, state_transition_time:string, action:string,
      |  total_bytes_written:bigint, total_files_added:bigint, total_files_updated:bigint,
      |  total_partitions_written:bigint, total_records_written:bigint, total_update_records_written:bigint,
      |  total_errors:bigint
      |show_commits_metadata -> commit_time:string, state_transition_time:string, action:string,
      |  partition:string, file_id:string, previous_commit:string, num_writes:bigint, num_inserts:bigint,
      |  num_deletes:bigint, num_update_writes:bigint, total_errors:bigint, total_log_blocks:bigint,
      |  total_corrupt_log_blocks:bigint, total_rollback_blocks:bigint, total_log_records:bigint,
      |  total_updated_records_compacted:bigint, total_bytes_written:bigint
      |show_file_status -> status:string, action:string, instant:string, timeline:string, full_path:string
      |show_fsview_all -> partition:string, file_id:string, base_instant:string, data_file:string,
      |  data_file_size:bigint, num_delta_files:bigint, total_delta_file_size:bigint, delta_files:string
      |show_fsview_latest -> partition:string, file_id:string, base_instant:string, data_file:string,
      |  data_file_size:bigint, num_delta_files:bigint, total_delta_file_size:bigint,
      |  delta_size_compaction_scheduled:bigint, delta_size_compaction_unscheduled:bigint,
      |  delta_to_base_radio_compaction_scheduled:double, delta_to_base_radio_compaction_unscheduled:double,
      |  delta_files_compaction_scheduled:string, delta_files_compaction_unscheduled:string
      |show_invalid_parquet -> path:string
      |show_logfile_metadata -> instant_time:string, record_count:int, block_type:string, header_metadata:string,
      |  footer_metadata:string
      |show_logfile_records -> records:string
      |show_metadata_column_stats_overlap -> Partition path:string, Field name:string, Average overlap:double,
      |  Maximum file overlap:int, Total file number:int, 50% overlap:int, 75% overlap:int, 95% overlap:int,
      |  99% overlap:int, Total value number:int
      |show_metadata_table_column_stats -> file_name:string, column_name:string, min_value:string,
      |  max_value:string, null_number:bigint
      |show_metadata_table_files -> file_path:string
      |show_metadata_table_partitions -> partition:string
      |show_metadata_table_stats -> stat_key:string, stat_value:string
      |show_rollback_detail -> instant:string, rollback_instant:string, partition:string, deleted_file:string,
      |  succeeded:boolean
      |show_rollbacks -> instant:string, rollback_instant:string, total_files_deleted:int,
      |  time_taken_in_millis:bigint, total_partitions:int
      |show_table_properties -> key:string, value:string
      |stats_file_sizes -> commit_time:string, min:bigint, 10th:double, 50th:double, avg:double, 95th:double,
      |  max:bigint, num_files:int, std_dev:double
      |stats_wa -> commit_time:string, total_upserted:bigint, total_written:bigint,
      |  write_amplification_factor:string
      |truncate_table -> result:string, time_cost:bigint
      |upgrade_table -> result:boolean
      |validate_metadata_table_files -> partition:string, file_name:string, is_present_in_fs:boolean,
      |  is_present_in_metadata:boolean, fs_size:bigint, metadata_size:bigint
      |""".stripMargin

  private val Answer = """(?s)(\w+) -> (.+?)(?=\w+ -> |\z)""".r

  /** Names and types of the columns with which these of them answer. */
  val Columns: Seq[(String, Seq[String])] = Answer.findAllMatchIn(answers).toList.map(found =>
    found.group(1) -> found.group(2).split(',').toSeq.map(_.trim))
}

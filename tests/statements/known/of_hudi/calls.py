"""Procedures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame

from statements.known.of_hudi.step import RIDES, RIDES_COLUMNS, Place, Step, Story

_VALUES = ", ".join(map(str, RIDES))
_MADE = [
    f"CREATE TABLE {{t}} ({RIDES_COLUMNS}) USING hudilite PARTITIONED BY (town) "
    "TBLPROPERTIES (type = 'mor', primaryKey = 'ride', preCombineField = 'ts') LOCATION '{p}'",
    f"INSERT INTO {{t}} VALUES {_VALUES}",
    "UPDATE {t} SET fare = 20.0 WHERE ride = 'r-1'",
]


def _call(name: str, call: str, rows: object = 1, **more: Any) -> Step:
    return Step(name, f"CALL {call}", rows=None if more.get("error") else rows, **more)  # type: ignore[arg-type]


def exported(at: Place) -> DataFrame:
    """Instants in a local folder, which must be there."""
    folder = Path(at.p + "-exported")
    folder.mkdir()
    done = at.spark.sql(f"CALL hudilite.system.export_instants(table => '{at.t}', local_folder => '{folder}')")
    assert len(done.collect()) == 1 and len(list(folder.iterdir())) == 2
    return done


def with_owner(at: Place) -> list[tuple[Any, ...]]:
    """The changes that a file of the table's properties with one more makes."""
    file = Path(at.p + "-properties")
    file.write_text((Path(at.p) / ".hoodie" / "hoodie.properties").read_text() + "team.owner=ann\n")
    done = at.spark.sql(
        f"CALL hudilite.system.repair_overwrite_hoodie_props(table => '{at.t}', new_props_file_path => '{file}')"
    )
    return [tuple(row) for row in done.collect() if row["old_value"] != row["new_value"]]


def imported(at: Place) -> DataFrame:
    """A table of the rows of Parquet files."""
    at.rides().write.parquet(at.p + "-files")
    target = at.p + "-imported"
    at.spark.sql(
        f"CALL hudilite.system.hdfs_parquet_import(table => 'imported', table_type => 'COPY_ON_WRITE', "
        f"src_path => '{at.p}-files', target_path => '{target}', row_key => 'ride', partition_key => 'town', "
        "schema_file_path => '')"
    )
    return at.spark.read.format("hudilite").load(target)


def bootstrapped(at: Place) -> DataFrame:
    """A table whose rows stay in Parquet files, as the procedure leaves them by default."""
    at.rides().write.partitionBy("town").parquet(at.p + "-plain")
    target = at.p + "-bootstrapped"
    done = at.spark.sql(
        f"CALL hudilite.system.run_bootstrap(table => 'taken', table_type => 'COPY_ON_WRITE', bootstrap_path => "
        f"'{at.p}-plain', base_path => '{target}', rowKey_field => 'ride', partition_path_field => 'town')"
    )
    assert [tuple(row) for row in done.collect()] == [(0,)]
    at.spark.sql(f"UPDATE hudilite.`{target}` SET fare = 0 WHERE ride = 'r-4'")
    return at.spark.sql(f"SELECT ride, fare, town, _hoodie_record_key FROM hudilite.`{target}`")


def rollback(at: Place) -> str:
    """The time of the newest rollback."""
    return str(at.spark.sql(f"CALL hudilite.system.show_rollbacks(table => '{at.t}')").first()[0])  # type: ignore[index]


_P = "hudilite.system."
STORIES = [
    Story(
        "a rollback",
        [*_MADE, "CALL hudilite.system.rollback_to_instant(table => '{t}', instant_time => '{i}')"],
        [
            Step(
                "proc-show-rollback-detail",
                lambda at: at.spark.sql(
                    f"CALL hudilite.system.show_rollback_detail(table => '{at.t}', instant_time => '{rollback(at)}')"
                ),
                rows=1,
            )
        ],
    ),
    Story(
        "procedures",
        _MADE,
        [
            _call("proc-show-table-properties", _P + "show_table_properties(table => '{t}', limit => 10)", 10),
            _call("call-without-catalog", "show_commits(table => '{t}', limit => 10)", 2),
            Step("call-lower-case-unqualified-position", "call show_commits('{t}', 10)", rows=2),
            _call("proc-show-commits-metadata", _P + "show_commits_metadata(table => '{t}', limit => 3)", 3),
            _call("proc-show-commit-partitions", _P + "show_commit_partitions(table => '{t}', instant_time => '{i}')"),
            _call(
                "proc-show-commit-write-stats", _P + "show_commit_write_stats(table => '{t}', instant_time => '{i}')"
            ),
            _call("proc-stats-file-sizes", _P + "stats_file_sizes(table => '{t}')", 3),
            _call("proc-show-fsview-all-by-position", _P + "show_fsview_all('{t}')", 3),
            _call("proc-show-fsview-latest", _P + "show_fsview_latest(table => '{t}', partition_path => 'town=oslo')"),
            _call("proc-show-cleans", _P + "show_cleans(table => '{t}')", 0),
            _call("proc-show-clean-plans", _P + "show_clean_plans(table => '{t}')", 0),
            _call("proc-show-archived-commits", _P + "show_archived_commits(table => '{t}')", 0),
            _call("proc-show-archived-commits-metadata", _P + "show_archived_commits_metadata(table => '{t}')", 0),
            _call("proc-stats-wa", _P + "stats_wa(table => '{t}')", 2),
            _call("proc-copy-to-temp-view", _P + "copy_to_temp_view(table => '{t}', view_name => 'a_copy')"),
            Step("proc-export-instants", exported, rows=1),
            _call(
                "proc-show-logfile-metadata",
                _P + "show_logfile_metadata(table => '{t}', log_file_path_pattern => '{p}/town=oslo/*.log*')",
            ),
            _call("proc-show-invalid-parquet", _P + "show_invalid_parquet(path => '{p}')", 0),
            _call(
                "proc-show-file-status",
                _P + "show_file_status(table => '{t}', partition => 'town=oslo', file => 'x.parquet')",
                [("unknown", "", "", "", "")],
            ),
            _call("proc-repair-corrupted-clean-files", _P + "repair_corrupted_clean_files(table => '{t}')", [(True,)]),
            Step("proc-repair-overwrite-hoodie-props", with_owner, rows=[("team.owner", "null", "ann")]),
            Step(
                "proc-show-column-stats-overlap",
                [
                    f"CALL {_P}create_metadata_table(table => '{{t}}', "
                    "options => 'hoodie.metadata.index.column.stats.enable=true')",
                ],
                then=f"CALL {_P}show_column_stats_overlap(table => '{{t}}', targetColumns => 'ride')",
                rows=3,
            ),
            _call(
                "proc-show-bootstrap-partitions",
                _P + "show_bootstrap_partitions(table => '{t}')",
                error="INVALID_OPTION_VALUE",
                says="no bootstrap",
                otherwise=True,
            ),
            Step("proc-hdfs-parquet-import", imported, rows=4),
            Step(
                "proc-run-bootstrap",
                bootstrapped,
                rows=[(ride, 0.0 if ride == "r-4" else fare, town, ride) for _, ride, _, _, fare, town in RIDES],
            ),
            _call(
                "proc-repair-deduplicate",
                _P
                + "repair_deduplicate(table => '{t}', duplicated_partition_path => 'town=oslo', repaired_output_path => '{p}-repaired')",
            ),
            _call("proc-commits-compare", _P + "commits_compare(table => '{t}', path => '{p}')"),
            _call("proc-hive-sync", _P + "hive_sync(table => '{t}')", 2),
            _call(
                "proc-hive-sync-arguments",
                _P
                + "hive_sync(table => '{t}', metastore_uri => '', username => '', password => '', use_jdbc => 'false', mode => 'hms', partition_fields => 'town', strategy => 'ALL', sync_incremental => 'true')",
                2,
            ),
            Step(
                "create_metadata_table",
                [
                    f"CALL {_P}delete_metadata_table(table => '{{t}}')",
                    f"CALL {_P}create_metadata_table(table => '{{t}}')",
                ],
                rows=1,
            ),
            _call("proc-init-metadata-table", _P + "init_metadata_table(table => '{t}')"),
            _call("proc-show-metadata-table-partitions", _P + "show_metadata_table_partitions(table => '{t}')", 3),
            _call(
                "proc-show-metadata-table-files",
                _P + "show_metadata_table_files(table => '{t}', partition => 'town=oslo')",
                2,
            ),
            _call("proc-validate-metadata-table-files", _P + "validate_metadata_table_files(table => '{t}')", 0),
            _call("proc-create-metadata-table", _P + "delete_metadata_table(table => '{t}')"),
            _call(
                "proc-run-clustering-show-involved",
                _P + "run_clustering(table => '{t}', show_involved_partition => true)",
                0,
            ),
            _call(
                "proc-run-clustering-options-products",
                _P
                + "run_clustering(table => '{t}', op => 'schedule', options => 'hoodie.clustering.plan.strategy.target.file.max.bytes=1024*1024*1024')",
                0,
            ),
            _call("proc-run-clustering-limit", _P + "run_clustering(table => '{t}', op => 'execute', limit => 10)", 0),
            _call(
                "proc-run-clustering-regex",
                _P + "run_clustering(table => '{t}', partition_regex_pattern => 'town=o.*')",
                0,
            ),
            _call("proc-run-compaction-limit", _P + "run_compaction(op => 'run', table => '{t}', limit => 1)"),
            _call(
                "proc-run-clean-notebook",
                _P
                + "run_clean(table => '{t}', trigger_max_commits => 2, clean_policy => 'KEEP_LATEST_FILE_VERSIONS', file_versions_retained => 1)",
            ),
            _call("proc-run-ttl", _P + "run_ttl(table => '{t}', retain_days => 30)", 0),
            _call("proc-drop-partition", _P + "drop_partition(table => '{t}', partition => 'town=oslo')"),
            _call("proc-upgrade-table", _P + "upgrade_table(table => '{t}', to_version => 'NINE')"),
            _call("proc-truncate-table", _P + "truncate_table(table => '{t}')"),
        ],
    ),
]

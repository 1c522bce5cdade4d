"""Time travel, metadata tables, table functions and procedures."""

from __future__ import annotations

from statements.statement import changes, does, gives, refused, says

_OLD = [(1, "a", 1.0, "one"), (2, "a", 0.5, "old")]
_CALL = "CALL hudilite.system."
#: `x` is the time of the first write, under a name that a table has too.
_OTHER = (
    "WITH other AS (SELECT timestamp(regexp_replace('$I1', '(.{4})(..)(..)(..)(..)(..)', '$1-$2-$3 $4:$5:$6.')) AS x)"
)
_THEN = f"$T TIMESTAMP AS OF ({_OTHER} SELECT x FROM other)"
_AROUND = "reads a common table expression of the query around it"

KINDS = {
    "time travel": [
        gives("SELECT * FROM $T VERSION AS OF '$I1' ORDER BY id", *_OLD),
        gives("SELECT * FROM $T VERSION AS OF '$I1' ORDER BY id", *_OLD, on="mor"),
        gives("SELECT count(*) FROM $T VERSION AS OF $I2", 3),
        gives("SELECT count(*) FROM $T FOR SYSTEM_VERSION AS OF '$I1'", 2),
        gives("SELECT count(*) FROM $T TIMESTAMP AS OF '2099-01-01'", 3),
        gives("SELECT count(*) FROM $T TIMESTAMP AS OF current_timestamp()", 3),
        gives("SELECT count(*) FROM $T FOR SYSTEM_TIME AS OF (now() + INTERVAL 1 HOUR)", 3),
        gives(
            "SELECT n.id, o.v FROM $T n JOIN (SELECT * FROM $T VERSION AS OF '$I1') o USING (id) WHERE n.v <> o.v",
            (2, 0.5),
        ),
        changes(
            "INSERT INTO $T SELECT id + 100, day, v, name FROM $T VERSION AS OF '$I1' WHERE id = 2",
            [(102, "a", 0.5, "old")],
        ),
        gives("SELECT count(*) FROM $T TIMESTAMP AS OF (SELECT timestamp '2099-01-01' FROM other WHERE id = 9)", 3),
        gives(f"SELECT * FROM {_THEN} ORDER BY id", *_OLD),
        gives(f"WITH z AS (SELECT * FROM {_THEN}) SELECT * FROM z ORDER BY id", *_OLD),
        gives(f"SELECT count(*) FROM $T WHERE id IN (SELECT id FROM {_THEN})", 2),
        changes(
            f"WITH o AS (SELECT 100 AS x) INSERT INTO $T SELECT id + x, day, v, name FROM {_THEN}, o WHERE id = 2",
            [(102, "a", 0.5, "old")],
        ),
        refused(f"{_OTHER} SELECT * FROM $T TIMESTAMP AS OF (SELECT x FROM other)", "STATEMENT_NOT_SUPPORTED", _AROUND),
        refused(
            f"{_OTHER}, z AS (SELECT * FROM $T TIMESTAMP AS OF (SELECT x FROM other)) SELECT * FROM z",
            "STATEMENT_NOT_SUPPORTED",
            _AROUND,
        ),
        refused(
            f"{_OTHER} INSERT INTO $T SELECT * FROM $T WHERE id IN "
            "(SELECT id FROM $T TIMESTAMP AS OF (WITH i AS (SELECT * FROM other) SELECT x FROM i))",
            "STATEMENT_NOT_SUPPORTED",
            _AROUND,
            lines=("4",),  # 3.5 puts the definition into the statement by itself
        ),
        refused(
            "SELECT * FROM $T TIMESTAMP AS OF (WITH c AS (SELECT timestamp '2001-01-01' AS x) SELECT x FROM c)",
            "TIME_BEFORE_FIRST_COMMIT",
            "first commit",
        ),
        refused("SELECT * FROM $T VERSION AS OF 3", "INVALID_INSTANT", "3"),
        refused("SELECT * FROM $T VERSION AS OF 'soon'", "INVALID_INSTANT", "soon"),
        refused("SELECT * FROM $T TIMESTAMP AS OF '2001-01-01'", "TIME_BEFORE_FIRST_COMMIT", "first commit"),
        refused("SELECT * FROM $T TIMESTAMP AS OF 'soon'", "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR"),
        refused("SELECT * FROM $T TIMESTAMP AS OF id", "", "id"),
        refused("UPDATE $T VERSION AS OF '$I1' SET v = 1", "PARSE_SYNTAX_ERROR"),
    ],
    "metadata tables": [
        gives("SELECT operation, inserts, updates FROM $M.history ORDER BY time", ("INSERT", 2, 0), ("UPSERT", 1, 1)),
        gives(
            "SELECT time, action, state FROM $M.timeline ORDER BY time",
            ("$I1", "commit", "completed"),
            ("$I2", "commit", "completed"),
        ),
        gives("SELECT partition, rows FROM $M.files ORDER BY partition", ("a", 2), ("b", 1)),
        gives("SELECT partition, log_files FROM $M.file_groups ORDER BY partition", ("a", 1), ("b", 0), on="mor"),
        gives("SELECT partition, base_files FROM $M.partitions ORDER BY partition", ("a", 1), ("b", 1)),
        gives("SELECT count(*) FROM $M.compactions", 0, on="mor"),
        gives("SELECT value FROM $M.properties WHERE key = 'hoodie.table.recordkey.fields'", "id"),
        says("DESCRIBE $M.history", "operation | string"),
        refused("SELECT * FROM $M.histori", "UNKNOWN_NAME", "history"),
        refused(
            "SELECT * FROM $M.history VERSION AS OF '$I1'", "STATEMENT_NOT_SUPPORTED", "of the present table alone"
        ),
        refused("INSERT INTO $M.properties VALUES ('a', 'b')", "STATEMENT_NOT_SUPPORTED"),
        refused("DELETE FROM $M.history", "STATEMENT_NOT_SUPPORTED"),
        refused("UPDATE $M.properties SET value = 'x'", "STATEMENT_NOT_SUPPORTED"),
        refused("DROP TABLE $M.history", "STATEMENT_NOT_SUPPORTED"),
        refused("TRUNCATE TABLE $M.timeline", "STATEMENT_NOT_SUPPORTED"),
        refused("ALTER TABLE $M.history ADD COLUMN x INT", "STATEMENT_NOT_SUPPORTED"),
    ],
    "table functions": [
        gives("SELECT id FROM hudi_table_changes('$A', 'latest_state', 'earliest') ORDER BY id", 1, 2, 3),
        gives("SELECT count(*) FROM hudi_query_timeline('$A')", 2),
        refused(
            "SELECT * FROM hudi_table_changes('$A', 'cdc', 'earliest')",
            "INVALID_OPTION_VALUE",
            "hudi_table_changes is not valid: images before and after",
        ),
        refused("SELECT * FROM hudi_table_changes('$A')", "", "write hudi_table_changes(table"),
        refused("SELECT * FROM hudi_query_timeline('/nothing')", "TABLE_NOT_FOUND"),
        refused("SELECT * FROM hudi_query_timelin('$A')", "", "hudi_query_timelin"),
    ],
    "procedures": [
        says(f"{_CALL}show_commits('$A')", "$I2", "$I1"),
        gives(f"{_CALL}show_clustering(table => '$A')"),
        says(f"{_CALL}show_timeline(table => '$A', limit => 1)", "$I2"),
        says(f"{_CALL}show_services('$A')", "cleaning", "archiving"),
        says(f"{_CALL}help()", "run_compaction", "create_savepoint"),
        says(f"{_CALL}help(cmd => 'run_clean')", "retain_commits"),
        gives(f"{_CALL}show_savepoints('$A')"),
        gives(f"{_CALL}doctor('$A')"),
        gives(f"{_CALL}archive_commits('$A')", (0, 0, [], [])),
        says(f"{_CALL}drop_partition('$A', 'a', dry_run => true)", "a | 1 | None | False"),
        changes(
            f"{_CALL}drop_partition('$A', 'a')",
            [],
            [(1, "a", 1.0, "one"), (2, "a", 2.0, "two")],
            touches=frozenset({"rows", "timeline"}),
        ),
        does(
            f"{_CALL}create_savepoint('$A')",
            {"timeline"},
            "SELECT count(*) FROM $M.timeline WHERE action = 'savepoint'",
            1,
        ),
        changes(
            f"{_CALL}rollback_to_instant('$A', '$I2')",
            [(2, "a", 0.5, "old")],
            [(2, "a", 2.0, "two"), (3, "b", 3.0, None)],
        ),
        does(
            f"{_CALL}run_compaction(op => 'run', table => '$A', options => 'hoodie.compact.inline.max.delta.commits=1')",
            {"timeline", "files"},
            "SELECT sum(log_files) FROM $M.file_groups",
            0,
            on="mor",
        ),
        does(
            f"{_CALL}run_compaction(op => 'schedule', table => '$A', options => 'hoodie.compact.inline.max.delta.commits=1')",
            {"timeline"},
            "SELECT count(*) FROM $M.compactions",
            1,
            on="mor",
        ),
        does(f"{_CALL}run_clustering('$A', order => 'v', op => 'schedule')", {"timeline"}, None),
        refused(f"{_CALL}run_compaction(table => '$A')", "COMPACTION_NOT_POSSIBLE"),
        refused(f"{_CALL}show_comits('$A')", "UNKNOWN_NAME", "show_commits"),
        refused(f"{_CALL}show_commits(tabel => '$A')", "UNKNOWN_NAME", "table"),
        refused(f"{_CALL}show_commits()", "MISSING_OPTION", "table"),
        refused(f"{_CALL}show_commits('$A', -1)", "INVALID_OPTION_VALUE", "0 or more"),
        refused(f"{_CALL}show_commits('other')", "", "format parquet"),
        refused(f"{_CALL}drop_partition('$A', 'q')", "PARTITION_NOT_FOUND", "q"),
        refused(
            f"{_CALL}drop_partition('$A', '[]')",
            "INVALID_OPTION_VALUE",
            "partition is not valid: an empty list names nothing",
        ),
        refused(f"{_CALL}rollback_to_savepoint('$A')", "", "no savepoint"),
        refused(f"{_CALL}rollback_to_instant('$A', '20200101000000000')", "ROLLBACK_NOT_POSSIBLE|", ""),
        refused("CALL spark_catalog.system.show_commits('$A')", "", ""),
    ],
}

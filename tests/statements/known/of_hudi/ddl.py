"""CREATE and ALTER, and indexes by SQL."""

from __future__ import annotations

from statements.known.of_hudi.step import RIDES, RIDES_COLUMNS, Step, Story

_VALUES = ", ".join(map(str, RIDES))
_RIDES = f"CREATE TABLE {{t}} ({RIDES_COLUMNS}) USING hudilite PARTITIONED BY (town) TBLPROPERTIES (primaryKey = 'ride'"
_FILLED = [_RIDES + ")", f"INSERT INTO {{t}} VALUES {_VALUES}"]
_INDEXED = [
    _RIDES + ", preCombineField = 'ts', 'hoodie.metadata.enable' = 'true')",
    f"INSERT INTO {{t}} VALUES {_VALUES}",
]


def _one(name: str, *steps: Step, setup: tuple[str, ...] = ()) -> Story:
    return Story(name, setup, steps)


STORIES = [
    _one(
        "plain",
        Step(
            "ddl-create-plain",
            [
                "CREATE TABLE IF NOT EXISTS {t} (id INT, name STRING, price DOUBLE) USING hudilite",
                "INSERT INTO {t} VALUES (1, 'a', 1.0)",
            ],
            "SELECT * FROM {t}",
            [(1, "a", 1.0)],
        ),
    ),
    _one(
        "two partition columns",
        Step(
            "ddl-create-two-partition-columns",
            [
                "CREATE TABLE {t} (id INT, name STRING, dt STRING, hh STRING) USING hudilite "
                "TBLPROPERTIES (type = 'cow') PARTITIONED BY (dt, hh)",
                "INSERT INTO {t} PARTITION (dt, hh) SELECT 1 AS id, 'a1' AS name, '2021-12-09' AS dt, '10' AS hh",
            ],
            "SELECT id, _hoodie_partition_path FROM {t}",
            [(1, "dt=2021-12-09/hh=10")],
        ),
    ),
    _one(
        "a partition column in the middle",
        Step(
            "ddl-partition-column-in-the-middle-of-texts",
            [
                "CREATE TABLE {t} (id STRING, dt STRING, name STRING) USING hudilite PARTITIONED BY (dt) "
                "TBLPROPERTIES (primaryKey = 'id')",
                "INSERT INTO {t} VALUES ('1', 'ann', '2024-01-01')",
            ],
            "SELECT id, name, dt FROM {t}",
            [("1", "ann", "2024-01-01")],
        ),
    ),
    _one(
        "fewer columns",
        Step(
            "ddl-insert-fewer-columns-is-null",
            [
                "CREATE TABLE {t} (id INT, name STRING, price DOUBLE) USING hudilite TBLPROPERTIES (primaryKey = 'id')",
                "INSERT INTO {t} (id, name) VALUES (1, 'a')",
            ],
            "SELECT * FROM {t}",
            [(1, "a", None)],
        ),
    ),
    _one(
        "a merge mode",
        Step(
            "ddl-record-merge-mode-event-time",
            [
                "CREATE TABLE IF NOT EXISTS {t} (id INT, name STRING, ts LONG, price DOUBLE) USING hudilite "
                "TBLPROPERTIES (type = 'mor', primaryKey = 'id', preCombineField = 'ts', "
                "recordMergeMode = 'EVENT_TIME_ORDERING') LOCATION '{p}'",
            ],
            "SELECT value FROM of_hudi.{t}.properties WHERE key = 'hoodie.record.merge.mode'",
            ["EVENT_TIME_ORDERING"],
        ),
    ),
    _one(
        "as select, without keys, partitioned",
        Step(
            "ddl-ctas-without-keys-partitioned",
            "CREATE TABLE {t} USING hudilite TBLPROPERTIES (type = 'cow', preCombineField = 'ts') PARTITIONED BY (dt) "
            "AS SELECT 1 AS id, 10L AS ts, 'mon' AS dt",
            "SELECT * FROM {t}",
            [(1, 10, "mon")],
        ),
    ),
    _one(
        "as select, without keys",
        Step(
            "ddl-ctas-without-keys",
            "CREATE TABLE {t} USING hudilite TBLPROPERTIES (type = 'cow', preCombineField = 'ts') "
            "AS SELECT 1 AS id, 10L AS ts, 'mon' AS dt",
            "SELECT * FROM {t}",
            [(1, 10, "mon")],
        ),
    ),
    Story(
        "alterations",
        _FILLED,
        [
            Step(
                "ddl-hive-style-is-the-default-of-sql",
                "SELECT DISTINCT _hoodie_partition_path FROM {t}",
                rows=["town=oslo", "town=rome", "town=pune"],
            ),
            Step(
                "ddl-set-serdeproperties",
                "ALTER TABLE {t} SET SERDEPROPERTIES ('key1' = 'value1')",
                "SHOW TBLPROPERTIES {t} ('key1')",
                [("key1", "value1")],
            ),
            Step(
                "ddl-unset-tblproperties",
                ["ALTER TABLE {t} SET TBLPROPERTIES ('note' = 'x')", "ALTER TABLE {t} UNSET TBLPROPERTIES ('note')"],
                "SELECT count(*) FROM {t}",
                [4],
            ),
            Step(
                "ddl-rename-table",
                ["ALTER TABLE {t} RENAME TO {t}_v", "ALTER TABLE {t}_v RENAME TO {t}"],
                "SELECT count(*) FROM {t}",
                [4],
            ),
            Step(
                "index-update-with-text-for-a-number",
                "UPDATE {t} SET who = 'zoe', ts = '1697516137' WHERE who = 'ann'",
                "SELECT ts, ride FROM {t} WHERE who = 'zoe'",
                [(1697516137, "r-1")],
            ),
        ],
    ),
    _one(
        "a new column that is not null",
        Step(
            "evolve-add-column-not-null",
            [
                _RIDES + ")",
                "ALTER TABLE {t} ADD COLUMNS (c INT NOT NULL COMMENT 'new' AFTER car)",
                "INSERT INTO {t} VALUES (1, 'r-1', 'ann', 'car-a', 7, 19.1, 'oslo')",
            ],
            "SELECT c, ride FROM {t}",
            [(7, "r-1")],
        ),
    ),
    _one(
        "a lock of ZooKeeper",
        Step(
            "ddl-properties-lock-provider-zookeeper",
            f"CREATE TABLE {{t}} ({RIDES_COLUMNS}) USING hudilite TBLPROPERTIES (primaryKey = 'ride', "
            'hoodie.write.lock.zookeeper.url = "zookeeper", hoodie.write.lock.zookeeper.port = "2181", '
            "hoodie.write.lock.provider = 'org.apache.hudi.client.transaction.lock.ZookeeperBasedLockProvider') "
            "PARTITIONED BY (town)",
            error="OPTION_NOT_SUPPORTED",
            says="needs a client",
        ),
    ),
    Story(
        "indexes",
        _INDEXED,
        [
            Step("index-show-indexes-of-a-new-table", "SHOW INDEXES FROM {t}", rows=2),
            Step("index-create-record-index", "CREATE INDEX record_index ON {t} (ride)", "SHOW INDEXES FROM {t}", 3),
            Step(
                "index-create-bloom-expression",
                "CREATE INDEX idx_car ON {t} USING bloom_filters(car) OPTIONS(expr='identity')",
                "SELECT ride FROM {t} WHERE car = 'car-b'",
                ["r-2"],
            ),
            Step(
                "index-create-bloom-expression-lower",
                "CREATE INDEX idx_lower ON {t} USING bloom_filters(who) OPTIONS(expr='lower')",
                "SELECT ride FROM {t} WHERE lower(who) IN ('ann', 'dan')",
                ["r-1", "r-4"],
            ),
            Step(
                "index-update-behind-indexes",
                "UPDATE {t} SET who = 'Zoe', fare = 1.5 WHERE ride = 'r-1'",
                "SELECT ride, fare FROM {t} WHERE lower(who) = 'zoe'",
                [("r-1", 1.5)],
            ),
            Step(
                "index-drop-index",
                [
                    "DROP INDEX idx_car ON {t}",
                    "DROP INDEX idx_lower ON {t}",
                    "UPDATE {t} SET who = 'ann', fare = 19.1 WHERE ride = 'r-1'",
                    "DROP INDEX record_index ON {t}",
                ],
                "SHOW INDEXES FROM {t}",
                2,
            ),
            Step(
                "index-create-column-stats-hour-if-not-exists",
                "CREATE INDEX IF NOT EXISTS ts_hour ON {t} USING column_stats(ts) OPTIONS(expr='hour')",
                error="STATEMENT_NOT_SUPPORTED",
                says="hour is of timestamps",
                otherwise=True,
            ),
            Step(
                "index-drop-index-if-exists",
                "DROP INDEX IF EXISTS nothing_here ON {t}",
                "SHOW INDEXES FROM {t}",
                rows=2,
            ),
            Step(
                "queries-metadata-function-all-files",
                "SELECT * FROM hudi_metadata('{t}') WHERE type = 2",
                rows=3,
            ),
            Step(
                "queries-metadata-function-record-keys",
                "SELECT key FROM hudi_metadata('{t}') WHERE type=5",
                rows=0,
            ),
            Step(
                "queries-metadata-function-partition-stats",
                [
                    "CALL hudilite.system.delete_metadata_table(table => '{t}')",
                    "CALL hudilite.system.create_metadata_table(table => '{t}', "
                    "options => 'hoodie.metadata.index.column.stats.enable=true')",
                    "SELECT ColumnStatsMetadata.columnName FROM hudi_metadata('{t}') "
                    "WHERE type=6 AND ColumnStatsMetadata.columnName='who'",
                ],
                rows=["who", "who", "who"],
            ),
            Step("queries-timeline-function", "SELECT * FROM hudi_query_timeline('{t}', 'true')", rows=3),
        ],
    ),
    _one(
        "vectors",
        Step(
            "note-1-2-vector",
            "CREATE TABLE {t} (id INT, emb VECTOR(3)) USING hudilite TBLPROPERTIES (primaryKey = 'id')",
            error="STATEMENT_NOT_SUPPORTED",
            says="ARRAY<FLOAT>",
        ),
    ),
]

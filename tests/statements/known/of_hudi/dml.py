"""INSERT, UPDATE, DELETE and MERGE of the pages and suites."""

from __future__ import annotations

from statements.known.of_hudi.step import Step, Story

_ORDERED = "CREATE TABLE {t} (id INT, name STRING, price DOUBLE, ts BIGINT) USING hudilite TBLPROPERTIES (type = '%s', primaryKey = 'id', preCombineField = 'ts')"
_PLAIN = "CREATE TABLE {t} (id INT, name STRING, price DOUBLE) USING hudilite TBLPROPERTIES (primaryKey = 'id'"
_ALL = "SELECT * FROM {t}"
_FIRST = "INSERT INTO {t} SELECT 1, 'a1', 20, 1000"


def _adds(name: str, kind: str, then: str, *rows: tuple[object, ...]) -> Story:
    """An INSERT of a key that is there adds a row, as with Hudi 1.2, whatever its page says."""
    return Story(name, [_ORDERED % kind, _FIRST], [Step(name, then, _ALL, [(1, "a1", 20.0, 1000), *rows])])


def _columns(kind: str, partitioned: bool) -> Story:
    at = "-partitioned" if partitioned else ""
    by = "PARTITIONED BY (dt)" if partitioned else ""
    d4, d5 = (4, "a4", None, 4000, "d4"), (5, None, 50.0, 5000, "d5")
    steps = [
        Step(
            f"suite-insert-columns-{kind}{at}-3",
            "INSERT INTO {t} (dt, ts, name, id) VALUES ('d4', 4000, 'a4', 4)",
            _ALL,
            [d4],
        ),
        Step(
            f"suite-insert-columns-{kind}{at}-4",
            "INSERT INTO {t} (id, price, ts, dt) VALUES (5, 50.0, 5000, 'd5')",
            _ALL,
            [d4, d5],
        ),
    ]
    if partitioned:
        steps.append(
            Step(
                f"suite-insert-columns-{kind}{at}-5",
                "INSERT INTO {t} PARTITION (dt = 'd7') (ts, id, name) VALUES (7000, 7, 'a7')",
                _ALL + " WHERE dt = 'd7'",
                [(7, "a7", None, 7000, "d7")],
            )
        )
    create = (
        f"CREATE TABLE {{t}} (id INT, dt STRING, name STRING, price DOUBLE, ts LONG) USING hudilite {by} "
        f"TBLPROPERTIES (type = '{kind}', primaryKey = 'id')"
    )
    if not partitioned:
        create = create.replace("dt STRING, ", "").replace("ts LONG", "ts LONG, dt STRING")
    return Story(f"columns {kind}{at}", [create], steps)


def _partitions(kind: str) -> Story:
    name = f"suite-insert-partitions-{kind}"
    steps = [
        Step(
            f"{name}-1",
            "INSERT INTO {t} PARTITION (dt, ht) SELECT 1 AS id, 'a1' AS name, 10 AS price, 1000 AS ts, '20210101' AS dt, '01' AS ht",
            _ALL + " WHERE id = 1",
            [(1, "a1", 10.0, 1000, "20210101", "01")],
        ),
        Step(
            f"{name}-2",
            "INSERT INTO {t} PARTITION (dt = '20210102', ht) SELECT 2 AS id, 'a2' AS name, 20 AS price, 2000 AS ts, '02' AS ht",
            _ALL + " WHERE id = 2",
            [(2, "a2", 20.0, 2000, "20210102", "02")],
        ),
        Step(
            f"{name}-3",
            "INSERT INTO {t} SELECT 4, 'a4', 40, 4000, '20210104', '04'",
            _ALL + " WHERE id = 4",
            [(4, "a4", 40.0, 4000, "20210104", "04")],
        ),
    ]
    return Story(
        name,
        [
            f"CREATE TABLE {{t}} (id INT, name STRING, price DOUBLE, dt STRING, ht STRING, ts BIGINT) USING hudilite PARTITIONED BY (dt, ht) TBLPROPERTIES (type = '{kind}', primaryKey = 'id')"
        ],
        steps,
    )


def _without_key(kind: str, partitioned: bool) -> Story:
    at, by = ("-partitioned", "PARTITIONED BY (name)") if partitioned else ("", "")
    name = f"suite-update-without-key-{kind}{at}"
    return Story(
        name,
        [
            f"CREATE TABLE {{t}} (id INT, price DOUBLE, ts LONG, name STRING) USING hudilite {by} TBLPROPERTIES (type = '{kind}', preCombineField = 'ts')"
        ],
        [
            Step(f"{name}-1", "INSERT INTO {t} SELECT 1, 10, 1000, 'a1'", _ALL, [(1, 10.0, 1000, "a1")]),
            Step(f"{name}-2", "UPDATE {t} SET price = 20 WHERE id = 1", _ALL, [(1, 20.0, 1000, "a1")]),
            Step(f"{name}-3", "UPDATE {t} SET price = price * 2 WHERE id = 1", _ALL, [(1, 40.0, 1000, "a1")]),
            Step(
                f"suite-delete-without-key-{kind}{at}-1",
                ["INSERT INTO {t} SELECT 1, 10, 1000, 'a1'", "DELETE FROM {t} WHERE id = 1"],
                _ALL,
                [],
            ),
            Step(
                f"suite-delete-without-key-{kind}{at}-2",
                ["INSERT INTO {t} SELECT 2, 10, 1000, 'a2'", "DELETE FROM {t} WHERE id = 1"],
                _ALL,
                [(2, 10.0, 1000, "a2")],
            ),
        ],
    )


def _overwrite(kind: str) -> Story:
    name = f"suite-insert-overwrite-{kind}"
    return Story(
        name,
        [
            f"CREATE TABLE {{t}} (id INT, name STRING, price DOUBLE, ts BIGINT, dt STRING) USING hudilite PARTITIONED BY (dt) TBLPROPERTIES (type = '{kind}', primaryKey = 'id', preCombineField = 'ts')",
            "INSERT INTO {t} VALUES (5, 'a5', 10, 1000, '2021-01-07'), (6, 'a6', 10, 1000, '2021-01-06')",
        ],
        [
            Step(
                f"{name}-4",
                [
                    "SET spark.sql.sources.partitionOverwriteMode=static",
                    "SET hoodie.datasource.overwrite.mode=dynamic",
                    "INSERT OVERWRITE TABLE {t} VALUES (7, 'a7', 10, 1000, '2021-01-07')",
                ],
                "SELECT id, dt FROM {t}",
                [(6, "2021-01-06"), (7, "2021-01-07")],
            ),
            Step(
                f"{name}-6",
                [
                    "SET hoodie.datasource.overwrite.mode=static",
                    "SET hoodie.datasource.write.operation = insert_overwrite",
                    "INSERT OVERWRITE TABLE {t} VALUES (10, 'a10', 10, 1000, '2021-01-06')",
                ],
                "SELECT id, dt FROM {t}",
                [(10, "2021-01-06"), (7, "2021-01-07")],
            ),
        ],
    )


STORIES = [
    _adds(
        "dml-insert-again-upserts-with-ordering-mor",
        "mor",
        "INSERT INTO {t} SELECT 1, 'a1_1', 20, 1001",
        (1, "a1_1", 20.0, 1001),
    ),
    _adds(
        "dml-insert-again-older-loses-with-ordering",
        "cow",
        "INSERT INTO {t} SELECT 1, 'a1_1', 20, 999",
        (1, "a1_1", 20.0, 999),
    ),
    _adds(
        "dml-insert-one-statement-with-doubles-and-ordering",
        "cow",
        "INSERT INTO {t} VALUES (1, 'a', 1.0, 10), (1, 'b', 2.0, 11)",
        (1, "a", 1.0, 10),
        (1, "b", 2.0, 11),
    ),
    _adds("note-mor-insert-as-update", "mor", "INSERT INTO {t} VALUES (1, 'z', 19.5, 1002)", (1, "z", 19.5, 1002)),
    _adds("note-cow-insert-as-update", "cow", "INSERT INTO {t} VALUES (1, 'z', 19.5, 1002)", (1, "z", 19.5, 1002)),
    Story(
        "SET of the operation",
        [_PLAIN + ")", "INSERT INTO {t} SELECT 1, 'a1', 20"],
        [
            Step(
                "dml-set-datasource-operation-upsert",
                ["SET hoodie.datasource.write.operation = upsert", "INSERT INTO {t} SELECT 1, 'a2', 30"],
                _ALL,
                [(1, "a2", 30.0)],
            )
        ],
    ),
    Story(
        "a property of the operation",
        [],
        [
            Step(
                "dml-property-insert-operation-upsert",
                [
                    _PLAIN + ", 'hoodie.spark.sql.insert.into.operation' = 'upsert')",
                    "INSERT INTO {t} SELECT 1, 'a1', 20",
                    "INSERT INTO {t} SELECT 1, 'a2', 30",
                ],
                _ALL,
                [(1, "a2", 30.0)],
            )
        ],
    ),
    Story(
        "doubles",
        [_PLAIN + ")", "INSERT INTO {t} SELECT 1, 'a1', 20"],
        [
            Step(
                "dml-set-dup-policy-fail suite-insert-dup-policy-fail-2",
                ["SET hoodie.datasource.insert.dup.policy = fail", "INSERT INTO {t} SELECT 1, 'a2', 30"],
                error="RECORD_KEY_EXISTS",
                otherwise=True,
            )
        ],
    ),
    Story(
        "overwrite by SET",
        [
            "CREATE TABLE {t} (id INT, name STRING, dt STRING) USING hudilite PARTITIONED BY (dt) TBLPROPERTIES (primaryKey = 'id')",
            "INSERT INTO {t} VALUES (1, 'a1', '2021-12-09'), (2, 'a2', '2021-12-10')",
        ],
        [
            Step(
                "dml-set-overwrite-mode-dynamic",
                [
                    "SET hoodie.datasource.overwrite.mode = dynamic",
                    "INSERT OVERWRITE {t} SELECT 10, 'a10', '2021-12-09'",
                ],
                _ALL,
                [(10, "a10", "2021-12-09"), (2, "a2", "2021-12-10")],
            )
        ],
    ),
    *(_columns(kind, partitioned) for kind in ("cow", "mor") for partitioned in (False, True)),
    _partitions("cow"),
    _partitions("mor"),
    Story(
        "a partition column last",
        [
            "CREATE TABLE {t} (id INT, name STRING, price DOUBLE, dt STRING, ts BIGINT) USING hudilite PARTITIONED BY (dt) TBLPROPERTIES (primaryKey = 'id')"
        ],
        [
            Step(
                "suite-insert-values-partition-last-cow-1",
                "INSERT INTO {t} VALUES (1, 'a1', 10, 1000, '2021-01-05'), (2, 'a2', 20, 2000, '2021-01-06')",
                _ALL,
                [(1, "a1", 10.0, 1000, "2021-01-05"), (2, "a2", 20.0, 2000, "2021-01-06")],
            )
        ],
    ),
    *(_without_key(kind, partitioned) for kind in ("cow", "mor") for partitioned in (False, True)),
    _overwrite("cow"),
    _overwrite("mor"),
    Story(
        "several source rows",
        [_ORDERED % "cow", "INSERT INTO {t} VALUES (1, 'a1', 10.0, 100)"],
        [
            Step(
                "suite-merge-two-source-rows-for-a-target-row-cow-1",
                "MERGE INTO {t} t0 USING (SELECT 1 AS id, 1.0 AS price, 100 AS ts UNION ALL SELECT 1 AS id, 12.0 AS price, 1999 AS ts UNION ALL SELECT 3 AS id, 25.0 AS price, 1260 AS ts) s0 ON t0.id = s0.id WHEN MATCHED THEN UPDATE SET price = s0.price, ts = s0.ts WHEN NOT MATCHED THEN INSERT (id, name, price, ts) VALUES (s0.id, 'a3', s0.price, s0.ts)",
                _ALL,
                [(1, "a1", 12.0, 1999), (3, "a3", 25.0, 1260)],
            ),
            Step(
                "suite-merge-doubles-in-source-matched-1",
                "MERGE INTO {t} AS t0 USING (SELECT 1 AS id, 'a1' AS name, 97 AS price, 2002 AS ts UNION ALL SELECT 1 AS id, 'a2' AS name, 98 AS price, 2003 AS ts UNION ALL SELECT 2 AS id, 'a3' AS name, 99 AS price, 1001 AS ts) AS s0 ON t0.id = s0.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
                _ALL,
                [(1, "a2", 98.0, 2003), (2, "a3", 99.0, 1001), (3, "a3", 25.0, 1260)],
            ),
        ],
    ),
    Story(
        "unnamed fields",
        [
            "CREATE TABLE {t} (id INT, name STRING, s_value STRUCT<f0: INT, f1: STRING>, a_value ARRAY<STRING>, m_value MAP<STRING, STRING>, ts BIGINT) USING hudilite TBLPROPERTIES (type = 'mor', primaryKey = 'id', preCombineField = 'ts')",
            "INSERT INTO {t} SELECT 1, 'a1', named_struct('f0', 1, 'f1', '10'), split('a0,a1', ','), map('k0', 'v0'), 1000",
        ],
        [
            Step(
                "suite-merge-complex-types-2",
                "MERGE INTO {t} h0 USING (SELECT 1 AS id, 'a1' AS name, struct(1, '12') AS s_value, split('a0,a1,a2', ',') AS a_value, map('k1', 'v1') AS m_value, 1000 AS ts) s0 ON h0.id = s0.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
                "SELECT id, s_value.f1, size(a_value), m_value['k1'] FROM {t}",
                [(1, "12", 3, "v1")],
            )
        ],
    ),
    Story(
        "merges without keys",
        ["CREATE TABLE {t} (id INT, name STRING, price DOUBLE, ts BIGINT) USING hudilite TBLPROPERTIES (type = 'cow')"],
        [
            Step(
                "suite-merge-without-keys-1",
                "MERGE INTO {t} USING (SELECT 1 AS id, 'a1' AS name, 10 AS price, 1000 AS ts, '1' AS flag) s0 ON s0.id = {t}.id WHEN MATCHED AND flag = '1' THEN UPDATE SET id = s0.id, name = s0.name, price = s0.price, ts = s0.ts WHEN NOT MATCHED AND flag = '1' THEN INSERT *",
                _ALL,
                [(1, "a1", 10.0, 1000)],
            ),
            Step(
                "suite-merge-without-keys-2",
                "MERGE INTO {t} USING (SELECT 1 AS id, 'a1' AS name, 10 AS price, 1001 AS ts) s0 ON s0.id = {t}.id WHEN MATCHED THEN UPDATE SET id = s0.id, name = s0.name, price = s0.price + {t}.price, ts = s0.ts WHEN NOT MATCHED THEN INSERT *",
                _ALL,
                [(1, "a1", 20.0, 1001)],
            ),
            Step(
                "suite-merge-without-keys-inequalities-1",
                "MERGE INTO {t} USING (SELECT 1 AS id, 'a1' AS name, 50 AS price, 999 AS ts) s0 ON {t}.price < s0.price AND {t}.id >= s0.id WHEN MATCHED THEN UPDATE SET ts = s0.ts WHEN NOT MATCHED THEN INSERT *",
                _ALL,
                [(1, "a1", 20.0, 999)],
            ),
        ],
    ),
]

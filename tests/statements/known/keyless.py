"""Tables without record key fields, whose rows get generated keys."""

from __future__ import annotations

from statements.statement import Statement, changes, does, gives, refused

_1, _2, _3 = (1, "a", 1.0, "one"), (2, "a", 2.0, "two"), (3, "b", 3.0, None)
_FOUR = (4, "c", 4.0, "four")
_ON = "ON t.id = s.id"
_KINDS = ("keyless", "keyless_mor")
_NEW = "spark.createDataFrame([(1, 'a', 1.0, 'one')], 'id int, day string, v double, name string')"


def _each(text: str, adds: list[object], removes: list[object] | None = None, **more: object) -> list[Statement]:
    """The statement on both kinds of tables."""
    return [changes(text, adds, removes or [], on=kind, **more) for kind in _KINDS]  # type: ignore[arg-type]


def _new(text: str, then: str, *sees: object, **more: object) -> Statement:
    return does(text, {"names"}, then, *sees, **more)


KINDS = {
    "creates without keys": [
        _new("CREATE TABLE $P (ts BIGINT, id STRING, city STRING) USING hudilite PARTITIONED BY (city)", "TABLE $P"),
        _new("CREATE TABLE $P (id INT) USING hudilite", "SELECT count(*) FROM $P", 0),
        _new("CREATE TABLE $P USING hudilite AS SELECT 1 AS id", "SELECT * FROM $P", 1),
        _new(
            "CREATE TABLE $P USING hudilite PARTITIONED BY (day) TBLPROPERTIES (type = 'mor', preCombineField = 'v') "
            "AS SELECT v, id, day FROM src UNION ALL SELECT v, id, day FROM src",
            "SELECT id, count(*), count(DISTINCT _hoodie_record_key) FROM $P GROUP BY id",
            (2, 2, 2),
            (4, 2, 2),
        ),
    ],
    "rows without keys": [
        gives("SELECT count(DISTINCT _hoodie_record_key) FROM $T", 3, on="keyless"),
        *_each("INSERT INTO $T VALUES (1, 'a', 1.0D, 'one'), (1, 'a', 1.0D, 'one')", [_1, _1]),
        *_each("INSERT INTO $T (id, day) SELECT id, day FROM src", [(2, "a", None, None), (4, "c", None, None)]),
        *_each("INSERT OVERWRITE $T VALUES (4, 'c', 4.0D, 'four')", [_FOUR], [_1, _2, _3]),
        changes(
            "INSERT OVERWRITE $T PARTITION (day = 'a') VALUES (4, 4.0D, 'x')",
            [(4, "a", 4.0, "x")],
            [_1, _2],
            on="keyless",
        ),
        *_each("UPDATE $T SET id = 9, v = v + 1 WHERE id = 1", [(9, "a", 2.0, "one")], [_1]),
        *_each("UPDATE $T SET day = 'c' WHERE id = 1", [(1, "c", 1.0, "one")], [_1]),
        *_each("DELETE FROM $T WHERE name IS NULL", [], [_3]),
        changes("DELETE FROM $T WHERE day = 'a'", [], [_1, _2], on="keyless"),
        *_each(
            f"MERGE INTO $T t USING src s {_ON} WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
            [(2, "a", 20.0, "TWO"), _FOUR],
            [_2],
        ),
        *_each(
            "MERGE INTO $T t USING (SELECT * FROM src UNION ALL SELECT * FROM src) s ON t.v > s.v WHEN NOT MATCHED THEN INSERT *",
            [_FOUR, _FOUR, (2, "a", 20.0, "TWO"), (2, "a", 20.0, "TWO")],
        ),
        *_each(f"MERGE INTO $T t USING src s {_ON} WHEN MATCHED THEN DELETE", [], [_2]),
        *_each(f"MERGE INTO $T t USING src s {_ON} WHEN NOT MATCHED BY SOURCE THEN DELETE", [], [_1, _3]),
        changes(f"{_NEW}.writeTo('$T').append()", [_1], python=True, on="keyless"),
        changes(
            "INSERT INTO $T VALUES (1, 'a', 1.0D, 'one')",
            [_1],
            options=(("spark.datasource.hudilite.hoodie.datasource.write.operation", "upsert"),),
            on="keyless",
        ),
    ],
    "refused without keys": [
        refused(
            "MERGE INTO $T t USING (SELECT 'k' AS k, * FROM src) s ON t._hoodie_record_key = s.k "
            "WHEN NOT MATCHED THEN INSERT (id, day) VALUES (s.id, s.day)",
            "STATEMENT_NOT_SUPPORTED",
            "_hoodie_record_key",
            on="keyless",
        ),
        refused(
            "UPDATE $T SET _hoodie_record_key = 'x'", "STATEMENT_NOT_SUPPORTED", "_hoodie_record_key", on="keyless"
        ),
    ],
}

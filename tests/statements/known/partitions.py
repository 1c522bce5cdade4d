"""Statements on partitions."""

from __future__ import annotations

from statements.known.gaps import NO_TABLE
from statements.statement import DROP, changes, does, gives, refused

_A = [(1, "a", 1.0, "one"), (2, "a", 2.0, "two")]
_B = [(3, "b", 3.0, None)]

_TEN, _LATER = (2, "2026-01-31 10:00:00", "two"), (1, "2026-01-31 10:00:00.000001", "one")

KINDS = {
    "partitions": [
        gives("SHOW PARTITIONS $T", "day=a", "day=b"),
        gives("SHOW PARTITIONS $T PARTITION (day = 'a')", "day=a"),
        gives("SHOW PARTITIONS $T PARTITION (day = 'q')"),
        changes("ALTER TABLE $T DROP PARTITION (day = 'a')", [], _A, touches=DROP),
        changes("ALTER TABLE $T DROP PARTITION (day = 'a'), PARTITION (day = 'b')", [], _A + _B, touches=DROP),
        changes("ALTER TABLE $T DROP IF EXISTS PARTITION (day = 'b')", [], _B, touches=DROP, on="mor"),
        does("ALTER TABLE $T DROP IF EXISTS PARTITION (day = 'q')", set(), None),
        changes("DELETE FROM $T WHERE day IN ('a', 'b')", [], _A + _B),
        gives("SELECT count(*) FROM $T WHERE day >= 'b'", 1),
        gives("SELECT DISTINCT day FROM $T WHERE day LIKE 'a%'", "a"),
    ],
    "partitions by times": [
        gives(
            "SHOW PARTITIONS $T",
            "at=2026-01-31 10%3A00%3A00",
            "at=2026-01-31 10%3A00%3A00.000001",
            on="timed",
        ),
        gives(
            "SHOW PARTITIONS $T PARTITION (at = '2026-01-31 10:00:00.000001')",
            "at=2026-01-31 10%3A00%3A00.000001",
            on="timed",
        ),
        gives(
            "SELECT _hoodie_partition_path FROM $T ORDER BY id DESC", "1769853600000000", "1769853600000001", on="timed"
        ),
        gives("SELECT id FROM $T WHERE at > TIMESTAMP '2026-01-31 10:00:00'", 1, on="timed"),
        changes("ALTER TABLE $T DROP PARTITION (at = '2026-01-31 10:00:00')", [], [_TEN], touches=DROP, on="timed"),
        changes("TRUNCATE TABLE $T PARTITION (at = '2026-01-31 10:00:00')", [], [_TEN], touches=DROP, on="timed"),
        changes(
            "INSERT OVERWRITE $T PARTITION (at = '2026-01-31 10:00:00.000001') SELECT 9, 'nine'",
            [(9, "2026-01-31 10:00:00.000001", "nine")],
            [_LATER],
            on="timed",
        ),
        changes(
            "INSERT INTO $T REPLACE WHERE at > TIMESTAMP '2026-01-31 10:00:00' "
            "VALUES (8, TIMESTAMP '2026-01-31 10:00:01', 'eight')",
            [(8, "2026-01-31 10:00:01", "eight")],
            [_LATER],
            on="timed",
        ),
        changes(
            "UPDATE $T SET at = at + INTERVAL 2 MICROSECONDS WHERE at = TIMESTAMP '2026-01-31 10:00:00'",
            [(2, "2026-01-31 10:00:00.000002", "two")],
            [_TEN],
            on="timed",
        ),
        changes(
            "MERGE INTO $T t USING (SELECT 2 AS id, TIMESTAMP '2026-01-31 10:00:00' AS at) s "
            "ON t.id = s.id AND t.at = s.at WHEN MATCHED THEN UPDATE SET v = 'again'",
            [(2, "2026-01-31 10:00:00", "again")],
            [_TEN],
            on="timed",
        ),
    ],
    "refused partitions": [
        refused("ALTER TABLE $T DROP PARTITION (day = 'q')", "PARTITIONS_NOT_FOUND|", "q"),
        refused("ALTER TABLE $T DROP PARTITION (v = 1)", "", "v"),
        refused("ALTER TABLE $T DROP PARTITION (day > 'a')", "", ""),
        refused("ALTER TABLE $T DROP PARTITION (day = 'a') PURGE", "STATEMENT_NOT_SUPPORTED", "cleaning"),
        refused(
            "ALTER TABLE $T ADD IF NOT EXISTS PARTITION (day = 'q') LOCATION '/tmp/q'",
            "STATEMENT_NOT_SUPPORTED",
            "comes and goes",
        ),
        refused(
            "ALTER TABLE $T PARTITION (day = 'a') RENAME TO PARTITION (day = 'q')",
            "STATEMENT_NOT_SUPPORTED",
            "comes and goes",
        ),
        refused("ALTER TABLE $T PARTITION (day = 'a') SET LOCATION '/tmp/q'", "", ""),
        refused("ALTER TABLE $T RECOVER PARTITIONS", "STATEMENT_NOT_SUPPORTED", "nothing has to be repaired"),
        refused("MSCK REPAIR TABLE $T", "STATEMENT_NOT_SUPPORTED", "nothing has to be repaired"),
        refused("SHOW PARTITIONS $T", "", "", on="nested"),
        refused("SHOW PARTITIONS $T PARTITION (v = 1)", "", "v"),
        refused("SHOW PARTITIONS $P", NO_TABLE),
    ],
}

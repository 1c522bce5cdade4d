"""Statements on partitions."""

from __future__ import annotations

from statements.known.gaps import NO_TABLE
from statements.statement import DROP, changes, does, gives, refused

_A = [(1, "a", 1.0, "one"), (2, "a", 2.0, "two")]
_B = [(3, "b", 3.0, None)]

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
    "refused partitions": [
        refused("ALTER TABLE $T DROP PARTITION (day = 'q')", "PARTITIONS_NOT_FOUND|", "q"),
        refused("ALTER TABLE $T DROP PARTITION (v = 1)", "", "v"),
        refused("ALTER TABLE $T DROP PARTITION (day > 'a')", "", ""),
        refused("ALTER TABLE $T DROP PARTITION (day = 'a') PURGE", "STATEMENT_NOT_SUPPORTED", "cleaned"),
        refused("ALTER TABLE $T ADD PARTITION (day = 'q')", "STATEMENT_NOT_SUPPORTED", "come and go"),
        refused(
            "ALTER TABLE $T ADD IF NOT EXISTS PARTITION (day = 'q') LOCATION '/tmp/q'",
            "STATEMENT_NOT_SUPPORTED",
            "come and go",
        ),
        refused(
            "ALTER TABLE $T PARTITION (day = 'a') RENAME TO PARTITION (day = 'q')",
            "STATEMENT_NOT_SUPPORTED",
            "come and go",
        ),
        refused("ALTER TABLE $T PARTITION (day = 'a') SET LOCATION '/tmp/q'", "", ""),
        refused("ALTER TABLE $T RECOVER PARTITIONS", "", ""),
        refused("MSCK REPAIR TABLE $T", "", ""),
        refused("SHOW PARTITIONS $T", "", "", on="nested"),
        refused("SHOW PARTITIONS $T PARTITION (v = 1)", "", "v"),
        refused("SHOW PARTITIONS $P", NO_TABLE),
    ],
}

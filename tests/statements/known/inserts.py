"""INSERT in all its forms."""

from __future__ import annotations

from statements.known.gaps import NO_TABLE
from statements.statement import changes, refused

_FOUR = (4, "c", 4.0, "four")
_A = [(1, "a", 1.0, "one"), (2, "a", 2.0, "two")]
_B = [(3, "b", 3.0, None)]
_DYNAMIC = (("spark.sql.sources.partitionOverwriteMode", "dynamic"),)
_UPSERT = (("spark.datasource.hudilite.hoodie.datasource.write.operation", "upsert"),)

KINDS = {
    "insert": [
        changes("INSERT INTO $T VALUES (4, 'c', 4.0D, 'four')", [_FOUR]),
        changes("INSERT INTO $T VALUES (4, 'c', 4.0D, 'four')", [_FOUR], on="mor"),
        changes(
            "INSERT INTO TABLE $T VALUES (4, 'c', 4.0D, 'four'), (5, 'a', NULL, NULL)", [_FOUR, (5, "a", None, None)]
        ),
        changes("INSERT INTO $T SELECT * FROM src WHERE id = 4", [_FOUR]),
        changes("INSERT INTO $T TABLE src", [_FOUR, (2, "a", 20.0, "TWO")]),
        changes("INSERT INTO $T (v, id, name, day) VALUES (4.0D, 4, 'four', 'c')", [_FOUR]),
        changes("INSERT INTO $T (id, day) VALUES (4, 'c')", [(4, "c", None, None)]),
        changes("INSERT INTO $T (name, id) SELECT 'four', 4", [(4, None, None, "four")]),
        changes("INSERT INTO $T BY NAME SELECT 'c' AS day, 4 AS id", [(4, "c", None, None)]),
        changes("INSERT INTO $T BY NAME SELECT 'four' AS name, 4.0D AS v, 'c' AS day, 4 AS id", [_FOUR]),
        changes("INSERT INTO $T PARTITION (day = 'c') VALUES (4, 4.0D, 'four')", [_FOUR]),
        changes("INSERT INTO $T PARTITION (day = 'c') (name, id, v) VALUES ('four', 4, 4.0D)", [_FOUR]),
        changes("INSERT INTO $T PARTITION (day = 'c') (id) VALUES (4)", [(4, "c", None, None)]),
        changes("INSERT INTO $T PARTITION (day) SELECT 4, 'c', 4.0D, 'four'", [_FOUR]),
        changes("WITH n AS (SELECT 4 AS id) INSERT INTO $T SELECT id, 'c', 4.0D, 'four' FROM n", [_FOUR]),
        changes("FROM src INSERT INTO $T SELECT id, day, v, name WHERE id = 4", [_FOUR]),
        changes(
            "INSERT INTO $T SELECT id + 10, day, v, name FROM $T",
            [(11, "a", 1.0, "one"), (12, "a", 2.0, "two"), (13, "b", 3.0, None)],
        ),
        refused(
            "INSERT INTO $T VALUES ('4', 'c', 4, 'four')",
            "",
            "LEGACY store assignment",
            options=(("spark.sql.storeAssignmentPolicy", "LEGACY"),),
        ),
        changes("INSERT INTO $T VALUES (4, 'c', 4, 'four')", [_FOUR]),
        changes("INSERT INTO $T VALUES (2, 'a', 20.0D, 'TWO')", [(2, "a", 20.0, "TWO")], [_A[1]], options=_UPSERT),
        changes(
            "INSERT INTO $T VALUES (4, 'c', 5.0D, 'x'), (4, 'c', 4.0D, 'four')",
            [(4, "c", 5.0, "x")],
            options=_UPSERT,
            on="mor",
        ),
        changes("INSERT INTO $T VALUES (4, 'x y', 4.0D, 'four')", [(4, "x y", 4.0, "four")]),
        changes(
            "INSERT INTO $T VALUES (3, named_struct('x', 3, 'y', 'q'), array(7), map('l', 2), 2.50, DATE '2026-02-01')",
            [(3, (3, "q"), [7], {"l": 2}, "2.50", "2026-02-01")],
            on="nested",
        ),
        changes(
            "INSERT INTO $T (id, st) SELECT 3, named_struct('x', 3, 'y', 'q')",
            [(3, (3, "q"), None, None, None, None)],
            on="nested",
        ),
        changes("INSERT INTO $T VALUES (4, NULL, 4.0D, 'four')", [(4, None, 4.0, "four")]),
    ],
    "insert overwrite": [
        changes("INSERT OVERWRITE $T VALUES (4, 'c', 4.0D, 'four')", [_FOUR], _A + _B),
        changes("INSERT OVERWRITE $T VALUES (4, 'c', 4.0D, 'four')", [_FOUR], _A + _B, on="mor"),
        changes("INSERT OVERWRITE TABLE $T SELECT * FROM $T WHERE id = 1", [], [_A[1], *_B]),
        changes("INSERT OVERWRITE $T VALUES (4, 'a', 4.0D, 'four')", [(4, "a", 4.0, "four")], _A, options=_DYNAMIC),
        changes("INSERT OVERWRITE $T PARTITION (day = 'a') VALUES (4, 4.0D, 'four')", [(4, "a", 4.0, "four")], _A),
        changes(
            "INSERT OVERWRITE $T PARTITION (day) VALUES (4, 'b', 4.0D, 'four')",
            [(4, "b", 4.0, "four")],
            _B,
            options=_DYNAMIC,
        ),
        changes("INSERT OVERWRITE $T (day, id) VALUES ('c', 4)", [(4, "c", None, None)], _A + _B),
        changes("INSERT OVERWRITE $T BY NAME SELECT 4 AS id, 'c' AS day, 4.0D AS v, 'four' AS name", [_FOUR], _A + _B),
        changes("INSERT INTO $T REPLACE WHERE day = 'b' VALUES (4, 'b', 4.0D, 'four')", [(4, "b", 4.0, "four")], _B),
        changes(
            "INSERT INTO $T REPLACE WHERE day IN ('a', 'b') VALUES (4, 'b', 4.0D, 'four')",
            [(4, "b", 4.0, "four")],
            _A + _B,
        ),
        changes(
            "INSERT OVERWRITE $T SELECT * FROM src WHERE false", [], _A + _B, touches=frozenset({"rows", "timeline"})
        ),
    ],
    "refused inserts": [
        refused("INSERT INTO $T (day, name) VALUES ('c', 'four')", "MISSING_COLUMN", "id"),
        refused("INSERT INTO $T BY NAME SELECT 'c' AS day, 'four' AS name", "MISSING_COLUMN", "id"),
        refused("INSERT OVERWRITE $T PARTITION (day = 'c') (name) VALUES ('four')", "MISSING_COLUMN", "id"),
        refused("INSERT INTO $T VALUES (4, 'c')", "INSERT_COLUMN_ARITY_MISMATCH"),
        refused("INSERT INTO $T VALUES (4, 'c', 4.0D, 'four', 5)", "INSERT_COLUMN_ARITY_MISMATCH"),
        refused("INSERT INTO $T (id, nobody) VALUES (4, 'c')", "UNRESOLVED_COLUMN", "nobody"),
        refused("INSERT INTO $T (id, id) VALUES (4, 4)", "COLUMN_ALREADY_EXISTS"),
        refused("INSERT INTO $T VALUES ('x', 'c', 4.0D, 'four')", "INCOMPATIBLE_TYPE", "storeAssignmentPolicy = ANSI"),
        refused("INSERT INTO $T (day, id) SELECT 'c', '4'", "INCOMPATIBLE_TYPE", "column id"),
        refused(
            "INSERT INTO $T VALUES (4L, 'c', 4.0D, 'four')",
            "INCOMPATIBLE_TYPE",
            "STRICT",
            options=(("spark.sql.storeAssignmentPolicy", "STRICT"),),
        ),
        refused("INSERT INTO $T BY NAME SELECT 4 AS id, 'c' AS day, 1 AS more", "INCOMPATIBLE_DATA_FOR_TABLE"),
        refused("INSERT INTO $T VALUES (NULL, 'c', 4.0D, 'four')", "NULL_RECORD_KEY", "id"),
        refused("INSERT INTO $T PARTITION (nobody = 'c') VALUES (4, 4.0D, 'four')", "NON_PARTITION_COLUMN|", "nobody"),
        refused("INSERT INTO $T PARTITION (v = 4.0) VALUES (4, 'c', 'four')", "NON_PARTITION_COLUMN|"),
        refused(
            "INSERT INTO $T REPLACE WHERE v > 1 VALUES (4, 'b', 4.0D, 'four')",
            "STATEMENT_NOT_SUPPORTED",
            "no partition column",
        ),
        refused(
            "INSERT INTO $T REPLACE WHERE day = 'b' VALUES (4, 'a', 4.0D, 'four')",
            "STATEMENT_NOT_SUPPORTED",
            "not within it",
        ),
        refused("INSERT INTO $P VALUES (1)", NO_TABLE),
        refused("INSERT INTO $T SELECT * FROM $P", NO_TABLE),
        refused("INSERT INTO $T VALUES (4, '..', 4.0D, 'four')", "ILLEGAL_PARTITION_PATH"),
        refused("INSERT INTO $T IF NOT EXISTS VALUES (4, 'c', 4.0D, 'four')", "", "INSERT INTO ... IF NOT EXISTS"),
        refused("INSERT OVERWRITE $T PARTITION (day = 'a') IF NOT EXISTS VALUES (4, 4.0D, 'four')", "", ""),
        refused(
            "INSERT INTO $T WITH (header = 'true') VALUES (4, 'c', 4.0D, 'four')",
            "UNKNOWN_OPTION",
            "header",
            lines=("4",),
        ),
        refused("LOAD DATA LOCAL INPATH '/nowhere' INTO TABLE $T", "", ""),
        refused(
            "INSERT INTO $T SELECT id, day, v, CAST(raise_error('spilt') AS STRING) FROM src",
            "",
            "spilt",
        ),
    ],
}

"""UPDATE, DELETE and MERGE."""

from __future__ import annotations

from statements.known.gaps import NO_TABLE
from statements.statement import changes, refused

_1, _2, _3 = (1, "a", 1.0, "one"), (2, "a", 2.0, "two"), (3, "b", 3.0, None)
_FOUR = (4, "c", 4.0, "four")
_ON = "ON t.id = s.id"
_TIMELINE = frozenset({"timeline"})

KINDS = {
    "update": [
        changes("UPDATE $T SET v = 9", [(1, "a", 9.0, "one"), (2, "a", 9.0, "two"), (3, "b", 9.0, None)], [_1, _2, _3]),
        changes("UPDATE $T SET v = v + 1, name = upper(name) WHERE id = 1", [(1, "a", 2.0, "ONE")], [_1]),
        changes("UPDATE $T SET v = v + 1 WHERE id = 1", [(1, "a", 2.0, "one")], [_1], on="mor"),
        changes("UPDATE $T AS t SET t.name = 'x' WHERE t.name IS NULL", [(3, "b", 3.0, "x")], [_3]),
        changes("UPDATE $T SET name = NULL WHERE day = 'a' AND v > 1", [(2, "a", 2.0, None)], [_2]),
        changes("UPDATE $T SET name = 'x' WHERE id IN (SELECT id FROM src)", [(2, "a", 2.0, "x")], [_2]),
        changes(
            "UPDATE $T SET name = 'x' WHERE id NOT IN (SELECT id FROM src)",
            [(1, "a", 1.0, "x"), (3, "b", 3.0, "x")],
            [_1, _3],
        ),
        changes(
            "UPDATE $T t SET name = 'x' WHERE EXISTS (SELECT 1 FROM src s WHERE s.id = t.id)",
            [(2, "a", 2.0, "x")],
            [_2],
        ),
        changes("UPDATE $T SET v = (SELECT max(v) FROM src) WHERE id = 1", [(1, "a", 20.0, "one")], [_1]),
        changes("UPDATE $T SET v = CASE WHEN id = 1 THEN 7 ELSE v END WHERE day = 'a'", [(1, "a", 7.0, "one")], [_1]),
        changes("UPDATE $T SET day = 'c' WHERE id = 1", [(1, "c", 1.0, "one")], [_1]),
        changes(
            "UPDATE $T SET st.y = 'z' WHERE id = 2",
            [(2, (2, "z"), [], None, None, None)],
            [(2, (2, None), [], None, None, None)],
            on="nested",
        ),
        changes(
            "UPDATE $T SET list = array(9), map = map('n', 1) WHERE id = 2",
            [(2, (2, None), [9], {"n": 1}, None, None)],
            [(2, (2, None), [], None, None, None)],
            on="nested",
        ),
        changes("UPDATE $T SET name = DEFAULT WHERE id = 1", [(1, "a", 1.0, None)], [_1]),
        refused(
            "UPDATE $T SET v = '7' WHERE id = 1",
            "",
            "LEGACY store assignment",
            options=(("spark.sql.storeAssignmentPolicy", "LEGACY"),),
        ),
    ],
    "update of nothing": [
        changes("UPDATE $T SET v = 9 WHERE id = 77", touches=_TIMELINE),
        changes("UPDATE $T SET v = 9 WHERE false", touches=_TIMELINE),
    ],
    "refused updates": [
        refused("UPDATE $T SET id = 9 WHERE id = 1", "RECORD_KEY_CHANGED", touches=frozenset({"timeline"})),
        refused("UPDATE $T SET nobody = 1", "UNRESOLVED_COLUMN", "nobody"),
        refused("UPDATE $T SET v = 'x'", "", ""),
        refused("UPDATE $T SET v = 1, v = 2", "", ""),
        refused("UPDATE $P SET v = 1", NO_TABLE),
        refused("UPDATE $T SET _hoodie_record_key = 'x'", "STATEMENT_NOT_SUPPORTED", "_hoodie_record_key"),
        refused("UPDATE $T SET day = '..' WHERE id = 1", "ILLEGAL_PARTITION_PATH"),
        refused("UPDATE src SET v = 1", "", ""),
    ],
    "delete": [
        changes("DELETE FROM $T WHERE id = 2", [], [_2]),
        changes("DELETE FROM $T WHERE id = 2", [], [_2], on="mor"),
        changes("DELETE FROM $T WHERE day = 'a'", [], [_1, _2]),
        changes("DELETE FROM $T", [], [_1, _2, _3]),
        changes("DELETE FROM $T WHERE true", [], [_1, _2, _3]),
        changes("DELETE FROM $T AS t WHERE t.name IS NULL OR t.v < 2", [], [_1, _3]),
        changes("DELETE FROM $T WHERE id IN (SELECT id FROM src)", [], [_2]),
        changes("DELETE FROM $T WHERE id NOT IN (SELECT id FROM src)", [], [_1, _3]),
        changes("DELETE FROM $T t WHERE EXISTS (SELECT 1 FROM src s WHERE s.id = t.id)", [], [_2]),
        changes("DELETE FROM $T t WHERE NOT EXISTS (SELECT 1 FROM src s WHERE s.id = t.id)", [], [_1, _3]),
        changes("DELETE FROM $T WHERE v = (SELECT max(v) FROM $T)", [], [_3]),
        changes("DELETE FROM $T WHERE name LIKE 't%'", [], [_2]),
        changes(
            "DELETE FROM $T WHERE st.x = 1", [], [(1, (1, "p"), [1, 2], {"k": 1}, "1.25", "2026-01-31")], on="nested"
        ),
    ],
    "delete of nothing": [
        changes("DELETE FROM $T WHERE id = 77", touches=_TIMELINE),
        changes("DELETE FROM $T WHERE false", touches=_TIMELINE),
    ],
    "refused deletes": [
        refused("DELETE FROM $T WHERE nobody = 1", "UNRESOLVED_COLUMN", "nobody"),
        refused("DELETE FROM $P", NO_TABLE),
        refused("DELETE $T WHERE id = 1", "PARSE_SYNTAX_ERROR"),
    ],
    "merge": [
        changes(
            f"MERGE INTO $T t USING src s {_ON} WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
            [(2, "a", 20.0, "TWO"), _FOUR],
            [_2],
        ),
        changes(
            f"MERGE INTO $T t USING src s {_ON} WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
            [(2, "a", 20.0, "TWO"), _FOUR],
            [_2],
            on="mor",
        ),
        changes(
            f"MERGE INTO $T t USING src s {_ON} WHEN MATCHED THEN UPDATE SET v = s.v", [(2, "a", 20.0, "two")], [_2]
        ),
        changes(
            f"MERGE INTO $T t USING src s {_ON} WHEN MATCHED THEN UPDATE SET t.v = t.v + s.v, name = concat(t.name, s.name)",
            [(2, "a", 22.0, "twoTWO")],
            [_2],
        ),
        changes(f"MERGE INTO $T t USING src s {_ON} WHEN MATCHED THEN DELETE", [], [_2]),
        changes(f"MERGE INTO $T t USING src s {_ON} WHEN NOT MATCHED THEN INSERT *", [_FOUR]),
        changes(
            f"MERGE INTO $T t USING src s {_ON} WHEN NOT MATCHED THEN INSERT (id, day) VALUES (s.id, s.day)",
            [(4, "c", None, None)],
        ),
        changes(
            f"MERGE INTO $T t USING src s {_ON} WHEN NOT MATCHED AND s.v > 100 THEN INSERT * WHEN NOT MATCHED THEN INSERT (id, day, v, name) VALUES (s.id, s.day, 0, 'low')",
            [(4, "c", 0.0, "low")],
        ),
        changes(
            f"MERGE INTO $T t USING src s {_ON} WHEN MATCHED AND s.v < 3 THEN DELETE WHEN MATCHED AND s.v > 3 THEN UPDATE SET name = 'big' WHEN NOT MATCHED THEN INSERT *",
            [(2, "a", 2.0, "big"), _FOUR],
            [_2],
        ),
        changes(f"MERGE INTO $T t USING src s {_ON} WHEN NOT MATCHED BY SOURCE THEN DELETE", [], [_1, _3]),
        changes(
            f"MERGE INTO $T t USING src s {_ON} WHEN MATCHED THEN UPDATE SET v = 0 WHEN NOT MATCHED BY SOURCE AND t.day = 'b' THEN UPDATE SET name = 'left'",
            [(3, "b", 3.0, "left"), (2, "a", 0.0, "two")],
            [_2, _3],
        ),
        changes(
            f"MERGE INTO $T t USING (SELECT id, max(v) AS v FROM src GROUP BY id) s {_ON} WHEN MATCHED THEN UPDATE SET v = s.v",
            [(2, "a", 20.0, "two")],
            [_2],
        ),
        changes(
            "MERGE INTO $T t USING src s ON t.id = s.id AND t.day = s.day WHEN MATCHED THEN UPDATE SET *",
            [(2, "a", 20.0, "TWO")],
            [_2],
        ),
        changes(
            "MERGE INTO $T t USING src s ON t.name = lower(s.name) WHEN MATCHED THEN UPDATE SET v = -1",
            [(2, "a", -1.0, "two")],
            [_2],
        ),
        changes("MERGE INTO $T t USING src s ON false WHEN NOT MATCHED AND s.id = 4 THEN INSERT *", [_FOUR]),
        changes("MERGE INTO $T t USING $T s ON t.id = s.id WHEN MATCHED AND s.name IS NULL THEN DELETE", [], [_3]),
        changes(
            "WITH n AS (SELECT * FROM src WHERE id = 4) MERGE INTO $T t USING n s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *",
            [_FOUR],
        ),
        changes(
            "MERGE INTO $T t USING (SELECT 2 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET day = 'c'",
            [(2, "c", 2.0, "two")],
            [_2],
        ),
        changes(
            "MERGE INTO $T t USING (SELECT 2 AS id, 'n' AS y) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET st.y = s.y",
            [(2, (2, "n"), [], None, None, None)],
            [(2, (2, None), [], None, None, None)],
            on="nested",
        ),
    ],
    "merge of nothing": [
        changes(f"MERGE INTO $T t USING (SELECT 77 AS id) s {_ON} WHEN MATCHED THEN DELETE", touches=_TIMELINE),
    ],
    "refused merges": [
        refused(
            "MERGE INTO $T t USING (SELECT * FROM VALUES (1, 1), (1, 2) AS s(id, v)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v",
            "STATEMENT_NOT_SUPPORTED",
            "MERGE_CARDINALITY_VIOLATION",
        ),
        refused(
            f"MERGE INTO $T t USING src s {_ON} WHEN MATCHED THEN UPDATE SET id = 9",
            "RECORD_KEY_CHANGED",
            touches=frozenset({"timeline"}),
        ),
        refused(
            f"MERGE INTO $T t USING src s {_ON} WHEN MATCHED THEN UPDATE SET _hoodie_commit_time = '1'",
            "STATEMENT_NOT_SUPPORTED",
            "_hoodie_commit_time",
        ),
        refused(
            f"MERGE INTO $T t USING src s {_ON} WHEN MATCHED THEN UPDATE SET nobody = 9", "UNRESOLVED_COLUMN", "nobody"
        ),
        refused(
            "MERGE INTO $T t USING (SELECT 2 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *",
            "UNRESOLVED_COLUMN|",
            "",
        ),
        refused(
            "MERGE INTO $T t USING src s ON t.nobody = s.id WHEN MATCHED THEN DELETE", "UNRESOLVED_COLUMN", "nobody"
        ),
        refused(f"MERGE INTO $T t USING src s {_ON}", "", ""),
        refused(
            f"MERGE INTO $T t USING src s {_ON} WHEN MATCHED THEN DELETE WHEN MATCHED THEN UPDATE SET v = 0",
            "",
            "only the last",
        ),
        refused(f"MERGE INTO $P t USING src s {_ON} WHEN MATCHED THEN DELETE", NO_TABLE),
        refused(
            "MERGE INTO $T t USING (SELECT NULL AS id, 'c' AS day) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, day) VALUES (s.id, s.day)",
            "NULL_RECORD_KEY",
        ),
    ],
}

"""Queries."""

from __future__ import annotations

from statements.known.gaps import NO_TABLE
from statements.statement import gives, planned, refused, says

KINDS = {
    "select": [
        gives("SELECT * FROM $T", (1, "a", 1.0, "one"), (2, "a", 2.0, "two"), (3, "b", 3.0, None)),
        gives("SELECT * FROM $T", (1, "a", 1.0, "one"), (2, "a", 2.0, "two"), (3, "b", 3.0, None), on="mor"),
        gives("SELECT id FROM $T WHERE day = 'a' ORDER BY id DESC", 2, 1),
        says("SELECT _metadata.file_path FROM $T", "/a/", ".parquet"),
        says("SELECT input_file_name() FROM $T", "/b/", ".parquet"),
        gives("SELECT ID, Day FROM $T WHERE NAME IS NULL", (3, "b")),
        gives("SELECT count(*), count(name), min(v), max(v) FROM $T", (3, 2, 1.0, 3.0)),
        gives("SELECT count(*), max(v) FROM $T", (3, 3.0), on="mor"),
        gives("SELECT day, sum(v) s FROM $T GROUP BY day HAVING s > 0 ORDER BY day", ("a", 3.0), ("b", 3.0)),
        gives("SELECT DISTINCT day FROM $T ORDER BY 1", "a", "b"),
        gives("SELECT id FROM $T ORDER BY v DESC LIMIT 2", 3, 2),
        gives("SELECT id FROM $T ORDER BY id LIMIT 1 OFFSET 1", 2),
        gives("SELECT t.id FROM $T t JOIN other o ON t.id = o.id", 1),
        gives("SELECT t.id, s.v FROM $T t LEFT JOIN src s USING (id) ORDER BY t.id", (1, None), (2, 20.0), (3, None)),
        gives("SELECT id FROM $T WHERE EXISTS (SELECT 1 FROM src s WHERE s.id = $T.id)", 2, doors=("name",)),
        gives("SELECT id FROM $T WHERE id NOT IN (SELECT id FROM src) ORDER BY id", 1, 3),
        gives("SELECT (SELECT max(v) FROM $T) - min(v) FROM $T", 2.0),
        gives("WITH big AS (SELECT * FROM $T WHERE v > 1) SELECT count(*) FROM big a JOIN big b USING (day)", 2),
        gives("SELECT id FROM $T UNION ALL SELECT id FROM other ORDER BY id", 1, 1, 2, 3, 9),
        gives("SELECT id FROM $T EXCEPT SELECT id FROM other ORDER BY id", 2, 3),
        gives(
            "SELECT id, row_number() OVER (PARTITION BY day ORDER BY v DESC) n FROM $T ORDER BY id",
            (1, 2),
            (2, 1),
            (3, 1),
        ),
        gives("SELECT * EXCEPT (v, name) FROM $T WHERE id = 1", (1, "a"), lines=("4",)),
        gives("TABLE $T", (1, "a", 1.0, "one"), (2, "a", 2.0, "two"), (3, "b", 3.0, None)),
        gives("FROM $T SELECT id WHERE id > 2", 3),
        gives("FROM $T |> WHERE id > 1 |> SELECT id |> ORDER BY id", 2, 3, lines=("4",)),
        gives("SELECT id FROM $T TABLESAMPLE (100 PERCENT) ORDER BY id", 1, 2, 3),
        gives("SELECT /*+ BROADCAST(t) */ t.id FROM $T t JOIN src s ON t.id = s.id", 2),
        gives("SELECT * FROM (SELECT day, id FROM $T) PIVOT (count(id) FOR day IN ('a', 'b'))", (2, 1)),
        gives(
            "SELECT id, w FROM $T LATERAL VIEW explode(split(name, 'o')) AS w WHERE id = 2 ORDER BY w",
            (2, ""),
            (2, "tw"),
        ),
        gives("SELECT day, count(*) FROM $T GROUP BY ROLLUP (day) ORDER BY day", (None, 3), ("a", 2), ("b", 1)),
    ],
    "select nested": [
        gives("SELECT id, st.x, st.y FROM $T ORDER BY id", (1, 1, "p"), (2, 2, None), on="nested"),
        gives("SELECT id, size(list), map['k'] FROM $T ORDER BY id", (1, 2, 1), (2, 0, None), on="nested"),
        gives("SELECT id FROM $T WHERE st.x = 2 AND dec IS NULL", 2, on="nested"),
        gives("SELECT st.* FROM $T WHERE at = DATE '2026-01-31'", (1, "p"), on="nested"),
        gives("SELECT id, item FROM $T LATERAL VIEW explode(list) AS item ORDER BY item", (1, 1), (1, 2), on="nested"),
    ],
    "select what Hudi adds": [
        gives("SELECT _hoodie_record_key, _hoodie_partition_path FROM $T WHERE id = 3", ("3", "b")),
        gives("SELECT DISTINCT _hoodie_commit_time FROM $T ORDER BY 1", "$I1", "$I2"),
        gives("SELECT count(DISTINCT _hoodie_file_name) FROM $T", 2),
    ],
    "plans": [
        planned("SELECT id FROM $T WHERE day = 'a'", "BatchScan"),
        planned("SELECT id FROM $T WHERE v > 1.5", "v > 1.5", "BatchScan"),
        planned("SELECT count(*) FROM $T", "count", lacks=("name",)),
        planned("SELECT st.x FROM $T", "BatchScan", lacks=("list",), on="nested"),
        says("EXPLAIN SELECT * FROM $T", "== Physical Plan =="),
        says("EXPLAIN FORMATTED SELECT id FROM $T WHERE id = 1", "BatchScan"),
        says("EXPLAIN EXTENDED DELETE FROM $T WHERE id = 1", "== Analyzed Logical Plan =="),
        says("EXPLAIN UPDATE $T SET v = 0", "== Physical Plan =="),
        says("EXPLAIN INSERT INTO $T VALUES (9, 'z', 9.0D, 'nine')", "== Physical Plan =="),
        says("EXPLAIN COST SELECT * FROM $T", "== Optimized Logical Plan =="),
    ],
    "refused queries": [
        refused("SELECT nam FROM $T", "UNRESOLVED_COLUMN", "`name`"),
        refused("SELECT * FROM $P", NO_TABLE),
        refused("SELEC * FROM $T", "PARSE_SYNTAX_ERROR"),
        refused("SELECT raise_error(name) FROM $T WHERE id = 1", "", "one"),
        refused("SELECT sum(name, v) FROM $T", "WRONG_NUM_ARGS"),
        refused("SELECT id, sum(v) FROM $T", "MISSING_GROUP_BY|MISSING_AGGREGATION"),
    ],
}

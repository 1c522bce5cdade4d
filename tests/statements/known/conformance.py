"""Rules of Spark's own suites for a catalog of DataSource V2, as far as the other modules have not said it: names, views,
caches, namespaces, partitions, columns, and rows that statements change."""

from __future__ import annotations

from statements.known.gaps import NO_TABLE
from statements.statement import DROP, NAMED, WRITE, Statement, asks, changes, does, gives, refused, says

_1, _2, _3 = (1, "a", 1.0, "one"), (2, "a", 2.0, "two"), (3, "b", 3.0, None)
_FOUR = (4, "c", 4.0, "four")
_KEY = "TBLPROPERTIES (primaryKey = 'id')"
_NEW = "spark.createDataFrame([(4, 'c', 4.0, 'four')], 'id int, day string, v double, name string')"
_TIMELINE = frozenset({"timeline"})
_SCHEMA = {"columns", "rows", "timeline", "described", "facts"}
_ON = "USING src s ON t.id = s.id"
_TYPE = "UNSUPPORTED_COLUMN_TYPE"
_SESSION = ("name", "connect")  # where a table is found by its name alone
_FOURTH = ("4",)


def _cached(statement: str, rows: int, touches: frozenset[str], **more: object) -> Statement:
    """A cached table shows what a statement has done to it."""
    text = f'[spark.sql("CACHE TABLE $T"), spark.sql("{statement}"), spark.table("$T").count()][-1]'
    return asks(text, rows, touches=touches, undo=("UNCACHE TABLE $T",), **more)  # type: ignore[arg-type]


KINDS = {
    "resolved names": [
        gives("SELECT $N.id FROM $T ORDER BY 1", 1, 2, 3, doors=NAMED),
        gives("SELECT stmts.$N.id FROM $T ORDER BY 1", 1, 2, 3, doors=NAMED),
        gives("SELECT spark_catalog.stmts.$N.id FROM spark_catalog.stmts.$N ORDER BY 1", 1, 2, 3, doors=NAMED),
        gives("SELECT hudilite.stmts.$N.id FROM hudilite.stmts.$N ORDER BY 1", 1, 2, 3, doors=NAMED),
        gives("SELECT $N.* FROM $T WHERE id = 1", _1, doors=NAMED),
        gives("SELECT t.* FROM stmts.`$N` AS t WHERE id = 1", _1, doors=NAMED),
        refused("SELECT other.id FROM $T", "UNRESOLVED_COLUMN", "other"),
        refused("SELECT nowhere.stmts.$N.id FROM $T", "UNRESOLVED_COLUMN", "nowhere", doors=NAMED),
        refused("SELECT id FROM $T a JOIN $T b ON a.id = b.id", "AMBIGUOUS_REFERENCE", "id"),
        refused("SELECT * FROM nowhere.stmts.t", NO_TABLE + "|REQUIRES_SINGLE_PART_NAMESPACE", "nowhere"),
    ],
    "hidden columns": [
        gives("SELECT t._hoodie_record_key FROM $T t WHERE t.id = 1", "1"),
        gives(
            "SELECT a._hoodie_record_key, b._hoodie_partition_path FROM $T a JOIN $T b ON a.id = b.id WHERE a.id = 3",
            ("3", "b"),
        ),
        gives("SELECT id FROM $T ORDER BY _hoodie_record_key DESC LIMIT 1", 3),
        gives("SELECT id FROM $T WHERE _hoodie_partition_path = 'b'", 3),
        gives("SELECT day, max(_hoodie_record_key) FROM $T GROUP BY day ORDER BY day", ("a", "2"), ("b", "3")),
        gives("SELECT * FROM (SELECT *, _hoodie_record_key AS k FROM $T) WHERE k = '1'", (*_1, "1")),
        refused("SELECT _hoodie_record_key FROM (SELECT max(id) FROM $T) q", "UNRESOLVED_COLUMN"),
        refused("SELECT _hoodie_record_key FROM src", "UNRESOLVED_COLUMN"),
    ],
    "creates of every type": [
        refused(f"CREATE TABLE $P (id INT, a STRUCT<b: INT, B: INT>) USING hudilite {_KEY}", "COLUMN_ALREADY_EXISTS"),
        refused(f"CREATE TABLE $P (id INT, day INT) USING hudilite PARTITIONED BY (day, day) {_KEY}", "", "day"),
        refused(f"CREATE TABLE $P (id INT) USING hudilite {_KEY} AS SELECT 1 AS id", "", ""),
        refused(f"CREATE TABLE $P USING hudilite PARTITIONED BY (day STRING) {_KEY} AS SELECT 1 AS id", "", ""),
        does("CREATE TABLE IF NOT EXISTS $T USING hudilite AS SELECT raise_error('spilt') AS id", set(), None),
        does(
            f"CREATE TABLE $P (id INT NOT NULL, v INT) USING hudilite {_KEY}", {"names"}, "SELECT count(*) FROM $P", 0
        ),
        refused(
            f"CREATE TABLE $P (id INT, v INT NOT NULL) USING hudilite {_KEY}",
            "STATEMENT_NOT_SUPPORTED",
            "v",
            doors=("path",),
        ),
        does(
            f"CREATE TABLE $P (id INT, v INT NOT NULL) USING hudilite {_KEY}",
            {"names"},
            "SELECT count(*) FROM $P",
            0,
            doors=("name",),
        ),
        refused(
            f"CREATE TABLE $P (id INT, v STRUCT<x: INT NOT NULL>) USING hudilite {_KEY}", "STATEMENT_NOT_SUPPORTED", "v"
        ),
        does(
            f"CREATE TABLE $P USING hudilite {_KEY} AS SELECT 1 AS id, TIMESTAMP_NTZ '2026-01-31 12:00:00' AS at, X'0A' AS b",
            {"names"},
            "SELECT id, CAST(at AS STRING), hex(b) FROM $P",
            (1, "2026-01-31 12:00:00", "0A"),
        ),
        refused(f"CREATE TABLE $P (id INT, c CHAR(3)) USING hudilite {_KEY}", _TYPE, "length", doors=("path",)),
        refused(f"CREATE TABLE $P (id INT, c VARCHAR(3)) USING hudilite {_KEY}", _TYPE, "length", doors=("path",)),
        refused("ALTER TABLE $T ADD COLUMN c VARCHAR(3)", _TYPE, "length", doors=("path", "registered")),
        does(
            f"CREATE TABLE $P (id INT, c VARCHAR(3), d CHAR(2)) USING hudilite {_KEY}",
            {"names"},
            "SELECT count(*) FROM $P",
            0,
            doors=_SESSION,
        ),
        does(
            "ALTER TABLE $T ADD COLUMN c VARCHAR(3)",
            _SCHEMA - {"facts"},
            "SELECT c FROM $T WHERE id = 1",
            None,
            doors=_SESSION,
        ),
        refused(f"CREATE TABLE $P USING hudilite {_KEY} AS SELECT 1 AS id, NULL AS n", "", ""),
        refused(f"CREATE TABLE $P (id INT, v VARIANT) USING hudilite {_KEY}", "", "", lines=_FOURTH),
        refused(f"CREATE TABLE $P (id INT, c STRING COLLATE UTF8_LCASE) USING hudilite {_KEY}", "", "", lines=_FOURTH),
        refused(f"CREATE TABLE $P (id INT, CONSTRAINT c CHECK (id > 0)) USING hudilite {_KEY}", "", "", lines=_FOURTH),
        does(
            "CREATE TABLE $P (id INT PRIMARY KEY, v INT) USING hudilite",
            {"names"},
            "SELECT count(*) FROM $P",
            0,
            lines=_FOURTH,
        ),
        refused(
            f"CREATE TABLE $P (id BIGINT GENERATED ALWAYS AS IDENTITY) USING hudilite {_KEY}", "", "", lines=_FOURTH
        ),
    ],
    "temporary views are no tables": [
        refused("INSERT INTO src VALUES (1, 'a', 1.0D, 'x')", "", ""),
        refused("INSERT OVERWRITE src VALUES (1, 'a', 1.0D, 'x')", "", ""),
        refused("MERGE INTO src t USING $T s ON t.id = s.id WHEN MATCHED THEN DELETE", "", ""),
        refused("ALTER TABLE src ADD COLUMN x INT", "", ""),
        refused("ALTER TABLE src DROP PARTITION (day = 'a')", "", ""),
        refused("COMMENT ON TABLE src IS 'c'", "", ""),
        refused("SHOW CREATE TABLE src", "", ""),
        refused("SHOW PARTITIONS src", "", ""),
        refused("SELECT * FROM src VERSION AS OF 1", "UNSUPPORTED_FEATURE|"),
        refused("WITH c AS (SELECT 1) SELECT * FROM c VERSION AS OF 1", ""),
        refused("SELECT * FROM $T VERSION AS OF '$I1' TIMESTAMP AS OF now()", "PARSE_SYNTAX_ERROR"),
        refused("INSERT INTO $T VERSION AS OF '$I1' VALUES (4, 'c', 4.0D, 'four')", "PARSE_SYNTAX_ERROR"),
    ],
    "caches of changed tables": [
        _cached("INSERT INTO $T VALUES (4, 'c', 4.0D, 'four')", 4, WRITE),
        _cached("INSERT OVERWRITE $T VALUES (4, 'c', 4.0D, 'four')", 1, WRITE),
        _cached("DELETE FROM $T WHERE id = 1", 2, WRITE),
        _cached(f"MERGE INTO $T t {_ON} WHEN NOT MATCHED THEN INSERT *", 4, WRITE),
        _cached("TRUNCATE TABLE $T", 0, DROP),
        _cached("ALTER TABLE $T DROP PARTITION (day = 'a')", 1, DROP),
    ],
    "more namespaces": [
        # Spark 3.5 itself fails here as soon as anything is cached.
        gives("SHOW CURRENT NAMESPACE", ("spark_catalog", "stmts"), lines=_FOURTH),
        gives("SHOW NAMESPACES LIKE 'stm*'", "stmts"),
        refused("CREATE DATABASE stmts", "SCHEMA_ALREADY_EXISTS", "stmts"),
        refused("ALTER DATABASE nowhere SET DBPROPERTIES ('a' = 'b')", "SCHEMA_NOT_FOUND", "nowhere"),
        refused("DESCRIBE NAMESPACE nowhere", "SCHEMA_NOT_FOUND", "nowhere"),
        refused("SHOW TABLES IN nowhere", "SCHEMA_NOT_FOUND", "nowhere"),
        refused("DROP NAMESPACE hudilite.stmts", "", ""),
        refused("ALTER NAMESPACE hudilite.stmts SET PROPERTIES ('a' = 'b')", "", ""),
        does(
            "ALTER DATABASE stmts SET DBPROPERTIES ('a' = 'b')",
            set(),
            "spark.sql('DESCRIBE NAMESPACE EXTENDED stmts').where(\"info_name = 'Properties'\").select('info_value')",
            "((a,b))",
            doors=("name",),
        ),
        does(
            "COMMENT ON NAMESPACE stmts IS 'said'",
            set(),
            "spark.sql('DESCRIBE NAMESPACE stmts').where(\"info_name = 'Comment'\").select('info_value')",
            "said",
            doors=("name",),
        ),
    ],
    "functions of no catalog": [
        refused("SELECT hudilite.stmts.f(1)", "", ""),
        refused("SELECT nowhere(id) FROM $T", "UNRESOLVED_ROUTINE", "nowhere"),
        refused("CREATE FUNCTION hudilite.stmts.f AS 'x'", "", ""),
        refused("SHOW FUNCTIONS IN hudilite.stmts", "", ""),
        says("DESCRIBE FUNCTION hudi_table_changes", "hudi_table_changes"),
    ],
    "more columns": [
        does(
            "ALTER TABLE $T ADD COLUMNS (x INT, y INT AFTER x)",
            _SCHEMA - {"facts"},
            "SELECT x, y FROM $T WHERE id = 1",
            (None, None),
        ),
        does(
            "ALTER TABLE $T ADD COLUMN st.z INT FIRST",
            _SCHEMA,
            "SELECT st.* FROM $T WHERE id = 1",
            (None, 1, "p"),
            on="nested",
        ),
        does("ALTER TABLE $T DROP COLUMN st.y", _SCHEMA, "SELECT st.* FROM $T ORDER BY id", 1, 2, on="nested"),
        does(
            "ALTER TABLE $T ALTER COLUMN v COMMENT 'x', name COMMENT 'y'",
            {"columns", "timeline"},
            None,
            lines=_FOURTH,
        ),
        refused(
            "ALTER TABLE $T ALTER COLUMN list.element TYPE BIGINT", "STATEMENT_NOT_SUPPORTED", "structs", on="nested"
        ),
        refused("ALTER TABLE $T ALTER COLUMN map.value TYPE BIGINT", "STATEMENT_NOT_SUPPORTED", "structs", on="nested"),
        refused("ALTER TABLE $T ADD COLUMNS (x INT, x INT)", "COLUMN_ALREADY_EXISTS|INVALID_COLUMN_NAME", "x"),
        refused("ALTER TABLE $T ADD COLUMN x INT AFTER nobody", "", ""),
        refused("ALTER TABLE $T ADD COLUMN v.x INT", "", "v"),
        refused("ALTER TABLE $T ADD COLUMN st.x INT", "", "x", on="nested"),
        refused("ALTER TABLE $T ADD COLUMN st.nobody.x INT", "", "nobody", on="nested"),
        refused("ALTER TABLE $T ALTER COLUMN v AFTER nobody", "", "nobody"),
        refused("ALTER TABLE $T ALTER COLUMN nobody TYPE INT", "", "nobody"),
        refused("ALTER TABLE $T ALTER COLUMN v TYPE INT", "", "v"),
        refused("ALTER TABLE $T ALTER COLUMN v TYPE INTERVAL DAY", "", ""),
        refused("ALTER TABLE $T ALTER COLUMN st TYPE STRUCT<x: INT>", "", "st", on="nested"),
        refused("ALTER TABLE $T ALTER COLUMN list TYPE ARRAY<BIGINT>", "", "list", on="nested"),
        refused("ALTER TABLE $T ALTER COLUMN map TYPE MAP<STRING, BIGINT>", "", "map", on="nested"),
        refused("ALTER TABLE $T RENAME COLUMN st.x TO y", "", "y", on="nested"),
        refused("ALTER TABLE $T RENAME COLUMN st.nobody TO y", "", "nobody", on="nested"),
        refused("ALTER TABLE $T DROP COLUMN st.nobody", "", "nobody", on="nested"),
        refused("ALTER TABLE $T DROP COLUMN list.element", "", "", on="nested"),
        refused("ALTER TABLE $P ADD COLUMN x INT", NO_TABLE),
        refused("ALTER TABLE $P DROP COLUMN x", NO_TABLE),
    ],
    "more shows": [
        gives("SHOW PARTITIONS $T PARTITION (DAY = 'a')", "day=a"),
        changes("ALTER TABLE $T DROP PARTITION (DAY = 'a')", [], [_1, _2], touches=DROP),
        gives("SHOW COLUMNS IN $N IN stmts", "id", "day", "v", "name", doors=_SESSION, lines=_FOURTH),
        refused("SHOW COLUMNS IN stmts.$N IN default", "", "", doors=_SESSION),
        gives("SHOW TABLES LIKE 'nobody|other'", ("stmts", "other", False)),
        says("SHOW TABLE EXTENDED LIKE 'other'", "other"),
        refused("SHOW TBLPROPERTIES $P", NO_TABLE),
        refused("SHOW CREATE TABLE $P", NO_TABLE),
        refused("DESCRIBE $T st.x", "", "", on="nested"),
        refused("TRUNCATE TABLE $T PARTITION (nobody = 1)", "", "nobody"),
        refused("ALTER TABLE $T DROP PARTITION (nobody = 1)", "", "nobody"),
    ],
    "rows with nulls": [
        changes("DELETE FROM $T WHERE id = NULL", touches=_TIMELINE),
        changes("DELETE FROM $T WHERE id IN (1, NULL)", [], [_1]),
        changes("DELETE FROM $T WHERE id NOT IN (1, NULL)", touches=_TIMELINE),
        changes("DELETE FROM $T WHERE id NOT IN (SELECT CAST(NULL AS INT))", touches=_TIMELINE),
        changes("DELETE FROM $T WHERE name <=> NULL", [], [_3]),
        changes("DELETE FROM $T WHERE day = 'a' AND v > (SELECT min(v) FROM $T)", [], [_2]),
        changes("UPDATE $T SET v = NULL WHERE NOT (name = 'one')", [(2, "a", None, "two")], [_2]),
        changes(f"MERGE INTO $T t {_ON} WHEN MATCHED AND t.name = NULL THEN DELETE", touches=_TIMELINE),
        changes(
            "MERGE INTO $T t USING (SELECT CAST(NULL AS INT) AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE",
            touches=_TIMELINE,
        ),
        changes(
            "MERGE INTO $T t USING (SELECT CAST(NULL AS INT) AS id) s ON t.id <=> s.id WHEN NOT MATCHED BY SOURCE THEN DELETE",
            [],
            [_1, _2, _3],
        ),
    ],
    "changed rows": [
        changes("UPDATE $T SET v = id + 8, name = day WHERE id = 1", [(1, "a", 9.0, "a")], [_1]),
        changes("UPDATE $T SET day = name, name = day WHERE id = 1", [(1, "one", 1.0, "a")], [_1]),
        changes(
            "UPDATE $T SET st = named_struct('x', 7, 'y', 'q') WHERE id = 2",
            [(2, (7, "q"), [], None, None, None)],
            [(2, (2, None), [], None, None, None)],
            on="nested",
        ),
        changes(
            f"MERGE INTO $T t {_ON} WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT * "
            "WHEN NOT MATCHED BY SOURCE AND t.id = 1 THEN DELETE WHEN NOT MATCHED BY SOURCE THEN UPDATE SET name = 'left'",
            [(2, "a", 20.0, "two"), _FOUR, (3, "b", 3.0, "left")],
            [_1, _2, _3],
        ),
        changes(
            "MERGE INTO $T t USING (SELECT 'four' AS name, 'c' AS day, 4 AS id, 4.0D AS v) s ON t.id = s.id "
            "WHEN NOT MATCHED THEN INSERT *",
            [_FOUR],
        ),
        changes(
            f"MERGE INTO $T t {_ON} WHEN MATCHED AND s.id IN (2, 3) AND t.v = 2 THEN UPDATE SET name = DEFAULT",
            [(2, "a", 2.0, None)],
            [_2],
        ),
    ],
    "refused changes": [
        refused("DELETE FROM $T WHERE rand() > 0.5", "", ""),
        refused("DELETE FROM $T WHERE max(v) > 1", "", ""),
        refused("UPDATE $T SET v = max(v)", "", "", lines=_FOURTH),
        refused("UPDATE $T SET v = 1 WHERE rand() > 0.5", "", ""),
        refused("UPDATE $T SET v = 1 WHERE id", "", ""),
        refused("UPDATE $T SET st.x = 'q'", "", "", on="nested"),
        refused("UPDATE $T SET st.x = 1, st = NULL", "", "", on="nested"),
        refused("UPDATE $T SET list.element = 1", "", "", on="nested"),
        refused("UPDATE $T SET st.nobody = 1", "", "nobody", on="nested"),
        refused("UPDATE $T SET dec = 123456789012.5 WHERE id = 1", "", "", on="nested"),
        refused(f"MERGE INTO $T t {_ON} AND rand() > 2 WHEN MATCHED THEN DELETE", "", ""),
        refused(f"MERGE INTO $T t {_ON} WHEN MATCHED AND max(s.v) > 1 THEN DELETE", "", ""),
        refused(f"MERGE INTO $T t {_ON} WHEN MATCHED THEN UPDATE SET v = 1, v = 2", "", ""),
        refused(f"MERGE INTO $T t {_ON} WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id, 1)", "", ""),
        refused(f"MERGE INTO $T t {_ON} WHEN NOT MATCHED THEN INSERT (id, id) VALUES (s.id, s.id)", "", ""),
        refused(f"MERGE INTO $T t {_ON} WHEN NOT MATCHED THEN INSERT (day) VALUES (s.day)", "", ""),
        refused(f"MERGE INTO $T t {_ON} WHEN NOT MATCHED AND t.v > 1 THEN INSERT *", "", ""),
        refused(f"MERGE INTO $T t {_ON} WHEN NOT MATCHED BY SOURCE AND s.v > 1 THEN DELETE", "", ""),
        refused("MERGE INTO $T USING src ON id = id WHEN MATCHED THEN DELETE", "AMBIGUOUS_REFERENCE", "id"),
        refused("MERGE INTO $T t USING $P s ON t.id = s.id WHEN MATCHED THEN DELETE", NO_TABLE),
    ],
    "options of a query": [
        gives("SELECT count(*) FROM $T WITH (`as.of.instant` = '$I1')", 2, lines=_FOURTH),
        refused("SELECT * FROM $T WITH (header = 'x')", "UNKNOWN_OPTION", "header", lines=_FOURTH),
    ],
}

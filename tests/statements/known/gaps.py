"""Missing statements, and those that are refused in another way than in one line of hudilite's."""

from __future__ import annotations

from statements.statement import Statement, does, refused

#: No table of that name, in Spark's words; of a path hudilite says it.
NO_TABLE = "TABLE_OR_VIEW_NOT_FOUND|TABLE_NOT_FOUND"


#: Doors to tables for which nothing keeps rules of columns.
_UNKEPT = ("path", "registered")


def _nothing(text: str, **more: object) -> Statement:
    """A statement on a path without a table, which is named in the one line that says so."""
    return refused(text, "TABLE_NOT_FOUND", "$DIR-new:", doors=("path",), **more)  # type: ignore[arg-type]


KINDS = {
    "paths without a table": [
        _nothing("SELECT * FROM $P"),
        _nothing("SELECT p.id FROM $T t JOIN $P p ON t.id = p.id"),
        _nothing("SELECT id FROM $T WHERE id IN (SELECT id FROM $P)"),
        _nothing("WITH c AS (SELECT * FROM $P) SELECT count(*) FROM c"),
        _nothing("SELECT * FROM $P VERSION AS OF '$I1'"),
        _nothing("SELECT * FROM $P TIMESTAMP AS OF '2026-01-31'"),
        _nothing("SELECT * FROM $P TIMESTAMP AS OF current_timestamp() - INTERVAL 1 HOUR"),
        _nothing("SELECT * FROM $P.history"),
        _nothing("SELECT count(*) FROM hudilite.`$DIR-new/`"),
        _nothing("INSERT INTO $P (id) VALUES (1)"),
        _nothing("INSERT INTO $P BY NAME SELECT 1 AS id"),
        _nothing("INSERT OVERWRITE $P VALUES (1)"),
        _nothing("INSERT INTO $P REPLACE WHERE day = 'a' SELECT * FROM src"),
        _nothing("UPDATE $P SET v = 1 WHERE id = 1"),
        _nothing("DELETE FROM $P WHERE id = 1"),
        _nothing("MERGE INTO $P t USING src s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *"),
        _nothing("DESCRIBE EXTENDED $P"),
        _nothing("DESCRIBE $P id"),
        _nothing("ALTER TABLE $P SET TBLPROPERTIES ('hoodie.parquet.max.file.size' = '1')"),
        _nothing("ALTER TABLE $P DROP PARTITION (day = 'a')"),
        _nothing("ANALYZE TABLE $P COMPUTE STATISTICS"),
        _nothing("CREATE TEMPORARY VIEW of_nothing AS SELECT * FROM $P"),
        _nothing("DROP TABLE $P PURGE"),
        does("DROP TABLE IF EXISTS $P", set(), None, doors=("path",)),
        does("DROP TABLE IF EXISTS $P PURGE", set(), None, doors=("path",)),
        does(
            "CREATE TABLE IF NOT EXISTS $P (id INT) USING hudilite TBLPROPERTIES (primaryKey = 'id')",
            {"names"},
            "SELECT count(*) FROM $P",
            0,
            doors=("path",),
        ),
        refused("SELECT * FROM hudilite.``", "MISSING_OPTION", "path", doors=("path",)),
    ],
    "not offered": [
        refused(
            "FROM src INSERT INTO $T SELECT id, day, v, name INSERT INTO $T SELECT id + 5, day, v, name",
            "STATEMENT_NOT_SUPPORTED",
            "UNION ALL",
        ),
        refused(
            "CREATE TABLE $P (id INT, v INT DEFAULT 3) USING hudilite TBLPROPERTIES (primaryKey = 'id')",
            "OPTION_NOT_SUPPORTED|UNSUPPORTED_FEATURE",
            "default",
            doors=("path",),
        ),
        does(
            "CREATE TABLE $P (id INT, v INT DEFAULT 3) USING hudilite TBLPROPERTIES (primaryKey = 'id')",
            {"names"},
            "SELECT count(*) FROM $P",
            0,
            doors=("name", "connect"),
        ),
        refused(
            "CREATE TABLE $P (id INT, w INT GENERATED ALWAYS AS (id + 1)) USING hudilite TBLPROPERTIES (primaryKey = 'id')",
            "UNSUPPORTED_FEATURE",
            "generated",
        ),
        refused("ALTER TABLE $T ADD COLUMN x INT DEFAULT 3", "STATEMENT_NOT_SUPPORTED", "default"),
        refused("ALTER TABLE $T ALTER COLUMN v SET DEFAULT 3.0D", "STATEMENT_NOT_SUPPORTED", "rule", doors=_UNKEPT),
        refused("ALTER TABLE $T ALTER COLUMN v DROP DEFAULT", "STATEMENT_NOT_SUPPORTED", "rule", doors=_UNKEPT),
        refused(
            "MERGE WITH SCHEMA EVOLUTION INTO $T t USING (SELECT 1 AS id, 'a' AS day, 5 AS x) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET *",
            "",
            lines=("3.5",),
        ),
    ],
}

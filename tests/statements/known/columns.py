"""ALTER TABLE of columns."""

from __future__ import annotations

from statements.statement import does, refused

_SCHEMA = {"columns", "rows", "timeline", "described"}

KINDS = {
    "columns": [
        does("ALTER TABLE $T ADD COLUMN extra INT", _SCHEMA, "SELECT extra FROM $T", None, None, None),
        does(
            "ALTER TABLE $T ADD COLUMNS (extra INT COMMENT 'e', more STRING)",
            _SCHEMA,
            "SELECT count(extra), count(more) FROM $T",
            (0, 0),
        ),
        does(
            "ALTER TABLE $T ADD COLUMN extra INT FIRST",
            _SCHEMA | {"facts"},
            "SELECT extra, id FROM $T",
            (None, 1),
            (None, 2),
            (None, 3),
        ),
        does(
            "ALTER TABLE $T ADD COLUMN extra INT AFTER id",
            _SCHEMA | {"facts"},
            "SELECT extra FROM $T WHERE id = 1",
            None,
        ),
        does(
            "MERGE WITH SCHEMA EVOLUTION INTO $T t USING (SELECT 1 AS id, 'a' AS day, 5 AS x) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET *",
            _SCHEMA | {"files"},
            "SELECT x FROM $T ORDER BY id",
            5,
            None,
            None,
            lines=("4",),
        ),
        does("ALTER TABLE $T ADD COLUMN st.z DOUBLE", _SCHEMA, "SELECT st.z FROM $T", None, None, on="nested"),
        does("ALTER TABLE $T ADD COLUMN extra INT", _SCHEMA, "SELECT extra FROM $T", None, None, None, on="mor"),
        does(
            "ALTER TABLE $T RENAME COLUMN name TO title",
            _SCHEMA - {"rows"} | {"facts"},
            "SELECT title FROM $T WHERE id = 1",
            "one",
        ),
        does(
            "ALTER TABLE $T RENAME COLUMN name TO title",
            _SCHEMA - {"rows"} | {"facts"},
            "SELECT title FROM $T WHERE id = 1",
            "one",
            on="mor",
        ),
        does(
            "ALTER TABLE $T RENAME COLUMN st.y TO yy",
            _SCHEMA - {"rows"} | {"facts"},
            "SELECT st.yy FROM $T WHERE id = 1",
            "p",
            on="nested",
        ),
        does("ALTER TABLE $T DROP COLUMN name", _SCHEMA | {"facts"}, "SELECT * FROM $T WHERE id = 1", (1, "a", 1.0)),
        does("ALTER TABLE $T DROP COLUMNS (name, v)", _SCHEMA | {"facts"}, "SELECT * FROM $T WHERE id = 1", (1, "a")),
        does("ALTER TABLE $T DROP COLUMN IF EXISTS nobody", set(), None),
        does("ALTER TABLE $T ALTER COLUMN v TYPE STRING", _SCHEMA | {"facts"}, "SELECT v FROM $T WHERE id = 1", "1.0"),
        does("ALTER TABLE $T CHANGE COLUMN dec dec DECIMAL(12, 2)", _SCHEMA - {"rows"} | {"facts"}, None, on="nested"),
        does("ALTER TABLE $T ALTER COLUMN name COMMENT 'what'", {"columns", "timeline"}, None),
        does(
            "ALTER TABLE $T ALTER COLUMN name FIRST",
            _SCHEMA | {"facts"},
            "SELECT * FROM $T WHERE id = 1",
            ("one", 1, "a", 1.0),
        ),
        does(
            "ALTER TABLE $T ALTER COLUMN v AFTER name",
            _SCHEMA | {"facts"},
            "SELECT * FROM $T WHERE id = 1",
            (1, "a", "one", 1.0),
        ),
        does("ALTER TABLE $T ALTER COLUMN name DROP NOT NULL", set(), None),
        does("ALTER TABLE $T CHANGE COLUMN name name STRING COMMENT 'what'", {"columns", "timeline"}, None),
    ],
    "refused columns": [
        refused("ALTER TABLE $T ADD COLUMN name INT", "INVALID_COLUMN_NAME", "name"),
        refused("ALTER TABLE $T ADD COLUMN NAME INT", "INVALID_COLUMN_NAME", "name"),
        refused("ALTER TABLE $T ADD COLUMN x INT NOT NULL", "STATEMENT_NOT_SUPPORTED", "x"),
        refused("ALTER TABLE $T ADD COLUMN _hoodie_record_key STRING", "INVALID_COLUMN_NAME", "_hoodie"),
        refused("ALTER TABLE $T RENAME COLUMN name TO _hoodie_file_name", "INVALID_COLUMN_NAME", "_hoodie"),
        refused("ALTER TABLE $T ADD COLUMN nobody.x INT", "", "nobody"),
        refused("ALTER TABLE $T DROP COLUMN id", "STATEMENT_NOT_SUPPORTED", "record key"),
        refused("ALTER TABLE $T DROP COLUMN day", "STATEMENT_NOT_SUPPORTED", "partition"),
        refused("ALTER TABLE $T DROP COLUMN v", "STATEMENT_NOT_SUPPORTED", "ordering", on="mor"),
        refused("ALTER TABLE $T DROP COLUMN nobody", "", "nobody"),
        refused("ALTER TABLE $T RENAME COLUMN id TO key", "STATEMENT_NOT_SUPPORTED", "record key"),
        refused("ALTER TABLE $T RENAME COLUMN name TO v", "INVALID_COLUMN_NAME", "v"),
        refused("ALTER TABLE $T RENAME COLUMN nobody TO x", "", "nobody"),
        refused("ALTER TABLE $T ALTER COLUMN id TYPE BIGINT", "STATEMENT_NOT_SUPPORTED", "record key"),
        refused("ALTER TABLE $T ALTER COLUMN name TYPE INT", "", "name"),
        refused("ALTER TABLE $T ALTER COLUMN name SET NOT NULL", "", "name"),
        refused("ALTER TABLE $T REPLACE COLUMNS (id INT, day STRING)", "STATEMENT_NOT_SUPPORTED", "ALTER TABLE"),
        refused("ALTER TABLE $T ADD COLUMN i INTERVAL DAY", "", "interval"),
        refused("ALTER TABLE $T ADD CONSTRAINT c CHECK (v > 0)", "", ""),
    ],
}

"""What is not offered, and what is refused in another way than in one line of hudilite's."""

from __future__ import annotations

from statements.statement import refused

#: No table of that name. The last is what Spark says by itself of a path without a table.
NO_TABLE = "TABLE_OR_VIEW_NOT_FOUND|TABLE_NOT_FOUND|UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY"

KINDS = {
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
        ),
        refused(
            "CREATE TABLE $P (id INT, w INT GENERATED ALWAYS AS (id + 1)) USING hudilite TBLPROPERTIES (primaryKey = 'id')",
            "UNSUPPORTED_FEATURE",
            "generated",
        ),
        refused("ALTER TABLE $T ADD COLUMN x INT DEFAULT 3", "STATEMENT_NOT_SUPPORTED", "default"),
        refused("ALTER TABLE $T ALTER COLUMN v SET DEFAULT 3.0D", "STATEMENT_NOT_SUPPORTED", "default"),
        refused("ALTER TABLE $T ALTER COLUMN v DROP DEFAULT", "STATEMENT_NOT_SUPPORTED", "default"),
        refused(
            "MERGE WITH SCHEMA EVOLUTION INTO $T t USING (SELECT 1 AS id, 'a' AS day, 5 AS x) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET *",
            "",
            lines=("3.5",),
        ),
    ],
}

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
        refused("ANALYZE TABLE $T COMPUTE STATISTICS", "STATEMENT_NOT_SUPPORTED", "ANALYZE TABLE"),
        refused("ANALYZE TABLE $T COMPUTE STATISTICS FOR COLUMNS id", "STATEMENT_NOT_SUPPORTED", "ANALYZE TABLE"),
        refused("CREATE TABLE $N_like LIKE $T", "STATEMENT_NOT_SUPPORTED|SCHEMA_NOT_FOUND"),
        refused("CREATE TABLE $P (id INT, v INT DEFAULT 3) USING hudilite TBLPROPERTIES (primaryKey = 'id')", "", ""),
        refused(
            "CREATE TABLE $P (id INT, w INT GENERATED ALWAYS AS (id + 1)) USING hudilite TBLPROPERTIES (primaryKey = 'id')",
            "",
            "",
        ),
        refused("ALTER TABLE $T ADD COLUMN x INT DEFAULT 3", "", ""),
        refused("ALTER TABLE $T ALTER COLUMN v SET DEFAULT 3", "", ""),
        refused(
            "MERGE WITH SCHEMA EVOLUTION INTO $T t USING (SELECT 1 AS id, 'a' AS day, 5 AS x) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET *",
            "",
            lines=("3.5",),
        ),
    ],
}

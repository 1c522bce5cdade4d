"""Entries of the catalog beside a table's name: statistics, entries like others, entries for Apache Hudi."""

from __future__ import annotations

from statements.statement import NAMED, does, refused

_NAME = ("name",)
_KEYED = "TBLPROPERTIES (primaryKey = 'id')"

KINDS = {
    "statistics": [
        does("ANALYZE TABLE $T COMPUTE STATISTICS FOR COLUMNS id, v", {"entry"}, doors=NAMED),
        does("ANALYZE TABLE $T COMPUTE STATISTICS", {"entry"}, doors=NAMED),
        does("ANALYZE TABLE $T COMPUTE STATISTICS", {"entry"}, on="mor", doors=NAMED),
        does("ANALYZE TABLE $T COMPUTE STATISTICS NOSCAN", {"entry"}, on="mor", doors=NAMED),
        does("ANALYZE TABLE $T COMPUTE STATISTICS FOR ALL COLUMNS", {"entry"}, on="mor", doors=NAMED),
        does("ANALYZE TABLE $T COMPUTE STATISTICS FOR COLUMNS `dec`, at", {"entry"}, on="nested", doors=NAMED),
        refused(
            "ANALYZE TABLE $T COMPUTE STATISTICS FOR ALL COLUMNS",
            "STATEMENT_NOT_SUPPORTED",
            "FOR COLUMNS st",
            on="nested",
            doors=NAMED,
        ),
        refused("ANALYZE TABLE $T COMPUTE STATISTICS FOR COLUMNS gone", "STATEMENT_NOT_SUPPORTED", doors=NAMED),
        refused("ANALYZE TABLE $T PARTITION (day = 'a') COMPUTE STATISTICS", "STATEMENT_NOT_SUPPORTED", "PARTITION"),
        refused("ANALYZE TABLE $T COMPUTE STATISTICS", "STATEMENT_NOT_SUPPORTED", "has no entry", doors=("path",)),
        refused(
            "ANALYZE TABLE $T COMPUTE STATISTICS FOR COLUMNS id",
            "STATEMENT_NOT_SUPPORTED",
            "has no entry",
            doors=("path",),
        ),
    ],
    "like": [
        does("CREATE TABLE $P LIKE $T", {"names"}, "SELECT count(*) FROM $P", 0, on="mor", doors=("path", "name")),
        does("CREATE TABLE $P LIKE $T", {"names"}, "SELECT count(*) FROM $P", 0, doors=("registered",), lines=("4",)),
        does(
            "CREATE TABLE IF NOT EXISTS $P LIKE $T USING hudilite",
            {"names"},
            "SHOW COLUMNS IN $P",
            "id",
            "day",
            "v",
            "name",
            doors=_NAME,
        ),
        does(
            f"CREATE TABLE $P LIKE other USING hudilite {_KEYED}", {"names"}, "SELECT count(*) FROM $P", 0, doors=_NAME
        ),
        does(
            "CREATE TABLE $P LIKE $T USING parquet",
            {"names"},
            "SELECT count(*) FROM $P",
            0,
            doors=_NAME,
            lines=("3.5",),
        ),
        refused(
            "CREATE TABLE $P LIKE $T USING parquet", "STATEMENT_NOT_SUPPORTED", "LIMIT 0", doors=_NAME, lines=("4",)
        ),
        does(
            "CREATE TABLE $P LIKE $T TBLPROPERTIES (primaryKey = 'id,v')",
            {"names"},
            "SELECT value FROM $M_new.properties WHERE key = 'hoodie.table.recordkey.fields'",
            "id,v",
            doors=_NAME,
        ),
        does("CREATE TABLE $P LIKE other USING hudilite", {"names"}, "SELECT count(*) FROM $P", 0, doors=_NAME),
        refused("CREATE TABLE other LIKE $T", "TABLE_OR_VIEW_ALREADY_EXISTS", doors=_NAME),
    ],
    "for hudi": [
        does(
            f"CREATE TABLE $P (day STRING, id INT) USING hudi PARTITIONED BY (day) {_KEYED}",
            {"names"},
            "SHOW COLUMNS IN $P",
            "id",
            "day",
            doors=_NAME,
        ),
        does(
            f"CREATE TABLE $P USING hudi PARTITIONED BY (day) {_KEYED} AS SELECT day, id FROM $T",
            {"names"},
            "SELECT * FROM $P",
            (1, "a"),
            (2, "a"),
            (3, "b"),
            doors=_NAME,
        ),
        does(
            "CREATE TABLE $P (id INT) USING hudi TBLPROPERTIES (primaryKey = 'id', 'hoodie.parquet.max.file.size' = '1')",
            {"names"},
            "SHOW COLUMNS IN $P",
            "id",
            doors=_NAME,
        ),
    ],
}

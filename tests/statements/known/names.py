"""Namespaces, lists of tables, views, caches and the current catalog."""

from __future__ import annotations

from statements.known.gaps import NO_TABLE
from statements.statement import NAMED, does, gives, refused, says

_NAMES = {"names"}

KINDS = {
    "namespaces": [
        does("CREATE DATABASE extra", _NAMES, "SHOW DATABASES LIKE 'extra'", "extra", doors=("name",)),
        does("CREATE NAMESPACE IF NOT EXISTS stmts", set(), None),
        says("SHOW NAMESPACES", "default", "stmts"),
        gives("SHOW DATABASES LIKE 'stm*'", "stmts"),
        says("DESCRIBE NAMESPACE stmts", "stmts.db"),
        says("DESCRIBE DATABASE EXTENDED stmts", "Namespace Name | stmts"),
        refused("DROP DATABASE stmts", "SCHEMA_NOT_EMPTY|", "", doors=("name",)),
        refused("DROP DATABASE nowhere", "SCHEMA_NOT_FOUND", "nowhere"),
        does("DROP DATABASE IF EXISTS nowhere", set(), None),
        refused("CREATE NAMESPACE hudilite.other", "", ""),
        refused("SHOW NAMESPACES IN hudilite", "", ""),
        gives("SELECT current_database(), current_catalog()", ("stmts", "spark_catalog")),
        does("USE default", set(), "SELECT current_database()", "default", undo=("USE spark_catalog.stmts",)),
        does("USE hudilite", set(), "SELECT current_catalog()", "hudilite", undo=("USE spark_catalog.stmts",)),
        does("SET CATALOG hudilite", set(), "SELECT current_catalog()", "hudilite", undo=("USE spark_catalog.stmts",)),
        refused("USE nowhere", "SCHEMA_NOT_FOUND|NO_SUCH_NAMESPACE|", "nowhere"),
    ],
    "lists": [
        says("SHOW TABLES", "stmts | $N | False", doors=NAMED),
        says("SHOW TABLES IN hudilite.stmts", "stmts | $N | False", doors=NAMED),
        gives("SHOW TABLES IN stmts LIKE '$N'", ("stmts", "$N", False), doors=NAMED),
        gives("SHOW TABLES IN stmts LIKE 'nobody*'"),
        says("SHOW TABLES", "src | True"),
        says("SHOW TABLE EXTENDED IN stmts LIKE '$N'", "hudi", doors=NAMED),
        says("SHOW CATALOGS", "spark_catalog"),
        says("SHOW VIEWS", "src"),
    ],
    "views": [
        does("CREATE VIEW $N_v AS SELECT id FROM $T WHERE v > 1", _NAMES, "SELECT * FROM $N_v", 2, 3),
        does(
            "CREATE OR REPLACE VIEW $N_v (key COMMENT 'k') COMMENT 'c' AS SELECT id FROM $T",
            _NAMES,
            "SELECT max(key) FROM $N_v",
            3,
        ),
        does(
            "CREATE TEMPORARY VIEW seen AS SELECT * FROM $T",
            set(),
            "SELECT count(*) FROM seen",
            3,
            undo=("DROP VIEW seen",),
        ),
        does(
            "CREATE OR REPLACE TEMP VIEW seen AS SELECT day, count(*) n FROM $T GROUP BY day",
            set(),
            "SELECT * FROM seen",
            ("a", 2),
            ("b", 1),
            undo=("DROP VIEW seen",),
        ),
        does(
            "CREATE GLOBAL TEMPORARY VIEW seen_by_all AS SELECT * FROM $T",
            set(),
            "SELECT count(*) FROM global_temp.seen_by_all",
            3,
            undo=("DROP VIEW global_temp.seen_by_all",),
        ),
        does(
            "CREATE TEMPORARY VIEW seen USING hudilite OPTIONS (path '$DIR')",
            set(),
            "SELECT count(*) FROM seen",
            3,
            undo=("DROP VIEW seen",),
        ),
        refused("CREATE VIEW $N_v AS SELECT nobody FROM $T", "UNRESOLVED_COLUMN", "nobody"),
        refused("CREATE VIEW hudilite.stmts.v AS SELECT * FROM $T", "", ""),
        refused("CREATE MATERIALIZED VIEW $N_v AS SELECT * FROM $T", "", ""),
        refused("DROP VIEW nobody", "TABLE_OR_VIEW_NOT_FOUND|VIEW_NOT_FOUND|"),
    ],
    "caches": [
        does("CACHE TABLE $T", set(), "spark.catalog.isCached('$T')", True, undo=("UNCACHE TABLE $T",)),
        does(
            "CACHE LAZY TABLE kept AS SELECT * FROM $T",
            set(),
            "SELECT count(*) FROM kept",
            3,
            undo=("UNCACHE TABLE kept", "DROP VIEW kept"),
        ),
        does("REFRESH TABLE $T", set(), None),
        does("REFRESH '$DIR'", set(), None),
        does("UNCACHE TABLE IF EXISTS $P", set(), None, doors=NAMED),
        does("CLEAR CACHE", set(), None),
        refused("REFRESH TABLE $P", NO_TABLE),
        refused("CACHE TABLE $P", NO_TABLE),
    ],
    "settings": [
        gives("SET spark.sql.shuffle.partitions", ("spark.sql.shuffle.partitions", "1")),
        does(
            "SET spark.datasource.hudilite.hoodie.datasource.write.operation=upsert",
            set(),
            "spark.conf.get('spark.datasource.hudilite.hoodie.datasource.write.operation', 'no')",
            "upsert",
            undo=("RESET spark.datasource.hudilite.hoodie.datasource.write.operation",),
        ),
        refused(
            "SELECT * FROM $T",
            "UNKNOWN_OPTION",
            "as.of.instnt",
            options=(("spark.datasource.hudilite.as.of.instnt", "1"),),
        ),
        refused(
            "INSERT INTO $T VALUES (4, 'c', 4.0D, 'four')",
            "INVALID_OPTION_VALUE",
            "many",
            options=(("spark.datasource.hudilite.hoodie.parquet.max.file.size", "many"),),
        ),
        gives("SELECT id FROM $T ORDER BY id", 1, 2, options=(("spark.datasource.hudilite.as.of.instant", "$I1"),)),
    ],
    "what Hudi tables have not": [
        refused("CREATE INDEX i ON $T (id)", "STATEMENT_NOT_SUPPORTED", "CREATE INDEX secondary_index_i"),
        refused("DROP INDEX files ON $T", "INDEX_NOT_FOUND", "files"),
        refused("RESTORE TABLE $T TO VERSION AS OF 1", "STATEMENT_NOT_SUPPORTED", "restore_to_instant"),
        refused("DESCRIBE DETAIL $T", "STATEMENT_NOT_SUPPORTED", "DESCRIBE TABLE EXTENDED"),
    ],
}

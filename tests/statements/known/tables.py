"""CREATE, REPLACE, DROP, RENAME, SHOW, DESCRIBE, COMMENT and TBLPROPERTIES of tables."""

from __future__ import annotations

from statements.known.gaps import NO_TABLE
from statements.statement import DROP, Statement, changes, does, gives, refused, says

_KEY = "TBLPROPERTIES (primaryKey = 'id')"
_NAMES = frozenset({"names"})
_REST = [(1, "a", 1.0, "one"), (2, "a", 2.0, "two"), (3, "b", 3.0, None)]
_OTHER_FACTS = frozenset({"timeline", "rows", "files", "facts"})
_THERE = "TABLE_ALREADY_EXISTS|TABLE_OR_VIEW_ALREADY_EXISTS"


def _new(text: str, then: str, *sees: object, **more: object) -> Statement:
    """A statement that makes `$P`."""
    return does(text, {"names"}, then, *sees, **more)


KINDS = {
    "create": [
        _new(f"CREATE TABLE $P (id INT) USING hudilite {_KEY}", "SELECT count(*) FROM $P", 0),
        _new(
            f"CREATE TABLE $P (id INT, day STRING COMMENT 'd') USING HudiLite PARTITIONED BY (day) {_KEY}",
            "DESCRIBE $P",
            ("id", "int", None),
            ("day", "string", "d"),
            ("# Partition Information", "", ""),
            ("# col_name", "data_type", "comment"),
            ("day", "string", "d"),
        ),
        _new(
            "CREATE TABLE $P (id INT, a STRING) USING hudilite OPTIONS ('hoodie.datasource.write.recordkey.field' = 'id,a')",
            "SELECT count(*) FROM $P",
            0,
        ),
        _new(f"CREATE TABLE IF NOT EXISTS $P (id INT) USING hudilite {_KEY}", "SELECT count(*) FROM $P", 0),
        _new(
            "CREATE TABLE $P (st STRUCT<id: INT, x: ARRAY<STRING>>) USING hudilite TBLPROPERTIES (primaryKey = 'st.id')",
            "SELECT st.x FROM $P",
        ),
        _new(
            f"CREATE TABLE $P USING hudilite {_KEY} AS SELECT id, day FROM src", "SELECT * FROM $P", (2, "a"), (4, "c")
        ),
        _new(
            f"CREATE TABLE $P USING hudilite PARTITIONED BY (day) {_KEY} AS SELECT * FROM $T WHERE id < 3",
            "SELECT id, day FROM $P",
            (1, "a"),
            (2, "a"),
        ),
        _new(
            f"CREATE TABLE $P USING hudilite PARTITIONED BY (day) {_KEY} AS SELECT id, day FROM src WHERE false",
            "SELECT count(*) FROM $P",
            0,
        ),
        _new(f"CREATE OR REPLACE TABLE $P USING hudilite {_KEY} AS SELECT 1 AS id", "SELECT * FROM $P", 1),
        _new(
            f"CREATE TABLE $P USING hudilite PARTITIONED BY (day) {_KEY} AS SELECT * FROM src",
            "SELECT *, _hoodie_partition_path FROM $P",
            (2, 20.0, "TWO", "a", "day=a"),
            (4, 4.0, "four", "c", "day=c"),
        ),
        _new(
            "CREATE TABLE $P LIKE $T USING hudilite TBLPROPERTIES ('hoodie.datasource.write.hive_style_partitioning' = 'true')",
            "SELECT value FROM $M_new.properties WHERE key = 'hoodie.datasource.write.hive_style_partitioning'",
            "true",
            doors=("name",),
        ),
        does(
            "CREATE TABLE $N_at USING hudilite LOCATION '$DIR'",
            _NAMES,
            "SELECT count(*) FROM $N_at",
            3,
            doors=("path",),
        ),
        does(
            f"CREATE TABLE $N_c (id INT) USING hudilite COMMENT 'said' {_KEY}",
            _NAMES,
            "SELECT count(*) FROM $N_c",
            0,
            doors=("name",),
        ),
        does("CREATE TABLE IF NOT EXISTS $T (x INT) USING hudilite", set(), None),
        does(
            "CREATE EXTERNAL TABLE $N_x USING hudilite LOCATION '$DIR'",
            _NAMES,
            "SELECT count(*) FROM $N_x",
            3,
            doors=("path",),
        ),
    ],
    "refused creates": [
        refused(f"CREATE TABLE $T (id INT) USING hudilite {_KEY}", _THERE),
        refused(
            "CREATE TABLE $P (id INT) USING hudilite TBLPROPERTIES (primaryKey = '')",
            "INVALID_OPTION_VALUE",
            "no column",
        ),
        refused("CREATE TABLE $P (id INT) USING hudilite TBLPROPERTIES (primaryKey = 'key')", "MISSING_COLUMN", "key"),
        refused(f"CREATE TABLE $P (id INT) USING hudilite PARTITIONED BY (day) {_KEY}", "", "day"),
        refused(
            "CREATE TABLE $P (id INT, d DATE) USING hudilite PARTITIONED BY (days(d)) TBLPROPERTIES (primaryKey = 'id')",
            "OPTION_NOT_SUPPORTED",
            "days",
        ),
        refused(
            "CREATE TABLE $P (id INT, d DATE) USING hudilite PARTITIONED BY (bucket(4, id)) TBLPROPERTIES (primaryKey = 'id')",
            "OPTION_NOT_SUPPORTED",
            "bucket",
        ),
        refused(
            "CREATE TABLE $P (id INT) USING hudilite CLUSTERED BY (id) INTO 4 BUCKETS TBLPROPERTIES (primaryKey = 'id')",
            "OPTION_NOT_SUPPORTED",
            "bucket",
        ),
        refused(
            "CREATE TABLE $P (id INT) USING hudilite CLUSTER BY (id) TBLPROPERTIES (primaryKey = 'id')",
            "OPTION_NOT_SUPPORTED",
            "",
            lines=("4",),
        ),
        refused(
            "CREATE TABLE $P (id INT) USING hudilite TBLPROPERTIES (primaryKey = 'id', type = 'row')",
            "INVALID_OPTION_VALUE",
            "type",
        ),
        refused(
            "CREATE TABLE $P (id INT) USING hudilite TBLPROPERTIES (primarKey = 'id')", "UNKNOWN_OPTION", "primaryKey"
        ),
        refused(
            "CREATE TABLE $P (id INT) USING hudilite OPTIONS (header = true) TBLPROPERTIES (primaryKey = 'id')",
            "UNKNOWN_OPTION",
            "header",
        ),
        refused(
            "CREATE TABLE $P (id INT, ID STRING) USING hudilite TBLPROPERTIES (primaryKey = 'id')",
            "COLUMN_ALREADY_EXISTS",
        ),
        refused(
            "CREATE TABLE $P (id INT, i INTERVAL YEAR) USING hudilite TBLPROPERTIES (primaryKey = 'id')",
            "UNSUPPORTED_COLUMN_TYPE|",
            "interval",
        ),
        refused(
            "CREATE TABLE $P USING hudilite TBLPROPERTIES (primaryKey = 'id') AS SELECT 1 AS id, CAST(raise_error('spilt') AS STRING) AS v",
            "",
            "spilt",
        ),
        refused("CREATE TABLE $P USING hudilite TBLPROPERTIES (primaryKey = 'id') AS SELECT NULL AS id", "", ""),
        refused(
            "CREATE TABLE $P (id INT) USING hudilte TBLPROPERTIES (primaryKey = 'id')", "", "hudilte", doors=("name",)
        ),
        refused(
            "CREATE TABLE $P (id INT) USING hudilte TBLPROPERTIES (primaryKey = 'id')",
            "STATEMENT_NOT_SUPPORTED",
            "USING hudilite",
            doors=("path", "registered"),
        ),
        refused(
            "CREATE TABLE nowhere.t (id INT) USING hudilite TBLPROPERTIES (primaryKey = 'id')",
            "SCHEMA_NOT_FOUND",
            "nowhere",
            doors=("name",),
        ),
        refused("CREATE TEMPORARY TABLE $N_tmp (id INT) USING hudilite", "", ""),
        refused(
            "CREATE TABLE $N_w (id INT) USING hudilite LOCATION '$DIR'", "OPTION_CONTRADICTS_TABLE", "", doors=("path",)
        ),
        refused(
            "CREATE TABLE $N_w USING hudilite LOCATION '$DIR' TBLPROPERTIES (primaryKey = 'v')",
            "OPTION_CONTRADICTS_TABLE",
            "",
            doors=("path",),
        ),
        refused("CREATE TABLE $N_w USING hudilite PARTITIONED BY (name) LOCATION '$DIR'", "", "", doors=("path",)),
        refused(
            "CREATE TABLE $P (id INT) USING hudilite COMMENT 'said' TBLPROPERTIES (primaryKey = 'id')",
            "STATEMENT_NOT_SUPPORTED",
            "COMMENT",
            doors=("path",),
        ),
        refused(
            "CREATE TABLE $P (id INT) USING hudilite LOCATION '/tmp/elsewhere' TBLPROPERTIES (primaryKey = 'id')",
            "STATEMENT_NOT_SUPPORTED",
            "LOCATION",
            doors=("path",),
        ),
        refused(
            "CREATE TABLE $P (id INT) USING parquet TBLPROPERTIES (primaryKey = 'id')",
            "STATEMENT_NOT_SUPPORTED",
            "USING",
            doors=("path", "registered"),
        ),
    ],
    "replace": [
        changes(
            "CREATE OR REPLACE TABLE $T USING hudilite PARTITIONED BY (day) AS SELECT * FROM src WHERE id = 4",
            [(4, "c", 4.0, "four")],
            _REST,
        ),
        changes("REPLACE TABLE $T USING hudilite AS SELECT * FROM $T WHERE id = 1", [], _REST[1:]),
        refused("REPLACE TABLE $P USING hudilite TBLPROPERTIES (primaryKey = 'id') AS SELECT 1 AS id", NO_TABLE),
        refused("CREATE OR REPLACE TABLE $T USING hudilite", "STATEMENT_NOT_SUPPORTED", "AS SELECT"),
        changes(
            "CREATE OR REPLACE TABLE $T (id INT, day STRING, v DOUBLE, name STRING) USING hudilite",
            [],
            _REST,
            frozenset({"timeline", "rows"}),
        ),
        changes(
            "CREATE OR REPLACE TABLE $T USING hudilite TBLPROPERTIES (type = 'mor') AS SELECT * FROM src WHERE id = 4",
            [(4, "c", 4.0, "four")],
            _REST,
            _OTHER_FACTS,
        ),
        changes(
            "CREATE OR REPLACE TABLE $T USING hudilite PARTITIONED BY (name) AS SELECT * FROM src WHERE id = 4",
            [(4, "c", 4.0, "four")],
            _REST,
            _OTHER_FACTS,
        ),
        refused(
            "CREATE OR REPLACE TABLE $T USING hudilite PARTITIONED BY (day, name) AS SELECT * FROM src",
            "STATEMENT_NOT_SUPPORTED",
            "DROP",
        ),
        refused("CREATE OR REPLACE TABLE $T USING hudilite AS SELECT 1 AS id", "MISSING_COLUMN"),
        refused(
            "CREATE OR REPLACE TABLE $T USING hudilite AS SELECT id, day, v, CAST(raise_error('spilt') AS STRING) name FROM src",
            "",
            "spilt",
        ),
    ],
    "drop": [
        does(
            "DROP TABLE $T",
            {"rows", "columns", "timeline", "files", "facts", "entry", "names"},
            None,
            doors=("name", "connect"),
        ),
        does(
            "DROP TABLE IF EXISTS $T PURGE",
            {"rows", "columns", "timeline", "files", "facts", "entry", "names"},
            None,
            doors=("name", "connect"),
        ),
        does("DROP TABLE $T", {"entry", "names"}, None, doors=("registered",)),
        does("DROP TABLE $T PURGE", {"entry", "names"}, None, doors=("registered",)),
        does("DROP TABLE IF EXISTS $P", set(), None),
        refused("DROP TABLE $P", NO_TABLE),
        refused("DROP TABLE $T", "STATEMENT_NOT_SUPPORTED", "remove its directory", doors=("path",)),
        refused("DROP TABLE IF EXISTS $T PURGE", "STATEMENT_NOT_SUPPORTED", "DROP TABLE", doors=("path",)),
        refused("DROP VIEW $T", "", ""),
    ],
    "rename": [
        does(
            "ALTER TABLE $T RENAME TO $N_r",
            {"entry", "names"},
            "SELECT count(*) FROM $N_r",
            3,
            doors=("registered", "name"),
        ),
        does(
            "ALTER TABLE $T RENAME TO stmts.$N_r",
            {"entry", "names"},
            "SELECT count(*) FROM $N_r",
            3,
            doors=("registered",),
        ),
        refused("ALTER TABLE $T RENAME TO other", "STATEMENT_NOT_SUPPORTED", "move its directory", doors=("path",)),
        refused("ALTER TABLE $T RENAME TO other", "TABLE_OR_VIEW_ALREADY_EXISTS", "", doors=("registered",)),
        refused("ALTER VIEW $T RENAME TO $N_r", "", ""),
        refused("ALTER TABLE $P RENAME TO $N_r", NO_TABLE + "|STATEMENT_NOT_SUPPORTED"),
    ],
    "properties": [
        does(
            "ALTER TABLE $T SET TBLPROPERTIES ('hoodie.parquet.compression.codec' = 'gzip')",
            {"entry"},
            "SHOW TBLPROPERTIES $T ('hoodie.parquet.compression.codec')",
            ("hoodie.parquet.compression.codec", "gzip"),
            doors=("name",),
        ),
        does("ALTER TABLE $T UNSET TBLPROPERTIES IF EXISTS ('never.set')", set(), None, doors=("name",)),
        refused(
            "ALTER TABLE $T UNSET TBLPROPERTIES ('never.set')", "STATEMENT_NOT_SUPPORTED", "IF EXISTS", doors=("name",)
        ),
        refused("ALTER TABLE $T SET TBLPROPERTIES (primaryKey = 'v')", "STATEMENT_NOT_SUPPORTED", ""),
        does(
            "ALTER TABLE $T SET TBLPROPERTIES ('owner.team' = 'x')",
            {"entry"},
            "SHOW TBLPROPERTIES $T ('owner.team')",
            ("owner.team", "x"),
            doors=("name",),
        ),
        refused(
            "ALTER TABLE $T SET TBLPROPERTIES ('hoodie.owner' = 'x')", "UNKNOWN_OPTION", "hoodie.owner", doors=("name",)
        ),
        refused(
            "ALTER TABLE $T SET TBLPROPERTIES ('a' = 'x')", "STATEMENT_NOT_SUPPORTED", "", doors=("path", "registered")
        ),
        refused(
            "ALTER TABLE $T SET TBLPROPERTIES ('hoodie.parquet.max.file.size' = 'big')",
            "INVALID_OPTION_VALUE",
            "big",
            doors=("name",),
        ),
        refused("ALTER TABLE $T SET LOCATION '/tmp/x'", "STATEMENT_NOT_SUPPORTED", ""),
        does(
            "ALTER TABLE $T SET SERDEPROPERTIES ('a' = 'b')",
            {"entry"},
            "SHOW TBLPROPERTIES $T ('a')",
            ("a", "b"),
            doors=("name",),
        ),
        refused(
            "ALTER TABLE $T SET SERDEPROPERTIES ('a' = 'b')",
            "STATEMENT_NOT_SUPPORTED",
            "",
            doors=("path", "registered"),
        ),
        refused("ALTER TABLE $T SET FILEFORMAT parquet", "", ""),
        refused("ALTER TABLE $T CLUSTER BY (id)", "STATEMENT_NOT_SUPPORTED", "", lines=("4",)),
        refused("ALTER TABLE $T SET OWNER USER x", "", ""),
        says("SHOW TBLPROPERTIES $T", "hoodie.table.recordkey.fields | id"),
        gives("SHOW TBLPROPERTIES $T ('hoodie.table.partition.fields')", ("hoodie.table.partition.fields", "day")),
        says("SHOW TBLPROPERTIES $T ('nobody')", "nobody"),
    ],
    "comments": [
        does("COMMENT ON TABLE $T IS 'said'", {"entry"}, None, doors=("name",)),
        does("COMMENT ON TABLE $T IS NULL", {"entry"}, None, doors=("name",)),
        refused("COMMENT ON TABLE $T IS 'said'", "STATEMENT_NOT_SUPPORTED", "", doors=("path", "registered")),
        refused("COMMENT ON TABLE $P IS 'said'", NO_TABLE),
    ],
    "truncate": [
        changes("TRUNCATE TABLE $T", [], _REST, touches=DROP),
        changes("TRUNCATE TABLE $T", [], _REST, touches=DROP, on="mor"),
        changes("TRUNCATE TABLE $T PARTITION (day = 'a')", [], _REST[:2], touches=DROP),
        refused("TRUNCATE TABLE $P", NO_TABLE),
        refused("TRUNCATE TABLE $T PARTITION (v = 1)", "", ""),
        refused("TRUNCATE TABLE src", "", ""),
    ],
    "describe": [
        gives(
            "DESCRIBE $T",
            ("id", "int", None),
            ("day", "string", None),
            ("v", "double", None),
            ("name", "string", None),
            ("# Partition Information", "", ""),
            ("# col_name", "data_type", "comment"),
            ("day", "string", None),
        ),
        says("DESCRIBE TABLE EXTENDED $T", "# Detailed Table Information", "hoodie.table.recordkey.fields=id", "$DIR"),
        says("DESCRIBE FORMATTED $T", "Provider | hudilite"),
        says("DESC $T name", "col_name | name"),
        refused("DESCRIBE $T nobody", "UNRESOLVED_COLUMN|COLUMN_NOT_FOUND|", "nobody"),
        refused("DESCRIBE $T PARTITION (day = 'a')", "", "", lines=("3.5",)),
        says("DESCRIBE QUERY SELECT id, v FROM $T", "id | int", "v | double"),
        refused("DESCRIBE $P", NO_TABLE),
        gives("SHOW COLUMNS IN $T", "id", "day", "v", "name"),
        refused("SHOW COLUMNS IN $P", NO_TABLE),
        says("SHOW CREATE TABLE $T", "PARTITIONED BY (day)", "USING hudi", "primaryKey = 'id'"),
        refused("SHOW CREATE TABLE $T AS SERDE", "", ""),
        refused("DESCRIBE TABLE EXTENDED $T AS JSON", "NOT_SUPPORTED_COMMAND_FOR_V2_TABLE", "", lines=("4",)),
    ],
}

"""The quick start, tables without keys first."""

from __future__ import annotations

from pyspark.sql.functions import expr

from statements.known.of_hudi.step import KEYED, KEYLESS, RIDES, RIDES_COLUMNS, Step, Story

_VALUES = ", ".join(map(str, RIDES))
_FARES = "SELECT ride, fare FROM {t}"
_BY_PATH = "SELECT ride, fare FROM hudilite.`{p}`"
_CDC = "change records are not written"

STORIES = [
    Story(
        "without keys",
        [],
        [
            Step(
                "quick-create-table-without-keys",
                f"CREATE TABLE {{t}} ({RIDES_COLUMNS}) USING hudilite PARTITIONED BY (town)",
                "SELECT * FROM {t}",
                [],
            ),
            Step(
                "quick-select-where",
                [f"INSERT INTO {{t}} VALUES {_VALUES}", "SELECT ts, fare, who, car, town FROM {t} WHERE fare > 34.0"],
                rows=[(4, 34.15, "dan", "car-d", "pune")],
            ),
            Step(
                "quick-update-without-keys",
                "UPDATE {t} SET fare = 25.0 WHERE who = 'dan'",
                _FARES + " WHERE fare < 26",
                [("r-1", 19.10), ("r-4", 25.0)],
            ),
            Step("quick-delete-without-keys", "DELETE FROM {t} WHERE ride = 'r-3'", "SELECT count(*) FROM {t}", [3]),
        ],
    ),
    Story(
        "without keys on merge-on-read",
        [],
        [
            Step(
                "quick-create-mor-without-keys",
                "CREATE TABLE {t} (ride STRING, who STRING, car STRING, fare DOUBLE, town STRING) USING hudilite "
                "TBLPROPERTIES (type = 'mor') PARTITIONED BY (town)",
                "SELECT value FROM of_hudi.{t}.properties WHERE key = 'hoodie.table.type'",
                ["MERGE_ON_READ"],
            )
        ],
    ),
    Story(
        "a DataFrame without keys",
        [],
        [
            Step(
                "quick-df-write-without-keys",
                lambda at: at.save(at.rides(), KEYLESS, "overwrite"),
                "SELECT count(*) FROM hudilite.`{p}`",
                [4],
            ),
            Step(
                "quick-df-update-without-keys",
                lambda at: at.save(
                    at.read().where("who = 'dan'").withColumn("fare", expr("fare * 10")),
                    KEYLESS,
                ),
                _BY_PATH + " WHERE who = 'dan'",
                [("r-4", 341.5)],
            ),
            Step(
                "quick-df-delete-without-keys",
                lambda at: at.save(
                    at.read().where("who = 'cy'"), {**KEYLESS, "hoodie.datasource.write.operation": "delete"}
                ),
                _BY_PATH + " WHERE who = 'cy'",
                [],
            ),
        ],
    ),
    Story(
        "reads of the quick start",
        [
            f"CREATE TABLE {{t}} ({RIDES_COLUMNS}) USING hudilite PARTITIONED BY (town) "
            "TBLPROPERTIES (primaryKey = 'ride', preCombineField = 'ts')",
            f"INSERT INTO {{t}} VALUES {_VALUES}",
        ],
        [
            Step(
                "quick-sql-time-travel-digits",
                "SELECT ride, fare FROM {t} TIMESTAMP AS OF '{i}' WHERE ride = 'r-1'",
                rows=[("r-1", 19.10)],
            ),
            Step(
                "quick-df-incremental",
                [
                    lambda at: at.spark.table(at.t).createOrReplaceTempView("rv"),
                    "SELECT count(DISTINCT(_hoodie_commit_time)) AS commitTime FROM rv",
                ],
                rows=[1],
            ),
            Step(
                "quick-select-star-has-meta-columns",
                "SELECT * FROM {t} WHERE ride = 'r-1'",
                rows=[RIDES[0]],
                otherwise=True,
            ),
        ],
    ),
    Story(
        "change capture",
        [],
        [
            Step(
                "quick-df-cdc-is-read note-crud-with-cdc-enabled",
                lambda at: at.save(at.rides(), {**KEYED, "hoodie.table.cdc.enabled": "true"}, "overwrite"),
                error="OPTION_NOT_SUPPORTED",
                says=_CDC,
            ),
            Step(
                "quick-sql-cdc-function",
                f"CREATE TABLE {{t}} ({RIDES_COLUMNS}) USING hudilite TBLPROPERTIES ("
                "'hoodie.table.cdc.enabled' = 'true', primaryKey = 'ride', preCombineField = 'ts') PARTITIONED BY (town)",
                error="OPTION_NOT_SUPPORTED",
                says=_CDC,
            ),
        ],
    ),
]

"""Options of DataFrames, streams and readers."""

from __future__ import annotations

from statements.known.of_hudi.step import KEYED, Place, Step, Story

_KEYGEN = "hoodie.datasource.write.keygenerator.class"
_PAYLOAD = "hoodie.datasource.write.payload.class"
_COUNT = "SELECT count(*) FROM hudilite.`{p}`"
_TIMED = {
    **{key: value for key, value in KEYED.items() if "partitionpath" not in key and "precombine" not in key},
    "hoodie.datasource.write.partitionpath.field": "day",
    _KEYGEN: "org.apache.hudi.keygen.TimestampBasedKeyGenerator",
}


def _bootstrapped(at: Place) -> None:
    """A table whose rows stay in Parquet files."""
    at.rides().write.partitionBy("town").parquet(at.p + "-x")
    boot = {"hoodie.datasource.write.operation": "bootstrap", "hoodie.bootstrap.base.path": "{p}-x"}
    at.save(at.rides().limit(0), {**KEYED, **boot}, "overwrite")


def _write(
    name: str,
    options: dict[str, str],
    then: str = _COUNT,
    rows: object = (4,),
    error: str = "",
    says: str = "",
    otherwise: bool = False,
) -> Story:
    """A write of rides with more options."""
    step = Step(
        name,
        lambda at: at.save(at.rides(), {**KEYED, **options}, "overwrite"),
        "" if error else then,
        None if error else rows,
        error,
        says,
        otherwise,
    )
    return Story(name, [], [step])


def _payload(
    name: str,
    payload: str,
    kind: str,
    rows: list[object],
    columns: str = "id INT, name STRING, price DOUBLE, ts BIGINT",
    first: object = (1, "a", 1.0, 1),
    then: object = (1, None, 2.0, 2),
) -> Story:
    options = {
        "hoodie.table.name": "m",
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.precombine.field": "ts",
        "hoodie.datasource.write.table.type": kind,
        _PAYLOAD: "org.apache.hudi.common.model." + payload,
    }
    return Story(
        name,
        [],
        [
            Step(
                name,
                [
                    lambda at: at.save(at.spark.createDataFrame([first], columns), options, "overwrite"),
                    lambda at: at.save(at.spark.createDataFrame([then], columns), options),
                ],
                "SELECT * FROM hudilite.`{p}`",
                rows,
            )
        ],
    )


def _timed(name: str, value: str, options: dict[str, str], rows: list[object]) -> Story:
    """Partitions from texts of times."""
    more = {f"hoodie.keygen.timebased.{key}": of for key, of in options.items()}
    return Story(
        name,
        [],
        [
            Step(
                name,
                lambda at: at.save(
                    at.spark.createDataFrame([("r-1", value)], "ride STRING, day STRING"),
                    {**_TIMED, **more},
                    "overwrite",
                ),
                "SELECT ride, _hoodie_partition_path FROM hudilite.`{p}`",
                rows,
            )
        ],
    )


_ENTITIES = {
    "hoodie.table.name": "e",
    "hoodie.datasource.write.recordkey.field": "rowId",
    "hoodie.datasource.write.partitionpath.field": "partitionId",
    "hoodie.datasource.write.precombine.field": "preComb",
}


def _reconciled(at: Place) -> None:
    at.save(
        at.spark.createDataFrame(
            [("row-1", "part-0", 0, "bob", "a")],
            "rowId STRING, partitionId STRING, preComb INT, name STRING, more STRING",
        ),
        _ENTITIES,
        "overwrite",
    )
    at.save(
        at.spark.createDataFrame(
            [("row-2", "part-0", 0, "ann")], "rowId STRING, partitionId STRING, preComb INT, name STRING"
        ),
        {**_ENTITIES, "hoodie.datasource.write.reconcile.schema": "true"},
    )


def _evolved(at: Place) -> None:
    options = {
        **_ENTITIES,
        "hoodie.datasource.write.schema.evolution.enable": "true",
        "hoodie.datasource.write.reconcile.schema": "false",
    }
    at.save(
        at.spark.createDataFrame(
            [("row-1", "part-0", 0, "bob")], "rowId STRING, partitionId STRING, preComb INT, name STRING"
        ),
        options,
        "overwrite",
    )


def _stream(at: Place) -> None:
    options = {**KEYED, "checkpointLocation": at.p + "-checkpoint"}
    source = (
        at.spark.readStream.format("rate")
        .load()
        .selectExpr("value AS ts", "CAST(value AS STRING) AS ride", "'oslo' AS town")
    )
    source.writeStream.format("hudilite").options(**options).outputMode("append").trigger(once=True).start(at.p)


STORIES = [
    Story(
        "streams",
        [lambda at: at.save(at.rides(), KEYED, "overwrite")],
        [
            Step(
                "stream-read",
                lambda at: at.spark.readStream.format("hudilite").load(at.p),
                error="STATEMENT_NOT_SUPPORTED",
                says="no source of streams",
            ),
            Step(
                "stream-write-once-from-files stream-write-again-upserts",
                _stream,
                error="STATEMENT_NOT_SUPPORTED",
                says="foreachBatch",
            ),
            Step(
                "queries-incremental-path-glob",
                lambda at: at.read(
                    **{
                        "hoodie.datasource.query.type": "incremental",
                        "hoodie.datasource.read.begin.instanttime": "0",
                        "hoodie.datasource.read.incr.path.glob": "oslo/*",
                    }
                ).select("ride"),
                rows=["r-1", "r-2"],
            ),
        ],
    ),
    Story(
        "insert without doubles",
        [lambda at: at.save(at.rides(), KEYED, "overwrite")],
        [
            Step(
                "batch-operation-insert-drop-duplicates",
                lambda at: at.save(
                    at.rides((9, "r-1", "x", "y", 1.0, "oslo"), (9, "r-9", "x", "y", 1.0, "oslo")),
                    {
                        **KEYED,
                        "hoodie.datasource.write.operation": "insert",
                        "hoodie.datasource.write.insert.drop.duplicates": "true",
                    },
                ),
                "SELECT ride, ts FROM hudilite.`{p}` WHERE town = 'oslo'",
                [("r-1", 1), ("r-2", 2), ("r-9", 9)],
            )
        ],
    ),
    _write("batch-drop-partition-columns", {"hoodie.datasource.write.drop.partition.columns": "true"}),
    _write("batch-clustering-async-option", {"hoodie.clustering.async.enabled": "true"}),
    _write("batch-virtual-keys", {"hoodie.populate.meta.fields": "false"}),
    _write(
        "batch-commit-metadata-of-the-writer",
        {"hoodie.datasource.write.commitmeta.key.prefix": "_mine", "_mine.run": "7"},
        "SELECT metadata['_mine.run'] FROM hudilite.`{p}`.history",
        ["7"],
    ),
    _write(
        "batch-bulk-insert-sort-mode-partition-path-repartition",
        {
            "hoodie.datasource.write.operation": "bulk_insert",
            "hoodie.bulkinsert.sort.mode": "PARTITION_PATH_REPARTITION_AND_SORT",
        },
    ),
    _write(
        "batch-write-callback-http",
        {"hoodie.write.commit.callback.on": "true", "hoodie.write.commit.callback.http.url": "http://localhost:1/"},
    ),
    _write(
        "sync-hive-table-appears",
        {
            "hoodie.datasource.hive_sync.enable": "true",
            "hoodie.datasource.hive_sync.mode": "hms",
            "hoodie.datasource.hive_sync.database": "of_hudi",
            "hoodie.datasource.hive_sync.table": "{t}_synced",
        },
        "SELECT count(*) FROM of_hudi.{t}_synced",
    ),
    _write(
        "sync-glue-options-are-not-silent",
        {
            "hoodie.meta.sync.client.tool.class": "org.apache.hudi.aws.sync.AwsGlueCatalogSyncTool",
            "hoodie.datasource.meta.sync.enable": "true",
        },
        error="OPTION_NOT_SUPPORTED",
        says="Glue",
        otherwise=True,
    ),
    _write(
        "occ-old-option-names",
        {
            "hoodie.write.concurrency.mode": "optimistic_concurrency_control",
            "hoodie.cleaner.policy.failed.writes": "LAZY",
            "hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.FileSystemBasedLockProvider",
        },
    ),
    Story("boot-operation-bootstrap", [], [Step("boot-operation-bootstrap", _bootstrapped, _COUNT, [4])]),
    _write("index-type-global-record-level-index", {"hoodie.index.type": "GLOBAL_RECORD_LEVEL_INDEX"}),
    _write("index-type-record-level-index", {"hoodie.index.type": "RECORD_LEVEL_INDEX"}),
    _write(
        "index-type-bucket-consistent-hashing",
        {
            "hoodie.index.type": "BUCKET",
            "hoodie.index.bucket.engine": "CONSISTENT_HASHING",
            "hoodie.datasource.write.table.type": "MERGE_ON_READ",
        },
    ),
    _payload(
        "merger-payload-overwrite-non-defaults-cow",
        "OverwriteNonDefaultsWithLatestAvroPayload",
        "COPY_ON_WRITE",
        [(1, "a", 2.0, 2)],
    ),
    _payload("merger-payload-partial-update-cow", "PartialUpdateAvroPayload", "COPY_ON_WRITE", [(1, "a", 2.0, 2)]),
    _payload("merger-payload-partial-update-mor", "PartialUpdateAvroPayload", "MERGE_ON_READ", [(1, "a", 2.0, 2)]),
    _payload(
        "merger-payload-aws-dms-mor",
        "AWSDmsAvroPayload",
        "MERGE_ON_READ",
        [],
        "id INT, Op STRING, ts BIGINT",
        (1, "I", 1),
        (1, "D", 2),
    ),
    _timed(
        "keygen-timestamp-date-string",
        "2023-11-14 22:13:20",
        {"timestamp.type": "DATE_STRING", "input.dateformat": "yyyy-MM-dd HH:mm:ss", "output.dateformat": "yyyy/MM/dd"},
        [("r-1", "2023/11/14")],
    ),
    _timed(
        "keygen-timestamp-iso-several-formats",
        "2020-04-01T13:01:33.428Z",
        {
            "timestamp.type": "DATE_STRING",
            "input.dateformat": "yyyy-MM-dd'T'HH:mm:ssZ,yyyy-MM-dd'T'HH:mm:ss.SSSZ",
            "input.dateformat.list.delimiter.regex": "",
            "input.timezone": "",
            "output.dateformat": "yyyyMMddHH",
            "output.timezone": "UTC",
        },
        [("r-1", "2020040113")],
    ),
    _timed(
        "keygen-timestamp-iso-offset",
        "2020-04-01T13:01:33-05:00",
        {
            "timestamp.type": "DATE_STRING",
            "input.dateformat": "yyyy-MM-dd'T'HH:mm:ssZ,yyyy-MM-dd'T'HH:mm:ss.SSSZ",
            "input.dateformat.list.delimiter.regex": "",
            "input.timezone": "",
            "output.dateformat": "yyyyMMddHH",
            "output.timezone": "UTC",
        },
        [("r-1", "2020040118")],
    ),
    Story(
        "times of partitions by SQL",
        [],
        [
            Step(
                "keygen-timestamp-in-tblproperties",
                [
                    "CREATE TABLE {t} (id INT, name STRING, ts BIGINT) USING hudilite PARTITIONED BY (ts) TBLPROPERTIES (primaryKey = 'id', "
                    f"'{_KEYGEN}' = 'org.apache.hudi.keygen.TimestampBasedKeyGenerator', 'hoodie.keygen.timebased.timestamp.type' = 'UNIX_TIMESTAMP', "
                    "'hoodie.keygen.timebased.output.dateformat' = 'yyyy-MM-dd HH', 'hoodie.keygen.timebased.timezone' = 'UTC')",
                    "INSERT INTO {t} VALUES (1, 'a', 1700000000)",
                ],
                "SELECT id, _hoodie_partition_path FROM {t}",
                [(1, "ts=2023-11-14 22")],
            )
        ],
    ),
    Story(
        "evolution",
        [],
        [
            Step("evolve-df-options-reconcile-false", _evolved, _COUNT, [1]),
            Step(
                "evolve-df-reconcile-true-missing-column",
                _reconciled,
                "SELECT rowId, name, more FROM hudilite.`{p}`",
                [("row-1", "bob", "a"), ("row-2", "ann", None)],
            ),
        ],
    ),
]

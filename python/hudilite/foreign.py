"""Partition columns and rows of tables of other formats, as far as Spark does not tell or hand them out by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_IN_LOG = "metaData STRUCT<partitionColumns: ARRAY<STRING>>"
#: Delta's error where rows with deletion vectors go into a write of any format of Spark's second interface.
_NOT_PINNED = "non-pinned table snapshot"


def of_delta(spark: SparkSession, source: str, has_checkpoint: bool) -> tuple[str, ...]:
    """Partition columns of a Delta table by its log: its folders may bear other names, and need not be there."""
    logs = [spark.read.schema(_IN_LOG).json(f"{source}/_delta_log/*.json")]
    if has_checkpoint:  # the log before it may be gone
        logs.append(spark.read.schema(_IN_LOG).parquet(f"{source}/_delta_log/*.checkpoint*.parquet"))
    found = [
        (str(row[0]), tuple(row[1]))
        for log in logs
        for row in log.where("metaData IS NOT NULL")
        .select("_metadata.file_name", "metaData.partitionColumns")
        .collect()
        if row[1] is not None
    ]
    return max(found, default=("", ()))[1]  # file names begin with the version


def of_name(spark: SparkSession, source: str) -> tuple[str, ...]:
    """Partition columns of a table by its name; transforms of columns, as Iceberg has them, are none."""
    try:
        return tuple(c.name for c in spark.catalog.listColumns(source) if c.isPartition)
    except Exception as e:
        if "partition transform" not in str(e):
            raise
    described = [(row[0] or "", row[1] or "") for row in spark.sql(f"DESCRIBE TABLE {source}").collect()]
    columns = {name for name, _ in described[: next(i for i, (name, _) in enumerate(described) if not name.strip())]}
    told = [kind.strip("`") for name, kind in described if name.startswith("Part ")]
    return tuple(name for name in told if name in columns)


def is_unpinned(error: Exception) -> bool:
    """True for Delta's refusal to have rows with deletion vectors written."""
    return _NOT_PINNED in str(error)


def detached(spark: Any, rows: DataFrame) -> DataFrame:
    """The rows, read by a plan of their own, so that none of the write's stands around it."""
    from pyspark.sql import DataFrame

    read: Any = rows._jdf
    plain = spark._jsparkSession.internalCreateDataFrame(read.queryExecution().toRdd(), read.schema(), False)
    return DataFrame(plain, spark)

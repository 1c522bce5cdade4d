"""Care of a table format for its own files: one adapter a system, as `systems.py` has for reads and writes.

To add a system, subclass `Upkeep`, implement what it can do and list it in `UPKEEP`; anything else is reported as n/a.
"""

from __future__ import annotations

import glob
import os
from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from systems import Delta, Hudi, Hudilite, Iceberg, Parquet, System, Table, Unsupported

PARTITION = "dt"


class Upkeep:
    """Services of a table that was loaded into many files."""

    def __init__(self, system: System) -> None:
        self.system = system

    def load(self, spark: SparkSession, frame: DataFrame, table: Table) -> None:
        """Write a file of each partition from each of the frame's tasks."""
        self.system.create(spark, frame, table)

    def together(self, spark: SparkSession, table: Table) -> None:
        """Put small files together as the format does by default."""
        raise Unsupported

    def together_as_bytes(self, spark: SparkSession, table: Table) -> None:
        """Put files together by copying row groups, where the format must be told."""
        raise Unsupported

    def together_as_rows(self, spark: SparkSession, table: Table) -> None:
        """Put files together by decoding and encoding every row, where the format must be told."""
        raise Unsupported

    def sort(self, spark: SparkSession, table: Table, column: str) -> None:
        """Lay all rows of each partition out in the order of a column."""
        raise Unsupported

    def curve(self, spark: SparkSession, table: Table, columns: list[str]) -> None:
        """Lay all rows of each partition out along a Z-order curve."""
        raise Unsupported

    def expire(self, spark: SparkSession, table: Table) -> None:
        """Delete what only past states of the table need."""
        raise Unsupported


class ParquetUpkeep(Upkeep):
    """Plain Spark, the floor: reads and writes that nobody else can see half done, if nobody else is there."""

    system: Parquet

    def together(self, spark: SparkSession, table: Table) -> None:
        # One task a partition without a shuffle: the cheapest way that decodes and encodes the rows.
        rows, days = self.system.read(spark, table), self._days(table)
        parts = [rows.where(rows[PARTITION] == day).coalesce(1) for day in days]
        self.system.rewrite(table, days, reduce(DataFrame.union, parts))

    def sort(self, spark: SparkSession, table: Table, column: str) -> None:
        rows = self.system.read(spark, table).repartition(PARTITION).sortWithinPartitions(PARTITION, column)
        self.system.rewrite(table, self._days(table), rows)

    def _days(self, table: Table) -> list[str]:
        return [os.path.basename(path)[3:] for path in sorted(glob.glob(os.path.join(table.path, "dt=*")))]


class HudiUpkeep(Upkeep):
    """Apache Hudi by its procedures."""

    byte_copy = "org.apache.hudi.client.clustering.run.strategy.SparkBinaryCopyClusteringExecutionStrategy"

    def _cluster(self, spark: SparkSession, table: Table, order: str = "", **options: str) -> None:
        arguments = f", order => '{order}'" if order else ""
        if options:
            listed = ",".join(f"hoodie.{name.replace('_', '.')}={value}" for name, value in options.items())
            arguments += f", options => '{listed}'"
        spark.sql(f"CALL run_clustering(path => '{table.path}', op => 'scheduleandexecute'{arguments})").collect()

    def together(self, spark: SparkSession, table: Table) -> None:
        self._cluster(spark, table)

    def together_as_bytes(self, spark: SparkSession, table: Table) -> None:
        self._cluster(spark, table, clustering_execution_strategy_class=self.byte_copy)

    def sort(self, spark: SparkSession, table: Table, column: str) -> None:
        self._cluster(spark, table, column)

    def curve(self, spark: SparkSession, table: Table, columns: list[str]) -> None:
        self._cluster(spark, table, ",".join(columns), layout_optimize_strategy="z-order")

    def expire(self, spark: SparkSession, table: Table) -> None:
        policy = "clean_policy => 'KEEP_LATEST_FILE_VERSIONS', file_versions_retained => 1"
        spark.sql(f"CALL run_clean(table => '{self._registered(spark, table)}', {policy})").collect()

    def _registered(self, spark: SparkSession, table: Table) -> str:
        spark.sql(f"CREATE TABLE IF NOT EXISTS {table.name} USING hudi LOCATION '{table.path}'")
        return table.name


class HudiliteUpkeep(Upkeep):
    """The connector of this project."""

    def together(self, spark: SparkSession, table: Table) -> None:
        self._cluster(spark, table)

    def together_as_rows(self, spark: SparkSession, table: Table) -> None:
        # Row groups are copied that have a sixteenth of the size of new ones: so these are not.
        self._cluster(spark, table, options={"hoodie.parquet.block.size": str(64 * 1024 * 1024)})

    def sort(self, spark: SparkSession, table: Table, column: str) -> None:
        self._cluster(spark, table, sort_by=column)

    def curve(self, spark: SparkSession, table: Table, columns: list[str]) -> None:
        self._cluster(spark, table, sort_by=columns, layout="zorder")

    def expire(self, spark: SparkSession, table: Table) -> None:
        import hudilite

        hudilite.table(spark, table.path).clean("KEEP_LATEST_FILE_VERSIONS", retain=1)

    def _cluster(self, spark: SparkSession, table: Table, **arguments: object) -> None:
        import hudilite

        hudilite.table(spark, table.path).cluster(**arguments)  # type: ignore[call-overload]


class DeltaUpkeep(Upkeep):
    """Delta Lake, which has no order but the curve: along one column that is an order."""

    system: Delta

    def together(self, spark: SparkSession, table: Table) -> None:
        spark.sql(f"OPTIMIZE {self.system.identifier(table)}").collect()

    def sort(self, spark: SparkSession, table: Table, column: str) -> None:
        self.curve(spark, table, [column])

    def curve(self, spark: SparkSession, table: Table, columns: list[str]) -> None:
        spark.sql(f"OPTIMIZE {self.system.identifier(table)} ZORDER BY ({', '.join(columns)})").collect()

    def expire(self, spark: SparkSession, table: Table) -> None:
        spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
        spark.sql(f"VACUUM {self.system.identifier(table)} RETAIN 0 HOURS").collect()


class IcebergUpkeep(Upkeep):
    """Apache Iceberg by its procedures."""

    system: Iceberg

    def load(self, spark: SparkSession, frame: DataFrame, table: Table) -> None:
        # Else Iceberg deals the rows so that each partition gets one file.
        scattered = {"write.distribution-mode": "none", "write.spark.fanout.enabled": "true"}
        self.system.create(spark, frame, table, scattered)

    def _rewrite(self, spark: SparkSession, table: Table, arguments: str = "") -> None:
        options = "options => map('rewrite-all', 'true')"
        spark.sql(f"CALL ice.system.rewrite_data_files(table => '{table.name}', {options}{arguments})").collect()

    def together(self, spark: SparkSession, table: Table) -> None:
        self._rewrite(spark, table)

    def sort(self, spark: SparkSession, table: Table, column: str) -> None:
        self._rewrite(spark, table, f", strategy => 'sort', sort_order => '{column}'")

    def curve(self, spark: SparkSession, table: Table, columns: list[str]) -> None:
        self._rewrite(spark, table, f", strategy => 'sort', sort_order => 'zorder({', '.join(columns)})'")

    def expire(self, spark: SparkSession, table: Table) -> None:
        now = "older_than => TIMESTAMP '2999-01-01 00:00:00', retain_last => 1"
        spark.sql(f"CALL ice.system.expire_snapshots(table => '{table.name}', {now})").collect()


UPKEEP: list[tuple[type[System], type[Upkeep]]] = [
    (Parquet, ParquetUpkeep),
    (Hudilite, HudiliteUpkeep),
    (Hudi, HudiUpkeep),
    (Delta, DeltaUpkeep),
    (Iceberg, IcebergUpkeep),
]


def upkeep(system: System) -> Upkeep:
    """The services of a system."""
    return next((kind(system) for of, kind in UPKEEP if isinstance(system, of)), Upkeep(system))

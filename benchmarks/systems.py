"""One adapter per table format: how to create, upsert, delete, read and diff a table.

To add a system, subclass `System`, implement what it can do (anything else stays `Unsupported` and is reported as
n/a) and list an instance in `SYSTEMS`. Each format runs with its own defaults; only what the workload names is set.
"""

from __future__ import annotations

import glob
import os
import shutil
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col
from pyspark.sql.types import StringType, StructField, StructType

CHANGES = ("big", "one", "wide500", "wide2000", "nested", "foreign")
SERVICES = ("small", "together", "expired")

# Apache Hudi falls back to GLOBAL_SIMPLE where the index is named alone.
RECORD_INDEX = {"hoodie.metadata.enable": "true", "hoodie.metadata.record.index.enable": "true"}


class Unsupported(Exception):
    """The system has no such feature; reported as n/a, not as a failure."""


@dataclass
class Table:
    """A table of one system: its name, and for Hudi-like systems the index and whether updates go to log files."""

    name: str
    root: str
    index: str = "BLOOM"
    merge_on_read: bool = False

    @property
    def path(self) -> str:
        return os.path.join(self.root, self.name)


def copied(table: Table, name: str) -> Table:
    """A copy of a table that names its files by relative paths."""
    other = replace(table, name=name)
    shutil.copytree(table.path, other.path)
    return other


class System:
    """The calls of the workloads to a table format."""

    name = ""
    groups = frozenset({"cow", "latest", "commits", *CHANGES, *SERVICES})  # workload groups it takes part in
    packages = ""  # Maven coordinates that spark-submit resolves
    reads_hudi = False  # whether it goes on with a table that Hudi wrote

    def jars(self) -> list[str]:
        """Paths of jars for the session."""
        return []

    def conf(self, root: str) -> dict[str, str]:
        """Settings of the session; `root` is where the tables go."""
        return {}

    def create(self, spark: SparkSession, frame: DataFrame, table: Table) -> None:
        raise Unsupported

    def upsert(self, spark: SparkSession, frame: DataFrame, table: Table) -> None:
        raise Unsupported

    def delete(self, spark: SparkSession, frame: DataFrame, table: Table) -> None:
        raise Unsupported

    def compact(self, spark: SparkSession, table: Table) -> None:
        """Merge what was logged into base files."""
        raise Unsupported

    def read(self, spark: SparkSession, table: Table) -> DataFrame:
        raise Unsupported

    def copy(self, table: Table, name: str) -> Table:
        """Another table with a copy of the files."""
        raise Unsupported

    def version(self, spark: SparkSession, table: Table) -> Any:
        """A mark of the table's state now, for `incremental`."""
        return None

    def incremental(self, spark: SparkSession, table: Table, since: Any) -> DataFrame:
        """The rows written after `since`, in their latest form."""
        raise Unsupported


class Parquet(System):
    """Plain Spark parquet, the floor: an upsert is an anti-join and a rewrite of the touched partitions.

    Of a merge-on-read table an upsert only stores the batch in a side folder, without index and atomicity; reads and
    the compaction apply the batches by anti-joins.
    """

    groups = frozenset({"cow", "latest", "mor", *CHANGES, *SERVICES})

    def __init__(self, name: str, codec: str, options: dict[str, str] | None = None) -> None:
        self.name, self.codec, self.options = name, codec, options or {}

    def conf(self, root: str) -> dict[str, str]:
        return {"spark.sql.parquet.compression.codec": self.codec, **self.options}

    def create(self, spark: SparkSession, frame: DataFrame, table: Table) -> None:
        shutil.rmtree(self._batches(table), ignore_errors=True)
        frame.write.partitionBy("dt").mode("overwrite").parquet(table.path)

    def read(self, spark: SparkSession, table: Table) -> DataFrame:
        state = self._base(spark, table)
        for path in sorted(glob.glob(os.path.join(self._batches(table), "*"))):
            batch = spark.read.parquet(path)
            state = state.join(batch.select("key", "dt"), ["key", "dt"], "left_anti").unionByName(batch)
        return state

    def _base(self, spark: SparkSession, table: Table) -> DataFrame:
        part = glob.glob(os.path.join(table.path, "dt=*", "*.parquet"))[0]
        schema = StructType([*spark.read.parquet(part).schema.fields, StructField("dt", StringType())])
        return spark.read.option("basePath", table.path).schema(schema).parquet(table.path)

    def _batches(self, table: Table) -> str:
        return table.path + ".batches"

    def upsert(self, spark: SparkSession, frame: DataFrame, table: Table) -> None:
        if table.merge_on_read:
            number = len(glob.glob(os.path.join(self._batches(table), "*")))
            frame.write.parquet(os.path.join(self._batches(table), f"{number:04d}"))
        else:
            touched, kept = self._kept(spark, frame, table)
            self.rewrite(table, touched, kept.unionByName(frame))

    def delete(self, spark: SparkSession, frame: DataFrame, table: Table) -> None:
        self.rewrite(table, *self._kept(spark, frame, table))

    def compact(self, spark: SparkSession, table: Table) -> None:
        touched = [os.path.basename(path)[3:] for path in glob.glob(os.path.join(table.path, "dt=*"))]
        self.rewrite(table, touched, self.read(spark, table))
        shutil.rmtree(self._batches(table), ignore_errors=True)

    def copy(self, table: Table, name: str) -> Table:
        other = copied(table, name)
        if os.path.exists(self._batches(table)):
            shutil.copytree(self._batches(table), self._batches(other))
        return other

    def _kept(self, spark: SparkSession, frame: DataFrame, table: Table) -> tuple[list[str], DataFrame]:
        touched = [row["dt"] for row in frame.select("dt").distinct().collect()]
        base = self.read(spark, table)
        return touched, base.where(base.dt.isin(touched)).join(frame.select("key", "dt"), ["key", "dt"], "left_anti")

    def rewrite(self, table: Table, touched: list[str], merged: DataFrame) -> None:
        """Put `merged` in the place of the partitions with these days."""
        staging = table.path + ".staging"
        merged.write.partitionBy("dt").mode("overwrite").parquet(staging)
        for value in touched:
            target = os.path.join(table.path, f"dt={value}")
            shutil.rmtree(target, ignore_errors=True)
            os.rename(os.path.join(staging, f"dt={value}"), target)
        shutil.rmtree(staging)


class Hudi(System):
    """Apache Hudi 1.2 with its defaults, but for what `options` says."""

    format = "hudi"
    groups = frozenset({"cow", "simple", "recorded", "latest", "commits", "mor", "origin", *CHANGES, *SERVICES})
    reads_hudi = True
    packages = "org.apache.hudi:hudi-spark3.5-bundle_2.12:1.2.0"

    def __init__(self, name: str = "hudi", options: dict[str, str] | None = None) -> None:
        self.name, self.options = name, options or {}

    def conf(self, root: str) -> dict[str, str]:
        return {
            "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
            "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
            "spark.sql.extensions": "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
        }

    def _write(self, frame: DataFrame, table: Table, operation: str, mode: str) -> None:
        options = {
            "hoodie.table.name": table.name,
            "hoodie.datasource.write.operation": operation,
            "hoodie.datasource.write.recordkey.field": "key",
            "hoodie.datasource.write.precombine.field": "ts",
            "hoodie.datasource.write.partitionpath.field": "dt",
            "hoodie.index.type": table.index,
            "hoodie.datasource.write.table.type": "MERGE_ON_READ" if table.merge_on_read else "COPY_ON_WRITE",
            **(RECORD_INDEX if table.index == "RECORD_INDEX" else {}),
            **self.options,
        }
        frame.write.format(self.format).options(**options).mode(mode).save(table.path)

    def create(self, spark: SparkSession, frame: DataFrame, table: Table) -> None:
        self._write(frame, table, "bulk_insert", "overwrite")

    def upsert(self, spark: SparkSession, frame: DataFrame, table: Table) -> None:
        self._write(frame, table, "upsert", "append")

    def delete(self, spark: SparkSession, frame: DataFrame, table: Table) -> None:
        self._write(frame, table, "delete", "append")

    def compact(self, spark: SparkSession, table: Table) -> None:
        options = "hoodie.compact.inline.max.delta.commits=1"
        call = f"CALL run_compaction(op => 'scheduleandexecute', path => '{table.path}', options => '{options}')"
        spark.sql(call).collect()

    def read(self, spark: SparkSession, table: Table) -> DataFrame:
        return spark.read.format(self.format).load(table.path)

    def copy(self, table: Table, name: str) -> Table:
        return copied(table, name)

    def version(self, spark: SparkSession, table: Table) -> str:
        """Completion time of the last commit."""
        names = glob.glob(os.path.join(table.path, ".hoodie", "timeline", "*commit"))
        return max(os.path.basename(name).split(".")[0].split("_")[-1] for name in names)

    def incremental(self, spark: SparkSession, table: Table, since: str) -> DataFrame:
        window = {
            "hoodie.datasource.query.type": "incremental",
            "hoodie.datasource.read.begin.instanttime": since,
        }
        return spark.read.format(self.format).options(**window).load(table.path)


class Hudilite(Hudi):
    """The connector of this project, with the options of Hudi."""

    format = "hudilite"
    groups = Hudi.groups | {"copied", "joined"}
    packages = ""

    def __init__(self, name: str = "hudilite", options: dict[str, str] | None = None) -> None:
        super().__init__(name, options)

    def jars(self) -> list[str]:
        import hudilite

        return [hudilite.jar()]

    def conf(self, root: str) -> dict[str, str]:
        return {"spark.sql.extensions": "io.hudilite.spark.HudiliteExtensions"}

    def compact(self, spark: SparkSession, table: Table) -> None:
        import hudilite

        hudilite.table(spark, table.path).compact()


class MergeSystem(System):
    """A format whose upserts and deletes are MERGE statements."""

    def identifier(self, table: Table) -> str:
        raise NotImplementedError

    def _merge(self, spark: SparkSession, frame: DataFrame, table: Table, clauses: str) -> None:
        frame.createOrReplaceTempView("batch")
        on = "t.key = s.key AND t.dt = s.dt"
        spark.sql(f"MERGE INTO {self.identifier(table)} t USING batch s ON {on} {clauses}").collect()

    def upsert(self, spark: SparkSession, frame: DataFrame, table: Table) -> None:
        clauses = "WHEN MATCHED AND s.ts >= t.ts THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        self._merge(spark, frame, table, clauses)

    def delete(self, spark: SparkSession, frame: DataFrame, table: Table) -> None:
        self._merge(spark, frame, table, "WHEN MATCHED THEN DELETE")


class Delta(MergeSystem):
    """Delta Lake; merge-on-read is with deletion vectors."""

    name = "delta"
    groups = System.groups | {"mor"}
    packages = "io.delta:delta-spark_2.12:3.3.2"

    def conf(self, root: str) -> dict[str, str]:
        return {
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        }

    def identifier(self, table: Table) -> str:
        return f"delta.`{table.path}`"

    def create(self, spark: SparkSession, frame: DataFrame, table: Table) -> None:
        vectors = str(table.merge_on_read).lower()
        writer = frame.write.format("delta").option("delta.enableDeletionVectors", vectors)
        writer.partitionBy("dt").mode("overwrite").save(table.path)

    def compact(self, spark: SparkSession, table: Table) -> None:
        spark.sql(f"REORG TABLE {self.identifier(table)} APPLY (PURGE)").collect()

    def copy(self, table: Table, name: str) -> Table:
        return copied(table, name)

    def read(self, spark: SparkSession, table: Table) -> DataFrame:
        return spark.read.format("delta").load(table.path)


class Iceberg(MergeSystem):
    """Apache Iceberg in a hadoop catalog; merge-on-read is with the deletion vectors of format version 3."""

    name = "iceberg"
    groups = System.groups | {"mor"}
    packages = "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.12.0"

    def conf(self, root: str) -> dict[str, str]:
        return {
            "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
            "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.ice.type": "hadoop",
            "spark.sql.catalog.ice.warehouse": root,
        }

    def identifier(self, table: Table) -> str:
        return f"ice.{table.name}"  # the hadoop catalog's root namespace: <warehouse>/<name>

    def create(
        self, spark: SparkSession, frame: DataFrame, table: Table, properties: dict[str, str] | None = None
    ) -> None:
        writer = frame.writeTo(self.identifier(table)).partitionedBy(col("dt"))
        for name, value in (properties or {}).items():
            writer = writer.tableProperty(name, value)
        if table.merge_on_read:
            writer = writer.tableProperty("format-version", "3")
        for command in ("merge", "update", "delete"):
            mode = "merge-on-read" if table.merge_on_read else "copy-on-write"
            writer = writer.tableProperty(f"write.{command}.mode", mode)
        writer.createOrReplace()

    def compact(self, spark: SparkSession, table: Table) -> None:
        arguments = f"table => '{table.name}', options => map('rewrite-all', 'true')"
        spark.sql(f"CALL ice.system.rewrite_data_files({arguments})").collect()

    def read(self, spark: SparkSession, table: Table) -> DataFrame:
        return spark.table(self.identifier(table))

    def version(self, spark: SparkSession, table: Table) -> Any:
        snapshots = f"SELECT snapshot_id FROM {self.identifier(table)}.snapshots ORDER BY committed_at DESC LIMIT 1"
        row = spark.sql(snapshots).first()
        return row and row[0]

    def incremental(self, spark: SparkSession, table: Table, since: Any) -> DataFrame:
        call = (
            f"CALL ice.system.create_changelog_view(table => '{table.name}', "
            f"options => map('start-snapshot-id', '{since}'), changelog_view => 'changes')"
        )
        spark.sql(call).collect()
        return spark.table("changes").where("_change_type IN ('INSERT', 'UPDATE_AFTER')")


class Paimon(System):
    """Apache Paimon: a table with a primary key and four buckets a partition, whose upserts look nothing up."""

    name = "paimon"
    groups = frozenset({"mor"})
    packages = "org.apache.paimon:paimon-spark-3.5:0.9.0"

    def conf(self, root: str) -> dict[str, str]:
        return {
            "spark.sql.extensions": "org.apache.paimon.spark.extensions.PaimonSparkSessionExtensions",
            "spark.sql.catalog.pai": "org.apache.paimon.spark.SparkCatalog",
            "spark.sql.catalog.pai.warehouse": root,
        }

    def identifier(self, table: Table) -> str:
        return f"pai.default.{table.name}"

    def copy(self, table: Table, name: str) -> Table:
        folder = os.path.join(os.path.dirname(table.path), "default.db")
        shutil.copytree(os.path.join(folder, table.name), os.path.join(folder, name))
        return replace(table, name=name)

    def create(self, spark: SparkSession, frame: DataFrame, table: Table) -> None:
        columns = ", ".join(f"{f.name} {f.dataType.simpleString()}" for f in frame.schema.fields)
        spark.sql("CREATE DATABASE IF NOT EXISTS pai.default")
        spark.sql(f"DROP TABLE IF EXISTS {self.identifier(table)}")
        spark.sql(
            f"CREATE TABLE {self.identifier(table)} ({columns}) PARTITIONED BY (dt) "
            "TBLPROPERTIES ('primary-key' = 'dt,key', 'bucket' = '4', 'sequence.field' = 'ts')"
        )
        self.upsert(spark, frame, table)

    def upsert(self, spark: SparkSession, frame: DataFrame, table: Table) -> None:
        frame.createOrReplaceTempView("batch")
        spark.sql(f"INSERT INTO {self.identifier(table)} SELECT * FROM batch").collect()

    def compact(self, spark: SparkSession, table: Table) -> None:
        spark.sql(f"CALL pai.sys.compact(table => 'default.{table.name}')").collect()

    def read(self, spark: SparkSession, table: Table) -> DataFrame:
        return spark.table(self.identifier(table))


SYSTEMS: dict[str, System] = {
    system.name: system
    for system in (
        Parquet("parquet", "snappy"),
        Parquet("parquet-zstd", "zstd"),
        # The level that hudilite has; Parquet's own is 3.
        Parquet("parquet-zstd1", "zstd", {"spark.hadoop.parquet.compression.codec.zstd.level": "1"}),
        Hudi(),
        Hudi("hudi-zstd", {"hoodie.parquet.compression.codec": "zstd"}),
        Hudilite(),
        # As many buckets a partition as Paimon's.
        Hudilite("hudilite-bucket", {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "4"}),
        Hudilite("hudilite-snappy", {"hoodie.parquet.compression.codec": "snappy"}),
        Delta(),
        Iceberg(),
        Paimon(),
    )
}

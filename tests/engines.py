"""The two writers and readers under test behind one small interface: hudilite, and the real Apache Hudi."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

# HUDILITE_TEST_ENGINE=hudi runs the tests with Apache Hudi in hudilite's place, to prove the tests themselves.
SELF_CHECK = os.environ.get("HUDILITE_TEST_ENGINE") == "hudi"

OPERATION = "hoodie.datasource.write.operation"
RECORD_KEY = "hoodie.datasource.write.recordkey.field"
PARTITION = "hoodie.datasource.write.partitionpath.field"
ORDERING = "hoodie.datasource.write.precombine.field"
TABLE_NAME = "hoodie.table.name"
TABLE_VERSION = "hoodie.write.table.version"
QUERY_TYPE = "hoodie.datasource.query.type"
BEGIN = "hoodie.datasource.read.begin.instanttime"
END = "hoodie.datasource.read.end.instanttime"
AS_OF = "as.of.instant"
INDEX = "hoodie.index.type"
BUCKETS = "hoodie.bucket.index.num.buckets"
HASH_FIELDS = "hoodie.bucket.index.hash.field"
IN_BUCKETS = {INDEX: "BUCKET", BUCKETS: "4"}
HIVE_STYLE = "hoodie.datasource.write.hive_style_partitioning"
URL_ENCODE = "hoodie.datasource.write.partitionpath.urlencode"
KEY_GENERATOR = "hoodie.datasource.write.keygenerator.class"
#: Record keys and partition fields with a time among them.
TIMED = [(("at",), ()), (("id", "at"), ()), (("id",), ("at",))]

PARALLELISM = {
    f"hoodie.{operation}.shuffle.parallelism": "2" for operation in ("insert", "upsert", "bulkinsert", "delete")
}
SMALL_BLOOM = {"hoodie.index.bloom.num_entries": "1000", "hoodie.bloom.index.filter.dynamic.max.entries": "2000"}
HUDI_ALWAYS = {
    "hoodie.write.auto.upgrade": "false",
    "hoodie.embed.timeline.server": "false",
    "hoodie.write.markers.type": "DIRECT",
    # So long it sleeps for each instant that it names, by default 200 ms; here all writers have one clock.
    "hoodie.time.generator.max_expected_clock_skew_ms": "1",
    **PARALLELISM,
    **SMALL_BLOOM,
}


@dataclass(frozen=True)
class Engine:
    """A `format(...)` of Spark, with the options that it is always given."""

    name: str
    spark: SparkSession
    always: Mapping[str, str] = field(default_factory=dict)
    repeat_facts: bool = False  # whether the table's own facts must come with every write

    def read(self, path: Path | str, **options: str) -> DataFrame:
        """A query of the table; `options` in the spelling of the constants above."""
        return self.spark.read.format(self.name).options(**options).load(str(path))

    def write(
        self, frame: DataFrame, path: Path | str, operation: str = "upsert", mode: str = "append", **options: str
    ) -> None:
        """One write of `frame`."""
        given = {**self.always, OPERATION: operation, **options}
        frame.write.format(self.name).options(**given).mode(mode).save(str(path))


def hudi(spark: SparkSession, **options: str) -> Engine:
    """The real Apache Hudi, without its automatic upgrade of the table version."""
    return Engine("hudi", spark, {**HUDI_ALWAYS, **options}, repeat_facts=True)


def hudilite(spark: SparkSession, **options: str) -> Engine:
    """The connector under test, with small bloom filters to keep the files small."""
    return Engine("hudilite", spark, {**SMALL_BLOOM, **options})


def list_anew(changed: Path) -> None:
    """Has hudilite list the table of a file again that was changed by hand, of which no commit tells."""
    table = next(folder for folder in changed.parents if (folder / ".hoodie").is_dir())
    SparkSession.active().sql(f"REFRESH TABLE hudilite.`{table}`")


@dataclass
class Shape:
    """Kind of a table to make: the options of its first write."""

    version: int = 9
    key: tuple[str, ...] = ("id",)
    partition: tuple[str, ...] = ("dt",)
    ordering: str | None = "ts"
    extra: dict[str, str] = field(default_factory=dict)

    def options(self) -> dict[str, str]:
        """Write options that state the table's facts."""
        facts = {TABLE_NAME: "trips", TABLE_VERSION: str(self.version)}
        if self.key:
            facts[RECORD_KEY] = ",".join(self.key)
        facts[PARTITION] = ",".join(self.partition)
        if self.ordering:
            facts[ORDERING] = self.ordering
        if len(self.key) > 1 or len(self.partition) > 1:
            facts[KEY_GENERATOR] = "org.apache.hudi.keygen.ComplexKeyGenerator"
        if not self.partition:
            facts[KEY_GENERATOR] = "org.apache.hudi.keygen.NonpartitionedKeyGenerator"
        return {**facts, **self.extra}


SCHEMA = "id string, ts long, dt string, colour string, price double"


def frame(spark: SparkSession, rows: list[dict[str, Any]], schema: str = SCHEMA) -> DataFrame:
    """The rows as a frame of `schema`; a missing name is null."""
    names = [column.name for column in T._parse_datatype_string(schema).fields]  # type: ignore[attr-defined]
    return spark.createDataFrame([tuple(row.get(name) for name in names) for row in rows], schema)


def record(
    key: str, ts: int = 1, dt: str | None = "2026-01-01", colour: str | None = "red", price: float = 1.0
) -> dict[str, Any]:
    """One row of `SCHEMA`."""
    return {"id": key, "ts": ts, "dt": dt, "colour": colour, "price": price}

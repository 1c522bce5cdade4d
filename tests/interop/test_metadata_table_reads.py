"""Reads by the metadata table that Apache Hudi keeps, as it compacts, cleans and archives it with its table."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from engines import ORDERING, PARTITION, RECORD_KEY, SELF_CHECK, TABLE_NAME, TABLE_VERSION, Engine, hudi
from pyspark.sql import SparkSession
from rows import scans

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about hudilite's reads")

METADATA = "hoodie.metadata.enable"
FACTS = {RECORD_KEY: "id", PARTITION: "p", ORDERING: "ts", TABLE_NAME: "t"}
SERVICES = {
    "hoodie.clean.commits.retained": "1",
    "hoodie.keep.min.commits": "2",
    "hoodie.keep.max.commits": "3",
    "hoodie.metadata.compact.max.delta.commits": "3",
    "hoodie.metadata.index.column.stats.enable": "false",
}
FIRST = {"00000000000000000.hfile", "00000000000000010.hfile"}
COMMITS = 9


@pytest.mark.parametrize(("version", "kind"), [(6, "COPY_ON_WRITE"), (9, "MERGE_ON_READ")])
def test_rows_by_the_metadata_table_are_those_by_folders_whatever_services_do(
    lite: Engine, spark: SparkSession, path: Path, version: int, kind: str
) -> None:
    real = hudi(spark, **{METADATA: "true"}, **SERVICES, **FACTS)
    facts = {TABLE_VERSION: str(version), "hoodie.datasource.write.table.type": kind}
    for n in range(COMMITS):
        ids = range(12) if n % 3 else range(0, 12, 2)
        rows = [(f"k{i}", f"p{i % 3}", n, i * n) for i in ids]
        real.write(spark.createDataFrame(rows, "id string, p string, ts int, v int"), path, **facts)
        expected = answers(lite, path, **{METADATA: "false"})
        assert answers(lite, path) == answers(lite, path, **{METADATA: "true"}) == expected, n
        assert answers(real, path) == expected, n
    assert len({f.name.rsplit("_", 1)[1] for f in path.glob(".hoodie/metadata/files/*.hfile")} - FIRST), "not compacted"
    plant(path)
    spark.sql(f"REFRESH TABLE hudilite.`{path}`")
    assert answers(lite, path) == expected
    assert len(answers(lite, path, **{METADATA: "false"})) > len(expected)


def answers(engine: Engine, path: Path, **options: str) -> list[tuple[object, ...]]:
    """All rows, and those of one partition again, after a number that tells them apart."""
    found = scans(engine.read(path, **options), ["true", "p = 'p1'"], "id", "p", "ts", "v")
    return sorted(tuple(row) for row in found.collect())


def plant(path: Path) -> None:
    """Another base file of a committed write, which the metadata table does not know."""
    newest = max((path / "p1").glob("*.parquet"), key=lambda f: f.name.rsplit("_", 1)[1])
    instant = newest.name.rsplit("_", 1)[1]
    shutil.copy(newest, newest.with_name(f"0000000a-aaaa-4aaa-8aaa-00000000000a-0_9-1-1_{instant}"))

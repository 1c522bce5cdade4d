"""Rows that Apache Hudi leaves in the folder of a partition that is not that of their values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from engines import INDEX, SELF_CHECK, Engine, Shape, frame, record
from rows import KEY, scans

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about both engines")

INDEXES: dict[str, dict[str, str]] = {
    "simple": {INDEX: "GLOBAL_SIMPLE", "hoodie.simple.index.update.partition.path": "false"},
    "bloom": {INDEX: "GLOBAL_BLOOM", "hoodie.bloom.index.update.partition.path": "false"},
}
CONDITIONS = ["true", "dt = 'd1'", "dt = 'd2'", "dt > 'd1'", "dt IN ('d2', 'x')", "dt = 'd2' OR colour = 'blue'"]


def seen(engine: Engine, path: Path) -> list[tuple[Any, ...]]:
    """The rows that each of the conditions finds, with their partition columns, after its number."""
    found = scans(engine.read(path), CONDITIONS, KEY, "dt", "ts", "_hoodie_partition_path")
    return sorted(tuple(row) for row in found.collect())


def check(lite: Engine, real: Engine, path: Path, expected: set[tuple[Any, ...]]) -> None:
    found = seen(lite, path)
    assert found == seen(real, path)
    assert {row[1:4] for row in found if CONDITIONS[row[0]] == "true"} == expected


# Each pair of them.
@pytest.mark.parametrize(
    ("version", "index", "kind"),
    [
        (6, "simple", "COPY_ON_WRITE"),
        (6, "bloom", "MERGE_ON_READ"),
        (9, "simple", "MERGE_ON_READ"),
        (9, "bloom", "COPY_ON_WRITE"),
    ],
)
def test_rows_that_stay_are_in_the_partition_of_their_folder(
    lite: Engine, real: Engine, path: Path, version: int, index: str, kind: str
) -> None:
    shape = Shape(version, extra={"hoodie.datasource.write.table.type": kind})
    first = [record("a", 1, "d1"), record("b", 1, "d1"), record("c", 1, "d2")]
    second = [record("a", 2, "d2", "blue"), record("d", 2, "d2", "blue")]
    for rows in (first, second):
        real.write(frame(real.spark, rows), path, "upsert", **shape.options(), **INDEXES[index])
    expected = {("a", "d1", 2), ("b", "d1", 1), ("c", "d2", 1), ("d", "d2", 2)}
    check(lite, real, path, expected)
    lite.spark.sql(f"UPDATE hudilite.`{path}` SET colour = 'new' WHERE dt = 'd1' AND id = 'a'")
    lite.spark.sql(f"DELETE FROM hudilite.`{path}` WHERE dt = 'd2' AND id = 'c'")
    check(lite, real, path, expected - {("c", "d2", 1)})

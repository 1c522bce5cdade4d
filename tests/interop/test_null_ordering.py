"""Rows without ordering values: what stays of them is the same to both engines, wherever Apache Hudi can read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conditions import fails_with
from engines import ORDERING, SELF_CHECK, Engine, Shape

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about both engines")

EVENT_TIME = {
    "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
    "hoodie.write.record.merge.mode": "EVENT_TIME_ORDERING",
}


def shape(kind: str) -> Shape:
    return Shape(partition=(), extra={"hoodie.datasource.write.table.type": kind, **EVENT_TIME, ORDERING: "ts"})


def write(engine: Engine, path: Path, made: Shape, ddl: str, rows: list[tuple[str, Any, str]]) -> None:
    frame = engine.spark.createDataFrame(rows, f"id string, ts {ddl}, v string").coalesce(1)
    engine.write(frame, path, **(made.options() if engine.repeat_facts or not path.exists() else {}))


def shown(engine: Engine, path: Path) -> list[str]:
    return sorted(f"{row.id} {row.v}" for row in engine.read(path).select("id", "v").collect())


@pytest.mark.parametrize("ddl", ["bigint", "string"])
def test_hudi_reads_what_hudilite_has_left_of_them(lite: Engine, real: Engine, path: Path, ddl: str) -> None:
    made, few, many = shape("COPY_ON_WRITE"), *((1, 5) if ddl == "bigint" else ("1", "5"))
    first = [("a", many, "first"), ("a", None, "second"), ("b", many, "first"), ("c", None, "first")]
    write(lite, path, made, ddl, first)
    write(lite, path, made, ddl, [("b", None, "second"), ("c", few, "second"), ("d", None, "first")])
    write(lite, path, made, ddl, [("d", None, "second")])
    expected = ["a first", "b first", "c second", "d second"]
    assert shown(lite, path) == shown(real, path) == expected


def test_hudilite_reads_what_hudi_merges(lite: Engine, real: Engine, path: Path) -> None:
    """Beside ints, which are all that Apache Hudi can compare a missing value with."""
    made = shape("MERGE_ON_READ")
    for values, name in (((5, None, None, -1, None), "first"), ((None, 5, -1, None, None), "second")):
        write(real, path, made, "int", [(key, ts, name) for key, ts in zip("abcde", values, strict=True)])
    assert shown(real, path) == ["a first", "b second", "c first", "d second", "e second"]
    assert shown(lite, path) == shown(real, path)
    with fails_with("NULL_ORDERING_VALUE", "ts", "a"):
        write(lite, path, made, "int", [("a", None, "third")])
    write(lite, path, made, "int", [(key, 0, "third") for key in "abcde"])
    assert shown(lite, path) == shown(real, path) == ["a first", "b second", "c third", "d third", "e third"]

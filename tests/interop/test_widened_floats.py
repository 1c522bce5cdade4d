"""A float that becomes a double: both engines make of 0.1 the double 0.1, in old files and logs and in new rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from engines import SELF_CHECK, Engine, Shape

import hudilite

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="Apache Hudi alone takes no turns here")

NARROW = "id string, ts long, dt string, f float, s struct<f:float>, l array<float>, m map<string,float>"
WIDE = NARROW.replace("float", "double")


def row(i: int, ts: int, value: float) -> dict[str, Any]:
    return {"id": f"k{i}", "ts": ts, "dt": "p", "f": value, "s": {"f": value}, "l": [value], "m": {"k": value}}


# Each pair of them.
@pytest.mark.parametrize(
    ("first", "kind", "version"),
    [
        ("hudi", "COPY_ON_WRITE", 6),
        ("hudi", "MERGE_ON_READ", 9),
        ("hudilite", "COPY_ON_WRITE", 9),
        ("hudilite", "MERGE_ON_READ", 6),
    ],
)
def test_a_float_becomes_the_double_that_is_written_alike(
    lite: Engine, real: Engine, path: Path, first: str, kind: str, version: int
) -> None:
    facts = {"hoodie.datasource.write.table.type": kind, "hoodie.compact.inline": "false"}
    shape = Shape(version, extra=facts).options()
    one, other = (real, lite) if first == "hudi" else (lite, real)
    rows: dict[str, float] = {}

    def write(engine: Engine, ids: list[int], ts: int, value: float, schema: str, operation: str = "upsert") -> None:
        batch = [row(i, ts, value) for i in ids]
        engine.write(engine.spark.createDataFrame(batch, schema), path, operation, **shape)
        rows.update({f"k{i}": value for i in ids})

    def check() -> None:
        expected = sorted((key, value, value, value, value) for key, value in rows.items())
        for engine in (one, other):
            read = engine.read(path).selectExpr("id", "f", "s.f AS sf", "l[0] AS lf", "m['k'] AS mf")
            assert sorted(tuple(r) for r in read.collect()) == expected, engine.name

    write(one, [1, 2, 3, 4, 5], 1, 0.1, NARROW, "insert")
    write(one, [2, 3], 2, 0.2, NARROW)  # in a log, if there are any
    write(one, [3], 3, 0.3, WIDE)
    check()
    write(one, [4, 6], 3, 0.7, NARROW)
    write(other, [5, 7], 4, 0.7, NARROW)
    check()
    if kind == "MERGE_ON_READ":
        hudilite.table(lite.spark, str(path)).compact()
        check()

"""hudilite grows structs within lists and maps by writing: Apache Hudi reads the rows, and goes on in logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from engines import SELF_CHECK, Engine, Shape
from rows import rows_of

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="Apache Hudi alone takes no turns here")

KEYS = "id string, ts long, dt string, "
BEFORE = KEYS + "l array<struct<x:int,in:struct<y:string>>>, m map<string,struct<f:float>>"
AFTER = (
    KEYS
    + "l array<struct<x:bigint,in:struct<y:string,w:int>,z:string>>, "
    + "m map<string,struct<f:double,g:array<struct<h:int>>>>"
)


def before(i: int, ts: int) -> dict[str, Any]:
    return {
        "id": f"k{i}", "ts": ts, "dt": f"p{i % 2}", "l": [{"x": i, "in": {"y": f"y{ts}"}}], "m": {"k": {"f": 0.5 * i}},
    }  # fmt: skip


def after(i: int, ts: int) -> dict[str, Any]:
    return {
        "id": f"k{i}", "ts": ts, "dt": f"p{i % 2}",
        "l": [{"x": i + 5_000_000_000, "in": {"y": "new", "w": ts}, "z": "z"}, None],
        "m": {"k": {"f": 0.1 * i, "g": [{"h": 1}]}},
    }  # fmt: skip


def grown(row: dict[str, Any]) -> dict[str, Any]:
    """A row from before as it is read afterwards."""
    return {
        **row,
        "l": [{**e, "in": {**e["in"], "w": None}, "z": None} for e in row["l"]],
        "m": {k: {**v, "g": None} for k, v in row["m"].items()},
    }


@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_hudi_reads_what_hudilite_wrote_before_and_after_nested_columns_grew(
    lite: Engine, real: Engine, path: Path, kind: str
) -> None:
    shape = Shape(9, extra={"hoodie.datasource.write.table.type": kind, "hoodie.compact.inline": "false"}).options()
    rows: dict[str, dict[str, Any]] = {}

    def write(engine: Engine, batch: list[dict[str, Any]], schema: str, operation: str = "upsert") -> None:
        facts = shape if engine is real or not rows else {}
        engine.write(engine.spark.createDataFrame(batch, schema), path, operation, **facts)
        rows.update({row["id"]: row for row in batch})

    def check() -> None:
        expected = sorted(json.dumps(row, sort_keys=True) for row in rows.values())
        for engine in (lite, real):
            assert rows_of(engine.read(path)) == expected, engine.name

    write(lite, [before(i, 1) for i in range(6)], BEFORE, "insert")
    write(lite, [before(1, 2)], BEFORE)  # in a log, with the schema of before
    check()
    write(lite, [after(2, 3), after(7, 3)], AFTER)
    rows.update({key: grown(row) for key, row in rows.items() if row["ts"] < 3})
    check()
    if kind == "MERGE_ON_READ":  # in base files it fails where numbers in lists were widened, by itself, too
        write(real, [after(3, 4)], AFTER)
        check()

"""Decimals that grow: files of either engine, with decimals as numbers or as bytes, are read and written on by both."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from engines import SELF_CHECK, Engine, Shape

import hudilite

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="Apache Hudi alone takes no turns here")

NARROW = "id string, ts long, dt string, d decimal(10,2), s struct<e:decimal(14,2)>, m map<string,decimal(18,3)>"
WIDE = NARROW.replace("decimal(10,2)", "decimal(20,4)")
#: Of files from before, decimals in structs and maps that grew are read by Hudi's readers of rows alone.
WIDE_INSIDE = WIDE.replace("decimal(14,2)", "decimal(22,2)").replace("decimal(18,3)", "decimal(22,5)")


def row(i: int, ts: int, value: str) -> dict[str, Any]:
    number = Decimal(value)
    return {"id": f"k{i}", "ts": ts, "dt": "p", "d": number, "s": {"e": number}, "m": {"k": number}}


# Each pair of them. In bulk Apache Hudi writes decimals of up to 18 digits as ints and longs, else as bytes.
@pytest.mark.parametrize(
    ("first", "kind", "version", "legacy"),
    [
        ("hudi", "COPY_ON_WRITE", 6, "true"),
        ("hudi", "MERGE_ON_READ", 9, "false"),
        ("hudilite", "COPY_ON_WRITE", 9, "false"),
        ("hudilite", "MERGE_ON_READ", 6, "true"),
    ],
)
def test_a_decimal_grows_to_one_with_more_digits_on_both_sides(
    lite: Engine, real: Engine, path: Path, first: str, kind: str, version: int, legacy: str
) -> None:
    facts = {"hoodie.datasource.write.table.type": kind, "hoodie.compact.inline": "false"}
    shape = Shape(version, extra=facts).options()
    one, other = (real, lite) if first == "hudi" else (lite, real)
    rows: dict[str, str] = {}

    def write(engine: Engine, ids: list[int], ts: int, value: str, schema: str, operation: str = "upsert") -> None:
        own = {"hoodie.parquet.writelegacyformat.enabled": legacy} if engine is real else {}
        batch = [row(i, ts, value) for i in ids]
        engine.write(engine.spark.createDataFrame(batch, schema), path, operation, **shape, **own)
        rows.update({f"k{i}": value for i in ids})

    def check() -> None:
        expected = sorted((key, *[Decimal(value)] * 3) for key, value in rows.items())
        for engine in (one, other):
            read = engine.read(path).selectExpr("id", "d", "s.e AS se", "m['k'] AS md")
            assert sorted(tuple(r) for r in read.collect()) == expected, engine.name

    write(one, [1, 2, 3, 4, 5], 1, "-1.25", NARROW, "bulk_insert")
    write(one, [2, 3], 2, "0.5", NARROW)  # in a log, if there are any
    write(one, [3], 3, "9999999999.75", WIDE_INSIDE if kind == "MERGE_ON_READ" else WIDE)
    check()
    write(one, [4, 6], 3, "-0.01", NARROW)
    write(other, [5, 7], 4, "7654321.25", NARROW)
    check()
    if kind == "MERGE_ON_READ":
        hudilite.table(lite.spark, str(path)).compact()
        check()

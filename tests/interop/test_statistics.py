"""Statistics of columns that Apache Hudi's releases wrote leave out files, and no row that a filter looks for."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import engines
import pytest
from engines import SELF_CHECK, Shape
from pyspark.sql import functions as F
from rows import scans
from sessions import Sessions

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about hudilite's reads")

SCHEMA = (
    "id string, ts long, dt string, i int, l long, f float, d double, b boolean, s string, long_text string, "
    "raw binary, day date, at timestamp, price decimal(12,3), big decimal(30,4), none int, st struct<x:int,y:string>"
)
PARTITIONS = 4
STATISTICS = {
    "hoodie.metadata.enable": "true",
    "hoodie.metadata.index.column.stats.enable": "true",
    "hoodie.compact.inline": "false",
    "hoodie.parquet.small.file.limit": "0",
    "hoodie.embed.timeline.server": "true",
}


def row(n: int, ts: int = 1, shift: int = 0) -> dict[str, Any]:
    """A row whose values grow with its number, but for those at which statistics go wrong."""
    v = n + shift
    odd = n % 20 == 7
    return {
        "id": f"k{n:03d}",
        "ts": ts,
        "dt": f"p{n // 20}",
        "i": v,
        "l": v * 10_000_000_000,
        "f": float("nan") if odd and n > 40 else v / 4,
        "d": float("nan") if odd and n > 20 else -0.0 if v == 0 else v / 8,
        "b": v >= 40,
        "s": "\U0001f600" if odd and n < 20 else "\uff21" if odd and n < 40 else f"s{v:03d}",
        "long_text": "x" * 5000 if odd else None if n % 2 else f"t{v:03d}",
        "raw": bytes([(v * 3) % 256, 255 - v % 200]),
        "day": date(1905, 1, 1) if odd and n < 20 else date(2026, 1, 1) + timedelta(days=v),
        "at": datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(hours=v, microseconds=7),
        "price": Decimal(v) / 8,
        "big": Decimal(v * 10**10 + 1) / 10**4,
        "none": None,
        "st": None if odd else {"x": v, "y": f"y{v:03d}"},
    }


FILTERS = [
    "i = 5",
    "i > 70",
    "i <= 3",
    "i IN (1, 45, 203)",
    "i = 203",
    "st.x = 5",
    "st.x > 70",
    "st.x <= 3",
    "st.x IN (1, 45, 203)",
    "st.x = 203",
    "l = 250000000000",
    "l > 790000000000",
    "NOT (l < 700000000000)",
    "f > 15",
    "f = 2.5",
    "f = cast('NaN' AS float)",
    "d > 9",
    "d = 0.0",
    "d = -0.0D",
    "d = cast('NaN' AS double)",
    "d < 1",
    "b",
    "NOT b",
    "s = '\U0001f600'",
    "s > 's070'",
    "s = '\uff21'",
    "s LIKE 's02%'",
    "s LIKE '\U0001f600%'",
    "s >= '\uff21'",
    "long_text IS NOT NULL AND i < 20",
    "length(long_text) > 9 AND i = 7",
    "long_text > 'w'",
    "long_text = 't004'",
    "long_text IS NULL",
    "raw = X'0FFA'",
    "day < date'1910-01-01'",
    "day = date'2026-01-26'",
    "day > date'2026-03-20'",
    "at < timestamp'2026-01-01 04:00:00Z'",
    "at >= timestamp'2026-01-04 03:00:00.000007Z'",
    "price = 2.5",
    "price > 9.9",
    "big < 25000000",
    "none IS NULL",
    "none = 3",
    "none IS NOT NULL AND i > 3",
    "st IS NULL",
    "st.y = 'y044'",
    "st.y LIKE 'y2%'",
    "i = 5 OR s = 's044'",
    "NOT (i > 5 OR s IS NULL)",
    "i = 5 AND l = 450000000000",
    "i <=> 5",
    "_hoodie_record_key = 'k031'",
    "st.x IS NULL",
]


@pytest.mark.parametrize(
    ("release", "version", "kind"),
    [
        ("1.2.0", 9, "MERGE_ON_READ"),
        ("1.2.0", 8, "COPY_ON_WRITE"),
        ("1.0.2", 8, "MERGE_ON_READ"),
        ("0.15.0", 6, "MERGE_ON_READ"),
    ],
)
def test_a_filter_by_statistics_finds_all_rows(
    sessions: Sessions, path: Path, release: str, version: int, kind: str
) -> None:
    spark = sessions.get("interop" if release == "1.2.0" else f"interop-{release}")
    real, lite = engines.hudi(spark, **STATISTICS), engines.hudilite(spark)
    facts = {"hoodie.datasource.write.table.type": kind, "hoodie.parquet.block.size": "4096"}
    shape = Shape(version, extra=facts).options()
    rows = {n: row(n) for n in range(20 * PARTITIONS)}

    def write(numbers: list[int], operation: str) -> None:
        real.write(engines.frame(spark, [rows[n] for n in numbers], SCHEMA), path, operation, **shape)

    write(list(rows), "insert")
    for n in (21, 22):  # of later values, so that their slice has some that its base file has not
        rows[n] = row(n, ts=2, shift=180)
    write([21, 22], "upsert")
    real.write(engines.frame(spark, [rows[41]], SCHEMA), path, "delete", **shape)
    del rows[41]

    plain = engines.frame(spark, list(rows.values()), SCHEMA).selectExpr("*", "id AS _hoodie_record_key")
    read = lite.read(path, **{"hoodie.metadata.enable": "true"})
    counts = plain.select(*(F.count(F.when(F.expr(test), 1)) for test in FILTERS)).collect()[0]
    found = scans(read, FILTERS)
    numbers = Counter(row[0] for row in found.collect())
    pairs = {test: (numbers[n], counts[n]) for n, test in enumerate(FILTERS)}
    wrong = {test: (number, expected) for test, (number, expected) in pairs.items() if number != expected}
    lines = [line for line in found._jdf.queryExecution().executedPlan().toString().splitlines() if "files " in line]
    told = [re.search(r"(\d+) by statistics", line) for line in lines]
    left = {test: int(t.group(1)) if t else PARTITIONS for test, t in zip(FILTERS, told, strict=True)}
    assert not wrong
    # Only the metadata table tells of log files: of the rows of one slice, and of the deleted keys of another.
    assert (left["i = 5"], left["i > 70"], left["i = 203"]) == (1, 2, 0), left
    assert sum(left.values()) < 0.7 * PARTITIONS * len(FILTERS), left

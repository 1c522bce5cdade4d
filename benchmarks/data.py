"""The benchmark's data: deterministic 'trips' tables, written once as parquet.

Every value is a hash of (row id, column, version), so the same row count always gives the same rows.
Versions: 0 = initial load, 1 to 3 = upserts, 9 = delete.
"""

from __future__ import annotations

import json
import os
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

PARTITIONS = 8
BATCHES = 3
COLUMNS = [
    "key",
    "ts",
    "dt",
    "rider",
    "driver",
    "city",
    "note",
    "fare",
    "tip",
    "distance",
    "passengers",
    "zone",
    "amount",
    "event_time",
    "flag",
]


def trips(ids: DataFrame, version: int, rows: int, ordered: bool = False) -> DataFrame:
    """The 15-column rows for a frame of `id`s. `ordered`: increasing keys, partitions as contiguous key ranges."""

    def bits(tag: str, modulo: int) -> Column:
        return F.pmod(F.xxhash64("id", F.lit(tag), F.lit(version)), F.lit(modulo))

    def hexes(tag: str) -> Column:
        return F.md5(F.concat_ws("|", F.col("id").cast("string"), F.lit(tag), F.lit(str(version))))

    if ordered:
        key = F.lpad(F.col("id").cast("string"), 20, "0")
        slot = F.least(F.floor(F.col("id") * PARTITIONS / rows), F.lit(PARTITIONS - 1))
    else:
        digest = F.md5(F.concat(F.lit("key"), F.col("id").cast("string")))
        key = F.concat_ws("-", *[F.substring(digest, a, n) for a, n in ((1, 8), (9, 4), (13, 4), (17, 4), (21, 12))])
        slot = F.pmod(F.xxhash64("id", F.lit("dt")), F.lit(PARTITIONS))
    ts = F.lit(1_700_000_000_000) + F.col("id") + F.lit(version * 1_000_000_000)
    return ids.select(
        key.alias("key"),
        ts.alias("ts"),
        F.concat(F.lit("2024-01-0"), (slot + 1).cast("string")).alias("dt"),
        F.substring(hexes("rider"), 1, 16).alias("rider"),
        F.concat(F.lit("driver-"), bits("driver", 5000).cast("string")).alias("driver"),
        F.concat(F.lit("city-of-"), bits("city", 200).cast("string")).alias("city"),
        F.concat(hexes("note"), F.substring(hexes("more"), 1, 8)).alias("note"),
        (bits("fare", 10_000_000) / 100_000.0).alias("fare"),
        (bits("tip", 1_000) / 100.0).alias("tip"),
        (bits("distance", 1 << 40) / float(1 << 34)).alias("distance"),
        bits("passengers", 7).cast("int").alias("passengers"),
        bits("zone", 100_000).cast("int").alias("zone"),
        (bits("amount", 100_000_000).cast("decimal(20,0)") / 100).cast("decimal(12,2)").alias("amount"),
        F.timestamp_millis(ts + bits("time", 86_400_000)).alias("event_time"),
        (bits("flag", 2) == 1).alias("flag"),
    )


def checksum(frame: DataFrame) -> dict[str, Any]:
    """Count and order-free hash over all columns: equal for equal tables, whatever the format."""
    row = (
        frame.select(COLUMNS)
        .agg(
            F.count("*").alias("n"),
            F.sum("ts").alias("ts"),
            F.bit_xor(F.xxhash64(*COLUMNS)).alias("xor"),
            F.sum(F.xxhash64(*COLUMNS).cast("decimal(38,0)")).alias("sum"),
        )
        .first()
    )
    assert row is not None
    return {"count": row["n"], "ts": row["ts"], "xor": row["xor"], "sum": str(row["sum"])}


def apply_upsert(state: DataFrame, batch: DataFrame) -> DataFrame:
    """The rows of a table after an upsert, in the columns of `state`."""
    kept = state.join(batch.select("key", "dt"), ["key", "dt"], "left_anti").select(state.columns)
    return kept.unionByName(batch.select(state.columns))


def generate(spark: SparkSession, root: str, rows: int) -> None:
    """Write base, upd1 to upd3, del, their key-ordered variants, and what each state must hash to (expect.json)."""

    def path(name: str) -> str:
        return os.path.join(root, name)

    def write(frame: DataFrame, name: str) -> DataFrame:
        frame.write.mode("overwrite").parquet(path(name))
        return spark.read.parquet(path(name))

    expect: dict[str, Any] = {}
    base = write(trips(spark.range(0, rows, 1, 8), 0, rows), "base")
    expect["base"] = checksum(base)
    updated = state = base
    for number in range(1, BATCHES + 1):
        # 0.8 % of the existing ids and 0.2 % new ones; the batches do not overlap
        known = spark.range(0, rows, 1, 2).where(F.col("id") % 125 == number)
        fresh = spark.range(rows + (number - 1) * (rows // 500), rows + number * (rows // 500), 1, 1)
        batch = write(trips(known.union(fresh).coalesce(2), number, rows), f"upd{number}")
        state = apply_upsert(state, batch)
        expect[f"upd{number}"] = checksum(state)
        updated = state if number == 1 else updated
    gone = write(trips(spark.range(0, rows, 1, 2).where(F.col("id") % 100 == 57), 9, rows), "del")
    expect["del"] = checksum(updated.join(gone.select("key", "dt"), ["key", "dt"], "left_anti"))
    ordered = write(trips(spark.range(0, rows, 1, 8), 0, rows, ordered=True), "ordered")
    expect["ordered"] = checksum(ordered)
    tail = write(trips(spark.range(rows - rows // (PARTITIONS * 10), rows, 1, 2), 1, rows, ordered=True), "ordered_upd")
    expect["ordered_upd"] = checksum(apply_upsert(ordered, tail))
    expect["keys"] = [
        r["key"]
        for r in base.where(F.pmod(F.xxhash64("key"), F.lit(max(rows // 40, 1))) == 1)
        .orderBy("key")
        .limit(20)
        .select("key")
        .collect()
    ]
    with open(path("expect.json"), "w") as out:
        json.dump(expect, out, indent=1)

"""Gains and costs of indexes beside hudilite without them and beside plain Parquet.

    python benchmarks/gains.py --only narrow,recorded,skipped,joined,dealt --out benchmarks/gains.json

Each case takes turns with what it is compared with, in one process, and their rows are compared. Figures are CPU
seconds of the whole process, the median of `--repeat` runs after one that is not timed.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable
from typing import Any

from choices import summed
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from unusual import Case, parser, run

FILES, FEW_KEYS, BUCKETS = 24, 1000, 16
RECORD_INDEX = {"hoodie.metadata.record.index.enable": "true"}
STATISTICS = {"hoodie.metadata.enable": "true", "hoodie.metadata.index.column.stats.enable": "true"}
WITHOUT_EXCHANGE = "io.hudilite.spark.scan.rule.DealtWrites"


def arguments() -> argparse.Namespace:
    parse = parser(__doc__, "gains", CASES, repeat=3)
    parse.add_argument("--rows", type=int, default=2_000_000, help="rows of a table; twice as many narrow ones")
    return parse.parse_args()


def parquet(frame: DataFrame, path: str) -> None:
    frame.write.mode("overwrite").option("compression", "zstd").parquet(path)


def narrow(case: Case) -> dict[str, Any]:
    """Loads of four whole numbers, with a key of three of them or of one, and of plain Parquet."""
    thousand = F.lit(1000)
    ids = case.spark.range(0, 2 * case.args.rows, 1, 4)
    numbers = {
        "a": F.pmod("id", thousand),
        "b": F.pmod(F.floor(F.col("id") / thousand), thousand),
        "c": F.floor(F.col("id") / thousand / thousand),
        "d": F.col("id"),
    }
    frame = ids.select(*(value.cast("int").alias(name) for name, value in numbers.items()))

    def load(name: str, key: str) -> Callable[[int], None]:
        path = case.root / name
        told = {"hoodie.table.name": "narrow", "hoodie.datasource.write.operation": "bulk_insert"}
        told["hoodie.datasource.write.recordkey.field"] = key

        def write(_: int) -> None:
            shutil.rmtree(path, ignore_errors=True)
            frame.write.format("hudilite").options(**told).mode("append").save(str(path))

        return write

    plain = str(case.root / "plain")
    took = case.turns(load("three", "a,b,c"), load("one", "d"), lambda _: parquet(frame, plain))
    found = [case.whole(name) for name in ("three", "one")]
    found.append(case.spark.read.parquet(plain))
    sums = {str(each.agg(F.count("*"), F.sum("a"), F.sum("b"), F.sum("c"), F.sum("d")).first()) for each in found}
    assert len(sums) == 1, sums
    return dict(zip(("key of three columns", "key of one", "plain Parquet"), took, strict=True))


def recorded(case: Case) -> dict[str, Any]:
    """Loads, and upserts of 1 % and of half of the rows, with a record index, with filters and with neither."""
    count = case.args.rows
    kinds = {
        "RECORD_INDEX": {"hoodie.index.type": "RECORD_INDEX", **RECORD_INDEX},
        "BLOOM": {"hoodie.index.type": "BLOOM"},
        "SIMPLE": {"hoodie.index.type": "SIMPLE"},
    }
    result = {}

    def load(kind: str) -> Callable[[int], None]:
        return lambda _: case.load(case.rows(count, 8), kind, **kinds[kind])

    def upsert(kind: str, of: int) -> Callable[[int], None]:
        return lambda n: case.write(case.rows(count, 8, of * 1000 + n + 1, of), kind, **kinds[kind])

    result["load"] = case.turns(*(load(kind) for kind in kinds))
    result["upsert of 1 %"] = case.turns(*(upsert(kind, 100) for kind in kinds))
    result["upsert of half"] = case.turns(*(upsert(kind, 2) for kind in kinds))
    found = {summed(case.read(kind)) for kind in kinds}
    assert len(found) == 1, found
    return {name: dict(zip(kinds, took, strict=True)) for name, took in result.items()}


def skipped(case: Case) -> dict[str, Any]:
    """A filter on a column that is no key, where one of 24 files can have its values."""
    frame = case.rows(case.args.rows, 1).drop("slot").repartitionByRange(FILES, "v0").persist()
    plain = str(case.root / "plain")
    parquet(frame.sortWithinPartitions("v0"), plain)
    told = {"hoodie.table.name": "skipped", "hoodie.datasource.write.recordkey.field": "key"}
    told |= {"hoodie.datasource.write.operation": "bulk_insert", "hoodie.bulkinsert.sort.mode": "NONE"}
    tables = {"metadata table": STATISTICS, "footers": {"hoodie.metadata.enable": "false"}}
    for name, more in tables.items():
        frame.write.format("hudilite").options(**told, **more).mode("append").save(str(case.root / name))
    frame.unpersist()
    low, high = -(1 << 60), -(1 << 60) + (1 << 55)

    def asked(read: DataFrame) -> Any:
        return read.where(F.col("v0").between(low, high)).agg(F.count("*"), F.sum("v1"), F.sum("v2")).first()

    reads: list[Callable[[], DataFrame]] = [
        *(lambda n=name: case.whole(n) for name in tables),
        lambda: case.spark.read.parquet(plain),
    ]
    assert len({str(asked(read())) for read in reads}) == 1
    took = case.turns(*(lambda _, r=read: [asked(r()) for _ in range(10)] for read in reads))
    files = [len(list((case.root / name).rglob("*.parquet"))) for name in (*tables, "plain")]
    return {"ten reads": dict(zip((*tables, "plain Parquet"), took, strict=True)), "files": files}


def joined(case: Case) -> dict[str, Any]:
    """A join with 1,000 keys, which lie in one partition of eight and in all of them."""
    count, plain = case.args.rows, str(case.root / "plain")
    case.load(case.rows(count, 8), "recorded", **RECORD_INDEX)
    case.load(case.rows(count, 8), "filtered")
    case.rows(count, 8).repartition(8, "slot").write.partitionBy("slot").option("compression", "zstd").parquet(plain)
    few = case.rows(count, 8).where("slot = 3").select("key").limit(FEW_KEYS).localCheckpoint()
    wide = case.rows(count, 8, 7, count // FEW_KEYS).select("key").localCheckpoint()
    columns = case.read("filtered").columns
    reads: list[Callable[[], DataFrame]] = [
        lambda: case.read("recorded"),
        lambda: case.read("filtered"),
        lambda: case.spark.read.parquet(plain).select(*columns),
    ]
    result = {}
    for name, keys in (("keys of one partition", few), ("keys of all partitions", wide)):
        assert len({summed(read().join(keys, "key")) for read in reads}) == 1
        took = case.turns(*(lambda _, r=read, k=keys: r().join(k, "key").collect() for read in reads))
        result[name] = dict(zip(("record index", "filters", "plain Parquet"), took, strict=True))
    return result


def dealt(case: Case) -> dict[str, Any]:
    """Loads and upserts of the rows of a table into one with equal buckets, with the exchange and without."""
    told = {
        "hoodie.table.name": "dealt",
        "hoodie.datasource.write.recordkey.field": "key",
        "hoodie.index.type": "BUCKET",
    }
    told |= {"hoodie.bucket.index.num.buckets": str(BUCKETS), "hoodie.datasource.write.table.type": "MERGE_ON_READ"}
    told |= {"hoodie.compact.inline": "false"}
    texts = [F.concat(F.lit(f"text {n} "), F.col("v0") % 1000).alias(f"s{n}") for n in range(4)]
    frame = case.rows(case.args.rows, 1).drop("slot").select("*", *texts)
    loaded = frame.write.format("hudilite").options(**told, **{"hoodie.datasource.write.operation": "bulk_insert"})
    loaded.save(str(case.root / "source"))

    def write(operation: str, spared: bool) -> Callable[[int], None]:
        path = case.root / str(spared)

        def run(_: int) -> None:
            if operation == "bulk_insert":
                shutil.rmtree(path, ignore_errors=True)
            case.spark.conf.set("spark.sql.optimizer.excludedRules", "" if spared else WITHOUT_EXCHANGE)
            more = {**told, "hoodie.datasource.write.operation": operation}
            case.whole("source").write.format("hudilite").options(**more).mode("append").save(str(path))
            case.spark.conf.unset("spark.sql.optimizer.excludedRules")

        return run

    result = {}
    for operation in ("bulk_insert", "upsert"):
        took = case.turns(write(operation, True), write(operation, False))
        result[operation] = dict(zip(("as they lie", "exchanged"), took, strict=True))
    counts = {case.whole(name).count() for name in ("True", "False")}
    assert counts == {case.args.rows}, counts
    return result


CASES = {"narrow": narrow, "recorded": recorded, "skipped": skipped, "joined": joined, "dealt": dealt}


if __name__ == "__main__":
    run(arguments(), "gains", CASES)

"""Which index fits which table: one upsert of each kind of table by each index, all in one process.

    python benchmarks/choices.py --rows 500000 --out benchmarks/choices.json

A table is of random or ordered keys, few or many partitions, narrow or wide rows, copied or merged on read. Each
index loads a table of its own; the same upserts, of 1 % of the keys, go to all of them in turns, and the rows of all
must be equal at the end. Figures are CPU seconds of the whole process, the median of the upserts; ratios are to the
first index.
"""

from __future__ import annotations

import argparse
import itertools
import json
import shutil
import statistics
from pathlib import Path
from typing import Any, NamedTuple

from bench import SETTINGS
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from soak import timed

import hudilite

INDEXES = ("SIMPLE", "BLOOM", "BUCKET", "RECORD_INDEX")
FEW, MANY = 4, 100
WIDE_COLUMNS = 40
#: Files as small as this let a small table have as many as a large one.
FILE_BYTES = 2 * 1024 * 1024


class Kind(NamedTuple):
    """A kind of table."""

    keys: str
    partitions: int
    columns: int
    type: str

    def __str__(self) -> str:
        rows = "wide" if self.columns > 2 else "narrow"
        return f"{self.type}, {self.keys} keys, {self.partitions} partitions, {rows} rows"


KINDS = [
    Kind(*each) for each in itertools.product(("random", "ordered"), (FEW, MANY), (2, WIDE_COLUMNS), ("COW", "MOR"))
]


def arguments() -> argparse.Namespace:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--rows", type=int, default=500_000)
    parse.add_argument("--upserts", type=int, default=3, help="timed ones, after one that is not")
    parse.add_argument("--only", default="", help="words that a kind of table must have, as 'MOR, random'")
    parse.add_argument("--work", default="bench-work")
    parse.add_argument("--out", default="bench-work/choices.json")
    return parse.parse_args()


def rows(ids: DataFrame, kind: Kind, count: int, version: int) -> DataFrame:
    """Rows of a kind of table; ordered keys grow, and each partition has the keys of a time."""
    text = F.lpad(F.col("id").cast("string"), 20, "0")
    key = text if kind.keys == "ordered" else F.md5(text)
    dealt = F.pmod(F.xxhash64("id", F.lit("slot")), F.lit(kind.partitions))
    slot = F.floor(F.col("id") * kind.partitions / count) if kind.keys == "ordered" else dealt
    values = [F.xxhash64("id", F.lit(n), F.lit(version)).alias(f"v{n}") for n in range(kind.columns)]
    return ids.select(key.alias("key"), F.lit(version).alias("ts"), slot.cast("int").alias("slot"), *values)


def changed(spark: SparkSession, kind: Kind, count: int, version: int) -> DataFrame:
    """1 % of the rows: scattered ones of random keys, and the newest ones, in the last partitions, of ordered keys."""
    some = (
        spark.range(0, count, 1, 2).where(F.pmod(F.xxhash64("id", F.lit("some")), F.lit(100)) == version)
        if kind.keys == "random"
        else spark.range(count - count // 100, count, 1, 2)
    )
    return rows(some, kind, count, version)


def options(kind: Kind, index: str, count: int) -> dict[str, str]:
    """Options of each write; a bucket holds some 60,000 rows."""
    told = {
        "hoodie.table.name": "choices",
        "hoodie.datasource.write.recordkey.field": "key",
        "hoodie.datasource.write.precombine.field": "ts",
        "hoodie.datasource.write.partitionpath.field": "slot",
        "hoodie.datasource.write.table.type": "MERGE_ON_READ" if kind.type == "MOR" else "COPY_ON_WRITE",
        "hoodie.index.type": index,
        "hoodie.parquet.max.file.size": str(FILE_BYTES),
    }
    if index == "BUCKET":
        told["hoodie.bucket.index.num.buckets"] = str(max(1, count // kind.partitions // 60_000))
    if index == "RECORD_INDEX":
        told["hoodie.metadata.record.index.enable"] = "true"
    return told


def write(frame: DataFrame, path: Path, mode: str, told: dict[str, str]) -> None:
    frame.write.format("hudilite").options(**told).mode(mode).save(str(path))


def summed(frame: DataFrame) -> Any:
    """Count and sum over all rows."""
    return frame.agg(F.count("*"), F.sum(F.xxhash64(*sorted(frame.columns)).cast("decimal(38,0)"))).first()


def measured(spark: SparkSession, kind: Kind, args: argparse.Namespace) -> dict[str, Any]:
    """CPU seconds of the load and of an upsert by each index."""
    pid = int(spark._jvm.java.lang.ProcessHandle.current().pid())  # type: ignore[union-attr]
    paths = {index: Path(args.work, "choices", index) for index in INDEXES}
    took: dict[str, dict[str, Any]] = {}
    for index, path in paths.items():
        shutil.rmtree(path, ignore_errors=True)
        whole = {**options(kind, index, args.rows), "hoodie.datasource.write.operation": "bulk_insert"}
        took[index] = {"load": timed(pid, write, rows(spark.range(0, args.rows, 1, 4), kind, args.rows, 0), path,
                                     "overwrite", whole)["cpu s"], "upserts": []}  # fmt: skip
    for version in range(1, args.upserts + 2):
        batch = changed(spark, kind, args.rows, version).cache()
        batch.count()
        for index, path in paths.items():
            took[index]["upserts"].append(
                timed(pid, write, batch, path, "append", options(kind, index, args.rows))["cpu s"]
            )
        batch.unpersist()
    found = {index: summed(spark.read.format("hudilite").load(str(path))) for index, path in paths.items()}
    assert len(set(found.values())) == 1, (str(kind), found)
    for each in took.values():
        each["upsert"] = statistics.median(each["upserts"][1:])
    return {"table": str(kind), "rows": args.rows, "cpu s": took}


def told(result: dict[str, Any]) -> str:
    """A line of a table in Markdown."""
    took = result["cpu s"]
    first = took[INDEXES[0]]
    cells = [f"{took[i]['upsert']:.2f} ({took[i]['upsert'] / first['upsert']:.2f})" for i in INDEXES]
    loads = [f"{took[i]['load'] / first['load']:.2f}" for i in INDEXES]
    return f"| {result['table']} | {' | '.join(cells)} | {', '.join(loads)} |"


def main(args: argparse.Namespace) -> None:
    builder = SparkSession.builder
    for name, value in {**SETTINGS, "spark.ui.showConsoleProgress": "false", "spark.driver.memory": "4g"}.items():
        builder = builder.config(name, value)
    spark = hudilite.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    kinds = [kind for kind in KINDS if all(word in str(kind) for word in args.only.replace(",", " ").split())]
    small = argparse.Namespace(**{**vars(args), "rows": min(args.rows, 20_000)})
    for kind in kinds[:2]:
        measured(spark, kind, small)  # the JVM compiles
    results = []
    for kind in kinds:
        results.append(measured(spark, kind, args))
        print(told(results[-1]), flush=True)
        Path(args.out).parent.mkdir(parents=True, exist_ok=True)
        Path(args.out).write_text(json.dumps(results, indent=1))
    shutil.rmtree(Path(args.work, "choices"), ignore_errors=True)


if __name__ == "__main__":
    main(arguments())

"""Tables that few have: 10,000 partitions in one write, 20 logs a slice, GLOBAL_BLOOM, filters beyond their bound.

    python benchmarks/unusual.py --only partitions,logs,global,filters --out benchmarks/unusual.json

Each case stands beside its usual twin, in one process and in turns; where both have the same rows, these are compared.
Figures are CPU seconds of the whole process, the median of `--repeat` runs after one that is not timed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from bench import SETTINGS
from choices import summed
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from soak import timed

import hudilite

BOUND = 100_000  # hoodie.bloom.index.filter.dynamic.max.entries
LOGS = 20


def parser(doc: str | None, name: str, cases: Iterable[str], repeat: int) -> argparse.ArgumentParser:
    """Options that every set of cases takes."""
    parse = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--only", default=",".join(cases))
    parse.add_argument("--repeat", type=int, default=repeat)
    parse.add_argument("--memory", default="4g", help="memory of the driver, which is all there is")
    parse.add_argument("--java", default="", help="extra JVM options")
    parse.add_argument("--work", default="bench-work")
    parse.add_argument("--out", default=f"bench-work/{name}.json")
    return parse


def arguments() -> argparse.Namespace:
    parse = parser(__doc__, "unusual", CASES, repeat=2)
    parse.add_argument("--rows", type=int, default=200_000, help="rows of the tables with partitions or logs")
    parse.add_argument("--many-rows", type=int, default=2_000_000, help="rows of the table of GLOBAL_BLOOM")
    parse.add_argument("--partitions", type=int, default=10_000)
    return parse.parse_args()


class Case:
    """Tables of one kind of comparison, and the clock of the process."""

    def __init__(self, spark: SparkSession, args: argparse.Namespace, name: str) -> None:
        self.spark, self.args = spark, args
        self.root = Path(args.work, name).absolute()
        self.pid = int(spark._jvm.java.lang.ProcessHandle.current().pid())  # type: ignore[union-attr]

    def rows(self, count: int, parts: int, version: int = 0, of: int = 1) -> DataFrame:
        """Rows with random keys, every `of`-th of them."""
        ids = self.spark.range(0, count, 1, 4).where(F.pmod(F.xxhash64("id"), F.lit(of)) == version % of)
        slot = F.pmod(F.xxhash64("id", F.lit("slot")), F.lit(parts)).cast("int")
        key = F.md5(F.col("id").cast("string"))
        values = [F.xxhash64("id", F.lit(n), F.lit(version)).alias(f"v{n}") for n in range(4)]
        return ids.select(key.alias("key"), F.lit(version).alias("ts"), slot.alias("slot"), *values)

    def write(self, frame: DataFrame, name: str, mode: str = "append", **told: str) -> None:
        options = {
            "hoodie.table.name": "unusual",
            "hoodie.datasource.write.recordkey.field": "key",
            "hoodie.datasource.write.precombine.field": "ts",
            "hoodie.datasource.write.partitionpath.field": "slot",
        }
        frame.write.format("hudilite").options(**options, **told).mode(mode).save(str(self.root / name))

    def load(self, frame: DataFrame, name: str, **told: str) -> None:
        shutil.rmtree(self.root / name, ignore_errors=True)
        self.write(frame, name, "overwrite", **{"hoodie.datasource.write.operation": "bulk_insert"}, **told)

    def read(self, name: str) -> DataFrame:
        return self.whole(name).select("key", "ts", "slot", *(f"v{n}" for n in range(4)))

    def whole(self, name: str) -> DataFrame:
        """The rows of a table with all of its columns."""
        return self.spark.read.format("hudilite").load(str(self.root / name))

    def took(self, action: Callable[..., Any], *given: Any, **named: Any) -> float:
        return timed(self.pid, action, *given, **named)["cpu s"]

    def turns(self, *actions: Callable[[int], Any]) -> list[float]:
        """Medians of actions that take turns, each told the number of its run."""
        runs = [[self.took(action, n) for action in actions] for n in range(self.args.repeat + 1)][1:]
        return [round(statistics.median(each), 2) for each in zip(*runs, strict=True)]


def partitions(case: Case) -> dict[str, Any]:
    """A load and an upsert of 1 % in many partitions, in 100, and of plain Parquet in many.

    All rows of a partition are in one task: a load writes a file for each partition that a task has.
    """
    count, many = case.args.rows, case.args.partitions
    plain = str(case.root / "plain")

    def dealt(parts: int) -> DataFrame:
        return case.rows(count, parts).repartition(4, "slot")

    def floor(_: int) -> None:
        dealt(many).write.partitionBy("slot").mode("overwrite").parquet(plain)

    loads = case.turns(
        lambda _: case.load(dealt(many), "many"),
        lambda _: case.load(dealt(100), "few"),
        floor,
    )
    upserts = case.turns(
        lambda n: case.write(case.rows(count, many, n + 1, 100), "many"),
        lambda n: case.write(case.rows(count, 100, n + 1, 100), "few"),
    )
    reads = case.turns(lambda _: summed(case.read("many")), lambda _: summed(case.read("few")))
    same = [summed(case.read(name).drop("slot")) for name in ("many", "few")]
    assert same[0] == same[1], same
    return {"load": loads, "upsert": upserts, "read": reads}


def logs(case: Case) -> dict[str, Any]:
    """Reads and upserts of a table with one log a slice and of one with twenty."""
    kept = {"hoodie.datasource.write.table.type": "MERGE_ON_READ", "hoodie.compact.inline": "false"}
    count = case.args.rows
    for name in ("warm", "one", "twenty"):
        case.load(case.rows(count, 4), name, **kept)
    for version in range(1, LOGS + 1):
        case.write(case.rows(count, 4, version, 100), "twenty", **kept)
        if version == LOGS:
            for name in ("warm", "one"):
                case.write(case.rows(count, 4, version, 100), name, **kept)
    there = {name: list((case.root / name).rglob(".*.log.*")) for name in ("one", "twenty")}
    files = {name: sum(not file.name.endswith(".crc") for file in found) for name, found in there.items()}
    reads = case.turns(lambda _: summed(case.read("twenty")), lambda _: summed(case.read("one")))
    upserts = case.turns(
        lambda n: case.write(case.rows(count, 4, LOGS + 1 + n, 100), "twenty", **kept),
        lambda n: case.write(case.rows(count, 4, LOGS + 1 + n, 100), "one", **kept),
    )
    before = summed(case.read("twenty"))
    compacted = {
        name: round(case.took(hudilite.table(case.spark, str(case.root / name)).compact), 2)
        for name in ("warm", "one", "twenty")
    }
    assert summed(case.read("twenty")) == before
    return {"log files": files, "read": reads, "upsert": upserts, "compaction": compacted}


def globally(case: Case) -> dict[str, Any]:
    """Upserts of 1 % where keys are looked up in their partition and in the whole table."""
    count, kinds = case.args.many_rows, ("GLOBAL_BLOOM", "BLOOM", "GLOBAL_SIMPLE", "SIMPLE")
    for kind in kinds:
        case.load(case.rows(count, 8), kind)

    def upsert(kind: str) -> Callable[[int], None]:
        told = {"hoodie.index.type": kind}
        return lambda n: case.write(case.rows(count, 8, n + 1, 100), kind, **told)

    upserts = case.turns(*(upsert(kind) for kind in kinds))
    found = {summed(case.read(kind)) for kind in kinds}
    assert len(found) == 1, found
    return dict(zip(kinds, upserts, strict=True))


def filters(case: Case) -> dict[str, Any]:
    """Shares of absent keys that the filter of one file of so many keys lets pass."""
    result = {}
    for count in (BOUND // 2, BOUND, BOUND * 3 // 2, BOUND * 2, BOUND * 4, BOUND * 10):
        case.load(case.rows(count, 1).coalesce(1), "filtered", **{"hoodie.parquet.max.file.size": str(1 << 30)})
        advice = hudilite.table(case.spark, str(case.root / "filtered")).advise(options={"hoodie.index.type": "BLOOM"})
        assert advice.files == 1, advice
        result[str(count)] = advice.false_positives
    return result


CASES = {"partitions": partitions, "logs": logs, "global": globally, "filters": filters}


def run(args: argparse.Namespace, name: str, cases: Mapping[str, Callable[[Case], Any]]) -> None:
    """Run the chosen cases in one session, and keep the figures of each when it ends."""
    builder = SparkSession.builder
    own = {"spark.ui.showConsoleProgress": "false", "spark.driver.memory": args.memory}
    own |= {"spark.driver.extraJavaOptions": args.java} if args.java else {}
    for key, value in {**SETTINGS, **own}.items():
        builder = builder.config(key, value)
    spark = hudilite.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    case, out, results = Case(spark, args, name), Path(args.out), {}
    out.parent.mkdir(parents=True, exist_ok=True)
    for chosen in args.only.split(","):
        results[chosen] = cases[chosen](case)
        print(json.dumps({chosen: results[chosen]}), flush=True)
        out.write_text(json.dumps(results, indent=1) + "\n")
        shutil.rmtree(case.root, ignore_errors=True)


if __name__ == "__main__":
    run(arguments(), "unusual", CASES)

"""A table that is written to for a long time without any service option: what grows, and what stays flat.

    python benchmarks/soak.py --commits 1000 --table cow

Every tenth commit runs without services, so that the same run tells what they cost. The picture needs matplotlib.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from workloads import cpu_seconds

import hudilite

TABLES: dict[str, dict[str, str]] = {
    "cow": {},
    "mor": {"hoodie.datasource.write.table.type": "MERGE_ON_READ"},
    "buckets": {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "2"},
}
#: The metadata table with all indexes that hudilite makes of files and keys.
INDEXES = {
    "hoodie.metadata.enable": "true",
    "hoodie.metadata.index.column.stats.enable": "true",
    "hoodie.metadata.record.index.enable": "true",
    "hoodie.metadata.record.index.min.filegroup.count": "2",
}
METADATA = Path(".hoodie", "metadata")
WITHOUT_EVERY = 10
FIGURES = ("wall s", "cpu s", "read s", "read cpu s", "live files", "files", "timeline files", "MiB", "MiB of history")
OF_METADATA = ("metadata files", "metadata MiB")
HISTORY = ".hoodie/timeline/history"


def arguments() -> argparse.Namespace:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--commits", type=int, default=1000)
    parse.add_argument("--table", choices=TABLES, default="cow")
    parse.add_argument("--metadata", action="store_true", help="with statistics and a record index")
    parse.add_argument("--rows", type=int, default=20_000, help="rows of the table, in 4 partitions")
    parse.add_argument("--batch", type=int, default=200, help="rows of a commit")
    parse.add_argument("--work", default="bench-work")
    return parse.parse_args()


def rows(ids: DataFrame, value: int) -> DataFrame:
    key = F.lpad(F.col("id").cast("string"), 12, "0")
    part = F.concat(F.lit("p"), (F.col("id") % 4).cast("string"))
    return ids.select(key.alias("id"), part.alias("part"), F.lit(value).alias("v"), F.rand(value).alias("x"))


def write(frame: DataFrame, path: Path, **more: str) -> None:
    options = {
        "hoodie.table.name": "soak",
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.partitionpath.field": "part",
    }
    frame.write.format("hudilite").options(**options, **more).mode("append").save(str(path))


def on_storage(path: Path, live: int) -> dict[str, float]:
    there = [f for f in path.rglob("*") if f.is_file() and not f.name.endswith(".crc")]
    names = [f for f in there if f.is_relative_to(path / METADATA)]
    files = [f for f in there if not f.is_relative_to(path / METADATA)]
    data = [f for f in files if ".hoodie" not in f.relative_to(path).parts]
    timeline = [f for f in files if f.parent.name in (".hoodie", "timeline") and f.name[:2] == "20"]
    history = [f for f in files if f.is_relative_to(path / HISTORY)]
    past = sum(f.stat().st_size for f in history) / (1 << 20)
    size = sum(f.stat().st_size for f in files) / (1 << 20) - past
    past_names = [f for f in names if f.is_relative_to(path / METADATA / HISTORY)]
    return {
        "metadata files": len(names) - len(past_names),
        "metadata MiB": round(sum(f.stat().st_size for f in names if f not in past_names) / (1 << 20), 4),
        "live files": live,
        "files": len(data),
        "timeline files": len(timeline),
        "MiB": round(size, 4),
        "MiB of history": round(past, 4),
    }


def timed(pid: int, action: Callable[..., Any], *given: Any, **named: Any) -> dict[str, float]:
    wall, cpu = time.monotonic(), cpu_seconds(pid)[1]
    action(*given, **named)
    return {"wall s": time.monotonic() - wall, "cpu s": cpu_seconds(pid)[1] - cpu}


def soak(spark: SparkSession, args: argparse.Namespace, path: Path) -> list[dict[str, float]]:
    kind, results = TABLES[args.table] | (INDEXES if args.metadata else {}), []
    write(rows(spark.range(args.rows), 0), path, **kind)
    table = hudilite.table(spark, str(path))
    pid = int(spark._jvm.java.lang.ProcessHandle.current().pid())
    for n in range(1, args.commits + 1):
        first = n * 7919 % (args.rows - args.batch)
        batch = rows(spark.range(first, first + args.batch), n)
        without = n % WITHOUT_EVERY == 0
        # The number of buckets is not in the table, so each write says it.
        took = timed(pid, write, batch, path, **kind, **({"hudilite.services": "false"} if without else {}))
        read = timed(pid, spark.read.format("hudilite").load(str(path)).agg(F.sum("v"), F.count("id")).collect)
        live = len(table.files()) if without else 0
        results.append(
            {
                "commit": n,
                "services": not without,
                **took,
                "read s": read["wall s"],
                "read cpu s": read["cpu s"],
                **on_storage(path, live),
            }
        )
        if n % 50 == 0:
            print(json.dumps(results[-1]), flush=True)
    total = spark.read.format("hudilite").load(str(path)).count()
    assert total == args.rows, f"{total} rows instead of {args.rows}"
    return results


def summary(results: list[dict[str, float]]) -> dict[str, Any]:
    """The last hundred commits beside the first hundred after the tenth; commits with services beside those without."""
    early, late = results[10:110], results[-100:]
    said: dict[str, Any] = {}
    for figure in FIGURES + (OF_METADATA if late[-1]["metadata files"] else ()):
        a, b = (
            statistics.mean(r[figure] for r in part if r[figure] or figure != "live files") for part in (early, late)
        )
        said[figure] = {"early": round(a, 3), "late": round(b, 3), "late / early": round(b / a, 3) if a else None}
    p99 = [statistics.quantiles([r["cpu s"] for r in part], n=100)[98] for part in (early, late)]
    said["cpu s, p99"] = {
        "early": round(p99[0], 3),
        "late": round(p99[1], 3),
        "late / early": round(p99[1] / p99[0], 3),
    }
    said["bytes of history for each commit"] = round(results[-1]["MiB of history"] * (1 << 20) / len(results))
    for figure in ("wall s", "cpu s"):
        with_, without = (
            statistics.mean(r[figure] for r in results[10:] if bool(r["services"]) == s) for s in (True, False)
        )
        said[f"{figure}, with / without services"] = round(with_ / without, 3)
        said[f"{figure}, share of services"] = round(1 - without / with_, 3)
    return said


def picture(results: list[dict[str, float]], title: str, file: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    shown = ["cpu s", "read cpu s", "files", "timeline files", "MiB", "MiB of history"]
    shown += [figure for figure in OF_METADATA if results[-1]["metadata files"]]
    _, axes = pyplot.subplots(len(shown), 1, sharex=True, figsize=(8, 9))
    for axis, figure in zip(axes, shown, strict=True):
        axis.plot([r["commit"] for r in results], [r[figure] for r in results], linewidth=0.8)
        axis.set_ylabel(figure)
        axis.set_ylim(bottom=0)
    axes[0].set_title(title)
    axes[-1].set_xlabel("commit")
    pyplot.tight_layout()
    pyplot.savefig(file)


def main() -> None:
    args = arguments()
    work = Path(args.work)
    work.mkdir(parents=True, exist_ok=True)
    name = f"soak-{args.table}" + ("-metadata" if args.metadata else "")
    path = work / name
    shutil.rmtree(path, ignore_errors=True)
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.ui.showConsoleProgress": "false",
    }
    spark = hudilite.session("soak", "local[2]", **settings)
    spark.sparkContext.setLogLevel("ERROR")
    results = soak(spark, args, path)
    said = summary(results)
    print(json.dumps(said, indent=1))
    Path(work, f"{name}.json").write_text(json.dumps({"summary": said, "commits": results}))
    picture(results, f"{args.commits} commits of {args.batch} rows, {name[5:]}", work / f"{name}.svg")
    spark.stop()


if __name__ == "__main__":
    sys.exit(main())

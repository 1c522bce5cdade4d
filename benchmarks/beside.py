"""Cost of a table's services: commits to a table with all services on beside commits to its twin without.

    python benchmarks/beside.py --commits 200 --table cow

The two tables get the same batches in one process and take turns. The twin is cleaned, archived and compacted by calls
between the commits, which are not timed: so both tables look the same to every commit, to a JVM that has compiled as
much for the one as for the other.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from soak import INDEXES, TABLES, rows, timed, write

import hudilite

BARE = {"hoodie.metadata.enable": "false"}
OFF = {"hudilite.services": "false"}
SETTINGS = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "4", "spark.ui.showConsoleProgress": "false"}


def arguments() -> argparse.Namespace:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--commits", type=int, default=200, help="timed commits of each of the two tables")
    parse.add_argument("--warm", type=int, default=60, help="commits before, untimed")
    parse.add_argument("--table", choices=TABLES, default="cow")
    parse.add_argument("--metadata", action="store_true", help="compare the upkeep of indexes instead")
    parse.add_argument("--rows", type=int, default=20_000, help="rows of the table, in 4 partitions")
    parse.add_argument("--batch", type=int, default=200, help="rows of a commit")
    parse.add_argument("--work", default="bench-work")
    parse.add_argument("--java", default="", help="extra JVM options")
    return parse.parse_args()


def by_calls(spark: SparkSession, path: Path, kind: str) -> None:
    """Do the work of the services after a commit."""
    table = hudilite.table(spark, str(path))
    if kind == "mor" and next(s for s in table.services() if s.service == "compaction").due:
        table.compact()
    table.clean()
    table.archive()


def beside(spark: SparkSession, args: argparse.Namespace, work: Path) -> dict[str, list[dict[str, float]]]:
    """The times of the commits with services, of those without, and of the same services by calls."""
    options = (INDEXES, BARE) if args.metadata else ({}, OFF)
    tables: dict[str, tuple[Path, dict[str, str]]]
    tables = {name: (work / name, more) for name, more in zip(("with", "without"), options, strict=True)}
    kind = {**TABLES[args.table]}
    pid = int(spark._jvm.java.lang.ProcessHandle.current().pid())
    for path, more in tables.values():
        shutil.rmtree(path, ignore_errors=True)
        write(rows(spark.range(args.rows), 0), path, **kind, **more)
    took: dict[str, list[dict[str, float]]] = {"with": [], "without": [], "by calls": []}
    for n in range(1, args.warm + args.commits + 1):
        first = n * 7919 % (args.rows - args.batch)
        order = list(tables) if n % 2 else list(reversed(tables))
        for name in order:
            path, more = tables[name]
            batch = rows(spark.range(first, first + args.batch), n)
            took[name].append(timed(pid, write, batch, path, **kind, **more))
        if not args.metadata:
            took["by calls"].append(timed(pid, by_calls, spark, tables["without"][0], args.table))
    return {name: times[args.warm :] for name, times in took.items() if times}


def summary(took: dict[str, list[dict[str, float]]]) -> dict[str, Any]:
    said: dict[str, Any] = {}
    of = "services" if "by calls" in took else "indexes"
    for figure in ("wall s", "cpu s"):
        mean = {name: statistics.mean(t[figure] for t in times) for name, times in took.items()}
        said[figure] = {name: round(value, 4) for name, value in mean.items()}
        more = [a[figure] - b[figure] for a, b in zip(took["with"], took["without"], strict=True)]
        said[figure][of] = round(statistics.mean(more), 4)
        said[figure]["give or take"] = round(2 * statistics.stdev(more) / len(more) ** 0.5, 4)
        said[f"{figure}, with / without {of}"] = round(mean["with"] / mean["without"], 3)
        said[f"{figure}, share of {of}"] = round(1 - mean["without"] / mean["with"], 3)
    return said


def main() -> None:
    args = arguments()
    work = Path(args.work, f"beside-{args.table}")
    work.mkdir(parents=True, exist_ok=True)
    java = {"spark.driver.extraJavaOptions": args.java} if args.java else {}
    spark = hudilite.session("beside", "local[2]", **SETTINGS, **java)
    spark.sparkContext.setLogLevel("ERROR")
    print(json.dumps(summary(beside(spark, args, work)), indent=1))
    spark.stop()


if __name__ == "__main__":
    main()

"""TPC-DS: the queries over plain Parquet, a copy-on-write table each, and a merge-on-read table each with logs on top.

    pip install '.[tpcds]'
    python benchmarks/tpcds.py --scale 1 --out benchmarks/tpcds.json

DuckDB's generator makes the data, and the texts of the queries are read from Spark's published tests. The three take
turns in one process, so that the JVM has compiled as much for the one as for the others: each query is run once in
each, untimed, for its rows, which must be equal; then `--warm` times, untimed, and `--repeat` times. A query that ends
the process is noted as that, and the rest are run in a new one. Results are merged into --out, newest of each query,
with the report beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspark
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from tpcds_report import markdown
from tpcds_tables import KEYS, generate
from workloads import cpu_seconds

import hudilite

SYSTEMS = ("parquet", "cow", "mor")
#: Copy-on-write tables with a metadata table that has statistics of all columns; `--systems` knows them, too.
STATED = "stated"
SETTINGS = {
    "spark.driver.memory": "8g",
    "spark.sql.shuffle.partitions": "8",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    # Hudilite's codec for all three.
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.hadoop.parquet.compression.codec.zstd.level": "1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
}
TEXTS = ("spark-sql_2.12", "3.5.9")
DIGITS = 6  # of floating point numbers that must be equal: sums depend on the order of their rows
UPDATED = 20  # one row of so many is upserted again


def arguments() -> argparse.Namespace:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--scale", type=float, default=1.0, help="scale factor; 1 are 1 GB of text")
    parse.add_argument("--queries", default="", help="names such as q9,q64 or q14a; all without it")
    parse.add_argument(
        "--systems", default=",".join(SYSTEMS), help=f"which take turns, also {STATED}; ratios are to the first"
    )
    parse.add_argument("--repeat", type=int, default=3, help="timed runs of each query, of which the median counts")
    parse.add_argument("--warm", type=int, default=1, help="untimed runs of each query before them")
    parse.add_argument("--out", default="bench-work/tpcds.json")
    parse.add_argument("--data", default="bench-data", help="where the data and its tables stay")
    parse.add_argument(
        "--timeout", type=int, default=900, help="seconds without a result after which a process is ended"
    )
    parse.add_argument("--java", default="", help="extra JVM options")
    parse.add_argument("--plans", default="", help="a folder for the plans that were run")
    parse.add_argument("--worker", nargs="+", metavar=("SINK", "QUERY"), help=argparse.SUPPRESS)
    return parse.parse_args()


def folder(args: argparse.Namespace, system: str) -> Path:
    return Path(args.data, f"tpcds-{args.scale:g}", system).absolute()


# ---- the queries


def texts() -> dict[str, str]:
    """The queries by name."""
    from jgo.maven import MavenContext

    artifact, version = TEXTS
    tests = MavenContext().project("org.apache.spark", artifact).at_version(version).artifact(classifier="tests")
    with zipfile.ZipFile(tests.resolve()) as jar:
        names = (re.fullmatch(r"tpcds/(q\d+[ab]?)\.sql", name) for name in jar.namelist())
        found = {name[1]: jar.read(name[0]).decode() for name in names if name}
    return dict(sorted(found.items(), key=lambda item: (int(re.sub(r"\D", "", item[0])), item[0])))


# ---- the tables


def options(table: str, system: str) -> dict[str, str]:
    stated = {"hoodie.metadata.enable": "true", "hoodie.metadata.index.column.stats.enable": "true"}
    return {
        "hoodie.table.name": table,
        "hoodie.datasource.write.recordkey.field": ",".join(KEYS[table]),
        "hoodie.datasource.write.table.type": "MERGE_ON_READ" if system == "mor" else "COPY_ON_WRITE",
        "hoodie.compact.inline": "false",
        **(stated if system == STATED else {}),
    }


def load(spark: SparkSession, args: argparse.Namespace, system: str) -> None:
    """Write the tables of a system that are not there yet."""
    for table, keys in KEYS.items():
        path = folder(args, system) / table
        loaded = path.with_name(f"{table}.loaded")
        if loaded.exists():
            continue
        shutil.rmtree(path, ignore_errors=True)
        rows = spark.read.parquet(str(folder(args, "generated") / f"{table}.parquet"))
        if system == "parquet":
            rows.write.parquet(str(path))
        else:
            write(rows, path, "bulk_insert", options(table, system))
        if system == "mor":
            again = rows.where(F.pmod(F.xxhash64(*keys), F.lit(UPDATED)) == 0)
            write(again, path, "upsert", options(table, system))
        loaded.touch()
        print(f"   {system}: {table}", flush=True)


def write(rows: DataFrame, path: Path, operation: str, facts: dict[str, str]) -> None:
    writer = rows.write.format("hudilite").options(**facts).option("hoodie.datasource.write.operation", operation)
    writer.mode("append").save(str(path))


def session(spark: SparkSession, args: argparse.Namespace, system: str) -> SparkSession:
    """A session in which the names of the tables are those of a system."""
    own = spark.newSession()
    source = "parquet" if system == "parquet" else "hudilite"
    for table in KEYS:
        own.read.format(source).load(str(folder(args, system) / table)).createOrReplaceTempView(table)
    return own


# ---- measuring


def rounded(value: Any) -> Any:
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else value


def comparable(rows: list[Row]) -> list[str]:
    return sorted(repr([rounded(value) for value in row]) for row in rows)


def timed(pid: int, spark: SparkSession, text: str) -> dict[str, float]:
    cpu, start = cpu_seconds(pid)[1], time.monotonic()
    frame = spark.sql(text)
    frame._jdf.queryExecution().executedPlan()
    planned = time.monotonic()
    frame.collect()
    wall = time.monotonic() - start
    return {"wall": wall, "cpu": cpu_seconds(pid)[1] - cpu, "plan": planned - start}


def measured(args: argparse.Namespace, pid: int, sessions: dict[str, SparkSession], name: str, text: str) -> Any:
    frames = {system: spark.sql(text) for system, spark in sessions.items()}
    rows = {system: comparable(frame.collect()) for system, frame in frames.items()}
    if args.plans:
        Path(args.plans).mkdir(parents=True, exist_ok=True)
        for system, frame in frames.items():
            plan = frame._jdf.queryExecution().toString()
            Path(args.plans, f"{name}-{system}.txt").write_text(plan)
    runs: dict[str, list[dict[str, float]]] = {system: [] for system in sessions}
    for i in range(-args.warm, args.repeat):
        order = list(sessions) if i % 2 == 0 else list(reversed(sessions))
        for system in order:
            run = timed(pid, sessions[system], text)
            if i >= 0:
                runs[system].append(run)
    first, *others = rows.values()
    result: dict[str, Any] = {"query": name, "rows": len(first), "equal": all(other == first for other in others)}
    for system, times in runs.items():
        medians = {figure: statistics.median(run[figure] for run in times) for figure in ("wall", "cpu", "plan")}
        result[system] = {figure: round(value, 3) for figure, value in medians.items()}
    return result


def worker(args: argparse.Namespace) -> None:
    """Write the tables, then run the queries that are named and append a line for each."""
    sink, *names = args.worker
    java = {"spark.driver.extraJavaOptions": args.java} if args.java else {}
    spark = hudilite.session("tpcds", "local[2]", **SETTINGS, **java)
    spark.sparkContext.setLogLevel("ERROR")
    for system in args.systems.split(","):
        load(spark, args, system)
    queries = texts()
    sessions = {system: session(spark, args, system) for system in args.systems.split(",")}
    pid = int(spark._jvm.java.lang.ProcessHandle.current().pid())
    with open(sink, "a") as out:
        print(json.dumps({"ready": True}), file=out, flush=True)
        for name in names:
            try:
                result = measured(args, pid, sessions, name, queries[name])
            except Exception as error:  # a query that fails is a result
                result = {"query": name, "error": f"{type(error).__name__}: {error}"[:1500]}
            print(json.dumps(result), file=out, flush=True)
            print(f"   {result}", flush=True)
    spark.stop()


# ---- all of it


def lines(sink: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in sink.read_text().splitlines()] if sink.exists() else []


def run(args: argparse.Namespace, names: list[str], sink: Path) -> bool:
    """Run the queries in a process of their own; whether it came to its end."""
    command = [sys.executable, __file__, *sys.argv[1:], "--worker", str(sink), *names]
    seen, quiet = -1, time.monotonic()
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            time.sleep(0.2)
            count = len(lines(sink))
            if count != seen or count == 0:  # tables are written before the first line
                seen, quiet = count, time.monotonic()
            if time.monotonic() - quiet > args.timeout:
                process.kill()
        return process.returncode == 0


def results(args: argparse.Namespace, names: list[str]) -> Iterator[dict[str, Any]]:
    """A result for each query, also for those that end their process."""
    sink = Path(args.out).with_suffix(".lines")
    while names:
        sink.unlink(missing_ok=True)
        ended = run(args, names, sink)
        found = [line for line in lines(sink) if "query" in line]
        yield from found
        names = names[len(found) :]
        if not ended and not lines(sink):
            raise SystemExit("the tables could not be written")
        if not ended and names:
            yield {"query": names[0], "error": "its process ended, or took longer than --timeout"}
            names = names[1:]
    sink.unlink(missing_ok=True)


def facts(args: argparse.Namespace) -> dict[str, str]:
    java = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True)
    memory = int(Path("/proc/meminfo").read_text().split()[1]) // 1024
    return {
        "machine": f"{os.cpu_count()} cores, {memory} MiB",
        "jvm": java.stderr.splitlines()[0],
        "pyspark": pyspark.__version__,
        "settings": ", ".join(f"{k}={v}" for k, v in SETTINGS.items()),
        "data": f"scale factor {args.scale:g}; one row of {UPDATED} upserted again in mor",
        "runs": f"median of {args.repeat}",
    }


def main() -> None:
    args = arguments()
    if args.worker:
        worker(args)
        return
    generate(folder(args, "generated"), args.scale)
    all_names = list(texts())
    names = args.queries.split(",") if args.queries else all_names
    unknown = [name for name in names if name not in all_names]
    if unknown:
        raise SystemExit(f"no such query: {', '.join(unknown)}; there are {', '.join(all_names)}")
    out = Path(args.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    before = json.loads(out.read_text())["queries"] if out.exists() else {}
    for result in results(args, names):
        before[result["query"]] = result
        ordered = {name: before[name] for name in all_names if name in before}
        made = {"facts": facts(args), "systems": args.systems.split(","), "queries": ordered}
        out.write_text(json.dumps(made, indent=1) + "\n")
        out.with_suffix(".md").write_text(markdown(made))
    print(out.with_suffix(".md").read_text())


if __name__ == "__main__":
    main()

"""LHBench's refresh of TPC-DS: queries, rounds of MERGE and DELETE on the fact tables, and the queries again.

    pip install '.[tpcds]'
    python benchmarks/refresh.py --scale 0.1 --rounds 10 --out benchmarks/refresh.json

The phases and the five queries are those of LHBench (Jain et al., CIDR 2023). The data comes from DuckDB's generator,
so batches are made of it here: a round merges into each of the six fact tables, by their keys, changed rows (those of
three orders of 100) and new ones (those of one order of 100, under other numbers), and deletes a week of dates, which
is TPC-DS's own part of a refresh and no phase of LHBench's. Tables are not partitioned: days of so small a scale have a
hundred rows each. Every system has a process of its own and its defaults; at the end the rows of all must be equal.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench import SETTINGS
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from refresh_report import markdown
from soak import timed
from systems import SYSTEMS, Iceberg
from tpcds import comparable, facts, folder, options, texts
from tpcds_tables import KEYS, generate

import hudilite

#: The column of a fact table that rounds change, and the date by which they delete.
FACTS = {
    "store_sales": ("ss_quantity", "ss_sold_date_sk"),
    "store_returns": ("sr_return_quantity", "sr_returned_date_sk"),
    "catalog_sales": ("cs_quantity", "cs_sold_date_sk"),
    "catalog_returns": ("cr_return_quantity", "cr_returned_date_sk"),
    "web_sales": ("ws_quantity", "ws_sold_date_sk"),
    "web_returns": ("wr_return_quantity", "wr_returned_date_sk"),
}
#: Of each system a table is copied on write, or merged on read (`-mor`).
NAMES = ("hudilite", "hudilite-mor", "delta", "delta-mor", "iceberg", "iceberg-mor")
QUERIES = "q3,q9,q34,q42,q59"
CHANGED, NEW = 3, 1  # of 100 orders
BEYOND = 100_000_000  # above all order numbers, once a round
FIRST_DAY, DAYS, WEEK = 2450816, 1800, 7
MOST_ROUNDS = 20


def arguments() -> argparse.Namespace:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--scale", type=float, default=0.1, help="scale factor, up to 100")
    parse.add_argument("--rounds", type=int, default=10, choices=range(1, MOST_ROUNDS + 1), metavar="ROUNDS")
    parse.add_argument("--systems", default=",".join(NAMES))
    parse.add_argument("--queries", default=QUERIES)
    parse.add_argument("--repeat", type=int, default=3, help="timed runs of each query, of which the median counts")
    parse.add_argument("--memory", default="4g", help="memory of the driver, which is all there is")
    parse.add_argument("--java", default="", help="extra JVM options")
    parse.add_argument("--out", default="bench-work/refresh.json")
    parse.add_argument("--data", default="bench-data", help="where the data and its batches stay")
    parse.add_argument("--work", default="bench-work/refresh", help="where tables go")
    parse.add_argument("--timeout", type=int, default=3600, help="seconds of a system")
    parse.add_argument("--worker", nargs=2, metavar=("SYSTEM", "SINK"), help=argparse.SUPPRESS)
    return parse.parse_args()


# ---- the batches


def batch(rows: DataFrame, table: str, number: int) -> DataFrame:
    """Changed and new rows of a round, whole orders of each."""
    order = KEYS[table][1]
    quantity = FACTS[table][0]
    slot = F.pmod(F.xxhash64(order), F.lit(100))
    first = CHANGED * (number - 1)
    other = F.pmod(F.xxhash64(order, F.lit(number)), F.lit(100))
    more = (F.col(quantity) % 100 + number).cast(rows.schema[quantity].dataType)
    beyond = (F.col(order) + BEYOND * number).cast(rows.schema[order].dataType)
    changed = rows.where((slot >= first) & (slot < first + CHANGED)).withColumn(quantity, more)
    return changed.union(rows.where(other < NEW).withColumn(order, beyond))


def batch_folder(args: argparse.Namespace, table: str, number: int) -> str:
    return str(folder(args, "refresh") / f"{table}-{number}")


def base(spark: SparkSession, args: argparse.Namespace, table: str) -> DataFrame:
    return spark.read.parquet(str(folder(args, "generated") / f"{table}.parquet"))


def prepare(spark: SparkSession, args: argparse.Namespace) -> None:
    """Write the batches that are not there yet."""
    for table in FACTS:
        for number in range(1, args.rounds + 1):
            path = Path(batch_folder(args, table, number))
            if not (path / "_SUCCESS").exists():
                batch(base(spark, args, table), table, number).coalesce(1).write.mode("overwrite").parquet(str(path))


# ---- a system


class Subject:
    """The tables of one system, under TPC-DS's names."""

    def __init__(self, name: str, args: argparse.Namespace) -> None:
        self.merge_on_read = name.endswith("-mor")
        self.system = SYSTEMS[name.removesuffix("-mor")]
        self.root = Path(args.work, name).absolute()
        self.args = args

    def session(self) -> SparkSession:
        settings = {**SETTINGS, **self.system.conf(str(self.root)), "spark.driver.memory": self.args.memory}
        settings |= {"spark.ui.showConsoleProgress": "false", "spark.sql.warehouse.dir": str(self.root / "warehouse")}
        settings |= {"spark.driver.extraJavaOptions": self.args.java} if self.args.java else {}
        settings |= {"spark.jars.packages": self.system.packages} if self.system.packages else {}
        builder = SparkSession.builder.appName("refresh")
        for name, value in settings.items():
            builder = builder.config(name, value)
        return (hudilite.configure(builder) if self.system.jars() else builder).getOrCreate()

    def load(self, spark: SparkSession, rows: DataFrame, table: str) -> None:
        if isinstance(self.system, Iceberg):
            self._iceberg(rows, table)
            return
        path = self.root / table
        if self.system.name == "delta":
            told = {"delta.enableDeletionVectors": str(self.merge_on_read).lower()}
        else:
            told = options(table, "mor" if self.merge_on_read else "cow")
            del told["hoodie.compact.inline"]  # its default
            told["hoodie.datasource.write.operation"] = "bulk_insert"
        rows.write.format(self.system.name).options(**told).mode("append").save(str(path))
        spark.sql(f"CREATE TABLE {table} USING {self.system.name} LOCATION '{path}'")

    def _iceberg(self, rows: DataFrame, table: str) -> None:
        writer = rows.writeTo(f"ice.{table}").tableProperty("format-version", "3" if self.merge_on_read else "2")
        for command in ("merge", "update", "delete"):
            mode = "merge-on-read" if self.merge_on_read else "copy-on-write"
            writer = writer.tableProperty(f"write.{command}.mode", mode)
        writer.create()


def merge(spark: SparkSession, source: DataFrame, table: str) -> None:
    source.createOrReplaceTempView("batch")
    on = " AND ".join(f"t.{key} = s.{key}" for key in KEYS[table])
    clauses = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    spark.sql(f"MERGE INTO {table} t USING batch s ON {on} {clauses}").collect()


def delete(spark: SparkSession, table: str, number: int, rounds: int) -> None:
    first = FIRST_DAY + DAYS // rounds * (number - 1)
    date = FACTS[table][1]
    spark.sql(f"DELETE FROM {table} WHERE {date} BETWEEN {first} AND {first + WEEK - 1}").collect()


def summed(frame: DataFrame) -> list[str]:
    """Count and sum over all columns of a table."""
    found = frame.agg(F.count("*"), F.sum(F.xxhash64(*frame.columns).cast("decimal(38,0)"))).first()
    assert found is not None
    return [str(value) for value in found]


def needed(args: argparse.Namespace) -> list[str]:
    """The tables that a query reads or a round changes."""
    chosen = texts()
    words = {word for name in args.queries.split(",") for word in re.findall(r"\w+", chosen[name])}
    return [table for table in KEYS if table in words or table in FACTS]


def queried(timer: Callable[..., dict[str, float]], spark: SparkSession, args: argparse.Namespace) -> Any:
    """Seconds of each query and its rows."""
    result: dict[str, Any] = {}
    chosen = texts()
    for name in args.queries.split(","):
        rows = comparable(spark.sql(chosen[name]).collect())
        runs = [timer(lambda text=chosen[name]: spark.sql(text).collect()) for _ in range(args.repeat)]
        medians = {figure: statistics.median(run[figure] for run in runs) for figure in runs[0]}
        result[name] = {**medians, "rows": rows}
    return result


def measured(spark: SparkSession, subject: Subject, args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Lines of the phases, in their order."""
    pid = int(spark._jvm.java.lang.ProcessHandle.current().pid())  # type: ignore[union-attr]

    def timer(action: Callable[..., Any], *rest: Any) -> dict[str, float]:
        return timed(pid, action, *rest)

    loads = {table: timer(subject.load, spark, base(spark, args, table), table) for table in needed(args)}
    yield {"phase": "load", "tables": loads}
    if isinstance(subject.system, Iceberg):
        spark.sql("USE ice")
    yield {"phase": "before", "queries": queried(timer, spark, args)}
    for number in range(1, args.rounds + 1):
        batches = {table: spark.read.parquet(batch_folder(args, table, number)) for table in FACTS}
        merges = {table: timer(merge, spark, batches[table], table) for table in FACTS}
        yield {"phase": "merge", "round": number, "tables": merges}
        deletes = {table: timer(delete, spark, table, number, args.rounds) for table in FACTS}
        yield {"phase": "delete", "round": number, "tables": deletes}
    yield {"phase": "after", "queries": queried(timer, spark, args)}
    yield {"phase": "rows", "sums": {table: summed(spark.table(table)) for table in FACTS}}


def worker(args: argparse.Namespace) -> None:
    name, sink = args.worker
    subject = Subject("parquet-zstd1" if name == "data" else name, args)
    spark = subject.session()
    spark.sparkContext.setLogLevel("ERROR")
    if name == "data":
        prepare(spark, args)
    else:
        with open(sink, "w") as out:
            for line in measured(spark, subject, args):
                print(json.dumps(line), file=out, flush=True)
    spark.stop()


# ---- all of them


def ran(args: argparse.Namespace, name: str) -> list[dict[str, Any]]:
    """The lines of a system, from a process of its own."""
    root = Path(args.work, name)
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    sink = root / "lines"
    command = [sys.executable, __file__, *sys.argv[1:], "--worker", name, str(sink)]
    subprocess.run(command, check=True, timeout=args.timeout)
    lines = [json.loads(line) for line in sink.read_text().splitlines()] if sink.exists() else []
    shutil.rmtree(root)
    return lines


def main() -> None:
    args = arguments()
    if args.worker:
        worker(args)
        return
    generate(folder(args, "generated"), args.scale)
    ran(args, "data")
    out = Path(args.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    told = {**facts(args), "settings": ", ".join(f"{k}={v}" for k, v in SETTINGS.items())}
    told |= {"data": f"scale factor {args.scale:g}, {args.rounds} rounds", "memory": args.memory}
    results: dict[str, Any] = {"facts": told, "systems": {}, "failed": []}
    for name in args.systems.split(","):
        try:
            results["systems"][name] = ran(args, name)
        except subprocess.SubprocessError as error:  # a system that fails is a result
            results["failed"].append(name)
            print(f"{name}: {error}", file=sys.stderr)
        out.write_text(json.dumps(results, indent=1) + "\n")
        out.with_suffix(".md").write_text(markdown(results))
        print(f"== {name}", flush=True)
    print(out.with_suffix(".md").read_text())


if __name__ == "__main__":
    main()

"""Planning on a table of many file groups: CPU seconds of the driver and bytes sent to tasks.

`driver_cpu_s` is what the JVM spends outside of tasks; `planning_cpu_s` leaves out its compilers and collectors, too.

    python benchmarks/large.py --groups 100000

The table is fabricated: one partition is written, its files are linked into all others under names of their own, and
commits are written that name them. So only its first partition may be written to, and what is measured is planning.
With `--metadata` the table gets a metadata table, and what that names is measured beside folders that are listed.
"""

from __future__ import annotations

import argparse
import copy
import datetime
import json
import os
import re
import shutil
import statistics
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastavro
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from workloads import cpu_seconds

import hudilite

ROWS_PER_FILE = 100
PARTITIONS_PER_COMMIT = 50
# Threads that end would take the CPU time that they used out of the figures.
KEPT_THREADS = "-XX:-UseDynamicNumberOfCompilerThreads -XX:-UseDynamicNumberOfGCThreads"
OF_THE_JVM = re.compile(r"C[12] Compiler|GC Thread|G1 |VM Thread")
TIME = "%Y%m%d%H%M%S%f"
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
STORED = re.compile(r"Block (broadcast_\d+)_piece\d+ stored as bytes in memory \(estimated size ([\d.]+) (\w+),")


def arguments() -> argparse.Namespace:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--groups", type=int, default=10_000, help="file groups of the table")
    parse.add_argument("--partitions", type=int, default=1_000)
    parse.add_argument("--work", default="bench-work", help="where the tables and the log go")
    parse.add_argument("--heap", default="4g", help="memory of the driver")
    parse.add_argument("--metadata", action="store_true", help="measure listing, by a metadata table and by folders")
    parse.add_argument("--only", default="", help="names of measurements, separated by semicolons")
    return parse.parse_args()


def session(args: argparse.Namespace) -> SparkSession:
    """A session whose log tells the size of what is sent to tasks."""
    log, settings = Path(args.work, "large.log"), Path(args.work, "large-log4j2.properties")
    settings.write_text(
        "rootLogger.level = error\nrootLogger.appenderRef.file.ref = file\n"
        f"appender.file.type = File\nappender.file.name = file\nappender.file.fileName = {log.absolute()}\n"
        "appender.file.append = false\nappender.file.layout.type = PatternLayout\nappender.file.layout.pattern = %m%n\n"
        "logger.memory.name = org.apache.spark.storage.memory.MemoryStore\nlogger.memory.level = info\n"
    )
    return hudilite.session(
        "large",
        "local[2]",
        **{
            "spark.driver.memory": args.heap,
            "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{settings.absolute()} {KEPT_THREADS}",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": "8",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
        },
    )


# ---- the table


def rows(spark: SparkSession, count: int) -> DataFrame:
    key = F.lpad(F.col("id").cast("string"), 12, "0")
    return spark.range(count).select(key.alias("id"), F.lit("p0000").alias("part"), F.col("id").alias("n"))


def write(frame: DataFrame, path: str, operation: str) -> None:
    options = {
        "hoodie.table.name": "large",
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.partitionpath.field": "part",
        "hoodie.datasource.write.operation": operation,
        "hoodie.bulkinsert.sort.mode": "NONE",
    }
    frame.write.format("hudilite").options(**options).mode("append").save(path)


def fabricate(spark: SparkSession, path: Path, partitions: int, groups: int) -> None:
    per = groups // partitions
    made = path.with_name(path.name + ".made")
    shutil.rmtree(made, ignore_errors=True)
    write(rows(spark, per * ROWS_PER_FILE).repartitionByRange(per, "id"), str(made), "bulk_insert")
    timeline = made / ".hoodie" / "timeline"
    first = next(p for p in timeline.iterdir() if re.fullmatch(r"\d+_\d+\.commit", p.name))
    with first.open("rb") as source:
        reader = fastavro.reader(source)
        schema, commit = reader.writer_schema, next(iter(reader))
    stats = commit["partitionToWriteStats"]["p0000"]
    names = [f"p{i:04d}" for i in range(1, partitions)]
    for number, at in enumerate(range(0, len(names), PARTITIONS_PER_COMMIT), 1):
        instant, completed = (later(t, number * 1000) for t in first.stem.split("_"))
        more = copy.copy(commit)
        chunk = names[at : at + PARTITIONS_PER_COMMIT]
        more["partitionToWriteStats"] = {name: linked(made, name, stats, instant) for name in chunk}
        for state in (".commit.requested", ".inflight"):
            (timeline / f"{instant}{state}").touch()
        with (timeline / f"{instant}_{completed}.commit").open("wb") as out:
            fastavro.writer(out, schema, [more])  # uncompressed, as timelines are
    made.rename(path)


def later(instant: str, millis: int) -> str:
    moved = datetime.datetime.strptime(instant, TIME) + datetime.timedelta(milliseconds=millis)
    return moved.strftime(TIME)[:17]


def linked(table: Path, partition: str, stats: list[dict[str, Any]], instant: str) -> list[dict[str, Any]]:
    """Links the files of the first partition into another; returns what its commit says of them."""
    folder, source = table / partition, table / "p0000"
    folder.mkdir()
    os.link(source / ".hoodie_partition_metadata", folder / ".hoodie_partition_metadata")
    found = []
    for stat in stats:
        file_id = f"{uuid.uuid4()}-0"
        old = Path(stat["path"]).name
        name = f"{file_id}_{old.split('_')[1]}_{instant}.parquet"
        os.link(source / old, folder / name)
        found.append(stat | {"fileId": file_id, "path": f"{partition}/{name}", "partitionPath": partition})
    return found


# ---- measuring


class Meter:
    """Cost of a step: seconds, CPU seconds of the JVM, those of them outside of tasks, and bytes sent to tasks."""

    def __init__(self, spark: SparkSession, args: argparse.Namespace) -> None:
        self.spark, self.log = spark, Path(args.work, "large.log")
        self.pid = spark._jvm.java.lang.ProcessHandle.current().pid()
        self.only = {name for name in args.only.split(";") if name}
        self.results: dict[str, dict[str, Any]] = {}

    def step(self, name: str, action: Callable[[int], Any], warm: int = 2, repeat: int = 3) -> None:
        if self.only and name not in self.only:
            return
        runs = []
        for i in range(warm + repeat):
            runs.append(self.once(lambda i=i: action(i)))
        first, runs = runs[0], runs[warm:]
        row = {key: round(statistics.median(run[key] for run in runs), 3) for key in runs[0]}
        self.results[name] = row | {"first_cpu_s": first["cpu_s"]}
        print(f"{name:<36}" + "  ".join(f"{key} {value}" for key, value in self.results[name].items()), flush=True)

    def once(self, action: Callable[[], Any]) -> dict[str, float]:
        self.spark._jvm.System.gc()
        start, cpu, tasks, sent = time.time(), cpu_seconds(self.pid)[1], self.tasks(), self.log.stat().st_size
        jvm = self.of_the_jvm()
        action()
        used, inside = cpu_seconds(self.pid)[1] - cpu, self.tasks() - tasks
        jvm = self.of_the_jvm() - jvm
        return {
            "seconds": time.time() - start,
            "cpu_s": used,
            "driver_cpu_s": max(used - inside, 0),
            "planning_cpu_s": max(used - inside - jvm, 0),
            "sent_kib": self.sent(sent) / 1024,
        }

    def tasks(self) -> float:
        """CPU seconds of all tasks so far."""
        self.spark._jsc.sc().listenerBus().waitUntilEmpty()
        stages = self.spark._jsc.sc().statusStore().stageList(None, False, False, self.quantiles(), None)
        return sum(stages.apply(i).executorCpuTime() for i in range(stages.size())) / 1e9

    def of_the_jvm(self) -> float:
        """CPU seconds so far of the JVM's compilers and garbage collectors."""
        ticks = 0
        for thread in Path(f"/proc/{self.pid}/task").iterdir():
            name, _, rest = (thread / "stat").read_text().partition("(")[2].rpartition(")")
            ticks += sum(map(int, rest.split()[11:13])) if OF_THE_JVM.match(name) else 0
        return ticks / os.sysconf("SC_CLK_TCK")

    def quantiles(self) -> Any:
        return self.spark._sc._gateway.new_array(self.spark._jvm.double, 0)

    def sent(self, since: int) -> float:
        with self.log.open(errors="replace") as log:
            log.seek(since)
            return sum(float(size) * UNITS[unit] for _, size, unit in STORED.findall(log.read()))


def tasks_of(frame: DataFrame) -> int:
    """Plans a query up to its tasks and runs none."""
    return int(frame._jdf.queryExecution().toRdd().getNumPartitions())


def measure(spark: SparkSession, meter: Meter, path: str, per: int) -> None:
    def read() -> DataFrame:
        return spark.read.format("hudilite").load(path)

    key = f"{per * ROWS_PER_FILE // 2:012d}"
    meter.step("open", lambda _: read())
    meter.step("plan one partition", lambda _: tasks_of(read().where("part = 'p0500'")))
    meter.step("plan key and partition", lambda _: tasks_of(read().where(f"part = 'p0500' and id = '{key}'")))
    meter.step("plan all", lambda _: tasks_of(read()))
    meter.step("count", lambda _: read().count(), warm=1, repeat=1)
    meter.step("absent key", lambda _: read().where(f"id = '{key}x'").collect(), warm=1, repeat=1)
    meter.step("absent key and partition", lambda _: read().where(f"part = 'p0500' and id = '{key}x'").collect())
    changes = rows(spark, per * ROWS_PER_FILE).orderBy(F.xxhash64("id")).limit(1000)
    changes.persist().count()
    meter.step("upsert of 1,000 keys", lambda _: write(changes, path, "upsert"))


def measure_names(spark: SparkSession, meter: Meter, path: str) -> None:
    """Files of one partition and of all, as the metadata table names them and as folders list them."""
    meter.step("make", lambda _: spark.sql(f"CALL hudilite.system.create_metadata_table('{path}')").collect(), 0, 1)
    for by, asked in (("metadata table", True), ("folders", False)):

        def plan(part: str | None, asked: bool = asked, cold: bool = True) -> None:
            if cold:
                spark.sql(f"REFRESH TABLE hudilite.`{path}`")
            frame = spark.read.format("hudilite").option("hoodie.metadata.enable", str(asked).lower()).load(path)
            tasks_of(frame.where(f"part = '{part}'") if part else frame)

        meter.step(f"plan one partition by {by}", lambda i, plan=plan: plan(f"p{i + 1:04d}"), warm=5, repeat=5)
        meter.step(f"again by {by}", lambda i, plan=plan: plan("p0007", cold=False), warm=3, repeat=5)
        meter.step(f"plan all by {by}", lambda _, plan=plan: plan(None), warm=1, repeat=3)


def main() -> None:
    args = arguments()
    Path(args.work).mkdir(parents=True, exist_ok=True)
    path = Path(args.work, f"large-{args.groups}-{args.partitions}")
    spark = session(args)
    if not path.exists():
        fabricate(spark, path, args.partitions, args.groups)
    copied = path.with_name(path.name + ".run")
    shutil.rmtree(copied, ignore_errors=True)
    shutil.copytree(path, copied, copy_function=os.link)
    meter = Meter(spark, args)
    try:
        if args.metadata:
            measure_names(spark, meter, str(copied.absolute()))
        else:
            measure(spark, meter, str(copied), args.groups // args.partitions)
    finally:
        Path(args.work, f"large-{args.groups}.json").write_text(json.dumps(meter.results, indent=1))
        shutil.rmtree(copied, ignore_errors=True)
    spark.stop()


if __name__ == "__main__":
    sys.exit(main())

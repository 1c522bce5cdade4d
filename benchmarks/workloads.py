"""The workloads, in groups that each run in a fresh process, and the recorder that times their steps."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import time
from collections.abc import Callable
from typing import Any

from data import BATCHES, COLUMNS, checksum
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from systems import System, Table, Unsupported

COMPACTIONS = 3

TITLES = {
    "W1": "bulk_insert, partitioned by dt",
    "W2": "upsert 1 % random keys (Hudi's index: BLOOM)",
    "W1.mor": "bulk_insert into the merge-on-read table",
    "W3": "upsert 1 % random keys, merge-on-read (median of 3)",
    "W4b.load": "bulk_insert before W4b",
    "W4b": "upsert 1 % random keys (Hudi's index: SIMPLE)",
    "W22.load": "bulk_insert into a table with a record index",
    "W22": "upsert 1 % random keys (Hudi's index: RECORD_INDEX)",
    "W22.get1": "lookup 1 key in a table with a record index",
    "W22.join": "join with 1,000 keys, table with a record index",
    "W22.bloom": "W22 after the same load without it (BLOOM)",
    "W5.load": "bulk_insert, key-ordered input",
    "W5": "upsert newest 10 % of the latest partition, ordered keys",
    "W6": "scan + aggregate",
    "W7": "scan + aggregate, merge-on-read with 3 unmerged upserts",
    "W8.get1": "lookup 1 key",
    "W8.get20": "lookup 20 keys (IN)",
    "W9": "incremental read of the last commit",
    "W10": "compaction of the merge-on-read table (median of 3)",
    "W10.scan": "scan + aggregate after the compaction",
    "W7.turns": "W7 on a copy made before the compaction, taking turns with W10.turns",
    "W10.turns": "W10.scan, its code as warm as that of W7.turns",
    "W11": "delete 1 % keys",
    "W12.first": "200-row upserts: median commit, first 10 of 60",
    "W12.last": "200-row upserts: median commit, last 10 of 60",
    "W12.scan": "scan of the 60-commit table",
}


class Recorder:
    """Times steps and appends one JSON line per step to `sink`."""

    def __init__(self, spark: SparkSession, system: System, group: str, sink: str) -> None:
        self.spark, self.system, self.group, self.sink = spark, system, group, sink
        self.pid = spark._jvm.java.lang.ProcessHandle.current().pid()
        self.store = spark._jsc.sc().statusStore()

    def step(
        self,
        workload: str,
        action: Callable[[int], Any],
        repeat: int = 1,
        table: Table | None = None,
        expect: dict[str, Any] | None = None,
        found: Callable[[DataFrame], dict[str, Any]] = checksum,
    ) -> bool:
        """Run `action(i)` for i < repeat; record times, Spark's own numbers of the last run, and the table's check."""
        row: dict[str, Any] = {"system": self.system.name, "group": self.group, "workload": workload, "times": []}
        try:
            for i in range(repeat):
                value = self._timed(row, lambda i=i: action(i))
            row["seconds"] = round(statistics.median(row["times"]), 3)
            if isinstance(value, (int, str, list, dict)):
                row["value"] = value
            if table is not None:
                row.update(disk(table))
            if table is not None and expect is not None:
                is_now = found(self.system.read(self.spark, table))
                row["correct"] = is_now == expect
                if not row["correct"]:
                    row["found"], row["expected"] = is_now, expect
        except Unsupported as reason:
            row["unsupported"] = str(reason) or "n/a"
        except Exception as error:  # a system's failure is a result
            row["error"] = f"{type(error).__name__}: {error}"[:1500]
        self._write(row)
        return "seconds" in row

    def turns(self, actions: dict[str, Callable[[], Any]], repeat: int) -> None:
        """Run actions in turn, so that the JVM has compiled as much for one as for the others; record each."""
        rows = [{"system": self.system.name, "group": self.group, "workload": name, "times": []} for name in actions]
        for _ in range(repeat):
            for row, action in zip(rows, actions.values(), strict=True):
                self._timed(row, action)
        for row in rows:
            row["seconds"] = round(statistics.median(row["times"]), 3)
            self._write(row)

    def _timed(self, row: dict[str, Any], action: Callable[[], Any]) -> Any:
        before = self._begin()
        start = time.time()
        value = action()
        row["times"].append(round(time.time() - start, 3))
        row.update(self._end(before, start))
        row.setdefault("cpus", []).append(row["cpu_s"])
        return value

    def _write(self, row: dict[str, Any]) -> None:
        with open(self.sink, "a") as out:
            out.write(json.dumps(row) + "\n")
        print(
            f"   {row['system']:<14}{row['workload']:<13}{row.get('seconds', row.get('unsupported', row.get('error')))}"
            f"  jobs={row.get('jobs')} stages={row.get('stages')} correct={row.get('correct')}",
            flush=True,
        )

    def _begin(self) -> dict[str, Any]:
        with open(f"/proc/{self.pid}/clear_refs", "w") as out:  # restarts the peak-RSS counter
            out.write("5")
        return {"cpu": cpu_seconds(self.pid), "job": self._last_job()}

    def _last_job(self) -> int:
        self.spark._jsc.sc().listenerBus().waitUntilEmpty()
        jobs = self.store.jobsList(None)
        return jobs.apply(0).jobId() if jobs.size() else -1

    def _end(self, before: dict[str, Any], start: float) -> dict[str, Any]:
        wall = time.time() - start
        machine, own = (b - a for a, b in zip(before["cpu"], cpu_seconds(self.pid), strict=True))
        self._last_job()
        jobs, spans, stages, phases = self.store.jobsList(None), [], set(), {}
        count = 0
        for i in range(jobs.size()):
            job = jobs.apply(i)
            if job.jobId() <= before["job"]:
                break
            count += 1
            if job.completionTime().isDefined():
                spans.append((job.submissionTime().get().getTime(), job.completionTime().get().getTime()))
                label = job.description().get() if job.description().isDefined() else job.name()
                seconds, times = phases.get(label[:90], (0, 0))
                phases[label[:90]] = (round(seconds + (spans[-1][1] - spans[-1][0]) / 1e3, 2), times + 1)
            ids = job.stageIds()
            stages.update(ids.apply(j) for j in range(ids.size()))
        sums = dict.fromkeys(("tasks", "run_s", "gc_s", "input_mb", "output_mb", "shuffle_mb", "spill_mb"), 0.0)
        ran = 0
        for stage in stages:
            data = self.store.lastStageAttempt(stage)
            if data.status().toString() != "COMPLETE":
                continue
            ran += 1
            sums["tasks"] += data.numCompleteTasks()
            sums["run_s"] += data.executorRunTime() / 1e3
            sums["gc_s"] += data.jvmGcTime() / 1e3
            sums["input_mb"] += data.inputBytes() / 1e6
            sums["output_mb"] += data.outputBytes() / 1e6
            sums["shuffle_mb"] += data.shuffleWriteBytes() / 1e6
            sums["spill_mb"] += data.diskBytesSpilled() / 1e6
        busy = covered(spans) / 1e3
        return {
            "jobs": count,
            "stages": ran,
            **{k: round(v, 1) for k, v in sums.items()},
            "job_s": round(busy, 2),
            "driver_s": round(max(wall - busy, 0), 2),
            "cpu_s": round(own, 2),
            "foreign_cpu_s": round(max(machine - own, 0), 1),
            "peak_rss_mb": peak_rss(self.pid),
            "phases": dict(sorted(phases.items(), key=lambda p: -p[1][0])[:12]),
        }


def covered(spans: list[tuple[int, int]]) -> int:
    """Length of the union of the intervals."""
    total, end = 0, 0
    for a, b in sorted(spans):
        total += max(0, b - max(a, end))
        end = max(end, b)
    return total


def cpu_seconds(pid: int) -> tuple[float, float]:
    """(busy CPU seconds of the machine, of this process) since boot."""
    tick = os.sysconf("SC_CLK_TCK")
    with open("/proc/stat") as f:
        user, nice, system, _, _, irq, soft, steal = map(int, f.readline().split()[1:9])
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (user + nice + system + irq + soft + steal) / tick, (int(fields[11]) + int(fields[12])) / tick


def peak_rss(pid: int) -> int:
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) // 1024 for line in f if line.startswith("VmHWM"))


def disk(table: Table) -> dict[str, float]:
    """Size and count of the table's data files (all kept versions) and of its metadata."""
    size = {"data_mb": 0.0, "data_files": 0.0, "meta_mb": 0.0, "meta_files": 0.0}
    for folder, _, names in os.walk(table.path):
        meta = os.path.relpath(folder, table.path).split(os.sep)[0] in (".hoodie", "_delta_log", "metadata")
        for name in names:
            kind = "meta" if meta or name.endswith(".crc") or name.startswith((".hoodie", "_")) else "data"
            size[kind + "_mb"] += os.path.getsize(os.path.join(folder, name)) / 1e6
            size[kind + "_files"] += 1
    return {k: round(v, 1) for k, v in size.items()}


class Bench:
    """One process: a system, its tables, the data, and the groups below as methods."""

    def __init__(
        self, spark: SparkSession, system: System, recorder: Recorder, data: str, tiny: str, root: str, repeat: int
    ) -> None:
        self.spark, self.system, self.rec, self.root, self.repeat = spark, system, recorder, root, repeat
        self.data, self.tiny = data, tiny
        with open(os.path.join(data, "expect.json")) as f:
            self.expect = json.load(f)

    def batch(self, name: str, tiny: bool = False) -> DataFrame:
        return self.spark.read.parquet(os.path.join(self.tiny if tiny else self.data, name))

    def table(self, name: str, index: str = "BLOOM", merge_on_read: bool = False) -> Table:
        table = Table(name, self.root, index, merge_on_read)
        shutil.rmtree(table.path, ignore_errors=True)
        return table

    def read(self, table: Table) -> DataFrame:
        return self.system.read(self.spark, table)

    def scan(self, table: Table) -> int:
        sums = [F.sum(name) for name in ("fare", "distance", "passengers")]
        return len(self.read(table).groupBy("dt").agg(*sums).collect())

    def lookup(self, table: Table, keys: list[str]) -> int:
        condition = F.col("key") == keys[0] if len(keys) == 1 else F.col("key").isin(keys)
        return len(self.read(table).where(condition).select(COLUMNS).collect())

    def changed(self, table: Table, since: Any) -> dict[str, int]:
        """Rows and checksum of an incremental read, all systems alike."""
        sums = [F.count("*").alias("n"), F.sum("fare"), F.sum("ts").alias("ts")]
        row = self.system.incremental(self.spark, table, since).agg(*sums).first()
        assert row is not None
        return {"rows": row["n"], "ts": row["ts"]}

    def warm_up(self, index: str = "BLOOM", merge_on_read: bool = False) -> None:
        """Run the code paths on a tiny table, untimed."""
        table = self.table("warm", index, merge_on_read)
        self.system.create(self.spark, self.batch("base", tiny=True), table)
        self.system.upsert(self.spark, self.batch("upd1", tiny=True), table)
        self.scan(table)
        self.lookup(table, ["x"])
        if merge_on_read:
            self.system.compact(self.spark, table)

    def create(self, workload: str, table: Table, source: str = "base") -> bool:
        frame = self.batch(source)
        if source == "ordered":  # the ingest a key-ordered source gives: 4 files per partition
            frame = frame.repartitionByRange(32, "key").sortWithinPartitions("key")

        def load(_: int) -> None:
            self.system.create(self.spark, frame, table)

        return self.rec.step(workload, load, table=table, expect=self.expect[source])

    def upsert(self, workload: str, table: Table, name: str) -> bool:
        def write(_: int) -> None:
            self.system.upsert(self.spark, self.batch(name), table)

        return self.rec.step(workload, write, table=table, expect=self.expect[name])

    def cow(self) -> None:
        """Load, read, upsert and delete random keys."""
        self.warm_up()
        table, keys = self.table("cow"), self.expect["keys"]
        if not self.create("W1", table):
            return
        self.rec.step("W6", lambda _: self.scan(table), self.repeat)
        self.rec.step("W8.get1", lambda _: self.lookup(table, keys[:1]), self.repeat)
        self.rec.step("W8.get20", lambda _: self.lookup(table, keys), self.repeat)
        since = self.system.version(self.spark, table)
        if self.upsert("W2", table, "upd1"):
            self.rec.step("W9", lambda _: self.changed(table, since), self.repeat)
            gone = self.batch("del")
            delete = self.system.delete
            self.rec.step("W11", lambda _: delete(self.spark, gone, table), table=table, expect=self.expect["del"])

    def mor(self) -> None:
        """Three upserts into log files, a scan that merges them, a compaction."""
        self.warm_up(merge_on_read=True)
        table = self.table("mor", merge_on_read=True)

        def write(i: int) -> None:
            self.system.upsert(self.spark, self.batch(f"upd{i + 1}"), table)

        last = self.expect[f"upd{BATCHES}"]
        if self.create("W1.mor", table) and self.rec.step("W3", write, BATCHES, table=table, expect=last):
            self.rec.step("W7", lambda _: self.scan(table), self.repeat)
            unmerged, *others = self.copies(table, COMPACTIONS) or [None]
            compacted = [*others, table]

            def compact(i: int) -> None:
                self.system.compact(self.spark, compacted[i])

            if self.rec.step("W10", compact, len(compacted), table=table, expect=last):
                self.rec.step("W10.scan", lambda _: self.scan(table), self.repeat)
                if unmerged:
                    scans = {"W7.turns": lambda: self.scan(unmerged), "W10.turns": lambda: self.scan(table)}
                    self.rec.turns(scans, self.repeat)

    def copies(self, table: Table, count: int) -> list[Table]:
        """Copies of a table; none of a format that names its files by absolute paths."""
        try:
            return [self.system.copy(table, f"{table.name}_{i}") for i in range(count)]
        except Unsupported:
            return []

    def simple(self) -> None:
        """Upsert of W4 without bloom filters."""
        self.warm_up("SIMPLE")
        table = self.table("simple", "SIMPLE")
        if self.create("W4b.load", table):
            self.upsert("W4b", table, "upd1")

    def recorded(self) -> None:
        """Upsert of W2 by a record index and, in the same process, by bloom filters; reads by key."""
        for index in ("BLOOM", "RECORD_INDEX"):
            self.warm_up(index)
        table, keys = self.table("recorded", "RECORD_INDEX"), self.expect["keys"]
        if not self.create("W22.load", table):
            return
        self.rec.step("W22.get1", lambda _: self.lookup(table, keys[:1]), self.repeat)
        some = self.batch("upd1").select("key").limit(1000).cache()
        some.count()
        self.rec.step("W22.join", lambda _: len(self.read(table).join(some, "key").collect()), self.repeat)
        self.upsert("W22", table, "upd1")
        other = self.table("filtered", "BLOOM")
        self.system.create(self.spark, self.batch("base"), other)
        self.upsert("W22.bloom", other, "upd1")

    def latest(self) -> None:
        """Key-ordered data, changes to its newest end."""
        self.warm_up()
        table = self.table("latest")
        if self.create("W5.load", table, "ordered"):
            self.upsert("W5", table, "ordered_upd")

    def commits(self, count: int = 60, edge: int = 10) -> None:
        """Many tiny upserts into a small table: does the price of a commit grow with history?"""
        table = self.table("commits")
        self.system.create(self.spark, self.batch("base", tiny=True), table)
        batch = self.batch("upd1", tiny=True).cache()
        batch.count()

        def commit(i: int) -> None:
            self.system.upsert(self.spark, batch.withColumn("ts", F.col("ts") + i), table)

        self.rec.step("W12.warm", commit, 3)
        if not self.rec.step("W12.first", lambda i: commit(3 + i), edge):
            return
        start, done = time.time(), 3 + edge
        while done < count - edge and time.time() - start < 150:
            commit(done)
            done += 1
        self.rec.step("W12.last", lambda i: commit(done + i), edge, table=table)
        self.rec.step("W12.scan", lambda _: self.scan(table), self.repeat)


GROUPS = ["cow", "simple", "recorded", "latest", "commits", "mor"]

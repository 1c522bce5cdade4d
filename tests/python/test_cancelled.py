"""Runs of services that are stopped from Python while others go on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from engines import Engine, Shape, frame, record
from pyspark.sql import SparkSession

import hudilite
from hudilite import HudiliteTable

VERSIONS = pytest.mark.parametrize("version", [6, 9])
DAYS = ("2026-01-01", "2026-01-02")
STILL = {"hoodie.clean.automatic": "false", "hoodie.parquet.small.file.limit": "0"}
ONE_GROUP = {"hoodie.compaction.target.io": "0"}


@contextmanager
def no_tasks(spark: SparkSession, folder: Path) -> Iterator[None]:
    """Both threads of the session are taken, so that jobs wait for the end of this."""
    until, here = str(folder / "until"), str(folder / "here-")

    def wait(number: int) -> None:
        Path(f"{here}{number}").touch()
        deadline = time.monotonic() + 120
        while not Path(until).exists() and time.monotonic() < deadline:
            time.sleep(0.05)

    numbers = spark.sparkContext.parallelize(range(2), 2)
    job = threading.Thread(target=lambda: numbers.foreach(wait), daemon=True)
    job.start()
    deadline = time.monotonic() + 60
    while len(list(folder.glob("here-*"))) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    try:
        yield
    finally:
        Path(until).touch()
        job.join(120)


def planned(lite: Engine, path: Path, version: int, kind: str) -> tuple[HudiliteTable, list[str]]:
    """A table with a plan for each of its two partitions."""
    table_type = {"hoodie.datasource.write.table.type": "MERGE_ON_READ" if kind == "compact" else "COPY_ON_WRITE"}
    for n in range(2):
        keys = ("a", "b") if kind == "compact" else (f"a{n}", f"b{n}")
        rows = [record(key, n, day, price=float(n)) for key, day in zip(keys, DAYS, strict=True)]
        lite.write(frame(lite.spark, rows), path, **Shape(version).options(), **table_type, **STILL)
    table = hudilite.table(lite.spark, str(path))
    instants = []
    for day in DAYS:
        plan: Any = (
            table.schedule_compaction(strategy="BoundedIO", options=ONE_GROUP)
            if kind == "compact"
            else table.schedule_clustering(partitions=[day])
        )
        assert plan is not None and plan.instant is not None
        instants.append(plan.instant)
    return table, instants


def rows(table: HudiliteTable) -> list[tuple[str, float]]:
    return sorted((row["id"], row["price"]) for row in table.rows().select("id", "price").collect())


def requested(table: HudiliteTable) -> list[tuple[str, str]]:
    return [(i.time, i.state) for i in table.timeline() if i.state != "completed"]


class Answer(threading.Thread):
    """Answer or error of a call in a thread of its own."""

    def __init__(self, body: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self.body, self.value, self.error = body, None, None
        self.start()

    def run(self) -> None:
        try:
            self.value = self.body()
        except BaseException as e:
            self.error = e


@VERSIONS
@pytest.mark.parametrize("kind", ["compact", "cluster"])
def test_one_of_two_runs_is_stopped_and_its_plan_stays(
    lite: Engine, path: Path, tmp_path: Path, version: int, kind: str
) -> None:
    table, (first, second) = planned(lite, path, version, kind)
    before, run = rows(table), getattr(table, kind)

    def stops(done: int, total: int) -> None:
        assert (done, total) == (0, 1)
        raise KeyboardInterrupt

    with no_tasks(lite.spark, tmp_path):
        other = Answer(lambda: run(instant=second))
        stopped = Answer(lambda: run(instant=first, progress=stops))
        stopped.join(60)
        assert isinstance(stopped.error, KeyboardInterrupt) and other.is_alive()
    other.join(60)
    assert other.error is None and other.value.instants == (second,)
    assert requested(table) == [(first, "requested")] and rows(table) == before
    if kind == "cluster":
        taken = table.rollback(first)
        assert (taken.instant, taken.write) == (None, first) and requested(table) == []
        again = table.schedule_clustering(partitions=[DAYS[0]])
        assert again is not None and len(again.groups[0].file_ids) == 2
    assert len(run().instants) == 1 and requested(table) == [] and rows(table) == before

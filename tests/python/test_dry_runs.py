"""Dry runs of all services beside a write whose program is dead: they say what would be done, and touch nothing."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from inspect import signature
from pathlib import Path

import layout
import pytest
from engines import Engine, Shape, frame, list_anew, record

import hudilite
from hudilite import HudiliteTable, cli

VERSIONS = pytest.mark.parametrize("version", [6, 9])
STILL = {"hoodie.clean.automatic": "false", "hoodie.parquet.small.file.limit": "0"}
DAYS = ("2026-01-01", "2026-01-02")

CALLS: dict[str, Callable[[HudiliteTable], object]] = {
    "archive": lambda t: t.archive(dry_run=True),
    "clean": lambda t: t.clean("KEEP_LATEST_FILE_VERSIONS", 1, dry_run=True),
    "cluster": lambda t: t.cluster(dry_run=True),
    "compact": lambda t: t.compact(dry_run=True),
    "delete_partition": lambda t: t.delete_partition(DAYS[0], dry_run=True),
    "delete_savepoint": lambda t: t.delete_savepoint(t.savepoints()[0].instant, dry_run=True),
    "expire_partitions": lambda t: t.expire_partitions(1, dry_run=True),
    "restore": lambda t: t.restore(t.savepoints()[0].instant, dry_run=True),
    "rollback": lambda t: t.rollback(dry_run=True),
    "savepoint": lambda t: t.savepoint(dry_run=True),
    "schedule_clustering": lambda t: t.schedule_clustering(dry_run=True),
    "schedule_compaction": lambda t: t.schedule_compaction(dry_run=True),
}


def died(path: Path) -> str:
    """A write of a program that has begun it and given no sign of life for long."""
    instant = f"{int(layout.writes(path)[-1].completed) + 1}"
    for state in ("commit.requested", "inflight"):
        (file := layout.timeline_folder(path) / f"{instant}.{state}").touch()
    beat = path / ".hoodie" / ".heartbeat" / instant
    beat.parent.mkdir(exist_ok=True)
    beat.touch()
    long_ago = time.time() - 3600
    os.utime(beat, (long_ago, long_ago))
    list_anew(file)
    return instant


def beside_a_dead_write(lite: Engine, path: Path, version: int) -> tuple[HudiliteTable, str]:
    """Three writes, the first of which is saved, and one that is dead."""
    facts = {**Shape(version).options(), "hoodie.datasource.write.table.type": "MERGE_ON_READ", **STILL}
    for n in range(3):
        rows = [record(f"k{n // 2}-{day}", n, day, price=float(n)) for day in DAYS]
        lite.write(frame(lite.spark, rows), path, **facts)
        if n == 0:
            hudilite.table(lite.spark, str(path)).savepoint()
    return hudilite.table(lite.spark, str(path)), died(path)


def seen(path: Path) -> dict[str, tuple[int, int]]:
    """State that a write or a deletion would change, of files that come and go, too: their folders tell."""
    return {str(entry): ((s := entry.stat()).st_mtime_ns, s.st_size) for entry in [path, *path.rglob("*")]}


def test_these_are_all_services_with_a_dry_run() -> None:
    methods = [getattr(HudiliteTable, name) for name in dir(HudiliteTable) if name[0] != "_"]
    assert set(CALLS) == {m.__name__ for m in methods if callable(m) and "dry_run" in signature(m).parameters}


@VERSIONS
@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_dry_run_touches_nothing(lite: Engine, path: Path, version: int, name: str) -> None:
    table, dead = beside_a_dead_write(lite, path, version)
    before = seen(path)
    CALLS[name](table)
    assert seen(path) == before and layout.pending(path) == [dead]


@VERSIONS
def test_undoing_names_the_dead_write_first_and_takes_it_first(
    lite: Engine, path: Path, version: int, capsys: pytest.CaptureFixture[str]
) -> None:
    table, dead = beside_a_dead_write(lite, path, version)
    newest, second, first = (commit.time for commit in table.history())
    told = table.rollback(dry_run=True)
    assert (told.instant, told.write, told.dead_writes) == (None, newest, (dead,))
    assert cli.main(["rollback", str(path), "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert shown.index(dead) < shown.index(newest)
    plan = table.restore(first, dry_run=True)
    assert (plan.instant, plan.writes, plan.dead_writes) == (None, (newest, second), (dead,))
    done = table.rollback()
    assert (done.write, done.dead_writes) == (newest, (dead,)) and layout.pending(path) == []
    again = died(path)
    restored = table.restore(first)
    assert (restored.writes, restored.dead_writes) == ((second,), (again,)) and layout.pending(path) == []

"""Savepoints, rollbacks and archiving through the Python front door."""

from __future__ import annotations

from pathlib import Path

import pytest
from conditions import fails_with
from engines import Engine, Shape, frame, record

import hudilite
from hudilite.tables import HudiliteTable

VERSIONS = pytest.mark.parametrize("version", [6, 8, 9])


def rewritten(lite: Engine, path: Path, version: int, times: int, **more: str) -> HudiliteTable:
    """A table with one row that each write changes."""
    for n in range(times):
        rows = frame(lite.spark, [record("k", n, "2026-01-01", price=float(n))])
        lite.write(rows, path, **Shape(version).options(), **more)
    return hudilite.table(lite.spark, str(path))


def price(table: HudiliteTable, as_of: str | None = None) -> float:
    return float(table.rows(as_of).select("price").collect()[0]["price"])


@VERSIONS
def test_the_newest_write_is_taken_back(lite: Engine, path: Path, version: int) -> None:
    table = rewritten(lite, path, version, 3)
    newest = table.history()[0].time
    plan = table.rollback(dry_run=True)
    assert (plan.instant, plan.write, plan.files) == (None, newest, 1) and price(table) == 2.0
    done = table.rollback()
    assert done.write == newest and done.instant is not None and price(table) == 1.0
    with fails_with("ROLLBACK_NOT_POSSIBLE"):
        table.rollback(table.history()[1].time)
    assert price(rewritten(lite, path, version, 6)) == 5.0


@VERSIONS
def test_a_saved_state_outlives_a_cleaning(lite: Engine, path: Path, version: int) -> None:
    table = rewritten(lite, path, version, 1)
    saved = table.savepoint(comment="the first row")
    assert table.savepoints() == [saved] and saved.comment == "the first row" and saved.files == 1
    rewritten(lite, path, version, 4)
    assert table.clean("KEEP_LATEST_FILE_VERSIONS", 1).files == 3
    assert price(table, saved.instant) == 0.0
    with fails_with("SAVEPOINT_NOT_POSSIBLE"):
        table.savepoint(table.history()[1].time)
    with fails_with("SAVEPOINT_NOT_FOUND"):
        table.delete_savepoint("20200101000000000")
    table.delete_savepoint(saved.instant)
    assert table.savepoints() == [] and table.clean("KEEP_LATEST_FILE_VERSIONS", 1).files == 1


@VERSIONS
def test_the_oldest_instants_are_archived_when_there_are_too_many(lite: Engine, path: Path, version: int) -> None:
    few = {"hoodie.clean.commits.retained": "1", "hoodie.keep.min.commits": "2", "hoodie.keep.max.commits": "4"}
    table = rewritten(lite, path, version, 5, **few, **{"hoodie.archive.automatic": "false"})
    assert len(table.history()) == 5
    plan = table.archive(dry_run=True, options=few)
    assert plan.files == () and {c.time for c in table.history()[2:]} <= set(plan.instants)
    assert table.archive(options=few).instants == plan.instants
    assert len(table.history()) == 2 and price(table) == 4.0
    assert table.archive(options=few).instants == ()
    rewritten(lite, path, version, 3, **few)
    assert len(table.history()) <= 4 and price(table) == 4.0
    with fails_with("INVALID_OPTION_VALUE"):
        table.archive(options={**few, "hoodie.keep.min.commits": "1"})

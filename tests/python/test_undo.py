"""Savepoints, rollbacks and archiving through the Python front door."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conditions import fails_with
from engines import Engine, Shape, frame, record

import hudilite
from hudilite import cli
from hudilite.tables import HudiliteTable

VERSIONS = pytest.mark.parametrize("version", [6, 9])


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


@VERSIONS
def test_a_table_is_restored_to_a_saved_state(lite: Engine, path: Path, version: int) -> None:
    table = rewritten(lite, path, version, 2)
    saved = table.savepoint()
    rewritten(lite, path, version, 5)
    table.clean("KEEP_LATEST_FILE_VERSIONS", 1)
    later = [c.time for c in table.history() if c.time > saved.instant]
    assert table.restore(saved.instant, dry_run=True).writes == tuple(later)
    assert table.restore(saved.instant).writes == tuple(later) and price(table) == 1.0
    with fails_with("RESTORE_NOT_POSSIBLE"):
        table.restore("20200101000000000")
    assert price(rewritten(lite, path, version, 7)) == 6.0


def test_services_say_how_far_they_are(lite: Engine, path: Path) -> None:
    table = rewritten(lite, path, 9, 3)
    clustering, cleaning, archiving = table.services()
    assert not clustering.by_itself and "3 of 4 commits" in clustering.next
    assert (cleaning.service, cleaning.by_itself, cleaning.due, cleaning.last) == ("cleaning", True, False, None)
    assert "3 of 30 commits" in archiving.next
    assert not table.services(options={"hudilite.services": "false"})[1].by_itself
    assert table.services(options={"hoodie.clean.commits.retained": "2"})[1].due
    table.clean(retain=1)
    assert table.services()[1].last == table.timeline()[-1].time


def test_services_run_beside_the_writes(lite: Engine, path: Path) -> None:
    beside = {"hudilite.services.async": "true", "hoodie.clean.commits.retained": "1"}
    table = rewritten(lite, path, 9, 4, **beside)
    assert table.wait_for_services() and len(list(path.glob("*/*.parquet"))) == 2
    assert table.services()[1].last_error is None and price(table) == 3.0


def test_the_commands_say_and_undo(lite: Engine, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*arguments: str) -> list[dict[str, object]]:
        assert cli.main([arguments[0], str(path), "--json", *arguments[1:]]) == 0
        return list(json.loads(capsys.readouterr().out))

    table = rewritten(lite, path, 9, 3)
    newest, second, first = (c.time for c in table.history())
    assert [row["write"] for row in said("rollback", "--dry-run")] == [newest]
    assert [row["instant"] for row in said("savepoint", "--instant", first, "--comment", "x")] == [first]
    assert [row["comment"] for row in said("savepoints")] == ["x"]
    assert [row["write"] for row in said("restore", first, "--dry-run")] == [newest, second]
    assert said("archive", "--dry-run") == [] and said("delete-savepoint", first) == []
    assert [row["write"] for row in said("rollback")] == [newest] and price(table) == 1.0
    assert [row["service"] for row in said("services")] == ["clustering", "cleaning", "archiving"]
    assert cli.main(["restore", str(path), "20200101000000000"]) == 1
    assert "[RESTORE_NOT_POSSIBLE]" in capsys.readouterr().err

"""Savepoints, rollbacks and archiving through the Python front door."""

from __future__ import annotations

import json
from inspect import Parameter, signature
from pathlib import Path

import layout
import pytest
from conditions import fails_with
from engines import Engine, Shape, frame, list_anew, record

import hudilite
from hudilite import HudiliteTable, cli, undo

VERSIONS = pytest.mark.parametrize("version", [6, 9])


def rewritten(lite: Engine, path: Path, version: int, times: int, **more: str) -> HudiliteTable:
    """A table with one row that each write changes."""
    for n in range(times):
        rows = frame(lite.spark, [record("k", n, "2026-01-01", price=float(n))])
        lite.write(rows, path, **Shape(version).options(), **more)
    return hudilite.table(lite.spark, str(path))


def price(table: HudiliteTable, as_of: str | None = None) -> float:
    return float(table.rows(as_of).select("price").collect()[0]["price"])


class Seen(list[tuple[int, int]]):
    """Calls of a callback for progress."""

    def __call__(self, done: int, total: int) -> None:
        self.append((done, total))

    def once(self) -> tuple[int, int]:
        """The last of it, after which it is empty."""
        last = self[-1]
        self.clear()
        return last


def test_all_services_take_the_same_arguments_and_say_what_they_did() -> None:
    def defaults(name: str) -> dict[str, object]:
        parameters = signature(getattr(HudiliteTable, name)).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is Parameter.KEYWORD_ONLY}

    others = {"services", "maintain", "insert", "upsert", "advise"}
    services = {name for name in dir(HudiliteTable) if name[0] != "_" and "options" in defaults(name)} - others
    assert len(services) == 13
    for name in services:
        # A doctor mends nothing unless it is told to.
        dry_run = {} if name == "doctor" else {"dry_run": False}
        expected = {**dry_run, "progress": None, "options": None}
        assert {k: v for k, v in defaults(name).items() if k in {"dry_run", "progress", "options"}} == expected, name
        assert signature(getattr(HudiliteTable, name)).return_annotation not in ("None", "Any", ""), name


@VERSIONS
def test_the_newest_write_is_taken_back(lite: Engine, path: Path, version: int) -> None:
    table = rewritten(lite, path, version, 3)
    newest = table.history()[0].time
    plan = table.rollback(dry_run=True)
    assert (plan.instant, plan.write, plan.files) == (None, newest, 1) and price(table) == 2.0
    seen = Seen()
    done = table.rollback(progress=seen)
    assert seen.once() == (1, 1) and done.write == newest and done.instant is not None and price(table) == 1.0
    with fails_with("ROLLBACK_NOT_POSSIBLE"):
        table.rollback(table.history()[1].time)
    assert price(rewritten(lite, path, version, 6)) == 5.0


@VERSIONS
def test_a_saved_state_outlives_a_cleaning(lite: Engine, path: Path, version: int) -> None:
    table = rewritten(lite, path, version, 1)
    seen = Seen()
    plan = table.savepoint(comment="the first row", dry_run=True, progress=seen)
    assert table.savepoints() == [] == seen
    saved = table.savepoint(comment="the first row", progress=seen)
    assert seen.once() == (1, 1) and (plan.instant, plan.files) == (saved.instant, 1)
    assert table.savepoints() == [saved] and saved.comment == "the first row" and saved.files == 1
    rewritten(lite, path, version, 4)
    assert table.clean("KEEP_LATEST_FILE_VERSIONS", 1).files == 3
    assert price(table, saved.instant) == 0.0
    with fails_with("SAVEPOINT_NOT_POSSIBLE"):
        table.savepoint(table.history()[1].time)
    with fails_with("SAVEPOINT_NOT_FOUND"):
        table.delete_savepoint("20200101000000000")
    assert table.delete_savepoint(saved.instant, dry_run=True) == saved and table.savepoints() == [saved]
    assert table.delete_savepoint(saved.instant, progress=seen) == saved and seen.once() == (1, 1)
    assert table.savepoints() == [] and table.clean("KEEP_LATEST_FILE_VERSIONS", 1).files == 1


@VERSIONS
def test_a_damaged_savepoint_is_told_beside_the_others_and_given_free(
    lite: Engine, path: Path, version: int, capsys: pytest.CaptureFixture[str]
) -> None:
    table = rewritten(lite, path, version, 2)
    second, first = (c.time for c in table.history())
    table.savepoint(first)
    saved = table.savepoint(second, "whole")
    (file,) = (f for f in layout.timeline_folder(path).glob(f"{first}*.savepoint"))
    file.write_bytes(b"")
    list_anew(file)
    damaged, other = table.savepoints()
    assert other == saved and saved.damage is None and damaged.damage
    assert damaged == undo.Savepoint(first, None, None, None, None, damaged.damage)
    assert cli.main(["savepoints", str(path)]) == 0 and damaged.damage in capsys.readouterr().out
    with fails_with("CORRUPT_FILE"):
        table.clean("KEEP_LATEST_FILE_VERSIONS", 1)
    assert table.delete_savepoint(first, dry_run=True) == damaged and len(table.savepoints()) == 2
    assert table.delete_savepoint(first, progress=(seen := Seen())) == damaged and seen == [(0, 0)]
    assert table.savepoints() == [saved] and table.clean("KEEP_LATEST_FILE_VERSIONS", 1).files == 1


@VERSIONS
def test_the_oldest_instants_are_archived_when_there_are_too_many(lite: Engine, path: Path, version: int) -> None:
    few = {"hoodie.clean.commits.retained": "1", "hoodie.keep.min.commits": "2", "hoodie.keep.max.commits": "4"}
    table = rewritten(lite, path, version, 5, **few, **{"hoodie.archive.automatic": "false"})
    assert len(table.history()) == 5
    plan = table.archive(dry_run=True, options=few)
    assert plan.files == () and {c.time for c in table.history()[2:]} <= set(plan.instants)
    seen = Seen()
    assert table.archive(options=few, progress=seen).instants == plan.instants
    assert seen.once() == (len(plan.instants), len(plan.instants))
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
    seen = Seen()
    assert table.restore(saved.instant, progress=seen).writes == tuple(later) and price(table) == 1.0
    assert seen.once() == (len(later), len(later))
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


def test_services_of_one_step_say_so_when_it_is_done(lite: Engine, path: Path) -> None:
    for key in ("a", "b"):
        rows = [record(key, 1, day) for day in ("2026-01-01", "2026-01-02")]
        lite.write(frame(lite.spark, rows), path, **Shape(9).options(), **{"hoodie.parquet.small.file.limit": "0"})
    table, seen = hudilite.table(lite.spark, str(path)), Seen()
    assert table.expire_partitions(1, progress=seen).partitions == () and seen.once() == (0, 0)
    assert table.delete_partition("2026-01-02", dry_run=True, progress=seen).instant is None and seen == []
    assert table.delete_partition("2026-01-02", progress=seen).instant is not None and seen.once() == (1, 1)
    plan = table.schedule_clustering(progress=seen)
    assert plan is not None and seen.once() == (len(plan.groups), len(plan.groups)) == (1, 1)
    with fails_with("PARTITION_IN_SERVICE"):
        table.delete_partition("2026-01-01", progress=seen)
    assert seen == []


def test_a_savepoint_of_nothing_and_an_unknown_one_are_refused(lite: Engine, path: Path) -> None:
    table = rewritten(lite, path, 9, 1)
    table.rollback()
    with fails_with("SAVEPOINT_NOT_POSSIBLE"):
        table.savepoint()
    with fails_with("SAVEPOINT_NOT_FOUND"):
        table.delete_savepoint("20200101000000000", dry_run=True)
    assert table.savepoints() == [] and table.doctor(progress=(seen := Seen())) == [] and seen == [(0, 0)]


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
    assert [row["instant"] for row in said("savepoint", "--dry-run")] == [newest] and said("savepoints") == []
    assert [row["instant"] for row in said("savepoint", "--instant", first, "--comment", "x")] == [first]
    assert [row["comment"] for row in said("savepoints")] == ["x"]
    assert [row["write"] for row in said("restore", first, "--dry-run")] == [newest, second]
    assert [row["instant"] for row in said("delete-savepoint", first, "--dry-run")] == [first]
    assert said("archive", "--dry-run") == [] and said("delete-savepoint", first) == []
    assert [row["write"] for row in said("rollback")] == [newest] and price(table) == 1.0
    assert [row["service"] for row in said("services")] == ["clustering", "cleaning", "archiving"]
    assert cli.main(["restore", str(path), "20200101000000000"]) == 1
    assert "[RESTORE_NOT_POSSIBLE]" in capsys.readouterr().err

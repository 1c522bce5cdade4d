"""Compaction through the Python front door."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conditions import fails_with
from engines import Engine, Shape, frame, record

import hudilite
from hudilite import HudiliteTable, cli
from hudilite.compaction import CompactionResult

MERGE_ON_READ = {"hoodie.datasource.write.table.type": "MERGE_ON_READ"}
VERSIONS = pytest.mark.parametrize("version", [6, 8, 9])


def logged(lite: Engine, path: Path, version: int) -> HudiliteTable:
    """A table with four rows in two partitions; one row of each has been changed since, one removed."""
    facts = Shape(version).options()
    rows = [record(f"k{i}", 1, f"2026-01-0{i % 2 + 1}", price=float(i)) for i in range(4)]
    lite.write(frame(lite.spark, rows), path, **facts, **MERGE_ON_READ)
    changed = [record("k0", 2, "2026-01-01", price=10.0), record("k1", 2, "2026-01-02", price=11.0)]
    lite.write(frame(lite.spark, changed), path)
    lite.write(frame(lite.spark, [record("k3", 3, "2026-01-02")]), path, "delete")
    return hudilite.table(lite.spark, str(path))


def prices(table: HudiliteTable) -> dict[str, float]:
    return {row["id"]: row["price"] for row in table.rows().select("id", "price").collect()}


@VERSIONS
def test_compact_plans_and_runs_and_says_what_was_merged(lite: Engine, path: Path, version: int) -> None:
    table = logged(lite, path, version)
    seen: list[tuple[int, int]] = []
    result = table.compact(progress=lambda done, total: seen.append((done, total)))
    assert isinstance(result, CompactionResult)
    assert len(result.instants) == 1 and result.seconds > 0
    assert len(result.groups) == 2 and seen[-1] == (2, 2)
    assert sum(group.updated for group in result.groups) == 2
    assert sum(group.deleted for group in result.groups) == 1
    assert sum(group.rows for group in result.groups) == 3
    for group in result.groups:
        assert (path / group.path).stat().st_size == group.bytes
        assert group.log_files > 0 and group.log_bytes > 0 and group.previous_base_file
    assert prices(table) == {"k0": 10.0, "k1": 11.0, "k2": 2.0}
    assert table.compact() == CompactionResult((), (), pytest.approx(0, abs=60))


@VERSIONS
def test_a_compaction_is_scheduled_here_and_run_there(lite: Engine, path: Path, version: int) -> None:
    table = logged(lite, path, version)
    assert table.schedule_compaction(if_due=True) is None
    plan = table.schedule_compaction(options={"hoodie.compact.inline.max.delta.commits": "3"}, if_due=True)
    assert plan is not None and plan.instant is not None and plan.strategy == "LogFileSizeBased"
    assert [(i.time, i.state) for i in table.timeline()][-1] == (plan.instant, "requested")
    lite.write(frame(lite.spark, [record("k2", 5, "2026-01-01", price=12.0)]), path)
    assert [p.instant for p in table.compact(dry_run=True)] == [plan.instant]
    assert table.compact(plan.instant).instants == (plan.instant,)
    assert len(table.compact().groups) == 1
    assert prices(table) == {"k0": 10.0, "k1": 11.0, "k2": 12.0}


def test_a_dry_run_shows_the_plan_and_its_cost_and_changes_nothing(lite: Engine, path: Path) -> None:
    table = logged(lite, path, 9)
    before = sorted(str(file) for file in path.rglob("*"))
    (plan,) = table.compact(strategy="UnBounded", dry_run=True)
    assert plan == table.schedule_compaction(strategy="UnBounded", dry_run=True)
    assert plan.instant is None and plan.strategy == "UnBounded" and len(plan.slices) == 2
    files = [path / s.partition / name for s in plan.slices for name in (s.base_file or "", *s.log_files)]
    assert plan.read_bytes == sum(file.stat().st_size for file in files)
    assert 0 < plan.write_bytes < plan.read_bytes
    assert sorted(str(file) for file in path.rglob("*")) == before
    (bounded,) = table.compact(strategy="BoundedIO", options={"hoodie.compaction.target.io": "0"}, dry_run=True)
    assert len(bounded.slices) == 1


@VERSIONS
def test_log_files_are_folded_and_base_files_left_alone(lite: Engine, path: Path, version: int) -> None:
    table = logged(lite, path, version)
    assert table.compact(kind="log") == CompactionResult((), (), pytest.approx(0, abs=60))
    few = {"hoodie.log.compaction.blocks.threshold": "2"}
    (plan,) = table.compact(kind="log", options=few, dry_run=True)
    assert plan == table.schedule_compaction(kind="log", options=few, dry_run=True)
    assert (plan.kind, plan.instant, plan.strategy, len(plan.slices)) == ("log", None, "", 1)
    assert plan.read_bytes == plan.write_bytes == plan.slices[0].log_bytes
    planned = table.schedule_compaction(kind="log", options=few, if_due=True)
    assert planned is not None and planned.instant is not None
    result = table.compact(kind="log")
    assert result.instants == (planned.instant,)
    (group,) = result.groups
    assert (path / group.path).stat().st_size == group.bytes
    assert (group.rows, group.updated, group.deleted, group.inserted) == (1, 1, 1, 0)
    assert (group.previous_base_file, group.log_files, group.log_records) == (None, 2, 2)
    assert prices(table) == {"k0": 10.0, "k1": 11.0, "k2": 2.0}
    assert len(table.compact().groups) == 2
    assert prices(table) == {"k0": 10.0, "k1": 11.0, "k2": 2.0}


def test_a_bar_shows_how_far_it_is(lite: Engine, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = logged(lite, path, 9)
    table.compact(progress=True)
    shown = capsys.readouterr().err.strip().split("\r")
    assert shown[-1].startswith("compaction: 100%") and "| 2/2 [" in shown[-1], shown
    table.clean(progress=False)
    assert not capsys.readouterr().err


def test_an_error_of_the_callback_stops_the_compaction_and_its_plan_stays(lite: Engine, path: Path) -> None:
    table = logged(lite, path, 9)

    def fails(done: int, total: int) -> None:
        raise KeyError(f"{done} of {total}")

    with pytest.raises(KeyError):
        table.compact(progress=fails)
    table.compact()
    assert prices(table) == {"k0": 10.0, "k1": 11.0, "k2": 2.0}


def test_what_hudi_logged_and_planned_is_compacted(lite: Engine, golden_copy: Callable[[str], Path]) -> None:
    table = hudilite.table(lite.spark, str(golden_copy("mor-compacted-v9")))
    (pending,) = table.compact(dry_run=True)
    assert table.compact().instants == (pending.instant,)


def test_what_cannot_be_compacted_is_refused(lite: Engine, path: Path, golden_copy: Callable[[str], Path]) -> None:
    merge_on_read = logged(lite, path, 9)
    copy_on_write = hudilite.table(lite.spark, str(golden_copy("cow-basic-v9")))
    with fails_with("COMPACTION_NOT_POSSIBLE"):
        copy_on_write.compact()
    with fails_with("COMPACTION_NOT_POSSIBLE"):
        copy_on_write.schedule_compaction()
    with fails_with("COMPACTION_NOT_FOUND", "20200101000000000"):
        merge_on_read.compact("20200101000000000")
    with fails_with("INVALID_OPTION_VALUE", "Fancy"):
        merge_on_read.compact(strategy="Fancy")
    with fails_with("INVALID_OPTION_VALUE", "base, log"):
        merge_on_read.compact(kind="both")  # type: ignore[call-overload]
    with fails_with("COMPACTION_NOT_POSSIBLE"):
        copy_on_write.compact(kind="log")
    with fails_with("UNKNOWN_OPTION"):
        merge_on_read.compact(options={"hoodie.no.such.option": "1"})
    with fails_with("TABLE_NOT_FOUND"):
        hudilite.table(lite.spark, str(path / "nothing")).compact()


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    """Rows that the command line prints as JSON."""
    assert cli.main([*arguments, "--json"]) == 0
    rows: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return rows


def test_the_command_line_shows_a_plan_schedules_and_runs_it(
    lite: Engine, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = logged(lite, path, 9)
    compact = ("compact", str(path))
    planned = printed(capsys, *compact, "--dry-run")
    assert {(row["instant"], row["partition"]) for row in planned} == {(None, "2026-01-01"), (None, "2026-01-02")}
    assert printed(capsys, *compact, "--dry-run", "--schedule-only") == planned
    assert printed(capsys, *compact, "--dry-run", "--kind", "log") == []  # too few blocks to be folded
    assert len(table.timeline()) == 3
    (instant,) = {str(row["instant"]) for row in printed(capsys, *compact, "--schedule-only")}
    assert [(i.time, i.state) for i in table.timeline()][-1] == (instant, "requested")
    groups = printed(capsys, *compact, "--instant", instant)
    assert {(row["partition"], row["updated"], row["deleted"]) for row in groups} == {
        ("2026-01-01", 1, 0),
        ("2026-01-02", 1, 1),
    }
    assert len(planned) == len(groups) == 2
    assert cli.main(list(compact)) == 0
    assert capsys.readouterr().out == "(none)\n"


def test_the_command_line_says_in_one_line_why_it_does_not_compact(
    lite: Engine, golden_copy: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(golden_copy("cow-basic-v9"))
    assert cli.main(["compact", path]) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: [COMPACTION_NOT_POSSIBLE] ") and error.count("\n") == 1
    with pytest.raises(SystemExit):
        cli.main(["compact", path, "--schedule-only", "--instant", "20260101000000000"])

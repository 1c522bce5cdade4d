"""Cleaning through the Python front door."""

from __future__ import annotations

from pathlib import Path

import pytest
from conditions import fails_with
from engines import Engine, Shape, frame, record

import hudilite
from hudilite import HudiliteTable
from hudilite.cleaning import CleanPlan, CleanResult

VERSIONS = pytest.mark.parametrize("version", [6, 8, 9])
OFF = {"hoodie.clean.automatic": "false"}


def rewritten(lite: Engine, path: Path, version: int, times: int = 5) -> HudiliteTable:
    """A table with one row, each of whose versions has a base file of its own."""
    for n in range(times):
        lite.write(
            frame(lite.spark, [record("k", n, "2026-01-01", price=float(n))]), path, **Shape(version).options(), **OFF
        )
    return hudilite.table(lite.spark, str(path))


def base_files(path: Path) -> set[str]:
    return {str(f.relative_to(path)) for f in path.rglob("*.parquet") if ".hoodie" not in f.parts}


@VERSIONS
def test_clean_deletes_what_only_the_past_needs_and_says_so(lite: Engine, path: Path, version: int) -> None:
    table = rewritten(lite, path, version)
    before = base_files(path)
    plan = table.clean(retain=2, dry_run=True)
    assert isinstance(plan, CleanPlan) and plan.policy == "KEEP_LATEST_COMMITS" and len(plan.files) == 2
    assert base_files(path) == before
    seen: list[tuple[int, int]] = []
    result = table.clean(retain=2, progress=lambda done, total: seen.append((done, total)))
    assert base_files(path) == before - set(plan.files)
    assert result.files == 2 and seen[-1] == (2, 2) and len(result.instants) == 1
    assert [p.partition for p in result.partitions] == ["2026-01-01"]
    assert table.clean(retain=2) == CleanResult((), (), pytest.approx(0, abs=60))
    assert table.clean("KEEP_LATEST_FILE_VERSIONS", 1).files == 2
    assert table.rows().select("price").collect()[0]["price"] == 4.0
    assert [i.action for i in table.timeline()].count("clean") == 2


@VERSIONS
def test_a_dry_run_says_what_is_planned_and_what_would_be(lite: Engine, path: Path, version: int) -> None:
    table = rewritten(lite, path, version, 6)
    before = base_files(path)
    call = f"CALL hudilite.system.run_clean(table => '{path}', retain_commits => 4, op => "
    (planned,) = lite.spark.sql(f"{call}'schedule')").collect()
    only = lite.spark.sql(f"{call}'execute', dry_run => true)").collect()
    assert [(row["start_clean_time"], row["files"]) for row in only] == [
        (planned["start_clean_time"], planned["files"])
    ]
    plan = table.clean(retain=2, dry_run=True)
    assert isinstance(plan, CleanPlan) and len(planned["files"]) == 1 and base_files(path) == before
    assert plan.files[:1] == tuple(planned["files"]) and len(plan.files) == 3
    seen: list[tuple[int, int]] = []
    result = table.clean(retain=2, progress=lambda done, total: seen.append((done, total)))
    assert isinstance(result, CleanResult) and result.instants[0] == planned["start_clean_time"]
    assert base_files(path) == before - set(plan.files) and seen[-1] == (3, 3) and len(result.instants) == 2


def test_a_bad_policy_and_a_bad_number_are_told(lite: Engine, path: Path) -> None:
    table = rewritten(lite, path, 9, 1)
    with pytest.raises(ValueError, match="KEEP_LATEST_BY_HOURS"):
        table.clean("KEEP_ALL")  # type: ignore[call-overload]
    with fails_with("INVALID_OPTION_VALUE"):
        table.clean(retain=0)
    with fails_with("TABLE_NOT_FOUND"):
        hudilite.table(lite.spark, str(path / "elsewhere")).clean()

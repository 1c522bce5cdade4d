"""Clustering through the Python front door."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conditions import fails_with
from engines import Engine, Shape, frame, record

import hudilite
from hudilite import HudiliteTable, cli
from hudilite.clustering import ClusteringResult

OFF = {"hoodie.clean.automatic": "false", "hoodie.parquet.small.file.limit": "0"}


def made(lite: Engine, path: Path) -> HudiliteTable:
    """A table with twelve rows, in three files of each of two partitions."""
    for n in range(3):
        rows = [record(f"k{i}", 1, f"2026-01-0{i % 2 + 1}", price=float(i * 7 % 12)) for i in range(n * 4, n * 4 + 4)]
        facts = {} if path.exists() else Shape(9).options()
        lite.write(frame(lite.spark, rows), path, **facts, **OFF)
    return hudilite.table(lite.spark, str(path))


def ids(table: HudiliteTable) -> list[str]:
    return sorted(row["id"] for row in table.rows().select("id").collect())


def test_cluster_plans_and_runs_and_says_what_it_wrote(lite: Engine, path: Path) -> None:
    table = made(lite, path)
    before = ids(table)
    seen: list[tuple[int, int]] = []
    (plan,) = table.cluster("price", "linear", dry_run=True)
    assert (plan.instant, plan.sort_by, [len(g.file_ids) for g in plan.groups]) == (None, ("price",), [3, 3])
    result = table.cluster("price", "linear", progress=lambda done, total: seen.append((done, total)))
    assert isinstance(result, ClusteringResult)
    assert (len(result.instants), result.replaced, len(result.files)) == (1, 6, 2) and seen[-1] == (2, 2)
    assert sum(file.rows for file in result.files) == 12
    assert all((path / file.path).stat().st_size == file.bytes for file in result.files)
    assert ids(table) == before
    assert table.cluster() == ClusteringResult((), 0, (), pytest.approx(0, abs=60))


def test_a_plan_is_made_run_or_taken_back(lite: Engine, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = made(lite, path)
    first = table.schedule_clustering(partitions="2026-01-01")
    assert first is not None and first.instant is not None
    with fails_with("CLUSTERING_PENDING"):
        lite.write(frame(lite.spark, [record("k0", 2, "2026-01-01")]), path, **OFF)
    assert table.rollback(first.instant).write == first.instant
    lite.write(frame(lite.spark, [record("k0", 2, "2026-01-01")]), path, **OFF)
    with fails_with("CLUSTERING_NOT_FOUND"):
        table.cluster(instant=first.instant)
    with fails_with("MISSING_COLUMN"):
        table.cluster("nothing")
    with pytest.raises(ValueError, match="target_bytes"):
        table.cluster(target_bytes=0)
    assert cli.main(["cluster", str(path), "--sort-by", "price", "--schedule-only", "--json"]) == 0
    (instant,) = {row["instant"] for row in json.loads(capsys.readouterr().out)}
    assert cli.main(["cluster", str(path), "--instant", instant, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 2

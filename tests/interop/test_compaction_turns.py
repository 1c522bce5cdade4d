"""Each engine compacts what the other logged, and runs what the other planned."""

from __future__ import annotations

from pathlib import Path

import layout
import pytest
from engines import QUERY_TYPE, SELF_CHECK, Engine, Shape, frame, record
from model import Model
from rows import rows_of

import hudilite

MERGE_ON_READ = {"hoodie.datasource.write.table.type": "MERGE_ON_READ"}
READ_OPTIMIZED = {QUERY_TYPE: "read_optimized"}
INLINE = {"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "1"}
VERSIONS = pytest.mark.parametrize("version", [6, 9])
pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about hudilite's own compaction")


class Turns:
    """A merge-on-read table that both engines write to, with its model."""

    def __init__(self, path: Path, version: int) -> None:
        self.path, self.version, self.model = path, version, Model()

    def upsert(self, engine: Engine, ids: range, ts: int, **options: str) -> None:
        rows = [record(f"k{i:03d}", ts, f"2026-01-0{i % 2 + 1}", price=i + ts / 10) for i in ids]
        facts = {**Shape(self.version).options(), **MERGE_ON_READ}
        given = facts if engine.repeat_facts or not self.path.exists() else {}
        engine.write(frame(engine.spark, rows), self.path, **{**given, **options})
        self.model.upsert(rows)

    def begin(self, *engines: Engine) -> None:
        """Two or three writes, one by each engine: forty rows, and newer ones for some of them."""
        for engine, ids, ts in zip(engines, (range(40), range(10, 30), range(20, 35)), (1, 3, 5), strict=False):
            self.upsert(engine, ids, ts)

    def delete(self, engine: Engine, ids: range) -> None:
        rows = [record(f"k{i:03d}", 0, f"2026-01-0{i % 2 + 1}") for i in ids]
        engine.write(frame(engine.spark, rows), self.path, "delete")
        self.model.delete(rows)

    def check(self, *engines: Engine, **options: str) -> None:
        for engine in engines:
            assert rows_of(engine.read(self.path, **options)) == self.model.rows(), engine.name


@VERSIONS
def test_hudilite_compacts_what_hudi_logged_and_hudi_goes_on(
    lite: Engine, real: Engine, path: Path, version: int
) -> None:
    turns = Turns(path, version)
    turns.begin(real, real)
    turns.upsert(real, range(20, 50), 2)  # late for some
    assert len(hudilite.table(lite.spark, str(path)).compact().groups) == 2
    turns.check(lite, real)
    turns.check(lite, real, **READ_OPTIMIZED)
    turns.upsert(real, range(5, 45, 3), 4)
    turns.check(lite, real)
    hudilite.table(lite.spark, str(path)).compact()
    turns.check(lite, real, **READ_OPTIMIZED)
    assert layout.pending(path) == layout.strays(path) == []


@VERSIONS
def test_hudi_compacts_what_hudilite_logged_by_a_plan_of_hudilite(
    lite: Engine, real: Engine, path: Path, version: int
) -> None:
    turns = Turns(path, version)
    turns.begin(lite, lite)
    plan = hudilite.table(lite.spark, str(path)).schedule_compaction(strategy="UnBounded")
    assert plan is not None and len(plan.slices) == 2
    turns.upsert(lite, range(15, 45), 2)
    turns.check(lite, real)
    turns.upsert(real, range(0, 40, 7), 5, **INLINE)  # runs the plan, then one of its own
    turns.check(lite, real)
    compactions = [i.time for i in hudilite.table(lite.spark, str(path)).timeline() if i.action == "commit"]
    assert plan.instant in compactions
    assert layout.pending(path) == []

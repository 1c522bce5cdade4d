"""Each engine folds the log files of the other, and both go on with the result."""

from __future__ import annotations

from pathlib import Path

import hudi_rs
import layout
import pytest
from engines import AS_OF, BEGIN, QUERY_TYPE, SELF_CHECK, Engine
from rows import rows_of
from test_compaction_turns import INLINE, READ_OPTIMIZED, Turns

import hudilite

FOLD = {"hoodie.log.compaction.inline": "true", "hoodie.log.compaction.blocks.threshold": "2"}
BY_HEADERS = {"hoodie.optimized.log.blocks.scan.enable": "true"}
VERSIONS = pytest.mark.parametrize("version", [6, 9])
pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about hudilite's own log compaction")


def operations(lite: Engine, path: Path) -> list[str]:
    """Operations of the completed writes, newest first."""
    return [commit.operation for commit in hudilite.table(lite.spark, str(path)).history()]


def fold(lite: Engine, path: Path) -> None:
    assert hudilite.table(lite.spark, str(path)).compact(kind="log", options=FOLD).groups


@VERSIONS
def test_hudi_reads_what_hudilite_folded_goes_on_and_compacts_it(
    lite: Engine, real: Engine, path: Path, version: int
) -> None:
    turns = Turns(path, version)
    turns.begin(lite, lite, real)
    turns.upsert(lite, range(15, 40), 2)  # late for some
    turns.delete(lite, range(4, 24, 4))
    past, before = hudilite.table(lite.spark, str(path)).timeline()[-1].time, turns.model.rows()
    fold(lite, path)
    assert operations(lite, path)[0] == "LOG_COMPACT"
    turns.check(lite, real)
    turns.check(real, **BY_HEADERS)
    turns.upsert(real, range(0, 40, 3), 4)
    turns.upsert(lite, range(4, 12), 6)
    turns.check(lite, real)
    turns.check(real, **BY_HEADERS)
    for engine in (lite, real):
        assert rows_of(engine.read(path, **{AS_OF: past})) == before, engine.name
    turns.upsert(real, range(0, 40, 7), 7, **INLINE)
    assert "COMPACT" in operations(lite, path)
    turns.check(lite, real)
    turns.check(lite, real, **READ_OPTIMIZED)


@VERSIONS
def test_hudi_rs_reads_what_hudilite_folded(lite: Engine, path: Path, version: int) -> None:
    turns = Turns(path, version)
    turns.begin(lite, lite, lite)
    turns.delete(lite, range(4, 24, 4))
    fold(lite, path)
    turns.upsert(lite, range(30, 40), 6)
    turns.check(lite)
    assert hudi_rs.rows_of(path) == turns.model.rows()


@VERSIONS
def test_hudilite_reads_what_hudi_folded_folds_it_again_and_compacts_it(
    lite: Engine, real: Engine, path: Path, version: int
) -> None:
    turns = Turns(path, version)
    turns.begin(real, lite)
    turns.delete(lite, range(4, 24, 4))
    turns.upsert(real, range(20, 35), 5, **FOLD)
    assert "LOG_COMPACT" in operations(lite, path)
    turns.check(lite, real)
    turns.upsert(lite, range(15, 40), 4)
    turns.check(lite, real)
    fold(lite, path)
    turns.check(lite, real)
    turns.check(real, **BY_HEADERS)
    assert hudilite.table(lite.spark, str(path)).compact().groups
    turns.check(lite, real)
    turns.check(lite, real, **READ_OPTIMIZED)


@VERSIONS
def test_rows_that_hudi_folded_are_in_the_ranges_of_their_writes_once_they_are_compacted(
    lite: Engine, real: Engine, path: Path, version: int
) -> None:
    turns = Turns(path, version)
    turns.begin(real, lite)
    before = layout.writes(path)[-1].completed
    turns.upsert(real, range(20, 35), 5, **FOLD)
    assert "LOG_COMPACT" in operations(lite, path)
    assert hudilite.table(lite.spark, str(path)).compact().groups
    turns.upsert(lite, range(12, 20), 6)
    window = {QUERY_TYPE: "incremental", BEGIN: before}
    changed = {row["id"]: row["ts"] for row in lite.read(path, **window).select("id", "ts").collect()}
    assert {key for key, ts in changed.items() if ts > 3} == {f"k{i:03d}" for i in range(12, 35)}

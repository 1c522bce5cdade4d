"""A writer or a compaction of a merge-on-read table, killed half-way: nobody sees it, and the next one cleans up."""

from __future__ import annotations

from pathlib import Path

import layout
import pytest
from engines import QUERY_TYPE, SELF_CHECK, Engine, Shape, frame
from killable_writer import PARTITIONS, batch
from model import Model
from rows import rows_of
from victim import Victim

import hudilite

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about hudilite's own writers")

MERGE_ON_READ = {"hoodie.datasource.write.table.type": "MERGE_ON_READ"}
READ_OPTIMIZED = {QUERY_TYPE: "read_optimized"}
VERSIONS = pytest.mark.parametrize("version", [6, 9])


def logged_table(lite: Engine, path: Path, version: int) -> Model:
    """Every partition has a base file and a log file."""
    model = Model()
    facts = {**Shape(version).options(), **MERGE_ON_READ}
    lite.write(frame(lite.spark, batch(range(200), 1)), path, "insert", **facts)
    model.upsert(batch(range(200), 1))
    write(lite, path, model, range(50, 100), 2)
    return model


def write(lite: Engine, path: Path, model: Model, ids: range, ts: int) -> None:
    lite.write(frame(lite.spark, batch(ids, ts)), path)
    model.upsert(batch(ids, ts))


def killed(path: Path, version: int, operation: str, files: int) -> None:
    """Kills when so many new files have appeared, which is before all have."""
    commits = layout.writes(path)
    with Victim(path, version, operation) as victim:
        victim.go()
        victim.kill_before_completion(lambda: len(victim.new_files()) >= files)
    assert layout.writes(path) == commits


def is_clean(path: Path) -> None:
    assert layout.pending(path) == []
    assert layout.strays(path) == layout.leftovers(path) == []


@VERSIONS
def test_a_writer_killed_while_it_logs(lite: Engine, path: Path, version: int) -> None:
    model = logged_table(lite, path, version)
    known = layout.data_files(path)
    killed(path, version, "upsert", PARTITIONS // 2)
    assert rows_of(lite.read(path)) == model.rows()
    dead = {file: file.read_bytes() for file in layout.data_files(path) if file not in known}
    write(lite, path, model, range(150, 260, 3), 3)
    assert rows_of(lite.read(path)) == model.rows()
    # Version 6 makes its markers after the empty files, so an empty one may stay.
    assert [file for file, data in dead.items() if data and file.exists() and file.read_bytes() == data] == []
    is_clean(path)
    hudilite.table(lite.spark, str(path)).compact()
    assert rows_of(lite.read(path, **READ_OPTIMIZED)) == model.rows()


@pytest.mark.parametrize(("version", "next_step"), [(6, "write"), (9, "compact")])
def test_a_compaction_killed_half_way(lite: Engine, path: Path, version: int, next_step: str) -> None:
    model = logged_table(lite, path, version)
    killed(path, version, "compact", PARTITIONS // 2)
    (plan,) = layout.pending(path)
    assert rows_of(lite.read(path)) == model.rows()
    if next_step == "write":
        write(lite, path, model, range(40, 240, 3), 3)
        assert rows_of(lite.read(path)) == model.rows()
    result = hudilite.table(lite.spark, str(path)).compact()
    assert result.instants == (plan,) and len(result.groups) == PARTITIONS
    assert rows_of(lite.read(path)) == model.rows()
    is_clean(path)
    hudilite.table(lite.spark, str(path)).compact()
    assert rows_of(lite.read(path, **READ_OPTIMIZED)) == model.rows()

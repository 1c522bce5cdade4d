"""A writer killed at any moment leaves the table as it was, and the next write cleans up after it."""

from __future__ import annotations

from pathlib import Path

import layout
import pytest
from engines import AS_OF, SELF_CHECK, Engine, Shape, frame
from killable_writer import PARTITIONS, batch
from model import Model
from rows import rows_of
from victim import Victim, is_whole

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about hudilite's own writers")


def started_table(lite: Engine, path: Path, version: int) -> Model:
    model = Model()
    lite.write(frame(lite.spark, batch(range(200), 1)), path, "insert", **Shape(version).options())
    model.upsert(batch(range(200), 1))
    return model


def stays_as_it_was(lite: Engine, path: Path, model: Model, commits: list[layout.Instant]) -> None:
    assert layout.writes(path) == commits
    assert rows_of(lite.read(path)) == model.rows()
    assert rows_of(lite.read(path, **{AS_OF: "2999-01-01"})) == model.rows()


def next_write_cleans_up(lite: Engine, path: Path, model: Model) -> None:
    lite.write(frame(lite.spark, batch(range(150, 260, 3), 3)), path)
    model.upsert(batch(range(150, 260, 3), 3))
    assert rows_of(lite.read(path)) == model.rows()
    assert layout.strays(path) == []
    assert layout.pending(path) == []
    assert layout.leftovers(path) == []


# KilledWriterSuite kills writers of both versions before every call to the storage.
@pytest.mark.parametrize(("version", "moment"), [(9, "inflight"), (6, "many_data_files")])
def test_an_upsert_killed_on_its_way(lite: Engine, path: Path, version: int, moment: str) -> None:
    model = started_table(lite, path, version)
    commits = layout.writes(path)
    with Victim(path, version) as victim:
        victim.go()
        if moment == "inflight":
            victim.wait_until(lambda: victim.timeline_has("inflight"))
            victim.kill()
        else:
            victim.kill_before_completion(lambda: len(victim.new_files()) >= PARTITIONS // 2)
    stays_as_it_was(lite, path, model, commits)
    next_write_cleans_up(lite, path, model)


@pytest.mark.parametrize(("version", "operation"), [(6, "upsert"), (9, "insert_overwrite_table")])
def test_a_write_killed_right_before_its_completion(lite: Engine, path: Path, version: int, operation: str) -> None:
    model = started_table(lite, path, version)
    commits = layout.writes(path)
    with Victim(path, version, operation) as victim:
        victim.go()
        victim.kill_before_completion(
            lambda: len(victim.new_files()) >= PARTITIONS and all(map(is_whole, victim.new_files()))
        )
    stays_as_it_was(lite, path, model, commits)
    assert len(layout.strays(path)) >= PARTITIONS
    next_write_cleans_up(lite, path, model)


def test_the_first_write_of_a_table_killed_on_its_way(lite: Engine, path: Path) -> None:
    with Victim(path, 9) as victim:
        victim.go()
        victim.kill_before_completion(lambda: len(victim.new_files()) >= 1)
    assert layout.writes(path) == []
    model = Model()
    lite.write(frame(lite.spark, batch(range(50), 3)), path, **Shape().options())
    model.upsert(batch(range(50), 3))
    assert rows_of(lite.read(path)) == model.rows()
    assert layout.strays(path) == []
    assert layout.pending(path) == []

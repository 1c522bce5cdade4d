"""Each engine cleans, archives, saves and rolls back what the other wrote, and goes on."""

from __future__ import annotations

import copy
import shutil
from pathlib import Path

import layout
import pytest
from engines import SELF_CHECK, Engine, Shape, frame, record
from model import Model
from rows import rows_of

import hudilite

VERSIONS = pytest.mark.parametrize("version", [6, 9])
OFF = {"hoodie.clean.automatic": "false", "hoodie.archive.automatic": "false"}
EAGER = {
    "hoodie.clean.commits.retained": "2",
    "hoodie.keep.min.commits": "3",
    "hoodie.keep.max.commits": "4",
    "hoodie.timeline.compaction.batch.size": "2",
}
pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about hudilite's own services")


class Turns:
    """A copy-on-write table that both engines write to, with its model."""

    def __init__(self, path: Path, version: int) -> None:
        self.path, self.version, self.model, self.ts = path, version, Model(), 0

    def upsert(self, engine: Engine, ids: range = range(8), **options: str) -> None:
        self.ts += 1
        rows = [record(f"k{i:03d}", self.ts, f"2026-01-0{i % 2 + 1}", price=i + self.ts / 10) for i in ids]
        given = Shape(self.version).options() if engine.repeat_facts or not self.path.exists() else {}
        engine.write(frame(engine.spark, rows), self.path, **{**given, **options})
        self.model.upsert(rows)

    def check(self, *engines: Engine) -> None:
        for engine in engines:
            assert rows_of(engine.read(self.path)) == self.model.rows(), engine.name


def data_files(path: Path) -> set[str]:
    return {str(f.relative_to(path)) for f in path.rglob("*.parquet") if ".hoodie" not in f.parts}


def hudi_cleans(real: Engine, path: Path, arguments: str) -> None:
    """Hudi's cleaning, which is called by the name of a table."""
    real.spark.sql(f"CREATE TABLE to_clean USING hudi LOCATION '{path}'")
    try:
        call = f"CALL run_clean(table => 'to_clean', {arguments}, options => 'hoodie.metadata.enable=false')"
        real.spark.sql(call).collect()
    finally:
        real.spark.sql("DROP TABLE to_clean")


@VERSIONS
@pytest.mark.parametrize(
    ("policy", "retain", "argument"),
    [
        ("KEEP_LATEST_COMMITS", 3, "retain_commits"),
        ("KEEP_LATEST_FILE_VERSIONS", 2, "file_versions_retained"),
        ("KEEP_LATEST_BY_HOURS", 7, "hours_retained"),
    ],
)
def test_a_cleaning_leaves_the_files_that_hudis_leaves(
    lite: Engine, real: Engine, path: Path, version: int, policy: str, retain: int, argument: str
) -> None:
    turns = Turns(path, version)
    for n in range(7):
        turns.upsert(real if n % 2 else lite, range(8) if n % 3 else range(0, 8, 2), **OFF)
    layout.aged(path, hours_apart=2)
    twin = path.with_name("twin")
    shutil.copytree(path, twin)
    before = data_files(path)
    hudilite.table(lite.spark, str(path)).clean(policy, retain)  # type: ignore[call-overload]
    hudi_cleans(real, twin, f"clean_policy => '{policy}', {argument} => {retain}")
    assert data_files(path) == data_files(twin) < before
    turns.check(lite, real)
    turns.upsert(real, **OFF)
    turns.check(lite, real)


@VERSIONS
def test_both_clean_and_archive_as_they_write(lite: Engine, real: Engine, path: Path, version: int) -> None:
    turns = Turns(path, version)
    for n in range(18):
        turns.upsert((lite, real)[n // 3 % 2], **EAGER)
        turns.check(lite, real)
    assert len(hudilite.table(lite.spark, str(path)).history()) <= 5
    assert len(data_files(path)) <= 2 * 4
    assert layout.pending(path) == layout.strays(path) == []
    archived = [
        f for folder in ("archived", "timeline/history", "history") for f in (path / ".hoodie" / folder).glob("*")
    ]
    assert archived


@VERSIONS
def test_saved_by_one_and_cleaned_and_rolled_back_by_the_other(
    lite: Engine, real: Engine, path: Path, version: int
) -> None:
    turns = Turns(path, version)
    turns.upsert(lite, **OFF)
    table = hudilite.table(lite.spark, str(path))
    first = table.savepoint(comment="by hudilite")
    saved = rows_of(lite.read(path))
    for engine in (real, lite, real, lite):
        turns.upsert(engine, **OFF)
    shown = [row["savepoint_time"] for row in real.spark.sql(f"CALL show_savepoints(path => '{path}')").collect()]
    assert shown == [first.instant]
    hudi_cleans(real, path, "clean_policy => 'KEEP_LATEST_FILE_VERSIONS', file_versions_retained => 1")
    assert rows_of(table.rows(first.instant)) == saved
    before = copy.deepcopy(turns.model)
    turns.upsert(real, range(20), **OFF)
    assert table.rollback().files >= 2
    turns.model = before
    turns.check(lite, real)
    turns.upsert(real, **OFF)
    turns.check(lite, real)


@VERSIONS
def test_restored_by_one_and_written_and_restored_by_the_other(
    lite: Engine, real: Engine, path: Path, version: int
) -> None:
    turns = Turns(path, version)
    turns.upsert(real, **OFF)
    turns.upsert(lite, range(6, 12), **OFF)
    table = hudilite.table(lite.spark, str(path))
    saved, model = table.savepoint(), copy.deepcopy(turns.model)
    for engine in (real, lite):
        turns.upsert(engine, range(4, 20), **OFF)
    hudi_cleans(real, path, "clean_policy => 'KEEP_LATEST_FILE_VERSIONS', file_versions_retained => 1")
    assert len(table.restore(saved.instant).writes) == 2
    turns.model = copy.deepcopy(model)
    turns.check(lite, real)
    for engine in (real, lite, real):
        turns.upsert(engine, range(2, 14), **OFF)
        turns.check(lite, real)
    real.spark.sql(f"CREATE TABLE to_restore USING hudi LOCATION '{path}'")
    try:
        real.spark.sql(
            f"CALL rollback_to_savepoint(table => 'to_restore', instant_time => '{saved.instant}')"
        ).collect()
    finally:
        real.spark.sql("DROP TABLE to_restore")
    turns.model = copy.deepcopy(model)
    turns.check(lite, real)
    turns.upsert(lite, **OFF)
    turns.upsert(real, **OFF)
    turns.check(lite, real)
    assert layout.pending(path) == []

"""Each engine cleans, archives, saves and rolls back what the other wrote, and goes on."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import layout
import pytest
from conditions import fails_with
from engines import SELF_CHECK, Engine, Shape, frame, list_anew, record
from model import Model, Record
from rows import META, read_lines, rows_of, rows_with_keys

import hudilite

VERSIONS = pytest.mark.parametrize("version", [6, 9])
OFF = {"hoodie.clean.automatic": "false", "hoodie.archive.automatic": "false"}
EAGER = {
    "hoodie.clean.commits.retained": "2",
    "hoodie.keep.min.commits": "3",
    "hoodie.keep.max.commits": "4",
    "hoodie.timeline.compaction.batch.size": "2",
}
MERGE_ON_READ = {"hoodie.datasource.write.table.type": "MERGE_ON_READ"}
pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about hudilite's own services")


class Turns:
    """A table that both engines write to, with its model; copy-on-write unless more facts say something else."""

    def __init__(self, path: Path, version: int, facts: Mapping[str, str] | None = None) -> None:
        self.path, self.model, self.ts = path, Model(), 0
        self.facts = {**Shape(version).options(), **(facts or {})}

    def upsert(self, engine: Engine, ids: range = range(8), **options: str) -> None:
        self.model.upsert(self._write(engine, ids, "upsert", **options))

    def overwrite(self, engine: Engine, ids: range, **options: str) -> None:
        """New rows in the place of all of their partitions."""
        self.model.overwrite_partitions(self._write(engine, ids, "insert_overwrite", **options))

    def _write(self, engine: Engine, ids: range, operation: str, **options: str) -> list[Record]:
        self.ts += 1
        rows = [record(f"k{i:03d}", self.ts, f"2026-01-0{i % 2 + 1}", price=i + self.ts / 10) for i in ids]
        given = self.facts if engine.repeat_facts or not self.path.exists() else {}
        engine.write(frame(engine.spark, rows), self.path, operation, **{**given, **options})
        return rows

    def check(self, *engines: Engine) -> None:
        for engine in engines:
            assert rows_of(engine.read(self.path)) == self.model.rows(), engine.name


def data_files(path: Path) -> set[str]:
    return {str(f.relative_to(path)) for f in path.rglob("*.parquet") if ".hoodie" not in f.parts}


def files(path: Path) -> set[str]:
    """Base and log files."""
    return {str(f.relative_to(path)) for f in layout.data_files(path)}


def table_version(path: Path) -> str:
    lines = (path / ".hoodie" / "hoodie.properties").read_text().splitlines()
    return next(line.partition("=")[2] for line in lines if line.startswith("hoodie.table.version="))


def hudi_calls(real: Engine, path: Path, procedure: str, arguments: str) -> None:
    """A procedure of Hudi's: called by the name of a table, whose version it raises unless the session says no."""
    version = table_version(path)
    settings = {"hoodie.write.auto.upgrade": "false", "hoodie.write.table.version": version}
    for name, value in {**settings, "hoodie.metadata.enable": "false"}.items():
        real.spark.conf.set(name, value)
    real.spark.sql(f"CREATE TABLE to_serve USING hudi LOCATION '{path}'")
    try:
        real.spark.sql(f"CALL {procedure}(table => 'to_serve', {arguments})").collect()
    finally:
        real.spark.sql("DROP TABLE to_serve")
        for name in (*settings, "hoodie.metadata.enable"):
            real.spark.conf.unset(name)
    assert table_version(path) == version


def hudi_cleans(real: Engine, path: Path, arguments: str) -> None:
    hudi_calls(real, path, "run_clean", f"{arguments}, options => 'hoodie.metadata.enable=false'")


def only_planned(path: Path, action: str, run: Callable[[], object]) -> str:
    """Runs an action; the table is again as it was before, and has the plan: its instant."""
    before = path.with_name("before")
    shutil.copytree(path, before)
    known = {f.name for f in layout.timeline_folder(path).iterdir()}
    run()
    plans = [f for f in layout.timeline_folder(path).glob(f"*.{action}.requested") if f.name not in known]
    (content,) = (f.read_bytes() for f in plans)
    shutil.rmtree(path)
    before.rename(path)
    plans[0].write_bytes(content)
    list_anew(plans[0])
    return plans[0].name.split(".")[0]


# A policy keeps the same states in each version, which decides the place of the timeline and the form of cleans.
@pytest.mark.parametrize(
    ("version", "policy", "retain", "argument"),
    [
        (6, "KEEP_LATEST_COMMITS", 3, "retain_commits"),
        (9, "KEEP_LATEST_COMMITS", 3, "retain_commits"),
        (9, "KEEP_LATEST_FILE_VERSIONS", 2, "file_versions_retained"),
        (6, "KEEP_LATEST_BY_HOURS", 7, "hours_retained"),
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


@pytest.mark.parametrize(
    ("version", "policy", "retain", "argument"),
    [(6, "KEEP_LATEST_FILE_VERSIONS", 1, "file_versions_retained"), (9, "KEEP_LATEST_COMMITS", 2, "retain_commits")],
)
def test_a_cleaning_of_logs_replaced_groups_and_a_savepoint_leaves_the_files_that_hudis_leaves(
    lite: Engine, real: Engine, path: Path, version: int, policy: str, retain: int, argument: str
) -> None:
    turns = Turns(path, version, MERGE_ON_READ)
    table = hudilite.table(lite.spark, str(path))
    for engine in (lite, real):
        turns.upsert(engine, **OFF)
    table.savepoint()
    for engine in (real, lite, real):
        turns.upsert(engine, range(0, 8, 2), **OFF)
        table.compact()
    turns.overwrite(lite, range(1, 8, 2), **OFF)
    for engine in (lite, real):
        turns.upsert(engine, **OFF)
    table.compact()
    turns.upsert(lite, range(4), **OFF)
    twin = path.with_name("twin")
    shutil.copytree(path, twin)
    before = files(path)
    table.clean(policy, retain)  # type: ignore[call-overload]
    hudi_cleans(real, twin, f"clean_policy => '{policy}', {argument} => {retain}")
    assert files(path) == files(twin) < before
    assert {f.rsplit(".", 1)[-1] == "parquet" for f in before - files(path)} == {True, False}
    turns.check(lite, real)


@VERSIONS
def test_a_cleaning_that_one_has_planned_is_run_by_the_other(
    lite: Engine, real: Engine, path: Path, version: int
) -> None:
    one = "clean_policy => 'KEEP_LATEST_FILE_VERSIONS', file_versions_retained => 1"
    turns = Turns(path, version)
    for engine in (lite, real, lite):
        turns.upsert(engine, **OFF)
    call = f"CALL hudilite.system.run_clean(table => '{path}', op => 'schedule', {one})"
    (plan,) = lite.spark.sql(call).collect()
    before = data_files(path)
    assert layout.pending(path) == [plan["start_clean_time"]] and len(plan["files"]) == 4
    hudi_cleans(real, path, "schedule_in_line => false")
    assert data_files(path) == before - set(plan["files"]) and layout.pending(path) == []
    turns.check(lite, real)
    for engine in (real, lite):
        turns.upsert(engine, **OFF)
    left = []

    def cleaned() -> None:
        hudi_cleans(real, path, one)
        left.append(data_files(path))

    planned = only_planned(path, "clean", cleaned)
    (expected,) = left
    assert len(data_files(path) - expected) == 4
    call = f"CALL hudilite.system.run_clean(table => '{path}', op => 'execute'"
    (shown,) = lite.spark.sql(f"{call}, dry_run => true)").collect()
    assert shown["start_clean_time"] == planned and set(shown["files"]) == data_files(path) - expected
    (run,) = lite.spark.sql(f"{call})").collect()
    assert run["start_clean_time"] == planned and run["total_files_deleted"] == 4
    assert data_files(path) == expected and layout.pending(path) == []
    turns.check(lite, real)
    turns.upsert(real, **OFF)
    turns.check(lite, real)


@VERSIONS
def test_both_clean_and_archive_as_they_write(lite: Engine, real: Engine, path: Path, version: int) -> None:
    turns = Turns(path, version)
    for n in range(18):
        turns.upsert((lite, real)[n // 3 % 2], **EAGER)
        if n % 3 == 2:  # the other goes on
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
    hudi_calls(real, path, "rollback_to_savepoint", f"instant_time => '{saved.instant}'")
    turns.model = copy.deepcopy(model)
    turns.check(lite, real)
    turns.upsert(lite, **OFF)
    turns.upsert(real, **OFF)
    turns.check(lite, real)
    assert layout.pending(path) == []


# Hudi's rollback_to_instant does not find the timeline of a version 6 table.
@pytest.mark.parametrize("version", [9])
def test_saved_by_hudi_and_restored_and_given_free_by_hudilite_and_the_other_way_round(
    lite: Engine, real: Engine, path: Path, version: int
) -> None:
    turns = Turns(path, version)
    turns.upsert(lite, **OFF)
    turns.upsert(real, **OFF)
    table = hudilite.table(lite.spark, str(path))
    newest, model = table.history()[0].time, copy.deepcopy(turns.model)
    hudi_calls(real, path, "create_savepoint", f"commit_time => '{newest}', comments => 'by Hudi'")
    (saved,) = table.savepoints()
    assert (saved.instant, saved.comment, saved.files) == (newest, "by Hudi", 2)
    for engine in (lite, real):
        turns.upsert(engine, range(4, 20), **OFF)
    assert len(table.restore(newest).writes) == 2
    turns.model = copy.deepcopy(model)
    turns.check(lite, real)
    assert table.delete_savepoint(newest) == saved
    assert real.spark.sql(f"CALL show_savepoints(path => '{path}')").collect() == []
    assert table.savepoint().instant == newest
    hudi_calls(real, path, "delete_savepoint", f"instant_time => '{newest}'")
    assert table.savepoints() == []
    turns.upsert(lite, range(20), **OFF)
    hudi_calls(real, path, "rollback_to_instant", f"instant_time => '{table.history()[0].time}'")
    turns.model = copy.deepcopy(model)
    turns.check(lite, real)
    for engine in (lite, real):
        turns.upsert(engine, **OFF)
        turns.check(lite, real)
    assert layout.pending(path) == layout.strays(path) == []


def test_a_version_6_table_that_hudi_saved_goes_on_with_hudilite_and_is_restored(
    lite: Engine, real: Engine, golden_root: Path, golden_copy: Callable[[str], Path]
) -> None:
    path, expect = golden_copy("savepoint-rollback-v6"), golden_root / "savepoint-rollback-v6" / "expect"
    table = hudilite.table(lite.spark, str(path))
    (saved,) = table.savepoints()
    rows = lite.read(path).limit(9).selectExpr("id", "50L ts", "dt", "'new' colour", "price", "n")
    for n in range(2):
        lite.write(rows.withColumn("ts", rows["ts"] + n), path)
        assert rows_with_keys(real.read(path)) == rows_with_keys(lite.read(path))
        assert real.read(path).where(f"ts = {50 + n} AND colour = 'new'").count() == 9
    assert len(table.restore(saved.instant).writes) == 3
    expected = read_lines(expect / "restored.jsonl")
    assert rows_with_keys(real.read(path)) == rows_with_keys(lite.read(path)) == expected
    facts = json.loads((expect / "facts.json").read_text())["options"]
    real.write(rows.select(*real.read(path).drop(*META).columns), path, **facts)
    assert rows_with_keys(real.read(path)) == rows_with_keys(lite.read(path)) != expected
    assert table_version(path) == "6" and layout.pending(path) == layout.strays(path) == []


@VERSIONS
def test_what_hudi_has_planned_is_not_planned_again(lite: Engine, real: Engine, path: Path, version: int) -> None:
    turns = Turns(path, version)
    for n in range(4):
        turns.upsert(real, range(4 * (n // 2), 4 * (n // 2) + 4), **OFF, **{"hoodie.parquet.small.file.limit": "0"})
    one = "clean_policy => 'KEEP_LATEST_FILE_VERSIONS', file_versions_retained => 1"
    cleaning = only_planned(path, "clean", lambda: hudi_cleans(real, path, one))
    scheduled = f"CALL hudilite.system.run_clean(path => '{path}', {one}, op => 'schedule')"
    for _ in range(2):
        (row,) = lite.spark.sql(scheduled).collect()
        assert row["start_clean_time"] == cleaning and len(row["files"]) == 4
    hudi_calls(real, path, "run_clustering", "op => 'schedule'")
    table = hudilite.table(lite.spark, str(path))
    (clustering,) = set(layout.pending(path)) - {cleaning}
    assert table.schedule_clustering() is None and len(layout.pending(path)) == 2
    assert table.clean().instants == (cleaning,) and table.cluster().instants == (clustering,)
    turns.check(lite, real)
    assert layout.pending(path) == []


@VERSIONS
def test_a_clustering_that_hudi_planned_and_whose_files_are_gone_is_refused_and_taken_back(
    lite: Engine, real: Engine, path: Path, version: int
) -> None:
    turns = Turns(path, version)
    for n in range(3):
        turns.upsert(real, range(4 * n, 4 * n + 4), **OFF, **{"hoodie.parquet.small.file.limit": "0"})
    hudi_calls(real, path, "run_clustering", "op => 'schedule'")
    table = hudilite.table(lite.spark, str(path))
    (plan,) = table.cluster(dry_run=True)
    assert plan.instant is not None
    lost = layout.base_files(path)[0]
    content = lost.read_bytes()
    lost.unlink()
    list_anew(lost)
    before = layout.fingerprint(path)
    with fails_with("CORRUPT_FILE", lost.name, plan.instant, "it is gone"):
        table.cluster()
    assert layout.fingerprint(path).keys() - before.keys() <= {".hoodie/.hudilite.lock"}
    lost.write_bytes(content)
    list_anew(lost)
    assert table.rollback(plan.instant).write == plan.instant and layout.pending(path) == []
    turns.upsert(real, **OFF)
    turns.check(lite, real)


@VERSIONS
def test_a_restore_that_one_has_planned_is_ended_by_the_other(
    lite: Engine, real: Engine, path: Path, version: int
) -> None:
    turns = Turns(path, version)
    turns.upsert(lite, **OFF)
    turns.upsert(real, **OFF)
    table = hudilite.table(lite.spark, str(path))
    saved, model = table.savepoint(), copy.deepcopy(turns.model)

    def by_hudi() -> None:
        hudi_calls(real, path, "rollback_to_savepoint", f"instant_time => '{saved.instant}'")

    def by_hudilite() -> str | None:
        return table.restore(saved.instant).instant

    for first, second in ((by_hudi, by_hudilite), (by_hudilite, by_hudi)):
        for engine in (real, lite):
            turns.upsert(engine, range(4, 20), **OFF)
        planned = only_planned(path, "restore", first)
        assert layout.pending(path) == [planned]
        assert second() in (planned, None)
        assert layout.pending(path) == layout.strays(path) == []
        turns.model = copy.deepcopy(model)
        turns.check(lite, real)
    turns.upsert(lite, **OFF)
    turns.upsert(real, **OFF)
    turns.check(lite, real)

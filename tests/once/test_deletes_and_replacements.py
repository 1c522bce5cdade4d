"""Taking rows away: deletes, overwritten partitions and tables, dropped partitions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import layout
import pytest
from conditions import fails_with
from engines import INDEX, Engine, Shape, frame, record
from model import Model
from rows import rows_of
from test_write_and_read import Story, days

import hudilite
from hudilite import cli

DROP = "hoodie.datasource.write.partitions.to.delete"
VERSIONS = pytest.mark.parametrize("version", [6, 9])


@VERSIONS
@pytest.mark.parametrize("index", ["SIMPLE", "GLOBAL_BLOOM"])
def test_delete_drops_the_given_keys(lite: Engine, path: Path, version: int, index: str) -> None:
    story = Story(lite, path, Shape(version, extra={INDEX: index}))
    story.upsert(days(range(30), 5))
    gone = [*days(range(0, 30, 4), 1), record("nobody", 9)]
    story.write(gone, "delete", **{INDEX: index})
    story.model.delete(gone)
    story.check()
    story.upsert(days(range(0, 10, 2), 6), **{INDEX: index})


def test_a_whole_file_group_can_be_deleted_and_filled_again(lite: Engine, path: Path) -> None:
    story = Story(lite, path, Shape())
    story.upsert(days(range(30), 1))
    gone = [row for row in days(range(30), 2) if row["dt"] == "2026-01-02"]
    story.write(gone, "delete")
    story.model.delete(gone)
    story.check()
    story.upsert(gone)


def test_everything_can_be_deleted(lite: Engine, path: Path) -> None:
    story = Story(lite, path, Shape())
    story.upsert(days(range(9), 1))
    story.write(days(range(9), 2), "delete")
    story.model.delete(days(range(9), 2))
    story.check()
    assert lite.read(path).count() == 0
    story.upsert(days(range(3), 3))


@VERSIONS
def test_insert_overwrite_replaces_only_the_partitions_of_the_batch(lite: Engine, path: Path, version: int) -> None:
    story = Story(lite, path, Shape(version))
    story.upsert(days(range(12), 1))
    batch = [record("n1", 0, "2026-01-02"), record("n2", 0, "2026-09-09")]
    story.write(batch, "insert_overwrite")
    story.model.overwrite_partitions(batch)
    story.check()
    story.upsert([record("n1", 1, "2026-01-02", "blue"), record("k001", 1, "2026-01-02")])


@VERSIONS
def test_insert_overwrite_table_replaces_everything(lite: Engine, path: Path, version: int) -> None:
    story = Story(lite, path, Shape(version))
    story.upsert(days(range(12), 1))
    batch = [record("n1", 0, "2026-01-02"), record("n2", 0, "2026-09-09")]
    story.write(batch, "insert_overwrite_table")
    story.model.overwrite_table(batch)
    story.check()
    story.upsert(days(range(5), 2))


@VERSIONS
def test_delete_partition_drops_the_named_ones(lite: Engine, path: Path, version: int) -> None:
    story = Story(lite, path, Shape(version))
    story.upsert(days(range(12), 1))
    story.write([], "delete_partition", **{DROP: "2026-01-01,2026-01-03"})
    story.model.delete_partitions("2026-01-01", "2026-01-03")
    story.check()
    story.upsert(days(range(12), 2))


def test_delete_partition_takes_a_wildcard(lite: Engine, path: Path) -> None:
    story = Story(lite, path, Shape())
    story.upsert([record("a", 1, "2025-12-31"), record("b", 1, "2026-01-01"), record("c", 1, "2026-01-02")])
    story.write([], "delete_partition", **{DROP: "2026-01-*"})
    story.model.delete_partitions("2026-01-01", "2026-01-02")
    story.check()


def test_a_partition_is_dropped_by_its_name(lite: Engine, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    story = Story(lite, path, Shape())
    story.upsert(days(range(12), 1))
    table = hudilite.table(lite.spark, str(path))
    plan = table.delete_partition(["2026-01-01", "2026-01-03"], dry_run=True)
    assert plan.instant is None and [p.partition for p in plan.partitions] == ["2026-01-01", "2026-01-03"]
    story.check()
    done = table.delete_partition("2026-01-01")
    assert done.instant == table.history()[0].time and done.partitions == plan.partitions[:1]
    with fails_with("PARTITION_NOT_FOUND"):
        table.delete_partition("2026-01-01")
    assert cli.main(["delete-partition", str(path), "2026-01-03", "--json"]) == 0
    assert [p["partition"] for p in json.loads(capsys.readouterr().out)] == ["2026-01-03"]
    story.model.delete_partitions("2026-01-01", "2026-01-03")
    story.check()


def test_partitions_that_nobody_writes_to_expire(
    lite: Engine, golden_copy: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = golden_copy("cow-basic-v9")  # written long ago
    table = hudilite.table(lite.spark, str(path))
    with fails_with("INVALID_OPTION_VALUE"):
        table.expire_partitions()
    assert table.expire_partitions(100_000).partitions == ()
    said = {"hoodie.partition.ttl.strategy.days.retain": "2"}
    assert table.expire_partitions(100_000, options=said, dry_run=True).partitions == ()
    call = f"CALL hudilite.system.expire_partitions(path => '{path}', days => 100000, dry_run => true, options => "
    assert lite.spark.sql(call + "'hoodie.partition.ttl.strategy.days.retain=2')").count() == 0
    plan = table.expire_partitions(2, dry_run=True)
    first = plan.partitions[0].partition
    one = {"hoodie.partition.ttl.strategy.partition.selected": first}
    assert [p.partition for p in table.expire_partitions(2, options=one).partitions] == [first]
    assert cli.main(["expire-partitions", str(path), "--days", "2", "--json"]) == 0
    assert [p["partition"] for p in json.loads(capsys.readouterr().out)] == [p.partition for p in plan.partitions[1:]]
    assert rows_of(lite.read(path)) == []


def test_history_before_an_overwrite_stays_readable(lite: Engine, path: Path) -> None:
    story = Story(lite, path, Shape())
    story.upsert(days(range(12), 1))
    before = story.model.rows()
    story.write([record("n1", 0, "2026-01-02")], "insert_overwrite_table")
    instant = layout.writes(path)[0]
    assert rows_of(lite.read(path, **{"as.of.instant": instant.requested})) == before


@pytest.mark.parametrize("index", ["GLOBAL_SIMPLE", "GLOBAL_BLOOM"])
def test_a_record_moves_to_its_new_partition(lite: Engine, path: Path, index: str) -> None:
    story = Story(lite, path, Shape(extra={INDEX: index}), Model(is_global=True))
    story.upsert([record(f"k{i}", 1, "d1") for i in range(6)])
    moved: list[dict[str, Any]] = [record(f"k{i}", 2, f"d{i}") for i in range(4)]
    story.upsert(moved, **{INDEX: index})
    story.upsert([record("k0", 3, "d1"), record("k5", 3, "d1"), record("k9", 3, "d9")], **{INDEX: index})
    story.write([record("k1", 1, "anywhere")], "delete", **{INDEX: index})
    story.model.delete([record("k1", 1, "anywhere")])
    story.check()


@pytest.mark.parametrize("kind", ["simple", "bloom"])
def test_a_record_stays_when_moves_are_off(lite: Engine, path: Path, kind: str) -> None:
    stay = {INDEX: f"GLOBAL_{kind.upper()}", f"hoodie.{kind}.index.update.partition.path": "false"}
    facts = Shape(extra=stay).options()
    lite.write(frame(lite.spark, [record("a", 1, "d1"), record("b", 1, "d2")]), path, **facts)
    lite.write(frame(lite.spark, [record("a", 2, "d2")]), path, **(facts if lite.repeat_facts else stay))
    found = lite.read(path).select("_hoodie_record_key", "_hoodie_partition_path", "ts").orderBy("ts").collect()
    assert [tuple(row) for row in found] == [("b", "d2", 1), ("a", "d1", 2)]

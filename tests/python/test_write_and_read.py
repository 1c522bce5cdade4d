"""The daily job: create a table, upsert into it, read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import layout
import pytest
from conditions import fails_with
from engines import INDEX, KEY_GENERATOR, ORDERING, PARTITION, RECORD_KEY, Engine, Shape, frame, record
from model import Model
from rows import rows_of

VERSIONS = pytest.mark.parametrize("version", [6, 8, 9])
INDEXES = pytest.mark.parametrize("index", ["SIMPLE", "BLOOM", "GLOBAL_SIMPLE", "GLOBAL_BLOOM"])


class Story:
    """A table and its model; facts of the table come with the first write only."""

    def __init__(self, engine: Engine, path: Path, shape: Shape, model: Model | None = None) -> None:
        self.engine, self.path, self.shape = engine, path, shape
        self.model = model or Model(shape.key, shape.partition, shape.ordering)

    def write(self, batch: list[dict[str, Any]], operation: str = "upsert", **options: str) -> None:
        facts = self.shape.options() if self.engine.repeat_facts or not self.path.exists() else {}
        self.engine.write(frame(self.engine.spark, batch), self.path, operation, **{**facts, **options})

    def upsert(self, batch: list[dict[str, Any]], operation: str = "upsert", **options: str) -> None:
        self.write(batch, operation, **options)
        self.model.upsert(batch)
        self.check()

    def check(self) -> None:
        assert rows_of(self.engine.read(self.path)) == self.model.rows()
        assert layout.pending(self.path) == []
        assert layout.strays(self.path) == []
        assert layout.leftovers(self.path) == []


def days(ids: range, ts: int, count: int = 3) -> list[dict[str, Any]]:
    """Rows over `count` partitions; the partition follows from the id."""
    return [record(f"k{i:03d}", ts, f"2026-01-0{i % count + 1}", price=i + ts / 10) for i in ids]


@VERSIONS
@INDEXES
def test_upserts_insert_new_keys_and_replace_known_ones(lite: Engine, path: Path, version: int, index: str) -> None:
    story = Story(lite, path, Shape(version, extra={INDEX: index}))
    story.upsert(days(range(40), 1))
    story.upsert(days(range(30, 50), 2), **{INDEX: index})
    story.upsert(days(range(0, 60, 7), 3), **{INDEX: index})
    properties = (path / ".hoodie" / "hoodie.properties").read_text()
    assert f"hoodie.table.version={version}" in properties


@pytest.mark.parametrize("first", ["insert", "bulk_insert", "upsert"])
def test_any_write_operation_can_create_the_table(lite: Engine, path: Path, first: str) -> None:
    story = Story(lite, path, Shape())
    story.upsert(days(range(20), 1), first)
    story.upsert(days(range(15, 30), 2))


@pytest.mark.parametrize("mode", ["NONE", "PARTITION_SORT", "GLOBAL_SORT"])
def test_bulk_insert_sorts_as_asked(lite: Engine, path: Path, mode: str) -> None:
    story = Story(lite, path, Shape())
    story.upsert(days(range(50), 1), "bulk_insert", **{"hoodie.bulkinsert.sort.mode": mode})
    story.upsert(days(range(25, 60), 2))


def test_later_writes_need_no_options(lite: Engine, path: Path) -> None:
    if lite.repeat_facts:
        pytest.skip("Apache Hudi wants the table's facts with every write")
    story = Story(lite, path, Shape())
    story.upsert(days(range(10), 1))
    frame(lite.spark, days(range(5, 15), 2)).write.format(lite.name).mode("append").save(str(path))
    story.model.upsert(days(range(5, 15), 2))
    story.check()


def test_rows_with_one_key_in_one_batch_become_the_newest_one(lite: Engine, path: Path) -> None:
    story = Story(lite, path, Shape())
    story.write([record("a", 2, colour="new"), record("a", 3, colour="newest"), record("a", 1, colour="old")])
    story.model.upsert([record("a", 3, colour="newest")])
    story.check()
    story.write([record("a", 5, colour="b"), record("a", 4, colour="c"), record("z", 1)])
    story.model.upsert([record("a", 5, colour="b"), record("z", 1)])
    story.check()


def test_a_late_event_does_not_replace_a_newer_row(lite: Engine, path: Path) -> None:
    story = Story(lite, path, Shape())
    story.upsert([record("a", 10), record("b", 10)])
    story.upsert([record("a", 9, colour="late"), record("b", 10, colour="same time"), record("c", 1)])
    found = {row["id"]: row["colour"] for row in lite.read(path).collect()}
    assert found == {"a": "red", "b": "same time", "c": "red"}


def test_without_an_ordering_field_the_last_write_wins(lite: Engine, path: Path) -> None:
    story = Story(lite, path, Shape(ordering=None))
    story.upsert([record("a", 10), record("b", 10)])
    story.upsert([record("a", 9, colour="late")])


def test_commit_time_order_ignores_the_ordering_field(lite: Engine, path: Path) -> None:
    shape = Shape(extra={"hoodie.write.record.merge.mode": "COMMIT_TIME_ORDERING"})
    story = Story(lite, path, shape, Model(ordering=None))
    story.upsert([record("a", 10), record("b", 10)])
    story.upsert([record("a", 9, colour="late")])


def test_rows_marked_as_deleted_are_dropped(lite: Engine, path: Path) -> None:
    schema = "id string, ts long, dt string, colour string, price double, _hoodie_is_deleted boolean"
    story = Story(lite, path, Shape())

    def write(rows: list[dict[str, Any]]) -> None:
        facts = story.shape.options() if lite.repeat_facts or not path.exists() else {}
        lite.write(frame(lite.spark, rows, schema), path, "upsert", **facts)
        story.model.upsert(rows)
        story.check()

    write([{**record(f"k{i}", 5), "_hoodie_is_deleted": False} for i in range(10)])
    write(
        [
            {**record("k1", 6), "_hoodie_is_deleted": True},
            {**record("k2", 4), "_hoodie_is_deleted": True},
            {**record("new", 6), "_hoodie_is_deleted": True},
            {**record("k3", 6, colour="blue"), "_hoodie_is_deleted": False},
        ]
    )


def test_many_small_commits_keep_the_table_right(lite: Engine, path: Path) -> None:
    story = Story(lite, path, Shape())
    for turn in range(12):
        story.upsert(days(range(turn * 3, turn * 3 + 8), turn))
    assert len(layout.writes(path)) == 12
    assert len(layout.file_groups(path)) == 3, "small files were not filled"


def test_an_empty_batch_changes_nothing(lite: Engine, path: Path) -> None:
    story = Story(lite, path, Shape())
    story.upsert(days(range(5), 1))
    story.upsert([])


# Save modes


def test_append_creates_and_then_upserts(lite: Engine, path: Path) -> None:
    shape = Shape()
    lite.write(frame(lite.spark, [record("a", 1)]), path, mode="append", **shape.options())
    lite.write(frame(lite.spark, [record("a", 2), record("b", 2)]), path, mode="append", **shape.options())
    assert sorted((row["id"], row["ts"]) for row in lite.read(path).collect()) == [("a", 2), ("b", 2)]


def test_overwrite_replaces_the_table(lite: Engine, path: Path) -> None:
    shape = Shape()
    lite.write(frame(lite.spark, days(range(9), 1)), path, mode="overwrite", **shape.options())
    lite.write(frame(lite.spark, [record("only", 1, "2026-05-05")]), path, mode="overwrite", **shape.options())
    assert [row["id"] for row in lite.read(path).collect()] == ["only"]


def test_errorifexists_creates_once(lite: Engine, path: Path) -> None:
    shape = Shape()
    lite.write(frame(lite.spark, [record("a")]), path, mode="errorifexists", **shape.options())
    before = layout.fingerprint(path)
    with pytest.raises(Exception, match=r"(?i)exist"):
        lite.write(frame(lite.spark, [record("b")]), path, mode="errorifexists", **shape.options())
    assert layout.fingerprint(path) == before
    assert [row["id"] for row in lite.read(path).collect()] == ["a"]


def test_ignore_writes_only_where_no_table_is(lite: Engine, path: Path) -> None:
    if lite.repeat_facts:
        pytest.skip("Apache Hudi 1.2 fails here")
    shape = Shape()
    lite.write(frame(lite.spark, [record("a")]), path, mode="ignore", **shape.options())
    lite.write(frame(lite.spark, [record("b")]), path, mode="ignore", **shape.options())
    assert [row["id"] for row in lite.read(path).collect()] == ["a"]


# Options and the table's own facts


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (RECORD_KEY, "colour"),
        (PARTITION, "colour"),
        (ORDERING, "price"),
        ("hoodie.datasource.write.table.type", "MERGE_ON_READ"),
        (KEY_GENERATOR, "org.apache.hudi.keygen.NonpartitionedKeyGenerator"),
        ("hoodie.datasource.write.hive_style_partitioning", "true"),
        ("hoodie.table.name", "another_name"),
        ("hoodie.record.merge.mode", "COMMIT_TIME_ORDERING"),
    ],
)
def test_an_option_that_contradicts_the_table_is_an_error(lite: Engine, path: Path, option: str, value: str) -> None:
    if lite.repeat_facts:
        pytest.skip("Apache Hudi does not check all of these")
    story = Story(lite, path, Shape())
    story.upsert(days(range(6), 1))
    before = layout.fingerprint(path)
    with fails_with("OPTION_CONTRADICTS_TABLE", option, "NON_PARTITION" if option == KEY_GENERATOR else value):
        story.write(days(range(3), 2), **{option: value})
    assert layout.fingerprint(path) == before
    story.check()


def test_options_that_repeat_the_table_are_fine(lite: Engine, path: Path) -> None:
    story = Story(lite, path, Shape())
    story.upsert(days(range(6), 1))
    story.upsert(days(range(3, 9), 2), **story.shape.options())

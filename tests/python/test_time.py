"""Reading the past: time travel, incremental reads."""

from __future__ import annotations

import datetime
from pathlib import Path

import layout
import pytest
from engines import AS_OF, BEGIN, END, QUERY_TYPE, Engine, Shape
from rows import lines, rows_of
from test_write_and_read import Story, days

VERSIONS = pytest.mark.parametrize("version", [6, 9])
INCREMENTAL = {QUERY_TYPE: "incremental"}


@VERSIONS
def test_every_instant_can_be_read_as_it_was(lite: Engine, path: Path, version: int) -> None:
    story, states = Story(lite, path, Shape(version)), []
    for turn in range(3):
        story.upsert(days(range(turn * 5, turn * 5 + 10), turn))
        states.append(story.model.rows())
    gone = days(range(3), 9)
    story.write(gone, "delete")
    story.model.delete(gone)
    states.append(story.model.rows())
    instants = layout.writes(path)
    for instant, state in zip(instants, states, strict=True):
        assert rows_of(lite.read(path, **{AS_OF: instant.requested})) == state
        moment = datetime.datetime.strptime(instant.requested, "%Y%m%d%H%M%S%f")
        text = moment.strftime("%Y-%m-%d %H:%M:%S.") + instant.requested[-3:]
        assert rows_of(lite.read(path, **{AS_OF: text})) == state


@VERSIONS
def test_an_incremental_read_has_what_changed(lite: Engine, path: Path, version: int) -> None:
    story = Story(lite, path, Shape(version))
    batches = [days(range(10), 1), days(range(5, 15), 2), days(range(8, 12), 3)]
    for batch in batches:
        story.upsert(batch)
    first, second, third = layout.writes(path)

    def changed(**window: str) -> list[str]:
        return rows_of(lite.read(path, **INCREMENTAL, **window))

    assert changed(**{BEGIN: "0"}) == story.model.rows()
    assert changed(**{BEGIN: "000"}) == story.model.rows()
    assert changed(**{BEGIN: first.completed, END: second.completed}) == lines(batches[1])
    assert changed(**{BEGIN: second.completed}) == lines(batches[2])
    assert changed(**{BEGIN: third.completed}) == []
    assert changed(**{BEGIN: "0", END: first.completed}) == lines(batches[0])


@VERSIONS
def test_an_incremental_read_leaves_untouched_rows_of_rewritten_files_out(
    lite: Engine, path: Path, version: int
) -> None:
    story = Story(lite, path, Shape(version))
    story.upsert(days(range(30), 1))
    mark = layout.writes(path)[-1].completed
    gone = days(range(3), 2)
    story.write(gone, "delete")
    story.model.delete(gone)
    assert rows_of(lite.read(path, **INCREMENTAL, **{BEGIN: mark})) == []
    story.upsert(days(range(20, 21), 3))
    assert rows_of(lite.read(path, **INCREMENTAL, **{BEGIN: mark})) == lines(days(range(20, 21), 3))


def test_rows_carry_the_instant_that_wrote_them(lite: Engine, path: Path) -> None:
    story = Story(lite, path, Shape())
    story.upsert(days(range(10), 1))
    story.upsert(days(range(4), 2))
    first, second = (instant.requested for instant in layout.writes(path))
    found = {row["id"]: row[0] for row in lite.read(path).select("_hoodie_commit_time", "id").collect()}
    assert found == {f"k{i:03d}": second if i < 4 else first for i in range(10)}


@VERSIONS
def test_sql_reads_the_past_by_version_and_by_time(lite: Engine, path: Path, version: int) -> None:
    story, states = Story(lite, path, Shape(version)), []
    for turn in range(2):
        story.upsert(days(range(turn * 5, turn * 5 + 10), turn))
        states.append(story.model.rows())
    first, second = layout.writes(path)

    def sql(clause: str) -> list[str]:
        return rows_of(lite.spark.sql(f"SELECT * FROM hudilite.`{path}` {clause}"))

    assert sql(f"VERSION AS OF '{first.requested}'") == states[0]
    assert sql(f"VERSION AS OF '{second.requested}'") == states[1]
    assert sql("TIMESTAMP AS OF '2100-01-01 00:00:00'") == states[1]

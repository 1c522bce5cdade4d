"""Tables that keep their changes in log files: random lives, the past, statements, and damage."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import layout
import pytest
from buckets import assert_one_group_a_bucket
from conditions import fails_with
from engines import (
    AS_OF,
    BEGIN,
    END,
    IN_BUCKETS,
    QUERY_TYPE,
    SCHEMA,
    SELF_CHECK,
    Engine,
    Shape,
    frame,
    list_anew,
    record,
)  # fmt: skip
from model import Model, Record
from rows import lines, rows_of
from test_write_and_read import Story, days

import hudilite

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="Apache Hudi leaves other files behind")

MERGE_ON_READ = {"hoodie.datasource.write.table.type": "MERGE_ON_READ"}
READ_OPTIMIZED = {QUERY_TYPE: "read_optimized"}
MERGE_MODE = "hoodie.record.merge.mode"
BLOCKS = "hoodie.logfile.data.block.format"
VERSIONS = pytest.mark.parametrize("version", [6, 9])


def logged(lite: Engine, path: Path, version: int = 9, **facts: str) -> Story:
    """A merge-on-read table to be."""
    return Story(lite, path, Shape(version, extra={**MERGE_ON_READ, **facts}))


@contextmanager
def damaged(file: Path, change: Callable[[bytes], bytes]) -> Iterator[None]:
    """The file with other content, and without the checksums that Hadoop keeps beside it."""
    whole = file.read_bytes()
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    file.write_bytes(change(whole))
    list_anew(file)
    try:
        yield
    finally:
        file.write_bytes(whole)
        list_anew(file)


class Life:
    """A random sequence of writes and compactions, with the model beside it."""

    WITH_MARK = f"{SCHEMA}, _hoodie_is_deleted boolean"

    def __init__(self, lite: Engine, path: Path, version: int, mode: str, **options: str) -> None:
        self.lite, self.path, self.options = lite, path, options
        self.random = random.Random(f"{version} {mode}")
        self.facts = Shape(version, extra={**MERGE_ON_READ, MERGE_MODE: mode}).options()
        self.model = Model(ordering="ts" if mode.startswith("EVENT") else None)
        self.now, self.planned, self.states = 0, set[str](), list[list[str]]()

    def live(self) -> None:
        """Fifteen steps, each kind at least once."""
        steps = [self.upsert] * 4 + [self.delete] * 2 + [self.compact] * 2 + [self.plan] * 2 + [self.fail] * 2
        steps += [self.fold] * 3
        self.random.shuffle(steps)
        for number, step in enumerate([self.upsert, self.upsert, *steps]):
            step()
            self.check(f"step {number}, {step.__name__}")
        for instant, state in self.random.sample(list(zip(self.deltas(), self.states, strict=True)), 2):
            assert rows_of(self.lite.read(self.path, **{AS_OF: instant})) == state, instant

    def deltas(self) -> list[str]:
        history = hudilite.table(self.lite.spark, str(self.path)).history()
        return sorted(c.time for c in history if c.operation in ("UPSERT", "DELETE"))

    def rows(self, ids: list[int]) -> list[Record]:
        """New and newer rows; late ones and ties for keys that are there; some say that they are deleted."""
        batch = []
        for i in ids:
            row = record(
                f"k{i:02d}", self.now, f"p{i % 2}", self.random.choice(["red", None, "grün"]), i + self.now / 100
            )
            if (row["id"], row["dt"]) in self.model.held:
                row["ts"] -= self.random.choice([0, 0, 1, 2, 3])
            batch.append({**row, "_hoodie_is_deleted": self.random.random() < 0.1})
        return batch

    def write(self, operation: str, batch: list[Record]) -> None:
        facts = {} if self.path.exists() else self.facts
        blocks = {BLOCKS: self.random.choice(["avro", "avro", "parquet"])}
        options = {**facts, **blocks, **self.options}
        self.lite.write(frame(self.lite.spark, batch, self.WITH_MARK), self.path, operation, **options)

    def upsert(self) -> None:
        self.now += self.random.choice([0, 1, 1])
        batch = self.rows(sorted(self.random.sample(range(60), 25)))
        self.write("upsert", batch)
        self.model.upsert(batch)
        self.states.append(self.model.rows())

    def delete(self) -> None:
        self.now += 1
        batch = self.rows(sorted(self.random.sample(range(60), 8)))
        self.write("delete", batch)
        self.model.delete(batch)
        self.states.append(self.model.rows())

    def compact(self) -> None:
        table = hudilite.table(self.lite.spark, str(self.path))
        assert self.planned <= set(table.compact().instants)
        self.planned.clear()
        table.compact()
        assert rows_of(self.lite.read(self.path, **READ_OPTIMIZED)) == self.model.rows()

    def fold(self) -> None:
        hudilite.table(self.lite.spark, str(self.path)).compact(
            kind="log", options={"hoodie.log.compaction.blocks.threshold": str(self.random.choice([2, 3]))}
        )

    def plan(self) -> None:
        plan = hudilite.table(self.lite.spark, str(self.path)).schedule_compaction()
        if plan is not None:
            assert plan.instant is not None
            self.planned.add(plan.instant)

    def fail(self) -> None:
        """A compaction that finds a log block of an unknown version; its plan stays."""
        self.plan()
        for plan in hudilite.table(self.lite.spark, str(self.path)).compact(dry_run=True):
            log = self.path / plan.slices[0].partition / plan.slices[0].log_files[0]
            with damaged(log, lambda data: data[:17] + b"\x63" + data[18:]), fails_with("CORRUPT_FILE"):
                hudilite.table(self.lite.spark, str(self.path)).compact(plan.instant)

    def check(self, when: str) -> None:
        found = self.lite.read(self.path)
        assert rows_of(found) == self.model.rows(), when
        some = [row for row in self.model.held.values() if row["ts"] < self.now and row["id"] > "k20"]
        assert rows_of(found.where(f"ts < {self.now} AND id > 'k20'")) == lines(some), when
        assert found.count() == len(self.model.held), when
        assert set(layout.pending(self.path)) == self.planned, when
        # A task that outlives its failed compaction may leave files, until the compaction is run again.
        unfinished = [*layout.strays(self.path), *layout.leftovers(self.path)]
        assert [file for file in unfinished if not any(plan in str(file) for plan in self.planned)] == [], when


# Of either kind of index each version and each mode comes, and between the two all their pairs.
@pytest.mark.parametrize(("version", "mode"), [(6, "EVENT_TIME_ORDERING"), (9, "COMMIT_TIME_ORDERING")])
def test_a_random_life(lite: Engine, path: Path, version: int, mode: str) -> None:
    Life(lite, path, version, mode).live()


@pytest.mark.parametrize(("version", "mode"), [(9, "EVENT_TIME_ORDERING"), (6, "COMMIT_TIME_ORDERING")])
def test_a_random_life_in_buckets(lite: Engine, path: Path, version: int, mode: str) -> None:
    Life(lite, path, version, mode, **IN_BUCKETS).live()
    assert_one_group_a_bucket(lite, path)


@VERSIONS
def test_past_states_and_changes_are_those_of_base_and_log_files(lite: Engine, path: Path, version: int) -> None:
    story = logged(lite, path, version)
    story.upsert(days(range(12), 1, 2))
    story.upsert(days(range(6, 12), 2, 2))
    before = story.model.rows()
    hudilite.table(lite.spark, str(path)).compact()
    newer = days(range(4), 3, 2)
    story.upsert(newer)
    gone = days(range(3), 9, 2)
    story.write(gone, "delete")
    first, second, compaction, third, fourth = layout.writes(path)
    assert (second.action, compaction.action) == ("deltacommit", "commit")

    def as_of(instant: layout.Instant, **options: str) -> list[str]:
        return rows_of(lite.read(path, **{AS_OF: instant.requested, **options}))

    def changed(begin: layout.Instant, end: layout.Instant) -> list[str]:
        window = {QUERY_TYPE: "incremental", BEGIN: begin.completed, END: end.completed}
        return rows_of(lite.read(path, **window))

    assert as_of(first) == lines(days(range(12), 1, 2))
    assert as_of(second) == as_of(compaction) == before
    assert as_of(third) == story.model.rows()
    assert changed(first, second) == lines(days(range(6, 12), 2, 2))
    assert changed(second, compaction) == []
    assert changed(compaction, third) == lines(newer)
    assert changed(second, fourth) == lines(newer[3:])
    assert rows_of(lite.read(path, **READ_OPTIMIZED)) == before


@VERSIONS
def test_statements_see_logged_rows_and_log_their_changes(lite: Engine, path: Path, version: int) -> None:
    story, name, sql = logged(lite, path, version), f"hudilite.`{path}`", lite.spark.sql
    story.upsert(days(range(12), 1, 2))
    story.upsert(days(range(6), 2, 2))
    files = layout.base_files(path)
    sql(f"UPDATE {name} SET colour = 'blue', ts = ts + 1 WHERE ts = 2 AND dt = '2026-01-01'")
    for i in (0, 2, 4):
        story.model.held[(f"k{i:03d}", "2026-01-01")] |= {"colour": "blue", "ts": 3}
    story.check()
    sql(f"DELETE FROM {name} WHERE colour = 'blue' AND id > 'k001'")
    story.model.delete(days(range(2, 5, 2), 1, 2))
    story.check()
    assert layout.base_files(path) == files
    frame(lite.spark, [*days(range(2, 4), 5, 2), record("k000", 4, "2026-01-01", "gone")]).createOrReplaceTempView("s")
    sql(f"""MERGE INTO {name} t USING s ON t.id = s.id AND t.dt = s.dt
            WHEN MATCHED AND s.colour = 'gone' THEN DELETE
            WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""")
    story.model.upsert(days(range(2, 4), 5, 2))
    story.model.delete([record("k000", 4, "2026-01-01")])
    story.check()
    hudilite.table(lite.spark, str(path)).compact()
    story.check()


@VERSIONS
@pytest.mark.parametrize("blocks", ["avro", "parquet"])
def test_a_damaged_log_file_is_an_error_or_ends_before_the_damage(
    lite: Engine, path: Path, version: int, blocks: str
) -> None:
    story = logged(lite, path, version)
    story.upsert(days(range(8), 1, 1))
    before = story.model.rows()
    story.upsert(days(range(8), 2, 1), **{BLOCKS: blocks})
    (log,) = layout.log_files(path)
    with damaged(log, lambda data: data[:-20]):
        if version >= 8:  # the write that made it has completed, and says how long it was
            with fails_with("CORRUPT_FILE", log.name):
                lite.read(path).count()
        else:  # as a writer that died leaves it: others have appended to the file, and may have cut it
            assert rows_of(lite.read(path)) == before
    hudilite.table(lite.spark, str(path)).schedule_compaction()
    before_damage = layout.fingerprint(path)
    with damaged(log, lambda data: data[:17] + b"\x63" + data[18:]):  # the version of the format
        with fails_with("CORRUPT_FILE", log.name):
            lite.read(path).count()
        with fails_with("CORRUPT_FILE", log.name):
            hudilite.table(lite.spark, str(path)).compact()
    assert layout.fingerprint(path) == before_damage
    assert rows_of(lite.read(path)) == story.model.rows()


@pytest.mark.parametrize("blocks", ["avro", "parquet"])
def test_bytes_flipped_anywhere_in_a_log_file_never_break_a_reader(lite: Engine, path: Path, blocks: str) -> None:
    story = logged(lite, path)
    story.upsert(days(range(8), 1, 1))
    story.upsert(days(range(8), 2, 1), **{BLOCKS: blocks})
    (log,) = layout.log_files(path)
    conditions = set[str]()

    def flipped(data: bytes, place: int) -> bytes:
        return data[:place] + bytes(byte ^ 0xFF for byte in data[place : place + 8]) + data[place + 8 :]

    for place in range(0, log.stat().st_size - 8, log.stat().st_size // 20):
        with damaged(log, partial(flipped, place=place)):
            try:
                count = len(lite.read(path).collect())
            except Exception as error:
                conditions.add(hudilite.condition_of(error) or str(error)[:3000])
            else:
                assert count >= 8, place
    assert conditions <= {"CORRUPT_FILE", "UNSUPPORTED_LOG_BLOCK", "UNSUPPORTED_SCHEMA"} and conditions
    story.check()

"""Keys that Apache Hudi and hudilite must put into the same buckets."""

from __future__ import annotations

from pathlib import Path

import layout
import pytest
from engines import BUCKETS, IN_BUCKETS, SELF_CHECK, Engine, Shape, frame, record
from model import Model
from rows import rows_of

import hudilite

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about both engines")

KEYS = [
    "null", "__null__", "__empty__", " ", "a,b", "a:b", "id:1,x:2", "x:2,id:1", "id:1,2,x:3", "x,y:z", ",:", ":,",
    "a:b:c,id:", "id:,id:", "日本語:1,id:é", "🦆", "0", "-1", "x" * 300, "ß",
]  # fmt: skip
# Apache Hudi 1.2 never ends on a last field with a colon in it that is not hashed.
PAIRS = [("1", "a"), ("1,2", "b"), ("", "c"), (None, "d"), ("1:2", ","), (",,", "10, x"), ("é", "🦆"), ("a", None)]


@pytest.mark.parametrize("first", ["hudi", "hudilite"])
def test_plain_keys(lite: Engine, real: Engine, path: Path, first: str) -> None:
    compare(lite, real, path, first, Shape(), [record(key) for key in KEYS])


@pytest.mark.parametrize("first", ["hudi", "hudilite"])
@pytest.mark.parametrize("hashed", ["id,colour", "colour", "id"])
def test_keys_of_two_fields(lite: Engine, real: Engine, path: Path, first: str, hashed: str) -> None:
    rows = [{**record("", colour=colour), "id": value} for value, colour in PAIRS]
    compare(lite, real, path, first, Shape(key=("id", "colour")), rows, **{"hoodie.bucket.index.hash.field": hashed})


@pytest.mark.parametrize(("kind", "buckets"), [("COPY_ON_WRITE", 2), ("MERGE_ON_READ", 7)])
def test_moved_tables(lite: Engine, real: Engine, path: Path, kind: str, buckets: int) -> None:
    """A table that hudilite has moved to another number of buckets is read and written by Apache Hudi with that."""
    shape, model = Shape(extra={"hoodie.datasource.write.table.type": kind}), Model(("id",))
    for ts, engine in enumerate([lite, real], 1):
        batch = [record(key, ts=ts) for key in KEYS[ts - 1 :]]
        engine.write(frame(engine.spark, batch), path, "upsert", **shape.options(), **IN_BUCKETS)
        model.upsert(batch)
    done = hudilite.table(lite.spark, str(path)).cluster(buckets=buckets, options=IN_BUCKETS)
    assert len(done.instants) == 1
    assert rows_of(lite.read(path)) == rows_of(real.read(path)) == model.rows()
    groups = layout.file_groups(path)
    moved = {**shape.options(), **IN_BUCKETS, BUCKETS: str(buckets)}
    for ts, engine in enumerate([real, lite], 3):
        batch = [record(key, ts=ts) for key in KEYS[ts:]]
        engine.write(frame(engine.spark, batch), path, "upsert", **moved)
        model.upsert(batch)
        assert rows_of(lite.read(path)) == rows_of(real.read(path)) == model.rows()
    assert layout.file_groups(path) == groups


def compare(
    lite: Engine, real: Engine, path: Path, first: str, shape: Shape, rows: list[dict[str, object]], **more: str
) -> None:
    """The second engine finds every key of the first where it would put it itself, and so does Apache Hudi in the end.

    Tables of Apache Hudi tell hudilite by their files how many buckets they have.
    """
    model = Model(shape.key)
    groups: set[str] = set()
    found = {"hudi": IN_BUCKETS, "hudilite": {}} if first == "hudi" else {"hudi": IN_BUCKETS, "hudilite": IN_BUCKETS}
    for ts, engine in enumerate([lite, real] if first == "hudilite" else [real, lite, real], 1):
        batch = [{**row, "ts": ts} for row in rows]
        facts = shape.options() if ts == 1 or engine.repeat_facts else {}
        engine.write(frame(engine.spark, batch), path, "upsert", **facts, **found[engine.name], **more)
        model.upsert(batch)
        assert rows_of(lite.read(path)) == rows_of(real.read(path)) == model.rows()
        assert not groups or layout.file_groups(path) == groups
        groups = layout.file_groups(path)

"""Rows that say themselves that they delete their keys mean the same to both engines."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from engines import ORDERING, SCHEMA, SELF_CHECK, Engine, Shape, frame, record
from model import Model, Record
from rows import rows_of

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about hudilite's own writes")

MARKER = {"hoodie.payload.delete.field": "op", "hoodie.payload.delete.marker": "D"}


def marked(ids: range, ts: int, op: str | None) -> list[Record]:
    """Rows with a mark; the partition depends on the id alone."""
    return [{**record(f"k{i}", ts, f"2026-01-0{i % 2 + 1}", price=float(ts)), "op": op} for i in ids]


def without(batch: list[Record]) -> list[Record]:
    """The rows for the model, which knows a delete by another name."""
    return [{**row, "_hoodie_is_deleted": row["op"] == "D"} for row in batch]


# Each pair of them.
@pytest.mark.parametrize(
    ("first", "mode", "table_type"),
    [
        ("hudi", "EVENT_TIME_ORDERING", "COPY_ON_WRITE"),
        ("hudi", "COMMIT_TIME_ORDERING", "MERGE_ON_READ"),
        ("hudilite", "EVENT_TIME_ORDERING", "MERGE_ON_READ"),
        ("hudilite", "COMMIT_TIME_ORDERING", "COPY_ON_WRITE"),
    ],
)
def test_marked_rows_are_deletes_to_both_engines(
    lite: Engine, real: Engine, path: Path, first: str, mode: str, table_type: str
) -> None:
    facts = {"hoodie.datasource.write.table.type": table_type, "hoodie.write.record.merge.mode": mode, **MARKER}
    shape = Shape(9, extra=facts)
    model = Model(ordering="ts" if mode.startswith("EVENT") else None)
    players = {"hudilite": lite, "hudi": real}
    second = "hudi" if first == "hudilite" else "hudilite"

    def turn(player: str, *batches: list[Record]) -> None:
        engine, batch = players[player], [row for rows in batches for row in rows]
        given = shape.options() if engine.repeat_facts or not path.exists() else {}
        engine.write(frame(engine.spark, batch, f"{SCHEMA}, op string"), path, **given)
        model.upsert(without(batch))
        expected = sorted((row["id"], row["ts"], row["op"]) for row in model.held.values())
        for name, reader in players.items():
            found = [tuple(row) for row in reader.read(path).select("id", "ts", "op").collect()]
            assert sorted(found) == expected, f"{name} after a write of {player}"
        assert rows_of(lite.read(path)) == rows_of(real.read(path))

    turn(first, marked(range(20), 10, "I"))
    properties = (path / ".hoodie" / "hoodie.properties").read_text()
    assert all(f"hoodie.record.merge.property.{name}={value}\n" in properties for name, value in MARKER.items())
    turn(second, marked(range(3), 20, "D"), marked(range(3, 6), 5, "D"), marked(range(6, 9), 20, "U"))
    turn(first, marked(range(9, 12), 20, "D"), marked(range(3), 25, "U"), marked(range(30, 33), 20, "I"))
    turn("hudilite", marked(range(12, 14), 20, "D"), marked(range(40, 42), 20, "D"), marked(range(14, 16), 20, "U"))
    turn("hudi", marked(range(12, 16), 30, "U"), marked(range(30, 31), 40, "D"))
    turn("hudilite", marked(range(12, 16), 30, "D"), marked(range(31, 33), 30, "U"))


@pytest.mark.parametrize(("version", "ordering"), [(6, "day"), (9, "day"), (9, "day,ts")])
def test_hudi_weighs_deletes_of_hudilite_by_their_days(
    lite: Engine, real: Engine, path: Path, version: int, ordering: str
) -> None:
    facts = {"hoodie.datasource.write.table.type": "MERGE_ON_READ", ORDERING: ordering}
    shape = Shape(version, partition=(), extra=facts)

    def write(engine: Engine, deleted: bool, **days: int) -> None:
        start = datetime.date(1970, 1, 1)
        rows = [(key, start + datetime.timedelta(days=n), 1, deleted) for key, n in days.items()]
        made = engine.spark.createDataFrame(rows, "id string, day date, ts long, _hoodie_is_deleted boolean")
        engine.write(made, path, **(shape.options() if engine.repeat_facts else {}))

    def is_left(*keys: str) -> None:
        for name, engine in (("hudilite", lite), ("hudi", real)):
            assert sorted(row.id for row in engine.read(path).select("id").collect()) == list(keys), name

    write(real, False, a=5, b=5, c=5, d=5)
    write(lite, False, b=9)
    write(lite, True, a=3, b=7, c=5, d=6)
    is_left("a", "b")
    compaction = {"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "1"}
    shape.extra.update(compaction)
    write(real, False, e=1)
    is_left("a", "b", "e")

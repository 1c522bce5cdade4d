"""Tables whose meta columns are null, written by Apache Hudi and hudilite in turns."""

from __future__ import annotations

from pathlib import Path

import hudi_rs
import pytest
from engines import INDEX, SELF_CHECK, Engine, Shape, frame, record
from model import Model
from rows import rows_of

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about both engines")

BARE = {"hoodie.populate.meta.fields": "false"}


def test_both_change_a_copy_on_write_table(lite: Engine, real: Engine, path: Path) -> None:
    shape, model = Shape(extra=BARE), Model(("id",))
    first = [record(f"k{i}", dt=f"2026-01-0{1 + i % 2}") for i in range(8)]
    for ts, (engine, operation) in enumerate(
        [
            (lite, "bulk_insert"),
            (real, "upsert"),
            (lite, "upsert"),
            (real, "delete"),
            (lite, "delete"),
            (real, "upsert"),
        ],
        1,
    ):
        batch = [{**row, "ts": ts, "price": float(ts)} for row in first[ts - 1 : ts + 2]] if ts > 1 else first
        if operation == "delete":
            batch = batch[:1]
        if ts == 3:
            batch = [*batch, record("new", ts=ts)]
        options = {**shape.options(), INDEX: "SIMPLE"} if engine is real else {}
        engine.write(frame(engine.spark, batch), path, operation, **(options or (shape.options() if ts == 1 else {})))
        (model.delete if operation == "delete" else model.upsert)(batch)
        assert rows_of(lite.read(path)) == rows_of(real.read(path)) == model.rows(), ts
    assert hudi_rs.rows_of(path) == model.rows()
    lite.spark.sql(f"CALL hudilite.system.run_clustering(table => '{path}', order => 'price')")
    assert rows_of(lite.read(path)) == rows_of(real.read(path)) == model.rows()


def test_both_add_to_a_merge_on_read_table(lite: Engine, real: Engine, path: Path) -> None:
    shape = Shape(extra={**BARE, "hoodie.datasource.write.table.type": "MERGE_ON_READ"})
    there = 0
    for ts, engine in enumerate([real, lite, real, lite], 1):
        batch = [record(f"k{ts}", ts=ts), record("again", ts=ts)]
        engine.write(frame(engine.spark, batch), path, "bulk_insert", **(shape.options() if engine is real else {}))
        there += len(batch)
        assert rows_of(lite.read(path)) == rows_of(real.read(path)) and lite.read(path).count() == there

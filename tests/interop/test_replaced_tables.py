"""Tables of Apache Hudi's that hudilite replaces as a whole, with other facts, and that both write on."""

from __future__ import annotations

from pathlib import Path

import hudi_rs
import pytest
from engines import AS_OF, ORDERING, SELF_CHECK, Engine, Shape, frame, record
from rows import lines, rows_of

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="hudilite's replacement is what is tested")

TYPE = "hoodie.datasource.write.table.type"
KINDS = [("COPY_ON_WRITE", "MERGE_ON_READ"), ("MERGE_ON_READ", "COPY_ON_WRITE")]


@pytest.mark.parametrize(("version", "old", "new"), [(9, *KINDS[0]), (8, *KINDS[1])])
def test_hudi_reads_and_writes_a_table_with_other_facts(
    lite: Engine, real: Engine, path: Path, version: int, old: str, new: str
) -> None:
    before = Shape(version, extra={TYPE: old, "hoodie.compact.inline": "false"})
    first = [record(f"k{i}", dt=f"2026-01-0{i % 3 + 1}", colour="red") for i in range(6)]
    real.write(frame(real.spark, first), path, "insert", **before.options())
    real.write(frame(real.spark, [record("k1", ts=2, dt="2026-01-02")]), path, **before.options())
    old_instant = max(row[0] for row in real.read(path).select("_hoodie_commit_time").collect())
    opened = lite.read(path).where("colour = 'red'")
    opened._jdf.queryExecution().executedPlan()  # type: ignore[operator]

    # Another key, partition column, type, and none to order by.
    after = Shape(version, ("ts",), ("colour",), None, {TYPE: new, "hoodie.compact.inline": "false"})
    stated = {name: text for name, text in after.options().items() if name != "hoodie.table.name"}
    rows = [record("same", ts=i, dt="2026-02-01", colour=colour) for i, colour in enumerate(("a", "b", "a"))]
    lite.write(frame(lite.spark, rows), path, mode="overwrite", **stated, **{ORDERING: ""})
    for engine in (lite, real):
        assert rows_of(engine.read(path)) == lines(rows), engine.name
        assert engine.read(path).where("colour = 'b'").count() == 1, engine.name
    assert hudi_rs.rows_of(path) == lines(rows)
    assert opened.count() == 6
    for engine in (lite, real):
        with pytest.raises(Exception, match=r"STATE_NOT_RETAINED|leaner cleaned up"):
            engine.read(path, **{AS_OF: old_instant}).collect()

    for i, engine in enumerate((real, lite, real, lite)):
        changed = record(f"by {engine.name}", ts=2, dt="2026-02-02", colour="a", price=float(i))
        rows = [*rows[:2], changed]
        facts = after.options() if engine is real else {}
        engine.write(frame(engine.spark, [changed]), path, **facts)
        for reader in (lite, real):
            assert rows_of(reader.read(path)) == lines(rows), (engine.name, reader.name)
    assert hudi_rs.rows_of(path) == lines(rows)

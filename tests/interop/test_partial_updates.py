"""MERGE and UPDATE statements that set some columns of merge-on-read tables, Apache Hudi's and hudilite's in turns."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hudi_rs
import pytest
from engines import SELF_CHECK, TABLE_VERSION, Engine, Shape, frame, record
from py4j.protocol import Py4JJavaError
from rows import lines, rows_of
from test_columns_by_id import settings
from test_compaction_turns import INLINE, READ_OPTIMIZED
from test_log_compaction_turns import BY_HEADERS, fold, operations

import hudilite

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about partial updates between Hudi and hudilite")

FACTS = {
    "hoodie.datasource.write.table.type": "MERGE_ON_READ", "hoodie.write.record.merge.mode": "COMMIT_TIME_ORDERING",
    "hoodie.compact.inline": "false",
}  # fmt: skip
MERGING = {
    "hoodie.metadata.enable": "false", "hoodie.write.auto.upgrade": "false", "hoodie.compact.inline": "false",
    "hoodie.spark.sql.merge.into.partial.updates": "true",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
}  # fmt: skip


def merge(real: Engine, path: Path, changes: list[dict[str, Any]], *columns: str, version: int = 9) -> None:
    """Sets `columns` of the rows of these keys, and their ordering values, by a statement of Hudi's."""
    frame(real.spark, changes).createOrReplaceTempView("changes")
    with settings(real.spark, {**MERGING, TABLE_VERSION: str(version)}):
        real.spark.sql(f"CREATE TABLE partly USING hudi LOCATION '{path}'")
        try:
            sets = ", ".join(f"{column} = s.{column}" for column in (*columns, "ts"))
            real.spark.sql(f"MERGE INTO partly t USING changes s ON t.id = s.id WHEN MATCHED THEN UPDATE SET {sets}")
        finally:
            real.spark.sql("DROP TABLE partly")


def test_hudilite_reads_continues_and_compacts_partial_updates_in_the_order_of_commits(
    lite: Engine, real: Engine, path: Path
) -> None:
    shape = Shape(9, extra=FACTS)
    rows = {row["id"]: row for row in (record(f"k{i}", 9, f"p{i % 2}", price=float(i)) for i in range(8))}
    table = hudilite.table(lite.spark, str(path))

    def hudi_sets(ids: range, ts: int, colour: str | None = None, price: float | None = None) -> None:
        new = {"ts": ts} | ({"colour": colour} if price is None else {"price": price})
        changes = [{**rows[f"k{i}"], **new} for i in ids]
        merge(real, path, changes, "colour" if price is None else "price")
        rows.update({row["id"]: row for row in changes})

    def check() -> None:
        for engine in (real, lite):
            assert rows_of(engine.read(path)) == lines(rows.values()), engine.name

    real.write(frame(real.spark, list(rows.values())), path, **shape.options())
    hudi_sets(range(4), 1, colour="partly")  # an older value of the ordering field, which does not count
    hudi_sets(range(2, 6), 2, price=-1.0)
    check()
    whole = [record(f"k{i}", 0, f"p{i % 2}", "whole", float(i)) for i in (1, 3, 8)]
    lite.write(frame(lite.spark, whole), path)
    rows.update({row["id"]: row for row in whole})
    check()
    hudi_sets(range(3, 5), 1, colour="again")
    check()
    assert table.compact().groups
    check()
    assert rows_of(real.read(path, **{"hoodie.datasource.query.type": "read_optimized"})) == lines(rows.values())
    hudi_sets(range(6), 3, price=7.0)
    check()


@pytest.mark.parametrize(("version", "order"), [(9, "COMMIT_TIME"), (8, "EVENT_TIME")])
def test_hudi_reads_partial_updates_that_hudilite_folded_goes_on_with_them_and_compacts_them(
    lite: Engine, real: Engine, path: Path, version: int, order: str
) -> None:
    facts = Shape(version, extra={**FACTS, "hoodie.write.record.merge.mode": f"{order}_ORDERING"}).options()
    twin = path.with_name("twin")  # goes the same way without log compactions

    def rows(ids: range, ts: int, colour: str, price: float) -> list[dict[str, Any]]:
        return [record(f"k{i:02d}", ts, f"p{i % 2}", colour, price + i) for i in ids]

    def everywhere(step: Callable[[Path], None]) -> None:
        for table in (path, twin) if twin.exists() else (path,):
            step(table)

    def hudi_sets(ids: range, ts: int, colour: str, price: float, *columns: str) -> None:
        everywhere(lambda table: merge(real, table, rows(ids, ts, colour, price), *columns, version=version))

    def check() -> None:
        expected = rows_of(real.read(twin))
        assert rows_of(lite.read(twin)) == expected
        for engine in (real, lite):
            assert rows_of(engine.read(path)) == expected, engine.name
        assert rows_of(real.read(path, **BY_HEADERS)) == expected

    real.write(frame(real.spark, rows(range(16), 5, "first", 0.0)), path, **facts)
    hudi_sets(range(8), 7, "second", 0.0, "colour")
    hudi_sets(range(4, 12), 6, "", 100.0, "price")
    hudi_sets(range(2, 6), 8, "third", 200.0, "price", "colour")
    lite.write(frame(lite.spark, rows(range(9, 18, 4), 9, "whole", 300.0)), path)
    if order == "EVENT_TIME":  # elsewhere this Hudi cannot merge a delete with partial updates before it
        real.write(frame(real.spark, rows(range(0, 16, 7), 9, "", 0.0)), path, "delete", **facts)
    hudi_sets(range(7, 10), 3, "late", 400.0, "colour")
    shutil.copytree(path, twin)
    fold(lite, path)
    assert operations(lite, path)[0] == "LOG_COMPACT"
    check()
    hudi_sets(range(1, 12, 2), 8, "", 500.0, "price")
    everywhere(lambda table: lite.write(frame(lite.spark, rows(range(5, 8), 9, "whole", 600.0)), table))
    hudi_sets(range(4, 13, 2), 9, "last", 700.0, "colour")
    check()
    fold(lite, path)
    check()
    everywhere(
        lambda table: real.write(frame(real.spark, rows(range(14, 16), 9, "", 0.0)), table, **{**facts, **INLINE})
    )
    assert "COMPACT" in operations(lite, path)
    check()
    assert rows_of(real.read(path, **READ_OPTIMIZED)) == rows_of(real.read(twin))


@pytest.mark.parametrize(("version", "order"), [(9, "COMMIT_TIME"), (8, "EVENT_TIME")])
def test_hudi_reads_partial_updates_that_hudilite_writes_goes_on_with_them_and_compacts_them(
    lite: Engine, real: Engine, path: Path, version: int, order: str
) -> None:
    facts = Shape(version, extra={**FACTS, "hoodie.write.record.merge.mode": f"{order}_ORDERING"}).options()
    rows = {row["id"]: row for row in (record(f"k{i}", 5, f"p{i % 2}", price=float(i)) for i in range(8))}

    def check() -> None:
        expected = lines(rows.values())
        for engine in (real, lite):
            assert rows_of(engine.read(path)) == expected, engine.name
        assert hudi_rs.rows_of(path) == expected

    def sets(statement: str, ids: list[int], **values: Any) -> None:
        with settings(lite.spark, {"spark.datasource.hudilite.hoodie.spark.sql.merge.into.partial.updates": "true"}):
            lite.spark.sql(statement.format(f"hudilite.`{path}` t"))
        rows.update({f"k{i}": {**rows[f"k{i}"], **values} for i in ids})

    real.write(frame(real.spark, list(rows.values())), path, **facts)
    sets("UPDATE {} SET colour = 'some' WHERE id < 'k3'", [0, 1, 2], colour="some")
    sets("UPDATE {} SET price = -1, colour = null WHERE id IN ('k2', 'k3')", [2, 3], price=-1.0, colour=None)
    check()
    later = [{**rows["k1"], "ts": 6, "price": 60.0}, {**rows["k6"], "ts": 6, "price": 66.0}]
    merge(real, path, later, "price", version=version)
    rows.update({row["id"]: row for row in later})
    check()
    real.write(frame(real.spark, [rows.pop("k0")]), path, "delete", **facts)
    new = record("k9", 7, "p1", "new", 9.0)
    frame(lite.spark, [new, {**rows["k6"], "colour": "merged"}]).createOrReplaceTempView("news")
    rows["k9"] = new
    sets(
        "MERGE INTO {} USING news s ON t.id = s.id WHEN MATCHED THEN UPDATE SET colour = s.colour "
        "WHEN NOT MATCHED THEN INSERT *",
        [6],
        colour="merged",
    )
    check()
    back = record("k0", 8, "p0", "back", 0.5)
    if order == "EVENT_TIME":
        lite.write(frame(lite.spark, [back]), path)
        rows["k0"] = back
        check()
    real.write(frame(real.spark, [later[0] | {"ts": 9}]), path, **{**facts, **INLINE})
    rows["k1"] = later[0] | {"ts": 9}
    assert "COMPACT" in operations(lite, path)
    check()
    assert rows_of(real.read(path, **READ_OPTIMIZED)) == lines(rows.values())
    sets("UPDATE {} SET colour = 'last'", [int(key[1:]) for key in rows], colour="last")
    check()
    if order == "COMMIT_TIME":  # a row that comes back is not to be merged with its delete, which this Hudi tries
        lite.write(frame(lite.spark, [rows["k2"]]), path, "delete")
        assert rows_of(real.read(path)) == lines(row for key, row in rows.items() if key != "k2")
        lite.write(frame(lite.spark, [rows["k2"]]), path)
        assert rows_of(lite.read(path)) == lines(rows.values())
        with pytest.raises(Py4JJavaError, match="NullPointerException"):
            rows_of(real.read(path))
        assert hudilite.table(lite.spark, str(path)).compact().groups
        check()

"""MERGE statements of Apache Hudi's that set some columns of a merge-on-read table where the last write wins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from engines import SELF_CHECK, Engine, Shape, frame, record
from rows import lines, rows_of
from test_columns_by_id import settings

import hudilite

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about what hudilite makes of Hudi's partial updates")

FACTS = {
    "hoodie.datasource.write.table.type": "MERGE_ON_READ", "hoodie.write.record.merge.mode": "COMMIT_TIME_ORDERING",
    "hoodie.compact.inline": "false",
}  # fmt: skip
MERGING = {
    "hoodie.metadata.enable": "false", "hoodie.write.auto.upgrade": "false", "hoodie.compact.inline": "false",
    "hoodie.spark.sql.merge.into.partial.updates": "true",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
}  # fmt: skip


def merge(real: Engine, path: Path, changes: list[dict[str, Any]], *columns: str) -> None:
    """Sets `columns` of the rows of these keys, and their ordering values, by a statement of Hudi's."""
    frame(real.spark, changes).createOrReplaceTempView("changes")
    with settings(real.spark, MERGING):
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
    # A log compaction leaves groups with such records alone, and says that it has folded none.
    fold = {"hoodie.log.compaction.blocks.threshold": "2"}
    assert table.compact(kind="log", options=fold).groups == ()
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

"""Partitions by a field of a struct, in which a global index of Apache Hudi's leaves rows of other values."""

from __future__ import annotations

from pathlib import Path

import pytest
from engines import INDEX, ORDERING, PARTITION, RECORD_KEY, SELF_CHECK, TABLE_NAME, Engine

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about both engines")

FACTS = {RECORD_KEY: "id", ORDERING: "ts", PARTITION: "at.town", TABLE_NAME: "t"}
STAY = {INDEX: "GLOBAL_SIMPLE", "hoodie.simple.index.update.partition.path": "false"}


@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_a_row_that_stayed_in_another_partition_is_found_by_the_value_that_it_shows(
    lite: Engine, real: Engine, path: Path, kind: str
) -> None:
    facts = {**FACTS, "hoodie.datasource.write.table.type": kind}
    columns = "id string, ts long, at struct<town: string>"
    first = lite.spark.createDataFrame([("k1", 1, ("oslo",)), ("k2", 1, ("rome",))], columns)
    real.write(first, path, **facts)
    real.write(lite.spark.createDataFrame([("k1", 2, ("rome",))], columns), path, **facts, **STAY)
    table = lite.read(path)
    shown = {row.id: row.at.town for row in table.collect()}
    for town in ("oslo", "rome", "pune"):
        found = {row.id for row in table.where(f"at.town = '{town}'").select("id").collect()}
        assert found == {key for key, value in shown.items() if value == town}, (town, shown)
    assert shown == {row.id: row.at.town for row in real.read(path).collect()}

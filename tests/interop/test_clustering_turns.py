"""Each engine reads what the other clustered, and runs what the other planned."""

from __future__ import annotations

from pathlib import Path

import hudi_rs
import layout
import pytest
from engines import SELF_CHECK, Engine, Shape, frame, record
from model import Model
from rows import rows_of

import hudilite

OFF = {"hoodie.clean.automatic": "false", "hoodie.archive.automatic": "false", "hoodie.parquet.small.file.limit": "0"}
MERGE_ON_READ = {"hoodie.datasource.write.table.type": "MERGE_ON_READ"}
pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about hudilite's own clustering")


class Turns:
    """A table that both engines write to, with its model: each write of new keys makes small files."""

    def __init__(self, path: Path, version: int, **facts: str) -> None:
        self.path, self.facts, self.model = path, {**Shape(version).options(), **facts}, Model()

    def upsert(self, engine: Engine, ids: range, ts: int) -> None:
        rows = [record(f"k{i:03d}", ts, f"2026-01-0{i % 2 + 1}", price=i * 37 % 50 + ts / 10) for i in ids]
        given = self.facts if engine.repeat_facts or not self.path.exists() else {}
        engine.write(frame(engine.spark, rows), self.path, **{**given, **OFF})
        self.model.upsert(rows)

    def check(self, *engines: Engine) -> None:
        for engine in engines:
            assert rows_of(engine.read(self.path)) == self.model.rows(), engine.name


def hudi_clusters(real: Engine, path: Path, op: str, arguments: str = "") -> None:
    """Hudi's clustering, which is called by the name of a table."""
    real.spark.sql(f"CREATE TABLE to_cluster USING hudi LOCATION '{path}'")
    try:
        options = "options => 'hoodie.metadata.enable=false'"
        real.spark.sql(f"CALL run_clustering(table => 'to_cluster', op => '{op}', {arguments} {options})").collect()
    finally:
        real.spark.sql("DROP TABLE to_cluster")


@pytest.mark.parametrize(("version", "facts"), [(6, {}), (9, {}), (9, MERGE_ON_READ)])
def test_hudi_reads_and_goes_on_with_what_hudilite_clustered(
    lite: Engine, real: Engine, path: Path, version: int, facts: dict[str, str]
) -> None:
    turns = Turns(path, version, **facts)
    turns.upsert(lite, range(20), 1)
    turns.upsert(real, range(20, 40), 2)
    turns.upsert(real, range(10, 30), 3)
    result = hudilite.table(lite.spark, str(path)).cluster(sort_by="price")
    assert len(result.files) == 2 and result.replaced >= 4
    turns.check(lite, real)
    assert hudi_rs.rows_of(path) == turns.model.rows()
    turns.upsert(real, range(5, 50, 3), 4)
    turns.upsert(lite, range(0, 50, 4), 5)
    turns.check(lite, real)
    assert layout.pending(path) == layout.strays(path) == []


@pytest.mark.parametrize("version", [6, 9])
def test_each_engine_runs_what_the_other_has_planned(lite: Engine, real: Engine, path: Path, version: int) -> None:
    turns = Turns(path, version)
    table = hudilite.table(lite.spark, str(path))
    turns.upsert(real, range(20), 1)
    turns.upsert(lite, range(20, 40), 2)
    hudi_clusters(real, path, "schedule", "order => 'price',")
    (planned,) = layout.pending(path)
    result = table.cluster()
    assert result.instants == (planned,) and len(result.files) == 2
    turns.check(lite, real)
    turns.upsert(lite, range(40, 60), 3)
    plan = table.schedule_clustering(sort_by=["price", "id"])
    assert plan is not None and [planned] != layout.pending(path) == [plan.instant]
    hudi_clusters(real, path, "execute")
    assert layout.pending(path) == layout.strays(path) == []
    turns.check(lite, real)
    turns.upsert(real, range(0, 60, 7), 4)
    turns.upsert(lite, range(0, 60, 9), 5)
    turns.check(lite, real)

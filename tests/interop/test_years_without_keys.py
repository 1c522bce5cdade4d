"""Apache Hudi and hudilite take turns on tables without record key fields, whose rows get generated keys.

The file's name puts it behind the one whose last session its first test uses.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import engines
import pytest
from engines import PARTITION, SELF_CHECK, TABLE_NAME, TABLE_VERSION, Engine
from pyspark.sql import DataFrame
from sessions import Sessions
from test_columns_by_id import settings

import hudilite

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about hudilite's own generated keys")

KIND = "hoodie.datasource.write.table.type"
BY_HUDI = {
    "hoodie.metadata.enable": "false", "hoodie.write.auto.upgrade": "false", "hoodie.compact.inline": "false",
    "hoodie.embed.timeline.server": "false",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
}  # fmt: skip

Row = tuple[int, str, str]


class Turns:
    """One table, the engines by name, and its rows: any number of equal ones."""

    def __init__(self, players: dict[str, Engine], path: Path, version: int, kind: str) -> None:
        self.players, self.path, self.version = players, path, version
        self.spark = players["hudi"].spark
        self.facts = {TABLE_NAME: "keyless", PARTITION: "p", TABLE_VERSION: str(version), KIND: kind}
        self.rows: list[Row] = []

    def adds(self, player: str, ids: range, operation: str) -> None:
        rows = [(i, f"{player} {i}", f"p{i % 2}") for i in ids]
        frame = self.spark.createDataFrame(rows, "id int, v string, p string")
        self.players[player].write(frame, self.path, operation, **self.facts)
        self.rows += rows
        self.check()

    def runs(self, player: str, statement: str) -> None:
        if player == "hudilite":
            self.spark.sql(statement.format(f"hudilite.`{self.path}`"))
            return
        with settings(self.spark, {**BY_HUDI, TABLE_VERSION: str(self.version)}):
            self.spark.sql(f"CREATE TABLE turns USING hudi LOCATION '{self.path}'")
            try:
                self.spark.sql(statement.format("turns"))
            finally:
                self.spark.sql("DROP TABLE turns")

    def updates(self, player: str, number: int, value: str) -> None:
        before = self.keys()
        self.runs(player, f"UPDATE {{}} SET v = '{value}' WHERE id = {number}")
        self.rows = [(i, value if i == number else v, p) for i, v, p in self.rows]
        self.check()
        assert self.keys() == before

    def deletes(self, player: str, number: int) -> None:
        self.runs(player, f"DELETE FROM {{}} WHERE id = {number}")
        self.rows = [row for row in self.rows if row[0] != number]
        self.check()

    def merges(self, player: str, number: int, value: str) -> None:
        """Changes the rows of one number, and adds two that are equal."""
        self.runs(
            player,
            f"MERGE INTO {{}} t USING (SELECT * FROM VALUES ({number}, '{value}', 'p{number % 2}'), "
            f"(70, '{value}', 'p0'), (70, '{value}', 'p0') AS s(id, v, p)) s ON t.id = s.id AND t.id < 70 "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        )
        self.rows = [(i, value if i == number else v, p) for i, v, p in self.rows] + [(70, value, "p0")] * 2
        self.check()

    def read(self, player: str) -> DataFrame:
        return self.players[player].read(self.path)

    def keys(self) -> list[tuple[str, int]]:
        return sorted(tuple(row) for row in self.read("hudilite").select("_hoodie_record_key", "id").collect())

    def check(self) -> None:
        """Both show the rows, under the same keys, of which none is there twice."""
        shown = {}
        for player in self.players:
            found = self.read(player).select("_hoodie_record_key", "_hoodie_partition_path", "id", "v", "p").collect()
            assert Counter(tuple(row)[2:] for row in found) == Counter(self.rows), player
            assert len({row[0] for row in found}) == len(found), player
            shown[player] = sorted(tuple(row) for row in found)
        assert shown["hudi"] == shown["hudilite"]


@pytest.mark.parametrize(
    ("release", "version", "kind", "first", "second"),
    [
        ("0.15.0", 6, "COPY_ON_WRITE", "hudilite", "hudi"),
        ("1.0.2", 8, "MERGE_ON_READ", "hudi", "hudilite"),
        ("1.2.0", 9, "MERGE_ON_READ", "hudilite", "hudi"),
        ("1.2.0", 9, "COPY_ON_WRITE", "hudi", "hudilite"),
    ],
)
def test_both_engines_add_change_and_delete_rows_with_generated_keys(
    sessions: Sessions, path: Path, release: str, version: int, kind: str, first: str, second: str
) -> None:
    spark = sessions.get("interop" if release == "1.2.0" else f"interop-{release}")
    real = engines.hudi(spark, **{"hoodie.metadata.enable": "false"})
    turns = Turns({"hudi": real, "hudilite": engines.hudilite(spark)}, path, version, kind)
    turns.adds(first, range(6), "bulk_insert")
    turns.adds(second, range(4, 9), "bulk_insert")
    for player in (second, first):
        turns.adds(player, range(4, 12), "insert")
        turns.updates(player, 4, f"{player} updates")
        turns.deletes(player, 1 if player == first else 2)
        turns.merges(player, 5, f"{player} merges")
    if kind == "MERGE_ON_READ":
        assert hudilite.table(spark, str(path)).compact().groups
        turns.check()
        turns.updates("hudi", 6, "behind the compaction")
        turns.updates("hudilite", 7, "behind the compaction")

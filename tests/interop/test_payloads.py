"""Tables of Apache Hudi's payload classes whose rows complete each other or say that they are deleted, in turns."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from engines import ORDERING, SELF_CHECK, Engine, Shape
from pyspark.sql import DataFrame, SparkSession
from rows import rows_of

import hudilite

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about hudilite's own writes")

PAYLOAD = "hoodie.datasource.write.payload.class"
MODEL = "org.apache.hudi.common.model."
FACTS = {"hoodie.compact.inline": "false", "hoodie.parquet.small.file.limit": "0"}
GONE = "__debezium_unavailable_value"
COLUMNS = "id string, ts long, a string, b int, s struct<x: int, y: string>, op string, c binary"

Rows = list[tuple[Any, ...]]


class Turns:
    """A table that two engines write in turns, and its twin that Apache Hudi writes alone."""

    def __init__(self, lite: Engine, real: Engine, path: Path, shape: Shape, schema: str) -> None:
        self.engines = {"hudilite": lite, "hudi": real}
        self.path, self.twin = path, path.with_name("twin")
        self.shape, self.schema = shape, schema

    def frame(self, spark: SparkSession, rows: Rows) -> DataFrame:
        """The rows, in their order."""
        return spark.createDataFrame(rows, self.schema).coalesce(1)

    def write(self, player: str, rows: Rows, operation: str = "upsert") -> None:
        """One write by `player`, and the same to the twin."""
        for name, table in ((player, self.path), ("hudi", self.twin)):
            engine = self.engines[name]
            engine.write(self.frame(engine.spark, rows), table, operation, **self.shape.options())
        self.check(f"after {operation} by {player}")

    def check(self, when: str) -> None:
        """Both engines read what Apache Hudi reads of the twin."""
        expected = rows_of(self.engines["hudi"].read(self.twin))
        for name, engine in self.engines.items():
            assert rows_of(engine.read(self.path)) == expected, f"{name} {when}"
        assert rows_of(self.engines["hudilite"].read(self.twin)) == expected, f"hudilite of the twin {when}"

    def properties(self, table: Path) -> dict[str, str]:
        """Properties of the table about merges."""
        text = (table / ".hoodie" / "hoodie.properties").read_text()
        pairs = (line.split("=", 1) for line in text.splitlines() if "=" in line)
        return {key: value for key, value in pairs if any(word in key for word in ("merge", "payload", "partial"))}


def drawn(random: random.Random, ids: range, count: int) -> Rows:
    """Rows of these ids, several of one id among them, with gaps."""

    def some(value: Any) -> Any:
        return None if random.random() < 0.4 else value

    def one() -> tuple[Any, ...]:
        nested = some((some(random.randrange(9)), "y"))
        return (f"k{random.choice(ids):02d}", random.randrange(20), some(f"a{random.randrange(9)}"),
                some(random.randrange(9)), nested, "u", some(bytearray(b"c")))  # fmt: skip

    return [one() for _ in range(count)]


@pytest.mark.parametrize(
    ("payload", "version", "table_type", "first"),
    [
        ("PartialUpdateAvroPayload", 9, "COPY_ON_WRITE", "hudi"),
        ("PartialUpdateAvroPayload", 9, "MERGE_ON_READ", "hudilite"),
        ("OverwriteNonDefaultsWithLatestAvroPayload", 9, "MERGE_ON_READ", "hudi"),
        ("OverwriteNonDefaultsWithLatestAvroPayload", 8, "MERGE_ON_READ", "hudilite"),
        ("OverwriteNonDefaultsWithLatestAvroPayload", 6, "MERGE_ON_READ", "hudi"),
        ("OverwriteNonDefaultsWithLatestAvroPayload", 6, "COPY_ON_WRITE", "hudilite"),
    ],
)
def test_rows_complete_each_other_alike(
    lite: Engine, real: Engine, path: Path, payload: str, version: int, table_type: str, first: str
) -> None:
    facts = {**FACTS, PAYLOAD: MODEL + payload, "hoodie.datasource.write.table.type": table_type}
    turns = Turns(lite, real, path, Shape(version, partition=(), extra=facts), COLUMNS)
    source = random.Random(version + len(payload))
    second = "hudi" if first == "hudilite" else "hudilite"
    ids = range(24)
    turns.write(first, [drawn(source, range(i, i + 1), 1)[0] for i in ids])
    assert turns.properties(path) == turns.properties(turns.twin)
    for player in (second, first, "hudilite"):
        turns.write(player, drawn(source, ids, 20))
    if table_type == "MERGE_ON_READ":
        assert hudilite.table(lite.spark, str(path)).compact().groups
        turns.check("after a compaction of one of them")


@pytest.mark.parametrize(
    ("version", "table_type", "first"),
    [(9, "COPY_ON_WRITE", "hudilite"), (9, "MERGE_ON_READ", "hudi"), (6, "MERGE_ON_READ", "hudilite")],
)
def test_rows_of_dms_are_deleted_alike(
    lite: Engine, real: Engine, path: Path, version: int, table_type: str, first: str
) -> None:
    facts = {**FACTS, PAYLOAD: MODEL + "AWSDmsAvroPayload", "hoodie.datasource.write.table.type": table_type}
    schema = "id string, ts long, a string, Op string"
    turns = Turns(lite, real, path, Shape(version, partition=(), extra=facts), schema)
    second = "hudi" if first == "hudilite" else "hudilite"
    turns.write(first, [(f"k{i}", 10, f"a{i}", "I") for i in range(9)] + [("k9", 10, "x", "D")])
    assert turns.properties(path) == turns.properties(turns.twin)
    turns.write(second, [("k0", 20, None, "U"), ("k1", 5, "late", "U"), ("k2", 20, "z", "D"), ("k3", 5, "z", "D")])
    turns.write(first, [("k4", 20, "x", "U"), ("k4", 21, "x", "D"), ("k5", 20, "x", None), ("k6", 20, "x", "d")])
    turns.write("hudilite", [("k2", 30, "back", "I"), ("k7", 30, "x", "D")])
    if table_type == "MERGE_ON_READ":
        hudilite.table(lite.spark, str(path)).compact()
        turns.check("after a compaction of one of them")


@pytest.mark.parametrize(
    ("database", "table_type", "first"),
    [
        ("Postgres", "COPY_ON_WRITE", "hudi"),
        ("Postgres", "MERGE_ON_READ", "hudi"),
        ("MySql", "COPY_ON_WRITE", "hudi"),
        ("MySql", "MERGE_ON_READ", "hudilite"),
    ],
)
def test_changes_by_debezium_are_merged_alike(
    lite: Engine, real: Engine, path: Path, database: str, table_type: str, first: str
) -> None:
    facts = {
        **FACTS, PAYLOAD: f"{MODEL}debezium.{database}DebeziumAvroPayload",
        "hoodie.datasource.write.table.type": table_type,
    }  # fmt: skip
    postgres = database == "Postgres"
    place = "_event_lsn long" if postgres else "_event_bin_file string, _event_pos long"
    shape = Shape(9, partition=(), ordering=None, extra={**facts})
    shape.extra[ORDERING] = "_event_lsn" if postgres else "_event_bin_file,_event_pos"
    turns = Turns(lite, real, path, shape, f"id string, a string, b binary, _change_operation_type string, {place}")
    second = "hudi" if first == "hudilite" else "hudilite"

    def change(key: str, at: int, a: str | None, op: str = "u") -> tuple[Any, ...]:
        # Where Apache Hudi's reader merges logs it completes texts, but no bytes as its writers do.
        sent = key if a == GONE and table_type == "MERGE_ON_READ" else a
        b = None if sent is None else bytearray(sent.encode())
        return (key, a, b, op, *((at,) if postgres else (f"bin.{at // 10:06d}", at % 10)))

    turns.write(first, [change(f"k{i}", 10, GONE if i == 3 else f"a{i}", "c") for i in range(9)])
    assert turns.properties(path) == turns.properties(turns.twin)
    turns.write(
        second,
        [
            *(change("k0", 20, GONE), change("k1", 5, GONE), change("k3", 5, "late"), change("k4", 20, "", "d")),
            *(change("k5", 5, "", "d"), change("k6", 22, GONE), change("k6", 21, "x"), change("k7", 20, None)),
        ],
    )
    turns.write(
        first, [change("k0", 20, GONE), change("k2", 30, "new"), change("k8", 31, "", "d"), change("k7", 19, "n")]
    )
    turns.write("hudilite", [change("k2", 29, "late"), change("k0", 31, GONE)])
    if table_type == "MERGE_ON_READ":
        hudilite.table(lite.spark, str(path)).compact()
        turns.check("after a compaction of one of them")

"""Apache Hudi and hudilite take turns in writing one table; both must read the same rows after every commit."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from buckets import assert_one_group_a_bucket
from engines import IN_BUCKETS, INDEX, Engine, Shape, frame, record
from model import Model, Record
from rows import KEY, META, PARTITION, lines

PARTITIONS = ("2026-01-01", "2026-01-02", "ünï cøde", None)
COLOURS = ("red", "grün", "", None)


class Game:
    """One table, its model, and the two players."""

    def __init__(self, path: Path, shape: Shape, model: Model, players: dict[str, Engine], **options: str) -> None:
        self.path, self.shape, self.model, self.players = path, shape, model, players
        self.options = options
        self.random = random.Random(str(shape))
        self.turn = 0

    def records(self, ids: list[int], ts: int, partitions: tuple[str | None, ...] = PARTITIONS) -> list[Record]:
        """Rows for these ids: every seventh key is not ASCII, and the partition depends on the id alone."""

        def key(i: int) -> str:
            return f"schlüssel-{i}-é" if i % 7 == 0 else f"k{i:05d}"

        return [
            record(key(i), ts, partitions[i % len(partitions)], self.random.choice(COLOURS), i + ts / 10) for i in ids
        ]

    def write(self, player: str, operation: str, batch: list[Record]) -> None:
        """One commit by `player`; the table's facts come with the first write, and with each one where needed."""
        self.turn += 1
        engine = self.players[player]
        facts = self.shape.options() if self.turn == 1 or engine.repeat_facts else {}
        engine.write(frame(engine.spark, batch), self.path, operation, **facts, **self.options)

    def check(self) -> None:
        """All readers agree with the model, and no record is there twice."""
        expected = self.model.rows()
        for name, engine in self.players.items():
            read = engine.read(self.path)
            columns = [column for column in read.columns if column not in META]
            found = read.select(PARTITION, KEY, *columns).collect()
            rows = lines({column: row[column] for column in columns} for row in found)
            assert rows == expected, f"{name} after commit {self.turn}"
            keys = [(row[0], row[1]) for row in found]
            assert len(keys) == len(set(keys)), f"{name} sees duplicates after commit {self.turn}"

    def play(self, first: str, second: str) -> None:
        """Ten commits by turns: inserts, updates, late rows, deletes, an overwritten partition."""
        ids = list(range(60))
        steps: list[tuple[str, str, list[Record], Callable[[list[Record]], Any]]] = [
            (first, "insert", self.records(ids, 10), self.model.upsert),
            (second, "upsert", self.records([*self.some(ids, 20), 60, 61, 63], 20), self.model.upsert),
            (first, "upsert", self.records([*self.some(ids, 15), 70, 77], 30), self.model.upsert),
            (second, "upsert", self.records(self.some(ids, 15), 15), self.model.upsert),
            (first, "delete", self.records(self.some(ids, 12), 40), self.model.delete),
            (second, "delete", self.records([*self.some(ids, 5), 999], 40), self.model.delete),
            (first, "upsert", self.records(self.some(ids, 25), 50), self.model.upsert),
            (second, "insert_overwrite", self.records([1000, 1004], 60), self.model.overwrite_partitions),
            (first, "upsert", self.records([*self.some(ids, 15), 1000, 1001, 1007], 70), self.model.upsert),
            (second, "upsert", self.records([*self.some(ids, 9), 1000, 1001, 1008], 80), self.model.upsert),
        ]
        for player, operation, batch, change in steps:
            self.write(player, operation, batch)
            change(batch)
            self.check()

    def some(self, ids: list[int], count: int) -> list[int]:
        """A sorted sample."""
        return sorted(self.random.sample(ids, count))


# test_written_by_hudilite.py has Hudi keep its metadata table in version 6, too.
GAMES = [
    # first player, table version, Hudi's metadata table, index type
    ("hudilite", 9, True, "BLOOM"),
    ("hudi", 9, True, "SIMPLE"),
    ("hudi", 6, False, "BLOOM"),
    ("hudilite", 6, False, "BUCKET"),
]


@pytest.mark.parametrize(("first", "version", "metadata_table", "index"), GAMES)
def test_both_engines_take_turns(
    lite: Engine, real: Engine, path: Path, first: str, version: int, metadata_table: bool, index: str
) -> None:
    real = replace(real, always={**real.always, "hoodie.metadata.enable": str(metadata_table).lower()})
    players = {"hudilite": lite, "hudi": real}
    second = "hudi" if first == "hudilite" else "hudilite"
    options = IN_BUCKETS if index == "BUCKET" else {INDEX: index}
    Game(path, Shape(version=version), Model(), players, **options).play(first, second)
    if index == "BUCKET":
        assert_one_group_a_bucket(lite, path)
    properties = (path / ".hoodie" / "hoodie.properties").read_text()
    assert f"hoodie.table.version={version}" in properties

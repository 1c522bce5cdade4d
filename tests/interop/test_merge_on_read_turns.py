"""Apache Hudi and hudilite take turns in logging to one merge-on-read table, and in compacting each other's logs."""

from __future__ import annotations

from pathlib import Path

import hudi_rs
import layout
import pytest
from buckets import assert_one_group_a_bucket
from engines import IN_BUCKETS, INDEX, QUERY_TYPE, SELF_CHECK, Engine, Shape, frame, record
from model import Model, Record
from rows import rows_of
from test_ping_pong import PARTITIONS, Game

import hudilite

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about hudilite's own log files and compactions")

MERGE_ON_READ = {"hoodie.datasource.write.table.type": "MERGE_ON_READ"}
MERGE_MODE = "hoodie.record.merge.mode"
BLOCKS = "hoodie.logfile.data.block.format"
INLINE = {"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "1"}
READ_OPTIMIZED = {QUERY_TYPE: "read_optimized"}
BY_POSITION = {"hoodie.merge.use.record.positions": "true"}


class LoggedGame(Game):
    """A game whose changes go to log files."""

    def __init__(self, path: Path, shape: Shape, model: Model, players: dict[str, Engine], **options: str) -> None:
        super().__init__(path, shape, model, players, **options)
        self.told: set[str] = set()  # what the log blocks of any commit say of base files
        self.base: list[Path] = []  # the base files that were compared last

    def upsert(self, player: str, ids: list[int], ts: int, **options: str) -> None:
        """Rows for these ids, some of which may be older than the ones that are there."""
        self.change(player, "upsert", self.records(ids, ts), **options)

    def delete(self, player: str, ids: list[int]) -> None:
        self.change(player, "delete", self.records(ids, 0))

    def change(self, player: str, operation: str, batch: list[Record], **options: str) -> None:
        always, self.options = self.options, {**self.options, **options}
        self.write(player, operation, batch)
        self.options = always
        (self.model.delete if operation == "delete" else self.model.upsert)(batch)
        self.check()

    def compact(self) -> None:
        """All slices that have log files, by hudilite."""
        self.turn += 1
        groups = hudilite.table(self.players["hudilite"].spark, str(self.path)).compact().groups
        assert sum(group.log_records for group in groups) > 0
        self.check()
        self.is_compacted()

    def check(self) -> None:
        """All readers agree on both views, and none finds anything unfinished."""
        super().check()
        self.told |= layout.positions(self.path)
        assert hudi_rs.rows_of(self.path) == self.model.rows(), f"hudi-rs after commit {self.turn}"
        if self.shape.version > 6:
            placed = self.players["hudi"].read(self.path, **BY_POSITION)
            assert rows_of(placed) == self.model.rows(), f"Hudi by positions after commit {self.turn}"
        if (files := layout.base_files(self.path)) != self.base:
            self.base = files
            base = [rows_of(engine.read(self.path, **READ_OPTIMIZED)) for engine in self.players.values()]
            assert base[0] == base[1], f"base files after commit {self.turn}"
        assert not layout.pending(self.path) and not layout.strays(self.path)

    def is_compacted(self) -> None:
        """The base files alone hold every row."""
        found = self.players["hudi"].read(self.path, **READ_OPTIMIZED)
        assert rows_of(found) == self.model.rows(), f"base files after commit {self.turn}"

    def is_logged(self) -> None:
        """The base files do not show the newest changes."""
        found = self.players["hudi"].read(self.path, **READ_OPTIMIZED)
        assert rows_of(found) != self.model.rows(), f"base files after commit {self.turn}"


@pytest.mark.parametrize(
    ("version", "mode", "blocks", "index"),
    [
        (6, "EVENT_TIME_ORDERING", "avro", {}),
        (9, "COMMIT_TIME_ORDERING", "parquet", {}),
        (6, "EVENT_TIME_ORDERING", "avro", IN_BUCKETS),
        (9, "EVENT_TIME_ORDERING", "avro", IN_BUCKETS),
    ],
)
def test_both_engines_log_and_compact_by_turns(
    lite: Engine, real: Engine, path: Path, version: int, mode: str, blocks: str, index: dict[str, str]
) -> None:
    facts = {**MERGE_ON_READ, MERGE_MODE: mode}
    model = Model(ordering="ts" if mode.startswith("EVENT") else None)
    players = {"hudilite": lite, "hudi": real}
    game = LoggedGame(path, Shape(version, extra=facts), model, players, **{BLOCKS: blocks}, **index)
    ids = list(range(40))
    new = range(50, 60) if index else ()  # only with buckets they go to logs

    game.change("hudilite", "insert", game.records(ids, 10))
    game.upsert("hudilite", [*ids[:20], *new], 20)
    game.is_logged()
    game.delete("hudilite", [3, 17, 33])
    game.upsert("hudi", [*ids[10:30:2], 3, 41, 42], 30)
    game.delete("hudi", [8, 20, 999])
    game.upsert("hudilite", [*ids[5:16], 20, 43], 25)  # late for those of Hudi's
    game.upsert("hudi", ids[24:36], 40, **INLINE)
    game.is_compacted()
    game.upsert("hudilite", ids[::3], 50)
    game.upsert("hudi", ids[::2], 45)  # late for some
    game.is_logged()
    game.compact()
    game.delete("hudilite", [0, 1, 2])
    game.upsert("hudi", [1, *ids[4:9]], 60)

    assert layout.block_types(path) == {1, 5 if blocks == "parquet" else 3}
    partitions = {str(row[0]) for row in lite.read(path).select("dt").distinct().collect()}
    assert partitions == {str(name) for name in PARTITIONS}
    if index:
        assert_one_group_a_bucket(lite, path)
        assert game.told == ({"rows", "no rows"} if version > 6 else set())


@pytest.mark.parametrize("version", [6, 9])
def test_keys_that_others_put_into_logs_beside_base_files_are_found(
    lite: Engine, real: Engine, path: Path, version: int
) -> None:
    shape, model = Shape(version, extra=MERGE_ON_READ), Model()
    in_memory = {INDEX: "INMEMORY"}  # like Flink's it knows log files; the map is one for all tables of the process

    def write(engine: Engine, operation: str, ids: range, ts: int, **options: str) -> None:
        rows = [record(f"logged {version} {i}", ts, f"d{i % 2}") for i in ids]
        engine.write(frame(engine.spark, rows), path, operation, **shape.options(), **options)
        (model.delete if operation == "delete" else model.upsert)(rows)
        for reader in (lite, real):
            assert rows_of(reader.read(path)) == model.rows(), f"{reader.name} after {operation} of {ids} at {ts}"

    write(real, "insert", range(10), 1)
    base = layout.base_files(path)
    write(real, "upsert", range(10, 16), 2, **in_memory)
    assert layout.base_files(path) == base
    write(lite, "upsert", range(8, 13), 3)
    write(lite, "delete", range(14, 16), 4)
    write(lite, "upsert", range(13, 18), 5)
    hudilite.table(lite.spark, str(path)).compact()
    write(lite, "upsert", range(9, 18), 6)

"""A record index that hudilite keeps up, in turns with Apache Hudi, which goes by it without a look at the files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from engines import SELF_CHECK, Engine, Shape, frame, record
from model import Model
from rows import found_by_each, held_by_each

import hudilite as package

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about hudilite's own files")

ENABLE = "hoodie.metadata.enable"
OFF = {
    "hoodie.metadata.index.column.stats.enable": "false",
    "hoodie.metadata.index.partition.stats.enable": "false",
}
SERVICES = {
    "hoodie.metadata.compact.max.delta.commits": "4",
    "hoodie.clean.commits.retained": "2",
    "hoodie.compact.inline.max.delta.commits": "3",
    "hoodie.parquet.small.file.limit": "0",
}


def options(partitioned: bool, ours: bool) -> dict[str, str]:
    """Options of the index; Hudi looks keys up in it."""
    name = "record.level.index" if partitioned else "global.record.level.index"
    counts = {f"hoodie.metadata.{name}.{bound}.filegroup.count": "2" for bound in ("min", "max")}
    kind = {} if ours else {"hoodie.index.type": "RECORD_LEVEL_INDEX" if partitioned else "RECORD_INDEX"}
    # Without its timeline server Hudi's own lookups in an index by partition fail.
    server = {"hoodie.embed.timeline.server": "true"} if partitioned and not ours else {}
    return {ENABLE: "true", f"hoodie.metadata.{name}.enable": "true", **counts, **kind, **server, **SERVICES}


@pytest.mark.parametrize(
    ("version", "first", "table_type", "partitioned"),
    [
        (9, "hudilite", "COPY_ON_WRITE", False),
        (9, "hudilite", "MERGE_ON_READ", False),
        (9, "hudi", "MERGE_ON_READ", False),
        (8, "hudilite", "COPY_ON_WRITE", False),
        (6, "hudilite", "COPY_ON_WRITE", False),
        (9, "hudilite", "COPY_ON_WRITE", True),
    ],
)
def test_hudi_finds_keys_by_the_record_index_that_hudilite_keeps_up(
    lite: Engine, real: Engine, path: Path, version: int, first: str, table_type: str, partitioned: bool
) -> None:
    shape, model = Shape(version, extra={"hoodie.datasource.write.table.type": table_type}), Model()
    players = [
        replace(lite, always={**lite.always, **options(partitioned, ours=True)}),
        replace(real, always={**real.always, **OFF, **options(partitioned, ours=False)}),
    ]
    if first == "hudi":
        players.reverse()
    turns = [0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1]
    partitions = ["2026-01-01", "x_1", "a b"] if partitioned else ["d0", "d1", "d2"]
    for turn, player in enumerate(turns):
        engine = players[player]
        batch = [record(f"k{i:02d}", turn, partitions[i % 3], f"c{turn}") for i in range(turn * 2, turn * 2 + 8)]
        operation = "delete" if turn in (4, 8) else "upsert"
        facts = shape.options() if engine.repeat_facts or turn == 0 else {}
        engine.write(frame(engine.spark, batch), path, operation, **facts)
        (model.delete if operation == "delete" else model.upsert)(batch)
        properties = (path / ".hoodie" / "hoodie.properties").read_text()
        assert "hoodie.table.metadata.partitions=files,record_index" in properties, (turn, engine.name)
        found = package.table(lite.spark, str(path)).validate_metadata()
        assert found == [], (turn, engine.name, found)
        filters = ["true", *(f"id = '{key}'" for key in ("k01", f"k{turn * 2:02d}", f"k{turn * 2 + 7:02d}"))]
        wanted = held_by_each(frame(lite.spark, list(model.held.values())), filters)
        for reader in (lite, real):
            read = reader.read(path, **{ENABLE: "true", "hoodie.enable.data.skipping": "true"})
            # Where Hudi wrote, the other engine goes by it, but for the last time.
            asked = filters[:1] if reader is real and engine is real and turn < len(turns) - 1 else filters
            assert found_by_each(read, asked) == wanted[: len(asked)], (turn, reader.name)
        entries = {index.name: index.entries for index in package.table(lite.spark, str(path)).indexes()}
        assert entries["record_index"] == len(model.rows()), (turn, engine.name)

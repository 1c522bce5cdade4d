"""Indexes of expressions that either engine makes, kept up in turns: reads by them lose no row."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from engines import SELF_CHECK, Engine, Shape, frame, record
from model import Model
from named_indexes import create_by_hudi, create_by_hudilite, table_of
from rows import found_by_each, held_by_each

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about hudilite's own files")

ALWAYS = {
    "hoodie.metadata.enable": "true",
    "hoodie.metadata.index.column.stats.enable": "false",
    "hoodie.metadata.index.partition.stats.enable": "false",
    "hoodie.metadata.compact.max.delta.commits": "4",
    "hoodie.parquet.small.file.limit": "0",
    "hoodie.clean.commits.retained": "2",
    "hoodie.compact.inline.max.delta.commits": "3",
}
HUDIS = {
    **ALWAYS,
    "hoodie.embed.timeline.server": "true",
    "hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.InProcessLockProvider",
}
FILTERS = [
    "true",
    "lower(colour) = 'c0'",
    "lower(colour) = 'c4'",
    "lower(colour) > 'c5'",
    "lower(colour) IN ('c0', 'c8')",
    "lower(colour) = 'none'",
    "substring(id, 1, 2) = 'k1'",
    "substring(id, 1, 2) IN ('k2', 'k7')",
]


def indexes(path: Path) -> list[str]:
    lines = (path / ".hoodie" / "hoodie.properties").read_text().splitlines()
    partitions = next(line.split("=", 1)[1] for line in lines if line.startswith("hoodie.table.metadata.partitions="))
    return [name for name in partitions.split(",") if name.startswith("expr_index_")]


@pytest.mark.parametrize("first", ["hudilite", "hudi"])
@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_hudi_and_hudilite_keep_up_indexes_of_expressions_in_turns(
    lite: Engine, real: Engine, path: Path, first: str, table_type: str
) -> None:
    spark = lite.spark
    shape, model = Shape(9, extra={"hoodie.datasource.write.table.type": table_type}), Model()
    # Of log files with updates Apache Hudi 1.2 fails to make filters.
    kind = "bloom_filters" if table_type == "COPY_ON_WRITE" else "column_stats"
    players = [replace(lite, always={**lite.always, **ALWAYS}), replace(real, always={**real.always, **HUDIS})]
    if first == "hudi":
        players.reverse()
    lost: list[tuple[int, str, str, str]] = []
    turns = [0, 0, 1, 0, 1, 1, 0, 0, 1, 0]
    for turn, player in enumerate(turns):
        engine = players[player]
        if turn == 2 and first == "hudilite":
            create_by_hudilite(spark, path, "low", "colour", {"type": "column_stats", "expr": "lower"})
            create_by_hudilite(spark, path, "begin", "id", {"type": kind, "expr": "substring", "pos": "1", "len": "2"})
        if turn == 2 and first == "hudi":
            low = "low ON {t} USING column_stats(colour) OPTIONS (expr='lower')"
            begin = f"begin ON {{t}} USING {kind}(id) OPTIONS (expr='substring', pos='1', len='2')"
            create_by_hudi(spark, path, HUDIS, (low, begin))
        batch = [
            record(f"k{i:02d}", turn, f"d{i % 3}", None if i % 5 == 4 else f"C{turn}", float(i))
            for i in range(turn * 2, turn * 2 + 8)
        ]
        operation = "delete" if turn == 4 else "upsert"
        facts = shape.options() if engine.repeat_facts or turn == 0 else {}
        engine.write(frame(engine.spark, batch), path, operation, **facts)
        (model.delete if operation == "delete" else model.upsert)(batch)
        if turn >= 2:
            assert sorted(indexes(path)) == ["expr_index_begin", "expr_index_low"], (turn, engine.name)
        wanted = held_by_each(frame(spark, list(model.held.values())), FILTERS)
        for reader in (lite, real):
            read = reader.read(path, **{"hoodie.metadata.enable": "true", "hoodie.enable.data.skipping": "true"})
            # Where Hudi wrote, the other engine goes by it, but for the last time.
            few = turn < 2 or (reader is real and engine is real and turn < len(turns) - 1)
            # For each key and file Hudi starts jobs to look for a filter: it does so after an early turn and the last.
            dear = reader is real and kind == "bloom_filters" and turn not in (3, 5, len(turns) - 1)
            asked = FILTERS[:1] if few else FILTERS[:-2] if dear else FILTERS
            answers = zip(asked, found_by_each(read, asked), wanted[: len(asked)], strict=True)
            lost += [(turn, engine.name, reader.name, condition) for condition, seen, rows in answers if seen != rows]
    assert lost == []
    table_of(spark, path).dropIndex("low")
    assert indexes(path) == ["expr_index_begin"]

"""Secondary indexes in turns with Apache Hudi: either makes them, both keep them up, and Hudi goes by them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from engines import SELF_CHECK, Engine, Shape, frame, record
from model import Model
from named_indexes import create_by_hudi, create_by_hudilite
from pyspark.sql import SparkSession
from rows import found_by_each, held_by_each

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about hudilite's own files")

ALWAYS = {
    "hoodie.metadata.enable": "true",
    "hoodie.metadata.global.record.level.index.enable": "true",
    "hoodie.metadata.global.record.level.index.min.filegroup.count": "2",
    "hoodie.metadata.global.record.level.index.max.filegroup.count": "2",
    "hoodie.metadata.index.column.stats.enable": "false",
    "hoodie.metadata.index.partition.stats.enable": "false",
    "hoodie.metadata.compact.max.delta.commits": "4",
    "hoodie.parquet.small.file.limit": "0",
    "hoodie.clean.commits.retained": "2",
}
HUDIS = {
    **ALWAYS,
    "hoodie.embed.timeline.server": "true",
    "hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.InProcessLockProvider",
}
FILTERS = [
    "true",
    "colour = 'c1'",
    "colour = 'c4'",
    "colour = 'a$b\\\\'",
    "colour IN ('c2', 'c6')",
    "ts = 3",
    "colour = 'no'",
]


def escaped(text: str) -> str:
    return "".join(f"\\{c}" if c in "\\$\0" else c for c in text)


def pairs(spark: SparkSession, path: Path) -> list[str]:
    """Keys of the records of all secondary indexes, as hudilite reads them."""
    found = spark.sql(
        f"SELECT key FROM hudi_metadata('{path}') WHERE type = 7 AND NOT SecondaryIndexMetadata.isDeleted"
    )
    return sorted(row.key for row in found.collect())


@pytest.mark.parametrize(
    ("version", "first", "columns"),
    [(9, "hudilite", ["colour", "ts"]), (8, "hudi", ["colour", "ts"]), (9, "hudilite", ["colour"])],
)
def test_hudi_and_hudilite_keep_up_secondary_indexes_in_turns(
    lite: Engine, real: Engine, path: Path, version: int, first: str, columns: list[str]
) -> None:
    """`columns`: with one index the table is merge-on-read, of several Hudi keeps up one there."""
    spark = lite.spark
    kind = "MERGE_ON_READ" if len(columns) == 1 else "COPY_ON_WRITE"
    shape, model = Shape(version, extra={"hoodie.datasource.write.table.type": kind}), Model()
    players = [replace(lite, always={**lite.always, **ALWAYS}), replace(real, always={**real.always, **HUDIS})]
    if first == "hudi":
        players.reverse()
    lost: list[tuple[int, str, str, str]] = []
    turns = [0, 1, 0, 1, 0]
    for turn, player in enumerate(turns):
        engine = players[player]
        if turn == 1 and first == "hudilite":
            for column in columns:
                create_by_hudilite(spark, path, f"by_{column}", column, ALWAYS)
        if turn == 1 and first == "hudi":
            create_by_hudi(spark, path, HUDIS, [f"by_{column} ON {{t}} ({column})" for column in columns])
        batch = [
            record(f"k${i:02d}", turn, f"d{i % 3}", [f"c{turn}", "a$b\\", None, "c1", f"c{i % 7}"][i % 5], float(i))
            for i in range(0 if turn == 4 else turn * 2, 8 if turn == 4 else turn * 2 + 8)
        ]
        operation = "delete" if turn in (3, 4) else "upsert"
        facts = shape.options() if engine.repeat_facts or turn == 0 else {}
        engine.write(frame(engine.spark, batch), path, operation, **facts)
        (model.delete if operation == "delete" else model.upsert)(batch)
        if turn >= 1:
            texts = [(row[column], row["id"]) for row in model.held.values() for column in columns]
            held = sorted(("\0" if v is None else escaped(str(v))) + "$" + escaped(key) for v, key in texts)
            assert pairs(spark, path) == held, (turn, engine.name)
        read = real.read(path, **{"hoodie.metadata.enable": "true", "hoodie.enable.data.skipping": "true"})
        asked = FILTERS if turn >= 1 and (engine is not real or turn == len(turns) - 1) else FILTERS[:1]
        wanted = held_by_each(frame(spark, list(model.held.values())), asked)
        answers = zip(asked, found_by_each(read, asked), wanted, strict=True)
        lost += [(turn, engine.name, condition) for condition, seen, rows in answers if seen != rows]
    assert lost == []

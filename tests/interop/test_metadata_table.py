"""A metadata table that hudilite makes and keeps up, in turns with Apache Hudi: reads by it are reads by folders."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from engines import SELF_CHECK, Engine, Shape, frame, hudi, hudilite, record
from model import Model
from rows import found_by_each, held_by_each, rows_of

import hudilite as package

if TYPE_CHECKING:
    from sessions import Sessions

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about hudilite's own files")

ENABLE = "hoodie.metadata.enable"
#: Hudi keeps files alone, as its older releases do.
FILES_ALONE = {
    ENABLE: "true",
    "hoodie.metadata.index.column.stats.enable": "false",
    "hoodie.metadata.index.partition.stats.enable": "false",
    "hoodie.metadata.compact.max.delta.commits": "4",
}
OURS = {ENABLE: "true", "hoodie.metadata.compact.max.delta.commits": "4"}
SERVICES = {"hoodie.clean.commits.retained": "2", "hoodie.compact.inline.max.delta.commits": "3"}


def listed(path: Path) -> str:
    lines = (path / ".hoodie" / "hoodie.properties").read_text().splitlines()
    return next((line.split("=", 1)[1] for line in lines if line.startswith("hoodie.table.metadata.partitions=")), "")


def files_of(real: Engine, path: Path, by_metadata: bool) -> dict[str, dict[str, int]]:
    """The table's files as Hudi's own classes name them, by the metadata table or by folders."""
    spark, jvm = real.spark, real.spark._jvm
    hadoop = jvm.org.apache.hudi.hadoop.fs.HadoopFSUtils.getStorageConf(spark._jsc.hadoopConfiguration())
    context = jvm.org.apache.hudi.client.common.HoodieSparkEngineContext(spark._jsc)
    client = jvm.org.apache.hudi.common.table.HoodieTableMetaClient.builder().setConf(hadoop).setBasePath(str(path))
    storage = client.build().getStorage()
    config = jvm.org.apache.hudi.common.config.HoodieMetadataConfig.newBuilder().enable(True).build()
    metadata = jvm.org.apache.hudi.metadata
    if by_metadata:
        table: Any = metadata.HoodieBackedTableMetadata(context, storage, config, str(path), True)
    else:
        table = metadata.FileSystemBackedTableMetadata(context, storage, str(path))
    found = {}
    for partition in table.getAllPartitionPaths():
        folder = jvm.org.apache.hudi.storage.StoragePath(str(path / partition))
        files = [(f.getPath().getName(), f.getLength()) for f in table.getAllFilesInPartition(folder)]
        found[partition] = {name: length for name, length in files if not name.startswith(".hoodie_partition")}
    table.close()
    return found


def check(lite: Engine, real: Engine, path: Path, model: Model) -> None:
    """Both engines read the model's rows by the metadata table, and Hudi names the files by it that folders have."""
    for engine in (lite, real):
        assert rows_of(engine.read(path, **{ENABLE: "true"})) == model.rows(), engine.name
    check_files(real, path)


def check_files(real: Engine, path: Path) -> None:
    by_metadata = files_of(real, path, by_metadata=True)
    assert by_metadata == files_of(real, path, by_metadata=False)
    assert by_metadata


GAMES = [
    (6, "hudi", "MERGE_ON_READ"),
    (6, "hudilite", "COPY_ON_WRITE"),
    (8, "hudilite", "MERGE_ON_READ"),
    (9, "hudi", "COPY_ON_WRITE"),
    (9, "hudilite", "MERGE_ON_READ"),
]


@pytest.mark.parametrize(("version", "first", "table_type"), GAMES)
def test_hudi_and_hudilite_keep_up_one_metadata_table_in_turns(
    lite: Engine, real: Engine, path: Path, version: int, first: str, table_type: str
) -> None:
    shape, model = Shape(version, extra={"hoodie.datasource.write.table.type": table_type}), Model()
    players = [
        replace(lite, always={**lite.always, **OURS, **SERVICES}),
        replace(real, always={**real.always, **FILES_ALONE, **SERVICES}),
    ]
    if first == "hudi":
        players.reverse()
    turns = [0, 0, 1, 0, 1, 1, 0, 0, 1, 0]
    for turn, player in enumerate(turns):
        engine = players[player]
        batch = [record(f"k{i}", turn, f"d{i % 3}") for i in range(turn * 2, turn * 2 + 8)]
        operation = "delete" if turn in (4, 8) else "upsert"
        facts = shape.options() if engine.repeat_facts or turn == 0 else {}
        engine.write(frame(engine.spark, batch), path, operation, **facts)
        (model.delete if operation == "delete" else model.upsert)(batch)
        assert listed(path) == "files", (turn, engine.name)
        check(lite, real, path, model)
    compacted = list((path / ".hoodie" / "metadata" / "files").glob("*.hfile"))
    assert len(compacted) >= 2


STATISTICS = {
    ENABLE: "true",
    "hoodie.metadata.index.column.stats.enable": "true",
    "hoodie.metadata.index.bloom.filter.enable": "true",
    "hoodie.index.type": "BLOOM",
    "hoodie.metadata.compact.max.delta.commits": "4",
    "hoodie.parquet.small.file.limit": "0",
    **SERVICES,
}
#: hudilite's lookups alone: Hudi cannot send its own to tasks on newer Java.
BY_METADATA = {"hoodie.bloom.index.use.metadata": "true"}
FILTERS = ["true", "price > 8.0", "price = 3.0", "colour = 'c4'", "id >= 'k20'", "ts < 2", "colour IS NULL"]


@pytest.mark.parametrize(
    ("version", "first", "table_type"),
    [
        (6, "hudilite", "COPY_ON_WRITE"),
        (8, "hudi", "COPY_ON_WRITE"),
        (9, "hudilite", "MERGE_ON_READ"),
        (9, "hudi", "MERGE_ON_READ"),
    ],
)
def test_hudi_and_hudilite_keep_up_statistics_and_bloom_filters_in_turns(
    lite: Engine, real: Engine, path: Path, version: int, first: str, table_type: str
) -> None:
    shape, model = Shape(version, extra={"hoodie.datasource.write.table.type": table_type}), Model()
    partitioned = {} if version < 8 else {"hoodie.metadata.index.partition.stats.enable": "true"}
    players = [
        replace(lite, always={**lite.always, **STATISTICS, **partitioned, **BY_METADATA}),
        replace(real, always={**real.always, **STATISTICS, **partitioned}),
    ]
    if first == "hudi":
        players.reverse()
    partitions = "bloom_filters,column_stats,files" + (",partition_stats" if version >= 8 else "")
    turns, by_metadata = [0, 0, 1, 0, 1, 1, 0, 0, 1], 0
    for turn, player in enumerate(turns):
        engine = players[player]
        batch = [record(f"k{i:02d}", turn, f"d{i % 3}", f"c{turn}", float(i)) for i in range(turn * 2, turn * 2 + 8)]
        operation = "delete" if turn == 4 else "upsert"
        facts = shape.options() if engine.repeat_facts or turn == 0 else {}
        engine.write(frame(engine.spark, batch), path, operation, **facts)
        (model.delete if operation == "delete" else model.upsert)(batch)
        assert listed(path) == partitions, (turn, engine.name)
        check_files(real, path)
        assert package.table(lite.spark, str(path)).validate_metadata() == [], (turn, engine.name)
        wanted = held_by_each(frame(lite.spark, list(model.held.values())), FILTERS)
        for reader in (lite, real):
            read = reader.read(path, **{ENABLE: "true", "hoodie.enable.data.skipping": "true"})
            # Where Hudi wrote, the other engine goes by it, but for the last time.
            asked = FILTERS[:1] if reader is real and engine is real and turn < len(turns) - 1 else FILTERS
            assert found_by_each(read, asked) == wanted[: len(asked)], (turn, reader.name)
        absent = lite.read(path, **{ENABLE: "true", **BY_METADATA}).where("id IN ('k05x', 'k11x', 'k17x')")
        assert absent.collect() == []
        # Of all files, whoever made them, the metadata table knew the filter; of a last one the footer is as near.
        told = re.findall(r"\((\d+) of the metadata table, (\d+) of footers\)", absent._jdf.queryExecution().toString())
        assert [footers for _, footers in told if footers != "0"] == [], (turn, engine.name)
        by_metadata += sum(int(filters) for filters, _ in told)
    assert by_metadata >= 3, by_metadata


@pytest.mark.parametrize(("release", "version"), [("0.15.0", 6), ("1.0.2", 8)])
def test_older_releases_of_hudi_go_on_with_the_metadata_table_of_hudilite(
    sessions: Sessions, path: Path, release: str, version: int
) -> None:
    spark = sessions.get(f"interop-{release}")
    lite, real = hudilite(spark, **OURS), hudi(spark, **FILES_ALONE)
    shape, model = Shape(version), Model()
    for turn, engine in enumerate([lite, lite, real, lite, real, real, lite, real]):
        batch = [record(f"k{i}", turn, f"d{i % 3}") for i in range(turn * 2, turn * 2 + 8)]
        facts = shape.options() if engine.repeat_facts or turn == 0 else {}
        engine.write(frame(spark, batch), path, "upsert", **facts)
        model.upsert(batch)
        assert listed(path) == "files", (turn, engine.name)
        for reader in (lite, real):
            assert rows_of(reader.read(path, **{ENABLE: "true"})) == model.rows(), (turn, reader.name)

"""Tables that either engine bootstrapped: rows that are spread over skeletons and the files that were there before."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conditions import fails_with
from engines import AS_OF, BEGIN, HIVE_STYLE, KEY_GENERATOR, QUERY_TYPE, SELF_CHECK, TABLE_VERSION, Engine, Shape
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T
from rows import scans

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about both engines")

ROWS = 800
SELECTORS = "org.apache.hudi.client.bootstrap.selector."
BOOTSTRAP = "00000000000001"
META = ["_hoodie_commit_time", "_hoodie_commit_seqno", "_hoodie_record_key", "_hoodie_partition_path"]
DATA = ["id", "ts", "fare", "colour", "nums", "s", "at", "dt"]
COLUMNS = [META, DATA, [*META, *DATA], ["fare", "_hoodie_record_key"], ["dt"], ["dt", "_hoodie_commit_time"]]
CONDITIONS = [
    "ts BETWEEN 300 AND 320",
    "colour = 'blue' AND fare > 900",
    "id = 'k0123'",
    "_hoodie_record_key IN ('k0123', 'k0700')",
    "dt = 'd1' AND ts < 410",
    "dt = 'dt=d1'",
    "colour IS NULL OR dt = 'a b'",
    "_hoodie_commit_time > '1' AND ts > 0",
    "s.a = 77",
]


Source = Callable[..., tuple[Path, DataFrame]]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where each source is written once, by its last day."""
    return tmp_path_factory.mktemp("sources")


@pytest.fixture
def source(spark: SparkSession, written: Path, tmp_path: Path) -> Source:
    """Copies a source for a test, which may change it."""

    def copy(last_day: str = "a b") -> tuple[Path, DataFrame]:
        if not (written / last_day).exists():
            write_source(spark, written / last_day, last_day)
        files = shutil.copytree(written / last_day, tmp_path / "source")
        return files, spark.read.parquet(str(files))

    return copy


def write_source(spark: SparkSession, path: Path, last_day: str) -> None:
    """Files of several row groups, their rows in no order, in folders as Spark names them."""
    columns = {
        "id": F.concat(F.lit("k"), F.lpad(F.col("ts").cast("string"), 4, "0")),
        "fare": F.col("ts") * 1.5,
        "colour": F.when(F.col("ts") % 3 == 0, "blue").when(F.col("ts") % 3 == 1, "red"),
        "nums": F.array("ts", F.col("ts") + 1),
        "s": F.struct(F.col("ts").alias("a"), F.col("ts").cast("string").alias("b")),
        "at": F.timestamp_seconds(F.col("ts") * 1000),
        "dt": F.when(F.col("ts") < 400, "d0").when(F.col("ts") < 790, "d1").otherwise(last_day),
    }
    rows = spark.range(ROWS).withColumnRenamed("id", "ts").withColumns(columns)
    shuffled = rows.repartition(2, "id").sortWithinPartitions("dt", "colour")
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")  # Hudi's bootstrap knows no INT96
    try:
        shuffled.write.option("parquet.block.size", 3000).partitionBy("dt").parquet(str(path))
    finally:
        spark.conf.unset("spark.sql.parquet.outputTimestampType")


def bootstrap(
    engine: Engine,
    path: Path,
    files: Path,
    shape: Shape,
    selector: str = "MetadataOnlyBootstrapModeSelector",
    **options: str,
) -> None:
    """A table over these files."""
    nothing = engine.spark.createDataFrame([], T.StructType([]))
    given = {
        **shape.options(),
        KEY_GENERATOR: "org.apache.hudi.keygen.SimpleKeyGenerator",
        "hoodie.bootstrap.base.path": str(files),
        "hoodie.bootstrap.parallelism": "2",
        "hoodie.bootstrap.mode.selector": f"{SELECTORS}{selector}",
        **options,
    }
    engine.write(nothing, path, "bootstrap", mode="overwrite", **given)


def rows(frame: DataFrame) -> list[Any]:
    """The rows, sorted by their texts."""
    return sorted((tuple(row) for row in frame.collect()), key=str)


def compare(lite: Engine, real: Engine, path: Path, **options: str) -> None:
    """Both engines answer alike, whichever columns are asked for and however they are filtered."""
    held = [F.expr(condition).alias(f"held{n}") for n, condition in enumerate(CONDITIONS)]
    there = [row.asDict() for row in real.read(path, **options).select(*META, *DATA).select("*", *held).collect()]
    for columns in COLUMNS:
        seen = rows(lite.read(path, **options).select(*columns))
        assert seen == sorted((tuple(row[name] for name in columns) for row in there), key=str), columns
        few = rows(scans(lite.read(path, **options), CONDITIONS, *columns))
        wanted = [(n, *(row[name] for name in columns)) for n in range(len(held)) for row in there if row[f"held{n}"]]
        assert few == sorted(wanted, key=str), columns
    assert lite.read(path, **options).count() == len(there)
    bounds = [F.min("ts"), F.max("ts"), F.count("colour"), F.count("*")]
    assert rows(lite.read(path, **options).agg(*bounds)) == rows(real.read(path, **options).select(*DATA).agg(*bounds))


@pytest.mark.parametrize(
    ("version", "kind", "maker"),
    [(6, "MERGE_ON_READ", "real"), (8, "COPY_ON_WRITE", "lite"), (9, "MERGE_ON_READ", "real")],
)
def test_skeletons_are_read_with_their_sources(
    lite: Engine, real: Engine, path: Path, source: Source, version: int, kind: str, maker: str
) -> None:
    shape = Shape(version, extra={"hoodie.datasource.write.table.type": kind, HIVE_STYLE: "true"})
    files, before = source()
    bootstrap(lite if maker == "lite" else real, path, files, shape)
    compare(lite, real, path)
    assert lite.read(path).count() == ROWS
    assert rows(lite.read(path).select(*DATA)) == rows(before.select(*DATA))

    newer = before.where("ts IN (5, 444, 795)").withColumn("fare", F.lit(-1.0))
    real.write(newer, path, "upsert", **{**shape.options(), TABLE_VERSION: str(version)})
    real.write(before.where("ts IN (7, 446)"), path, "delete", **{**shape.options(), TABLE_VERSION: str(version)})
    compare(lite, real, path)
    assert lite.read(path).where("fare < 0").count() == 3
    past = lite.read(path, **{AS_OF: BOOTSTRAP})
    assert rows(past.select(*DATA)) == rows(before.select(*DATA))
    done = [file.stem.split("_") for file in path.glob(f".hoodie/timeline/{BOOTSTRAP}_*commit")]
    since = lite.read(path, **{QUERY_TYPE: "incremental", BEGIN: done[0][1] if done else BOOTSTRAP})
    assert rows(since.select("ts", "fare")) == [(444, -1.0), (5, -1.0), (795, -1.0)]
    ever = lite.read(path, **{QUERY_TYPE: "incremental", BEGIN: "000"})
    assert ever.count() == ROWS - 2


def alike(lite: Engine, real: Engine, path: Path, **options: str) -> list[Any]:
    """The rows, which both engines read alike."""
    columns = ["_hoodie_record_key", "_hoodie_partition_path", *DATA]
    filters = ["true", "fare < 0", "dt = 'd1' AND ts > 770", "id = 'k0007'", "_hoodie_record_key = 'k0444'"]
    found = rows(scans(lite.read(path, **options), filters, *columns))
    assert found == rows(scans(real.read(path, **options), filters, *columns))
    seen = [tuple(row[1:]) for row in found if row[0] == 0]
    keys, stamps, fares, colours = ([row[at] for row in seen if row[at] is not None] for at in (0, 3, 4, 5))
    bounds = [F.min("ts"), F.max("fare"), F.count("colour"), F.count("*"), F.max("_hoodie_record_key")]
    wanted = (min(stamps), max(fares), len(colours), len(seen), max(keys))
    assert rows(lite.read(path, **options).agg(*bounds)) == [wanted]
    return seen


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a source."""
    return {str(file): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


@pytest.mark.parametrize(
    ("version", "kind", "metadata", "maker"),
    [
        (6, "COPY_ON_WRITE", False, "real"),
        (6, "MERGE_ON_READ", True, "lite"),
        (8, "COPY_ON_WRITE", True, "lite"),
        (8, "MERGE_ON_READ", False, "real"),
        (9, "COPY_ON_WRITE", True, "lite"),
        (9, "MERGE_ON_READ", False, "real"),
        (9, "MERGE_ON_READ", True, "lite"),
    ],
)
def test_skeletons_are_written_by_both_engines_in_turns(
    lite: Engine, real: Engine, path: Path, source: Source, version: int, kind: str, metadata: bool, maker: str
) -> None:
    by = {"hoodie.metadata.enable": str(metadata).lower(), "hoodie.metadata.index.column.stats.enable": "false"}
    shape = Shape(version, extra={"hoodie.datasource.write.table.type": kind, HIVE_STYLE: "true", **by})
    asked = {**shape.options(), "hoodie.compact.inline": "false"}
    files, before = source()
    bootstrap(lite if maker == "lite" else real, path, files, shape)
    sources = contents(files)
    table = f"hudilite.`{path}`"

    lite.write(before.where("ts IN (5, 444)").withColumn("fare", F.lit(-1.0)), path, **by)
    assert len(alike(lite, real, path)) == ROWS
    real.write(before.where("ts IN (6, 444, 795)").withColumn("fare", F.lit(-2.0)), path, "upsert", **asked)
    real.write(before.where("ts IN (7, 446)"), path, "delete", **asked)
    assert len(alike(lite, real, path)) == ROWS - 2
    lite.spark.sql(f"DELETE FROM {table} WHERE ts IN (8, 447, 796)")
    lite.spark.sql(f"UPDATE {table} SET fare = -3 WHERE ts IN (9, 797)")
    lite.spark.sql(
        f"MERGE INTO {table} t USING (SELECT * FROM {table} WHERE ts IN (10, 11)) s ON t.id = s.id "
        "WHEN MATCHED AND s.ts = 10 THEN DELETE WHEN MATCHED THEN UPDATE SET fare = -4"
    )
    seen = alike(lite, real, path)
    assert {row[3] for row in rows(before.select(*META[:0], "id", "fare", "dt", "ts"))} - {row[3] for row in seen} == {
        7,
        8,
        10,
        446,
        447,
        796,
    }
    if kind == "MERGE_ON_READ":
        lite.spark.sql(f"CALL hudilite.system.run_compaction(op => 'run', path => '{path}')")
    assert alike(lite, real, path) == seen
    lite.spark.sql(f"CALL hudilite.system.run_clustering(path => '{path}', order => 'ts')")
    assert alike(lite, real, path) == seen
    assert rows(lite.read(path, **{AS_OF: BOOTSTRAP}).select(*DATA)) == rows(before.select(*DATA))
    real.write(before.where("ts IN (12, 500)").withColumn("fare", F.lit(-5.0)), path, "upsert", **asked)
    lite.write(before.where("ts IN (13, 500)").withColumn("fare", F.lit(-6.0)), path, **by)
    seen = alike(lite, real, path)
    lite.spark.sql(f"CALL hudilite.system.run_clean(path => '{path}', retain_commits => 1)")
    assert alike(lite, real, path) == seen
    assert contents(files) == sources
    for file in sources:
        Path(file).unlink()
    assert alike(lite, real, path) == seen  # all rows are in the table by now
    assert (path / ".hoodie" / "metadata").exists() == metadata


def test_rows_that_would_come_to_other_partitions_are_refused(
    lite: Engine, real: Engine, path: Path, source: Source
) -> None:
    files, before = source("a b:c%")
    bootstrap(real, path, files, Shape(9, extra={HIVE_STYLE: "true"}))
    there = sorted(path.rglob("*"))
    for write in (
        lambda: lite.write(before.where("ts = 1"), path),
        lambda: lite.spark.sql(f"DELETE FROM hudilite.`{path}` WHERE ts = 1"),
    ):
        with fails_with("UNSUPPORTED_TABLE_FEATURE", "bootstrapped files in the partition 'dt=a b%3Ac%25'"):
            write()
    assert sorted(path.rglob("*")) == there


@pytest.mark.parametrize("vectorized", [True, False])
def test_tables_in_which_whole_rows_lie_beside_skeletons(
    lite: Engine, real: Engine, path: Path, source: Source, vectorized: bool
) -> None:
    files, before = source("a b:c%")
    regex = {
        "hoodie.bootstrap.mode.selector.regex": ".*(d0|a.*)",
        "hoodie.bootstrap.mode.selector.regex.mode": "METADATA_ONLY",
    }
    bootstrap(real, path, files, Shape(9, extra={HIVE_STYLE: "true"}), "BootstrapRegexModeSelector", **regex)
    lite.spark.conf.set("spark.sql.parquet.enableVectorizedReader", str(vectorized).lower())
    try:
        assert rows(lite.read(path).select(*DATA)) == rows(before.select(*DATA))
        compare(lite, real, path)
    finally:
        lite.spark.conf.unset("spark.sql.parquet.enableVectorizedReader")


def test_a_source_that_is_no_more_what_it_was_is_named(lite: Engine, real: Engine, path: Path, source: Source) -> None:
    files, _ = source()
    bootstrap(real, path, files, Shape(9, extra={HIVE_STYLE: "true"}))
    keys = lite.read(path).select("_hoodie_record_key")
    lost, other = sorted(files.glob("dt=d0/*.parquet"))
    whole = lost.read_bytes()
    lost.unlink()
    with fails_with("CORRUPT_FILE", lost.name, "gone"):
        lite.read(path).select("fare").collect()
    assert len(keys.collect()) == ROWS  # nobody looks for columns of the source
    lost.write_bytes(other.read_bytes() if other.stat().st_size != len(whole) else whole + b"x")
    with fails_with("CORRUPT_FILE", lost.name, "bytes"):
        lite.read(path).select("fare").collect()


def test_a_bootstrap_of_whole_rows_is_written_by_both_engines(
    lite: Engine, real: Engine, path: Path, source: Source
) -> None:
    files, before = source()
    shape = Shape(9, extra={HIVE_STYLE: "true"})
    bootstrap(real, path, files, shape, "FullRecordBootstrapModeSelector")
    compare(lite, real, path)
    lite.write(before.where("ts IN (5, 444)").withColumn("fare", F.lit(-1.0)), path)
    real.write(before.where("ts IN (6, 444)").withColumn("fare", F.lit(-2.0)), path, "upsert", **shape.options())
    lite.spark.sql(f"DELETE FROM hudilite.`{path}` WHERE ts = 7")
    compare(lite, real, path)
    assert rows(lite.read(path).where("fare < 0").select("ts", "fare")) == [(444, -2.0), (5, -1.0), (6, -2.0)]
    assert lite.read(path, **{AS_OF: "00000000000002"}).count() == ROWS
    lite.spark.sql(f"CALL hudilite.system.run_clustering('{path}')")
    lite.spark.sql(f"CALL hudilite.system.run_clean('{path}', retain_commits => 1)")
    compare(lite, real, path)

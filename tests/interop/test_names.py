"""Partitions and columns with odd names: what one engine writes, the other finds."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from engines import KEY_GENERATOR, PARTITION, RECORD_KEY, TIMED, URL_ENCODE, Engine, Shape, hudi
from pyspark.sql import DataFrame, SparkSession
from rows import scans

from hudilite import condition_of

# Apache Hudi lists all of these, wherever it runs.
LEGAL = [
    *("plain", ".dot", "x/.dot", "a\\b", "x/a:b", "a%2Fb", "a%b", "tab\tx", "nl\nx", " lead", "trail ", "größe"),
    *("_temporary", "a?b", "a#b", "a*b", "{a", "[a]", "a,b", "...", "~", "$a", "😀"),
]
# Hudi writes the first three and has lost their rows, and puts those of the fourth outside the table.
ILLEGAL = ["a//b", "trail/", "a/./b", "..", "a/../b", "/", "a:b"]
SCHEMA = "id string, p string, v string"
FACTS = {RECORD_KEY: "id", PARTITION: "p", "hoodie.table.name": "t"}


def batch(spark: SparkSession, values: list[str], v: str) -> DataFrame:
    return spark.createDataFrame([(f"k{i}", p, v) for i, p in enumerate(values)], SCHEMA)


def rows(engine: Engine, path: Path) -> list[tuple[str, ...]]:
    return sorted(tuple(row) for row in engine.read(path).select("id", "p", "v").collect())


# The versions name partitions alike.
@pytest.mark.parametrize(("version", "encoded"), [(6, True), (9, False)])
def test_odd_partitions_that_hudilite_writes(
    lite: Engine, real: Engine, path: Path, version: int, encoded: bool
) -> None:
    # Without the encoding Hudi's readers take the escape in a folder's name for the character that it stands for.
    values = [*LEGAL, *(v for v in ILLEGAL if v != "..")] if encoded else [v for v in LEGAL if v != "a%2Fb"]
    facts = {**FACTS, URL_ENCODE: str(encoded).lower(), "hoodie.write.table.version": str(version)}
    for turn, engine in enumerate([lite, real, lite]):
        engine.write(batch(engine.spark, values, f"v{turn}"), path, **facts)
        expected = sorted((f"k{i}", p, f"v{turn}") for i, p in enumerate(values))
        assert rows(lite, path) == expected
        assert rows(real, path) == expected
    folders = {row[0] for row in real.read(path).select("_hoodie_partition_path").collect()}
    assert len(folders) == len(values)


def test_partitions_that_hudi_writes_below_others_and_with_a_dot(lite: Engine, spark: SparkSession, path: Path) -> None:
    real = hudi(spark)  # with its metadata table, by which alone it finds partitions below others itself
    values = ["a", "a/b", "a/b/c/d", ".dot", ".dot/x", "x/.hoodie", "b"]
    real.write(batch(spark, values, "old"), path, **FACTS)
    expected = sorted((f"k{i}", p, "old") for i, p in enumerate(values))
    assert rows(real, path) == expected
    assert rows(lite, path) == expected
    table = lite.read(path)
    found = scans(table, [f"p = '{value}'" for value in values], "id").collect()
    assert sorted(tuple(row) for row in found) == [(i, f"k{i}") for i in range(len(values))]
    others = [f"p <> '{value}' AND id = 'k{i}'" for i, value in enumerate(values)]
    assert scans(table, others, "id").collect() == []
    legal = [v for v in values if v != "x/.hoodie"]
    changed = spark.createDataFrame([(f"k{values.index(p)}", p, "new") for p in legal], SCHEMA)
    lite.write(changed, path)
    assert rows(lite, path) == sorted((f"k{i}", p, "new" if p in legal else "old") for i, p in enumerate(values))
    for odd in ("/lead", "x/.hoodie"):
        with pytest.raises(Exception) as raised:
            lite.write(spark.createDataFrame([("k9", odd, "new")], SCHEMA), path)
        assert condition_of(raised.value) == "ILLEGAL_PARTITION_PATH"


@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_columns_of_all_alphabets(lite: Engine, real: Engine, path: Path, table_type: str) -> None:
    names = ["größe", "日本", "_file_id", "_row_position", "ÄÖ_1", "_hoodie_x"]
    facts = {
        RECORD_KEY: "größe",
        PARTITION: "日本",
        "hoodie.table.name": "t",
        "hoodie.datasource.write.precombine.field": "ÄÖ_1",
        "hoodie.datasource.write.table.type": table_type,
        KEY_GENERATOR: "org.apache.hudi.keygen.SimpleKeyGenerator",
    }
    schema = ", ".join(f"`{name}` string" for name in names)

    def frame(turn: int) -> DataFrame:
        data = [(f"k{i}", f"p{i % 2}", f"f{turn}", f"r{turn}", f"{turn}", "x") for i in range(turn, turn + 4)]
        return lite.spark.createDataFrame(data, schema)

    model: dict[str, tuple[str, ...]] = {}
    for turn, engine in enumerate([lite, real, lite, real]):
        engine.write(frame(turn), path, **facts)
        model |= {row[0]: tuple(row) for row in frame(turn).collect()}
        for reader in (lite, real):
            assert sorted(tuple(row) for row in reader.read(path).select(*names).collect()) == sorted(model.values())


def test_columns_of_hudi_that_no_reader_can_tell_apart(lite: Engine, real: Engine, path: Path) -> None:
    spark = lite.spark
    for name in ("A", "_tmp_metadata_row_index"):
        table = path / name
        spark.conf.set("spark.sql.caseSensitive", "true")
        try:
            frame = spark.createDataFrame([("k", "x", 1)], f"id string, a string, `{name}` int")
            real.write(frame, table, "insert", **{RECORD_KEY: "id", "hoodie.table.name": "t"})
            with pytest.raises(Exception) as raised:
                lite.read(table).collect()
            assert condition_of(raised.value) == "UNSUPPORTED_SCHEMA"
        finally:
            spark.conf.unset("spark.sql.caseSensitive")


# Apache Hudi's row writer leaves out what is finer than milliseconds.
TIMES = [
    datetime.datetime(2024, 1, 31, 10, 0, 0, tzinfo=datetime.timezone.utc),
    datetime.datetime(2024, 1, 31, 10, 0, 0, 123000, tzinfo=datetime.timezone.utc),
    datetime.datetime(1969, 12, 31, 23, 59, 59, 999000, tzinfo=datetime.timezone.utc),
]


# Upserts and bulk inserts of each key and partition; of the versions, which spell alike, each comes with every value.
@pytest.mark.parametrize(
    ("version", "key", "partition", "operation"),
    [
        ((6, 9)[(at + bulk) % 2], key, partition, ("upsert", "bulk_insert")[bulk])
        for at, (key, partition) in enumerate(TIMED)
        for bulk in (0, 1)
    ],
)
def test_times_in_keys_and_partitions_are_spelled_as_the_table_has_them(
    lite: Engine,
    real: Engine,
    path: Path,
    version: int,
    key: tuple[str, ...],
    partition: tuple[str, ...],
    operation: str,
) -> None:
    """Apache Hudi's upserts spell them as numbers, and its row writer, which bulk inserts go through, as texts."""
    shape = Shape(version, key, partition, ordering=None, extra={URL_ENCODE: "true"})

    def changed(times: list[datetime.datetime], v: str) -> DataFrame:
        return lite.spark.createDataFrame([("k", at, v) for at in times], "id string, at timestamp, v string")

    def names(engine: Engine) -> list[tuple[str, ...]]:
        found = engine.read(path).select("_hoodie_record_key", "_hoodie_partition_path", "v").collect()
        return sorted(tuple(row) for row in found)

    real.write(changed(TIMES[:2], "old"), path, operation, **shape.options())
    before = {row[:2] for row in names(real)}
    lite.write(changed(TIMES, "new"), path, "upsert")
    after = names(lite)
    assert after == names(real)
    assert before < {row[:2] for row in after}
    assert [row[2] for row in after] == ["new"] * len(TIMES)
    lite.write(changed(TIMES[1:], "gone"), path, "delete")
    left = lite.read(path).selectExpr("unix_micros(at)").collect()
    assert [row[0] for row in left] == [int(TIMES[0].timestamp() * 1_000_000)]
    if operation == "upsert":
        real.write(changed(TIMES, "newest"), path, operation, **shape.options())
        assert [row[2] for row in names(lite)] == ["newest"] * len(TIMES)

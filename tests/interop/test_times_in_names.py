"""Times and days in record keys and partition paths: the rows that one engine wrote are found by the other."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
from engines import HIVE_STYLE, KEY_GENERATOR, PARTITION, RECORD_KEY, SELF_CHECK, TIMED, URL_ENCODE, Engine, Shape
from pyspark.sql import DataFrame

from hudilite import condition_of

AS_TEXTS = "hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled"
TABLE_TYPE = "hoodie.datasource.write.table.type"
SCHEMA = "id string, at timestamp, v string, day date"
DAY = datetime.date(2024, 1, 31)
START = datetime.datetime(2024, 1, 31, 10, 0, 0, tzinfo=datetime.timezone.utc)
# Texts leave out what is finer than milliseconds.
MICROS = [0, 1000, 1_123_000, -1_706_695_200_001_000]
FINER = [*MICROS, 1, 1001, -1_706_695_200_000_001]
FIRST = ("hudilite", "hudi")

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about both engines")


def rows(engine: Engine, micros: list[int], v: str) -> DataFrame:
    """One row for each time, with no other difference."""
    times = [("k", START + datetime.timedelta(microseconds=n), v, DAY) for n in micros]
    return engine.spark.createDataFrame(times, SCHEMA)


def found(engine: Engine, path: Path, where: str = "true") -> list[tuple[Any, ...]]:
    """Rows of a query, as distances from the start."""
    table = engine.read(path).where(where).selectExpr("unix_micros(at)", "v").collect()
    return sorted((row[0] - int(START.timestamp()) * 1_000_000, row[1]) for row in table)


# Each key and partition is spelled either way in a table that either begins; of the table versions, which spell alike,
# each comes with every two of these.
TIMES = [
    ((6, 9)[(at + f + texts) % 2], key, partition, first, bool(texts))
    for at, (key, partition) in enumerate(TIMED)
    for f, first in enumerate(FIRST)
    for texts in (0, 1)
]


@pytest.mark.parametrize(("version", "key", "partition", "first", "texts"), TIMES)
def test_upserts_by_turns_find_the_rows_of_times(
    lite: Engine,
    real: Engine,
    path: Path,
    version: int,
    key: tuple[str, ...],
    partition: tuple[str, ...],
    first: str,
    texts: bool,
) -> None:
    kind = "COPY_ON_WRITE" if version == 6 else "MERGE_ON_READ"
    extra = {AS_TEXTS: str(texts).lower(), URL_ENCODE: "true", TABLE_TYPE: kind}
    shape = Shape(version, key, partition, ordering=None, extra=extra)
    micros = MICROS if texts else FINER

    def seen_by_hudi() -> list[tuple[Any, ...]]:
        if not partition or texts:
            return found(real, path)
        # It reads the number in the name of a folder as a text, and shows null.
        values = sorted(row[0] for row in real.read(path).select("v").collect())
        assert values == sorted(v for _, v in found(lite, path))
        return found(lite, path)

    for turn, engine in enumerate([lite, real] * 2 if first == "hudilite" else [real, lite] * 2):
        facts = shape.options() if turn == 0 or engine.repeat_facts else {}
        engine.write(rows(engine, micros, f"v{turn}"), path, "upsert", **facts)
        assert found(lite, path) == sorted((n, f"v{turn}") for n in micros)
        assert seen_by_hudi() == found(lite, path)
    lite.write(rows(lite, micros[1:3], "gone"), path, "delete")
    left = sorted((n, "v3") for n in micros if n not in micros[1:3])
    assert found(lite, path) == seen_by_hudi() == left
    one = f"at = timestamp_micros({int(START.timestamp()) * 1_000_000})"
    assert found(lite, path, one) == [(0, "v3")]
    if partition and not texts:
        frame = rows(lite, [0], "where")
        frame.write.format("hudilite").option("replaceWhere", one).mode("overwrite").save(str(path))
        assert found(lite, path) == seen_by_hudi()
        assert found(lite, path) == sorted((n, "where" if n == 0 else "v3") for n, _ in left)


COMPLEX = "org.apache.hudi.keygen.ComplexKeyGenerator"
OF_DAYS = {
    "hoodie.keygen.timebased.timestamp.type": "SCALAR",
    "hoodie.keygen.timebased.timestamp.scalar.time.unit": "days",
    "hoodie.keygen.timebased.output.dateformat": "yyyy/MM",
    "hoodie.keygen.timebased.timezone": "UTC",
}
DAYS: list[dict[str, str]] = [
    {RECORD_KEY: "day", PARTITION: "v", KEY_GENERATOR: "org.apache.hudi.keygen.SimpleKeyGenerator"},
    {RECORD_KEY: "id,day", PARTITION: "day,id", KEY_GENERATOR: COMPLEX, HIVE_STYLE: "true"},
    {RECORD_KEY: "id", PARTITION: "day:SIMPLE", KEY_GENERATOR: "org.apache.hudi.keygen.CustomKeyGenerator"},
    {RECORD_KEY: "id", PARTITION: "day", KEY_GENERATOR: "org.apache.hudi.keygen.TimestampBasedKeyGenerator"},
    {RECORD_KEY: "day", PARTITION: "id", KEY_GENERATOR: COMPLEX},
]


def days(engine: Engine, numbers: list[int], w: str) -> DataFrame:
    """One row for each day."""
    made = [(f"k{n}", DAY + datetime.timedelta(days=n), "p", w) for n in numbers]
    return engine.spark.createDataFrame(made, "id string, day date, v string, w string")


def days_found(engine: Engine, path: Path, where: str = "true") -> list[tuple[Any, ...]]:
    """Rows of a query."""
    return sorted(
        tuple(row) for row in engine.read(path).where(where).selectExpr("id", "cast(day AS date)", "w").collect()
    )


# Only a complex key generator of one key depends on the version and on who begins the table, both at once.
DAYS_BY_TURNS = [
    pytest.param(version, facts, first, id=f"{version}-{name}-{first}")
    for at, (name, facts) in enumerate(zip(("simple", "complex", "custom", "timestamp", "one-key"), DAYS, strict=True))
    for v, version in enumerate((6, 9))
    for f, first in enumerate(FIRST)
    if name == "one-key" or v == (at + f) % 2
]


@pytest.mark.parametrize(("version", "facts", "first"), DAYS_BY_TURNS)
def test_upserts_by_turns_find_the_rows_of_days(
    lite: Engine, real: Engine, path: Path, version: int, facts: dict[str, str], first: str
) -> None:
    options = {**facts, **(OF_DAYS if "Timestamp" in facts[KEY_GENERATOR] else {}), "hoodie.table.name": "t"}
    options["hoodie.write.table.version"] = str(version)
    if facts == DAYS[-1]:  # Hudi 1.2 asks whether the table is meant to be so
        options["hoodie.write.complex.keygen.validation.enable"] = "false"
    numbers = [0, 1, -40, -25_000]
    if version == 6 and first == "hudilite" and facts == DAYS[-1]:
        with pytest.raises(Exception) as raised:
            lite.write(days(lite, numbers, "w"), path, "upsert", **options)
        assert condition_of(raised.value) == "INVALID_OPTION_VALUE"
        assert "another key generator" in str(raised.value)
        return
    for turn, engine in enumerate([lite, real] * 2 if first == "hudilite" else [real, lite] * 2):
        engine.write(days(engine, numbers, f"w{turn}"), path, "upsert", **options)
        expected = sorted((f"k{n}", DAY + datetime.timedelta(days=n), f"w{turn}") for n in numbers)
        assert days_found(lite, path) == expected
        assert days_found(real, path) == expected
    assert [row[0] for row in days_found(lite, path, f"day = date'{DAY}'")] == ["k0"]
    assert [row[0] for row in days_found(lite, path, f"day > date'{DAY}'")] == ["k1"]

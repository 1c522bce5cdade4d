"""Procedures and functions that look into a table's files answer as Apache Hudi's do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from engines import SELF_CHECK, TABLE_VERSION, Engine, hudi
from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about both engines")

COLUMNS = "id INT, ts STRING, fare DOUBLE, town STRING"
ROWS = [(1, "a", 1.5, "oslo"), (2, "b", 2.5, "oslo"), (3, "c", None, "rome")]
OPTIONS = {
    "hoodie.table.name": "calls",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.partitionpath.field": "town",
    "hoodie.datasource.write.precombine.field": "ts",
    "hoodie.datasource.write.table.type": "MERGE_ON_READ",
    "hoodie.metadata.index.column.stats.enable": "true",
    "hoodie.metadata.index.bloom.filter.enable": "true",
    "hoodie.metadata.record.index.enable": "true",
    "hoodie.metadata.global.record.level.index.enable": "true",
}


@pytest.fixture
def made(spark: SparkSession, tmp_path: Path) -> Path:
    """A table of Hudi's with an update in a log file."""
    path = tmp_path / "calls"
    real = hudi(spark, **{"hoodie.metadata.enable": "true"})
    rows = spark.createDataFrame(ROWS, COLUMNS)
    real.write(rows, path, mode="overwrite", **OPTIONS)
    real.write(rows.where("id = 1").selectExpr("id", "'d' ts", "fare + 1 fare", "town"), path, **OPTIONS)
    spark.sql(f"CREATE TABLE calls USING hudi LOCATION '{path}'")
    return path


@pytest.fixture(autouse=True)
def _without_names(spark: SparkSession) -> Any:
    yield
    spark.sql("DROP TABLE IF EXISTS calls")


def of_hudi(spark: SparkSession, call: str) -> DataFrame:
    """Hudi's own answer."""
    return spark.sql(f"CALL {call}")


def of_hudilite(spark: SparkSession, call: str) -> DataFrame:
    """hudilite's."""
    return spark.sql(f"CALL hudilite.system.{call}")


def named(frame: DataFrame) -> list[tuple[str, str]]:
    """Columns with their types, whatever may be null."""
    return [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]


def test_log_files(spark: SparkSession, made: Path) -> None:
    (log,) = [file for file in made.glob("oslo/.*.log*") if not file.name.endswith(".crc")]
    for name in ("show_logfile_metadata", "show_logfile_records"):
        theirs = of_hudi(spark, f"{name}(table => 'calls', log_file_path_pattern => '{log}')")
        ours = of_hudilite(spark, f"{name}(path => '{made}', log_file_path_pattern => '{log}')")
        assert named(ours) == named(theirs)
        told = [[read(value) for value in row] for row in theirs.collect()]
        assert [[read(value) for value in row] for row in ours.collect()] == told and told
    merged = of_hudilite(
        spark, f"show_logfile_records(path => '{made}', log_file_path_pattern => '{log}', merge => true)"
    )
    assert [json.loads(row[0])["fare"] for row in merged.collect()] == [2.5]


def read(value: Any) -> Any:
    """A text of JSON as what it says."""
    return json.loads(value) if isinstance(value, str) and value.startswith("{") else value


def test_instants(spark: SparkSession, made: Path, tmp_path: Path) -> None:
    folders = [tmp_path / "theirs", tmp_path / "ours"]
    for folder in folders:
        folder.mkdir()
    theirs = of_hudi(spark, f"export_instants(table => 'calls', local_folder => '{folders[0]}')")
    ours = of_hudilite(spark, f"export_instants(path => '{made}', local_folder => '{folders[1]}')")
    assert named(ours) == named(theirs)
    said = [
        frame.collect()[0][0].replace(str(folder), "") for frame, folder in zip((theirs, ours), folders, strict=True)
    ]
    assert said[0] == said[1]
    files = [sorted(f.name for f in folder.iterdir() if not f.name.endswith(".crc")) for folder in folders]
    assert files[0] == files[1] and len(files[0]) == 2
    for name in files[1]:
        commit = json.loads((folders[1] / name).read_text())
        assert "oslo" in commit["partitionToWriteStats"] and commit["operationType"] == "UPSERT"


def test_records_of_the_metadata_table(spark: SparkSession, made: Path) -> None:
    theirs = spark.sql("SELECT * FROM hudi_metadata('calls')")
    ours = of_ours(spark, made)
    assert named(ours) == named(theirs)
    assert sorted(map(plain, ours.collect())) == sorted(map(plain, theirs.collect()))
    assert {row["type"] for row in ours.collect()} == {1, 2, 3, 4, 5, 6}


def of_ours(spark: SparkSession, path: Path) -> DataFrame:
    """The rows of hudilite's function, whose name is Hudi's in this session."""
    return spark.sql(f"SELECT * FROM hudilite_metadata('{path}', 'hudi_metadata')")


def plain(row: Any) -> str:
    """A row as a text that does not depend on the order of names in it."""
    return json.dumps(
        row.asDict(recursive=True),
        sort_keys=True,
        default=lambda value: value.hex() if hasattr(value, "hex") else str(value),
    )


def test_files_and_repairs_without_a_fault(spark: SparkSession, made: Path) -> None:
    (base,) = made.glob("oslo/*.parquet")
    calls = [
        ("show_file_status", f"partition => 'oslo', file => '{base.name}'"),
        ("show_file_status", "partition => 'oslo', file => 'x'"),
        ("repair_corrupted_clean_files", ""),
    ]
    for name, arguments in calls:
        more = f", {arguments}" if arguments else ""
        theirs = of_hudi(spark, f"{name}(table => 'calls'{more})")
        ours = of_hudilite(spark, f"{name}(path => '{made}'{more})")
        assert named(ours) == named(theirs)
        assert ours.collect() == theirs.collect(), name
    theirs, ours = (ask(spark, f"show_invalid_parquet(path => '{made}')") for ask in (of_hudi, of_hudilite))
    assert named(ours) == named(theirs) and ours.collect() == theirs.collect() == []


def test_files_that_a_pattern_names(spark: SparkSession, made: Path) -> None:
    patterns = ["oslo/*", "/oslo/*", "/oslo*", "*oslo*", "oslo", "/oslo", "os*", "**", "{oslo,rome}/*", "/*/*", "x/*"]
    for pattern in [*patterns, "/os?o/*", "/[or]*/*", "*"]:
        asked = {
            "hoodie.datasource.query.type": "incremental",
            "hoodie.datasource.read.begin.instanttime": "0",
            "hoodie.datasource.read.incr.path.glob": pattern,
        }
        theirs, ours = (
            sorted(row[0] for row in spark.read.format(name).options(**asked).load(str(made)).select("id").collect())
            for name in ("hudi", "hudilite")
        )
        assert ours == theirs, pattern


@pytest.mark.parametrize("version", ["6", "8"])
def test_older_tables(spark: SparkSession, lite: Engine, tmp_path: Path, version: str) -> None:
    path = tmp_path / "older"
    real = hudi(spark, **{"hoodie.metadata.enable": "true"})
    rows = spark.createDataFrame(ROWS, COLUMNS)
    options = {**OPTIONS, TABLE_VERSION: version, "hoodie.metadata.global.record.level.index.enable": "false"}
    options["hoodie.metadata.record.index.enable"] = "false"
    real.write(rows, path, mode="overwrite", **options)
    real.write(rows.where("id = 1"), path, **options)
    files = {row["file_path"] for row in of_hudilite(spark, f"show_metadata_table_files(path => '{path}')").collect()}
    shown = of_ours(spark, path).where("type = 2").selectExpr("explode(map_keys(filesystemMetadata))").collect()
    assert {row[0] for row in shown} == files and files
    blocks = of_hudilite(
        spark, f"show_logfile_metadata(path => '{path}', log_file_path_pattern => '{path}/*/.*.log*')"
    ).collect()
    assert [(row["record_count"], row["block_type"]) for row in blocks] == [(1, "AVRO_DATA_BLOCK")]

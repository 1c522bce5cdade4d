"""Tables of other formats that are taken over into new Hudi tables."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import hudilite
from hudilite import cli, foreign

_FOLDERS = ("day=mon", "day=tue", "day=__HIVE_DEFAULT_PARTITION__")


def _source(spark: SparkSession, folder: Path) -> str:
    rows = spark.sql(
        "SELECT CAST(id AS INT) AS id, CAST(id AS SMALLINT) AS small, DATE '2026-01-31' AS at, "
        "CAST(id * 1.5 AS DECIMAL(9, 2)) AS price, named_struct('x', array(id)) AS nested, id % 3 AS ts, "
        "CASE id % 3 WHEN 0 THEN 'mon' WHEN 1 THEN 'tue' END AS day FROM range(9)"
    )
    rows.write.partitionBy("day").parquet(str(folder))
    return str(folder)


def _digest(folder: Path) -> dict[str, str]:
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def test_a_folder_becomes_a_table_with_its_rows_partitions_and_types(spark: SparkSession, tmp_path: Path) -> None:
    source, target, told = _source(spark, tmp_path / "plain"), str(tmp_path / "table"), []
    before = _digest(tmp_path / "plain")
    done = hudilite.convert(
        spark, source, target, keys="ID", ordering="ts", progress=lambda *numbers: told.append(numbers)
    )
    assert (done.source_format, done.rows, done.keys, done.partitions) == ("parquet", 9, ("id",), ("day",))
    assert done.widened == ("small: smallint -> int",)
    assert told[-1][0] == told[-1][1] > 0
    assert _digest(tmp_path / "plain") == before
    plain, taken = spark.read.parquet(source), spark.read.format("hudilite").load(target)
    assert taken.drop("small").schema.simpleString() == plain.drop("small").schema.simpleString()
    assert sorted(map(str, taken.collect())) == sorted(map(str, plain.collect()))
    assert sorted(f.name for f in Path(target).iterdir() if not f.name.startswith(".")) == sorted(_FOLDERS)
    table = hudilite.table(spark, target)
    assert [commit.operation for commit in table.history()] == ["BULK_INSERT"]
    table.upsert(spark.read.format("hudilite").load(target).where("id = 3").selectExpr("*").replace(3, 4, ["ts"]))
    assert table.to_df().where("ts = 4 OR id = 3").count() == 1


def test_folders_above_the_source_are_no_partitions(spark: SparkSession, tmp_path: Path) -> None:
    source = str(tmp_path / "env=prod" / "day=1" / "trips 100%")
    rows = spark.range(4).selectExpr("id", "'dev' AS env", "id % 2 AS day")
    rows.write.partitionBy("day").parquet(source)
    done = hudilite.convert(spark, source, str(tmp_path / "table"))
    assert (done.partitions, done.rows) == (("day",), 4)
    rows.drop("day").write.parquet(f"{source}/../plain")
    done = hudilite.convert(spark, str(tmp_path / "env=prod" / "day=1" / "plain"), str(tmp_path / "other"))
    assert (done.partitions, done.rows) == ((), 4)


def test_tables_have_names_and_keys_only_if_asked(spark: SparkSession, tmp_path: Path) -> None:
    source = _source(spark, tmp_path / "plain")
    spark.read.parquet(source).write.partitionBy("day").saveAsTable("plain_source")
    try:
        done = hudilite.convert(spark, "plain_source", str(tmp_path / "table"))
        assert (done.source_format, done.keys, done.partitions, done.rows) == (None, (), ("day",), 9)
        again = hudilite.convert(spark, done.path, str(tmp_path / "again"), keys=["id", "at"], partitions=[])
        assert (again.source_format, again.keys, again.partitions) == ("hudilite", ("id", "at"), ())
    finally:
        spark.sql("DROP TABLE plain_source")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"keys": "nobody"}, "The value 'nobody' of keys is not valid: it is no column"),
        ({"keys": ["id", "day"]}, "day = None; choose"),
        ({"keys": ["ts", "at"]}, "3 rows have ts = "),
        ({"keys": "id", "partitions": ["nobody"]}, "of partitions is not valid"),
        ({"keys": "id", "ordering": "nobody"}, "of ordering is not valid"),
        ({"keys": "id", "format": "avro_of_others"}, "whose jar is not in the session"),
    ],
)
def test_bad_arguments_leave_nothing(
    spark: SparkSession, tmp_path: Path, arguments: dict[str, object], said: str
) -> None:
    source = _source(spark, tmp_path / "plain")
    with pytest.raises(ValueError, match=r"\[INVALID_OPTION_VALUE\]") as raised:
        hudilite.convert(spark, source, str(tmp_path / "table"), **arguments)  # type: ignore[arg-type]
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "table").exists()


def test_a_target_is_empty_and_apart_from_the_source(spark: SparkSession, tmp_path: Path) -> None:
    source = _source(spark, tmp_path / "plain")
    for inner in (source, f"{source}/inner", str(tmp_path)):
        with pytest.raises(ValueError, match="cannot lie within each other"):
            hudilite.convert(spark, source, inner, keys="id")
    with pytest.raises(ValueError, match="there are no files of parquet"):
        hudilite.convert(spark, str(tmp_path / "nothing"), str(tmp_path / "table"))
    target = tmp_path / "table"
    hudilite.convert(spark, source, str(target), keys="id")
    before = _digest(target)
    with pytest.raises(Exception, match="TABLE_ALREADY_EXISTS"):
        hudilite.convert(spark, source, str(target), keys="id")
    assert _digest(target) == before
    other = tmp_path / "other"
    spark.read.parquet(source).write.parquet(str(other))
    before = _digest(other)
    with pytest.raises(ValueError, match="the folder is not empty"):
        hudilite.convert(spark, source, str(other), keys="id")
    assert _digest(other) == before


def test_a_folder_of_delta_is_not_taken_for_plain_files(spark: SparkSession, tmp_path: Path) -> None:
    source = _source(spark, tmp_path / "plain")
    (tmp_path / "plain" / "_delta_log").mkdir()
    (tmp_path / "plain" / "_delta_log" / "00000000000000000000.json").write_text("{}")
    with pytest.raises(ValueError, match="it is a table of delta, whose jar is not in the session"):
        hudilite.convert(spark, source, str(tmp_path / "table"), keys="id")


def test_the_log_of_a_delta_table_names_its_partition_columns(spark: SparkSession, tmp_path: Path) -> None:
    log = tmp_path / "_delta_log"
    log.mkdir()
    for version, columns in enumerate((["old"], ["town", "day"])):
        told = {"metaData": {"id": "x", "partitionColumns": columns}}
        (log / f"{version:020d}.json").write_text(f'{{"commitInfo": {{}}}}\n{json.dumps(told)}\n')
    assert foreign.of_delta(spark, str(tmp_path), False) == ("town", "day")
    checkpoint = spark.sql(
        "SELECT NULL AS add, named_struct('id', 'x', 'partitionColumns', array('later')) AS metaData"
    )
    checkpoint.selectExpr("cast(add AS string) AS add", "metaData").coalesce(1).write.parquet(str(tmp_path / "made"))
    (made,) = (tmp_path / "made").glob("*.parquet")
    made.rename(log / f"{9:020d}.checkpoint.parquet")
    assert foreign.of_delta(spark, str(tmp_path), True) == ("later",)


def test_rows_that_are_read_apart_are_the_rows(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.read.parquet(_source(spark, tmp_path / "plain"))
    apart = foreign.detached(spark, rows)
    assert apart.schema == rows.schema
    assert sorted(map(str, apart.where("id < 5").collect())) == sorted(map(str, rows.where("id < 5").collect()))


def test_the_command_takes_a_folder_over(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = _source(spark, tmp_path / "plain"), str(tmp_path / "table")
    assert cli.main(["convert", source, target, "--keys", "ts"]) == 1
    assert capsys.readouterr().err.startswith("error: [INVALID_OPTION_VALUE]")
    assert cli.main(["convert", "--json", source, target, "--keys", "id", "--ordering", "ts"]) == 0
    (done,) = json.loads(capsys.readouterr().out)
    assert (done["rows"], done["partitions"]) == (9, ["day"])

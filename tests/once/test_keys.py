"""Record keys and partition values of every spelling."""

from __future__ import annotations

from pathlib import Path

import pytest
from engines import HIVE_STYLE, INDEX, KEY_GENERATOR, URL_ENCODE, Engine, Shape, frame, record
from model import Model
from pyspark.sql.functions import col
from rows import KEY, PARTITION, rows_of
from test_write_and_read import Story

ODD_KEYS = [
    "null", "__null__", "__empty__", "__HIVE_DEFAULT_PARTITION__", " ", "a,b", "a:b", "id:1,x:2", "é", "日本語", "🦆",
    "a/b", "%2F", "'", '"', "\\", "NULL", "0", "-1", "x" * 300, "ß", "ss", "é" * 3, "e\u0301", "\u00e9\u0000z",
    "~", "\uffff",
]  # fmt: skip


@pytest.mark.parametrize("index", ["SIMPLE", "BLOOM"])
def test_odd_record_keys_are_found_again(lite: Engine, path: Path, index: str) -> None:
    story = Story(lite, path, Shape(extra={INDEX: index}))
    story.upsert([record(key, 1) for key in ODD_KEYS])
    story.upsert([record(key, 2, colour="blue") for key in ODD_KEYS], **{INDEX: index})
    story.write([record(key, 3) for key in ODD_KEYS[::2]], "delete", **{INDEX: index})
    story.model.delete([record(key, 3) for key in ODD_KEYS[::2]])
    story.check()
    found = lite.read(path).where("id = '日本語'").count()
    assert found == (0 if "日本語" in ODD_KEYS[::2] else 1)


@pytest.mark.parametrize("index", ["SIMPLE", "RECORD_INDEX"])
def test_odd_record_keys_are_merged(lite: Engine, path: Path, index: str) -> None:
    story = Story(lite, path, Shape(extra={INDEX: index}))
    story.upsert([record(key, 1) for key in ODD_KEYS])
    changed = [record(key, 2, colour="blue") for key in ODD_KEYS]
    frame(lite.spark, [*changed, record("new", 2, colour="blue")]).createOrReplaceTempView("changes_of_odd_keys")
    lite.spark.sql(f"""MERGE INTO hudilite.`{path}` t USING changes_of_odd_keys s ON t.id = s.id
        WHEN MATCHED AND t.colour <> s.colour THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""")
    story.model.upsert([*changed, record("new", 2, colour="blue")])
    story.check()


ODD_PARTITIONS = [
    None,
    "",
    "é",
    "a b",
    "x=y",
    "100%",
    "日本",
    "a:b",
    "{c}",
    "[d]",
    "q?",
    "star*",
    "semi;",
    "__HIVE_DEFAULT",
]


@pytest.mark.parametrize("hive_style", ["true", "false"])
def test_odd_partition_values_find_their_folder(lite: Engine, path: Path, hive_style: str) -> None:
    shape = Shape(extra={HIVE_STYLE: hive_style, URL_ENCODE: "true"})
    story = Story(lite, path, shape, Model(partition=()))
    rows = [record(f"k{n}", 1, value) for n, value in enumerate(ODD_PARTITIONS)]
    if lite.repeat_facts:  # Apache Hudi reads an empty partition value back as null
        rows = [row for row in rows if row["dt"] != ""]
    story.upsert([*rows, record("slash", 1, "a/b/c")])
    story.upsert([{**row, "ts": 2} for row in rows])
    folders = {row[0] for row in lite.read(path).select(PARTITION).collect()}
    lead = "dt=" if hive_style == "true" else ""
    assert f"{lead}a%2Fb%2Fc" in folders
    assert f"{lead}__HIVE_DEFAULT_PARTITION__" in folders
    for row in rows:
        if row["dt"]:
            assert [r["id"] for r in lite.read(path).where(col("dt") == row["dt"]).collect()] == [row["id"]]
    assert "k0" in {row["id"] for row in lite.read(path).where("dt is null").collect()}


def test_a_slash_makes_folders_without_encoding(lite: Engine, path: Path) -> None:
    story = Story(lite, path, Shape())
    story.upsert([record("a", 1, "2026/01/02"), record("b", 1, "2026/01/03")])
    story.upsert([record("a", 2, "2026/01/02")])
    assert (path / "2026" / "01" / "02" / ".hoodie_partition_metadata").exists()
    assert [row["id"] for row in lite.read(path).where("dt = '2026/01/03'").collect()] == ["b"]


@pytest.mark.parametrize("version", [6, 9])
def test_keys_of_several_fields(lite: Engine, path: Path, version: int) -> None:
    schema = "id string, n long, ts long, dt string, city string"
    shape = Shape(version, ("id", "n"), ("dt", "city"))
    model = Model(shape.key, shape.partition)
    for ts in (1, 2):
        rows = [
            {"id": i and f"k{i}", "n": None if i == 5 else i % 3, "ts": ts, "dt": f"d{i % 2}", "city": "x"}
            for i in range(ts, ts + 8)
        ]
        facts = shape.options() if lite.repeat_facts or ts == 1 else {}
        lite.write(frame(lite.spark, rows, schema), path, **facts)
        model.upsert(rows)
        assert rows_of(lite.read(path)) == model.rows()
    keys = {row[0] for row in lite.read(path).select(KEY).collect()}
    assert {"id:k1,n:1", "id:k5,n:__null__"} <= keys


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("int", [-5, 0, 7, 10, 9]),
        ("long", [-(2**40), 0, 2**40]),
        ("double", [0.5, 1.0, 1e300, -2.25]),
        ("boolean", [True, False]),
        ("date", None),
        ("decimal(12,3)", None),
    ],
)
def test_keys_that_are_not_text(lite: Engine, path: Path, kind: str, values: list[object] | None) -> None:
    import datetime
    import decimal

    values = (
        values
        or {
            "date": [datetime.date(2026, 1, 2), datetime.date(1969, 12, 31)],
            "decimal(12,3)": [decimal.Decimal("1.500"), decimal.Decimal("-0.001"), decimal.Decimal("1000000.000")],
        }[kind]
    )  # type: ignore[assignment]
    schema, model = f"id {kind}, ts long, dt string", Model()
    facts = Shape().options()
    for ts in (1, 2):
        rows = [{"id": value, "ts": ts, "dt": "d"} for value in values[ts - 1 :]]  # type: ignore[index]
        lite.write(frame(lite.spark, rows, schema), path, **(facts if ts == 1 or lite.repeat_facts else {}))
        model.upsert(rows)
    assert rows_of(lite.read(path)) == model.rows()


def test_a_table_without_partitions(lite: Engine, path: Path) -> None:
    story = Story(lite, path, Shape(partition=()), Model(partition=()))
    story.upsert([record("a"), record("b")])
    story.upsert([record("b", 2), record("c", 2)])
    assert list(path.glob("*.parquet"))


def test_partitions_by_a_formatted_time(lite: Engine, path: Path) -> None:
    shape = Shape(
        partition=("at",),
        extra={
            KEY_GENERATOR: "org.apache.hudi.keygen.TimestampBasedKeyGenerator",
            "hoodie.keygen.timebased.timestamp.type": "EPOCHMILLISECONDS",
            "hoodie.keygen.timebased.output.dateformat": "yyyy/MM/dd",
            "hoodie.keygen.timebased.timezone": "UTC",
        },
    )
    schema, model = "id string, ts long, at long", Model(partition=())
    for ts, ids in ((1, range(4)), (2, range(2, 6))):
        rows = [{"id": f"k{i}", "ts": ts, "at": 1_700_000_000_000 + i * 86_400_000} for i in ids]
        facts = shape.options() if ts == 1 or lite.repeat_facts else {}
        lite.write(frame(lite.spark, rows, schema), path, **facts)
        model.upsert(rows)
    assert {row[0] for row in lite.read(path).select(PARTITION).collect()} == {f"2023/11/{14 + i}" for i in range(6)}
    if not lite.repeat_facts:  # Apache Hudi reads the column back as the folder's text
        assert rows_of(lite.read(path)) == model.rows()

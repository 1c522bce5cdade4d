"""Columns: hidden meta columns, added and widened ones, all types."""

from __future__ import annotations

import datetime
import decimal
from pathlib import Path

import layout
import pytest
from engines import Engine, Shape, frame, record
from pyspark.sql.functions import col
from rows import KEY, META, PARTITION, rows_of
from test_write_and_read import Story, days

WIDE = "id string, ts long, dt string, colour string, price double, extra struct<a:int,b:string>"


def test_meta_columns_are_hidden_until_named(lite: Engine, path: Path) -> None:
    if lite.repeat_facts:
        pytest.skip("Apache Hudi shows them always")
    Story(lite, path, Shape()).upsert(days(range(3), 1))
    table = lite.read(path)
    assert table.columns == ["id", "ts", "dt", "colour", "price"]
    first = table.select(*META, "id").orderBy("id").first()
    assert first is not None
    instant = layout.writes(path)[0].requested
    assert first["_hoodie_commit_time"] == instant
    assert first["_hoodie_commit_seqno"].startswith(instant + "_")
    assert (first[KEY], first[PARTITION]) == ("k000", "2026-01-01")
    assert (path / "2026-01-01" / first["_hoodie_file_name"]).exists()


def test_an_option_shows_meta_columns_first(lite: Engine, path: Path) -> None:
    Story(lite, path, Shape()).upsert(days(range(3), 1))
    shown = {} if lite.repeat_facts else {"hoodie.datasource.read.meta.columns": "true"}
    assert lite.read(path, **shown).columns == [*META, "id", "ts", "dt", "colour", "price"]


def test_a_frame_read_with_meta_columns_can_be_written_back(lite: Engine, path: Path) -> None:
    story = Story(lite, path, Shape())
    story.upsert(days(range(6), 1))
    shown = {} if lite.repeat_facts else {"hoodie.datasource.read.meta.columns": "true"}
    again = lite.read(path, **shown).withColumn("ts", col("ts") + 1)
    facts = story.shape.options() if lite.repeat_facts else {}
    lite.write(again, path, **facts)
    story.model.upsert([{**row, "ts": 2} for row in days(range(6), 1)])
    story.check()


def test_columns_are_pruned_in_any_order(lite: Engine, path: Path) -> None:
    Story(lite, path, Shape()).upsert(days(range(3), 1))
    found = lite.read(path).select("price", "id").orderBy("id").collect()
    assert [tuple(row) for row in found] == [(0.1, "k000"), (1.1, "k001"), (2.1, "k002")]
    assert lite.read(path).select("dt").distinct().count() == 3
    assert lite.read(path).count() == 3


def test_an_added_column_is_null_in_older_rows(lite: Engine, path: Path) -> None:
    facts = Shape().options()
    lite.write(frame(lite.spark, [record("a"), record("b"), record("c", dt="other")]), path, **facts)
    later = facts if lite.repeat_facts else {}
    lite.write(frame(lite.spark, [{**record("b", 2), "extra": (7, "x")}], WIDE), path, **later)
    table = lite.read(path)
    assert table.columns[-1] == "extra"
    found = {row["id"]: row["extra"] and tuple(row["extra"]) for row in table.collect()}
    assert found == {"a": None, "b": (7, "x"), "c": None}
    assert [row["id"] for row in table.where("extra.a = 7").collect()] == ["b"]


def test_a_batch_without_a_column_of_the_table_is_refused_or_fills_null(lite: Engine, path: Path) -> None:
    if lite.repeat_facts:
        pytest.skip("Apache Hudi decides by hoodie.write.set.null.for.missing.columns")
    story = Story(lite, path, Shape())
    story.upsert([record("a"), record("b")])
    before = layout.fingerprint(path)
    narrow = "id string, ts long, dt string"
    try:
        lite.write(frame(lite.spark, [{"id": "a", "ts": 2, "dt": "2026-01-01"}], narrow), path)
    except Exception as refusal:
        assert "colour" in str(refusal)
        assert layout.fingerprint(path) == before
    else:
        found = {row["id"]: (row["ts"], row["colour"]) for row in lite.read(path).collect()}
        assert found == {"a": (2, None), "b": (1, "red")}


@pytest.mark.parametrize(("old", "new"), [("int", "long"), ("float", "double"), ("int", "double")])
def test_a_widened_column_reads_old_rows(lite: Engine, path: Path, old: str, new: str) -> None:
    def schema(kind: str) -> str:
        return f"id string, ts long, dt string, n {kind}"

    def rows(kind: str, ids: range, ts: int) -> list[dict[str, object]]:
        number = int if kind in ("int", "long") else float
        return [{"id": f"k{i}", "ts": ts, "dt": "d1" if i < 2 else "d2", "n": number(i)} for i in ids]

    facts = Shape().options()
    lite.write(frame(lite.spark, rows(old, range(4), 1), schema(old)), path, **facts)
    later = facts if lite.repeat_facts else {}
    lite.write(frame(lite.spark, rows(new, range(1), 2), schema(new)), path, **later)
    table = lite.read(path)
    assert dict(table.dtypes)["n"] == {"long": "bigint"}.get(new, new)
    assert [row["n"] for row in table.orderBy("id").collect()] == [0, 1, 2, 3]
    assert [row["id"] for row in table.where("n = 3").collect()] == ["k3"]


ALL_TYPES = """id string, ts long, dt string, b boolean, i int, f float, d double, m decimal(20,3), small decimal(5,2),
day date, at timestamp, raw binary, arr array<string>, one array<struct<w:double>>, map map<string,int>,
deep map<string,array<struct<a:int,b:map<string,string>>>>, st struct<x:int,y:string>, nothing int"""


@pytest.mark.parametrize("version", [6, 9])
def test_all_types_come_back_as_they_were(lite: Engine, path: Path, version: int) -> None:
    if lite.repeat_facts:
        pytest.skip("Apache Hudi 1.2 fails on arrays of structs of one field")
    at = datetime.datetime(2026, 2, 3, 4, 5, 6, 789123)

    def row(i: int, ts: int) -> dict[str, object]:
        return {
            "id": f"k{i}", "ts": ts, "dt": f"d{i % 2}", "b": i % 2 == 0, "i": None if i % 3 else -i, "f": i / 4,
            "d": i / 7, "m": decimal.Decimal(i * 1001) / 1000, "small": decimal.Decimal(i) / 100,
            "day": at.date() + datetime.timedelta(days=i), "at": at + datetime.timedelta(seconds=i),
            "raw": bytes([i, 0, 255]), "arr": [f"a{i}", None, "é"], "one": [(i * 2.5,)], "map": {"k": i, "n": None},
            "deep": {"x": [(i, {"y": "z"}), None]}, "st": None if i == 3 else (i, f"s{i}"),
        }  # fmt: skip

    facts = Shape(version).options()
    lite.write(frame(lite.spark, [row(i, 1) for i in range(10)], ALL_TYPES), path, **facts)
    lite.write(frame(lite.spark, [row(i, 2) for i in range(4)], ALL_TYPES), path)
    expected = rows_of(frame(lite.spark, [row(i, 2 if i < 4 else 1) for i in range(10)], ALL_TYPES))
    assert rows_of(lite.read(path)) == expected
    assert lite.read(path).where("m = 5.005").select("id").collect()[0][0] == "k5"
    assert lite.read(path).where("day = date'2026-02-08'").select("id").collect()[0][0] == "k5"
    assert lite.read(path).where("at = timestamp'2026-02-03 04:05:11.789123'").select("id").collect()[0][0] == "k5"

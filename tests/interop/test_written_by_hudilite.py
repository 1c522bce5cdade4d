"""Tables that hudilite writes, of every shape, as Apache Hudi and hudi-rs see them; then Hudi writes into them."""

from __future__ import annotations

import datetime
import decimal
import re
from pathlib import Path

import hudi_rs
import layout
import pytest
from engines import (
    AS_OF,
    BEGIN,
    END,
    HIVE_STYLE,
    INDEX,
    QUERY_TYPE,
    URL_ENCODE,
    Engine,
    Shape,
    frame,
    record,
)  # fmt: skip
from model import Model
from rows import KEY, PARTITION, lines, rows_of

import hudilite

VERSIONS = pytest.mark.parametrize("version", [6, 9])


def agree(path: Path, model: Model, *engines: Engine) -> None:
    """Every reader returns the model's rows."""
    expected = model.rows()
    for engine in engines:
        assert rows_of(engine.read(path)) == expected, engine.name
    assert hudi_rs.rows_of(path) == expected, "hudi-rs"


@VERSIONS
def test_keys_of_two_fields_and_encoded_partitions_of_two_levels(
    lite: Engine, real: Engine, path: Path, version: int
) -> None:
    schema = "id string, n long, ts long, dt string, city string"
    cities = ("São Paulo/1:2", "x=y z", None, "plain", "100%")
    shape = Shape(version, ("id", "n"), ("dt", "city"), extra={HIVE_STYLE: "true", URL_ENCODE: "true"})
    model = Model(key=shape.key, partition=shape.partition)

    def batch(ids: range, ts: int) -> list[dict[str, object]]:
        return [{"id": f"é{i}", "n": i % 5, "ts": ts, "dt": f"d{i % 2}", "city": cities[i % 5]} for i in ids]

    def write(engine: Engine, ids: range, ts: int, operation: str = "upsert") -> None:
        facts = shape.options() if engine.repeat_facts or not path.exists() else {}
        engine.write(frame(engine.spark, batch(ids, ts), schema), path, operation, **facts)
        (model.delete if operation == "delete" else model.upsert)(batch(ids, ts))
        agree(path, model, lite, real)

    write(lite, range(30), 1)
    write(real, range(20, 36), 2)
    write(lite, range(30, 40), 3)
    write(lite, range(5, 12), 4, "delete")
    write(real, range(3, 9), 5, "delete")
    write(lite, range(0, 40, 3), 6)
    keys = {row[0] for row in lite.read(path).select(KEY).collect()}
    assert "id:é0,n:0" in keys
    folders = {row[0] for row in lite.read(path).select(PARTITION).collect()}
    assert "dt=d0/city=São Paulo%2F1%3A2" in folders
    assert "dt=d0/city=__HIVE_DEFAULT_PARTITION__" in folders


@VERSIONS
def test_a_table_without_partitions(lite: Engine, real: Engine, path: Path, version: int) -> None:
    shape, model = Shape(version, partition=()), Model(partition=())
    for turn, engine in enumerate([lite, real, lite]):
        batch = [record(f"k{i}", turn) for i in range(turn * 5, turn * 5 + 10)]
        facts = shape.options() if engine.repeat_facts or turn == 0 else {}
        engine.write(frame(engine.spark, batch), path, "upsert", **facts)
        model.upsert(batch)
        agree(path, model, lite, real)


@pytest.mark.parametrize(
    ("version", "index", "table_type"),
    [(6, "GLOBAL_SIMPLE", "MERGE_ON_READ"), (9, "GLOBAL_BLOOM", "COPY_ON_WRITE")],
)
def test_records_move_between_partitions_under_a_global_index_unless_they_are_late(
    lite: Engine, real: Engine, path: Path, version: int, index: str, table_type: str
) -> None:
    mode = {"hoodie.record.merge.mode": "EVENT_TIME_ORDERING"}
    shape = Shape(version, extra={"hoodie.datasource.write.table.type": table_type, **mode})
    model = Model(is_global=True)
    days = [["d1", "d2"], ["d2", "d3"], ["d3", "d1"], ["d1", "d1"]]
    for turn, engine in enumerate([lite, lite, real, lite]):
        batch = [
            record(f"k{i}", 0 if turn > 1 and i % 3 == 0 else turn, days[turn][i % 2])
            for i in range(20 if turn == 0 else 8 + turn)
        ]
        facts = shape.options() if engine.repeat_facts or turn == 0 else {}
        engine.write(frame(engine.spark, batch), path, "upsert", **facts, **{INDEX: index})
        model.upsert(batch)
        agree(path, model, lite, real)


@VERSIONS
def test_a_global_index_can_leave_records_where_they_are(lite: Engine, real: Engine, path: Path, version: int) -> None:
    stay = {INDEX: "GLOBAL_BLOOM", "hoodie.bloom.index.update.partition.path": "false"}
    first, second = [record("a", 1, "d1"), record("b", 1, "d2")], [record("a", 2, "d2"), record("c", 2, "d3")]
    lite.write(frame(lite.spark, first), path, "upsert", **Shape(version).options(), **stay)
    facts = Shape(version).options() if lite.repeat_facts else {}
    lite.write(frame(lite.spark, second), path, "upsert", **facts, **stay)
    expected = [("a", "d1", 2), ("b", "d2", 1), ("c", "d3", 2)]
    for engine in (lite, real):
        found = engine.read(path).select(KEY, PARTITION, "ts").orderBy(KEY).collect()
        assert [tuple(row) for row in found] == expected, engine.name


@VERSIONS
def test_the_bloom_index_of_hudi_finds_the_keys_in_files_of_hudilite(
    lite: Engine, real: Engine, path: Path, version: int
) -> None:
    rows = [record(f"{'é' * (i % 3)}{i * 7919:06d}", 1, f"d{i % 2}") for i in range(1500)]
    shape, model = Shape(version), Model()
    lite.write(frame(lite.spark, rows), path, "bulk_insert", **shape.options())
    model.upsert(rows)
    groups = layout.file_groups(path)
    changed = [{**row, "ts": 2, "colour": "blue"} for row in rows[::50]]
    real.write(frame(real.spark, changed), path, "upsert", **shape.options(), **{INDEX: "BLOOM"})
    model.upsert(changed)
    assert layout.file_groups(path) == groups, "an update went to a new file group: its key was not found"
    agree(path, model, lite, real)


@VERSIONS
def test_replaced_partitions_and_tables(lite: Engine, real: Engine, path: Path, version: int) -> None:
    shape, model = Shape(version), Model()

    def write(engine: Engine, operation: str, batch: list[dict[str, object]], **options: str) -> None:
        facts = shape.options() if engine.repeat_facts or not path.exists() else {}
        engine.write(frame(engine.spark, batch), path, operation, **facts, **options)

    first = [record(f"k{i}", 1, f"d{i % 3}") for i in range(12)]
    write(lite, "upsert", first)
    model.upsert(first)
    second = [record("n1", 2, "d1"), record("n2", 2, "d9")]
    write(lite, "insert_overwrite", second)
    model.overwrite_partitions(second)
    agree(path, model, lite, real)
    write(lite, "delete_partition", [], **{"hoodie.datasource.write.partitions.to.delete": "d0,d9"})
    model.delete_partitions("d0", "d9")
    agree(path, model, lite, real)
    third = [record(f"k{i}", 3, f"d{i % 3}") for i in range(5)]
    write(real, "upsert", third)
    model.upsert(third)
    agree(path, model, lite, real)
    fourth = [record("z1", 4, "d1"), record("z2", 4, "d2")]
    write(lite, "insert_overwrite_table", fourth)
    model.overwrite_table(fourth)
    agree(path, model, lite, real)
    fifth = [record("z1", 5, "d1"), record("z3", 5, "d2")]
    write(real, "upsert", fifth)
    model.upsert(fifth)
    agree(path, model, lite, real)


@VERSIONS
def test_time_travel_and_incremental_reads_give_the_same_answers(
    lite: Engine, real: Engine, path: Path, version: int
) -> None:
    shape, model, states = Shape(version), Model(), []
    for turn, ids in enumerate([range(20), range(10, 25), range(5, 12)]):
        batch = [record(f"k{i:02d}", turn, f"d{i % 2}") for i in ids]
        facts = shape.options() if lite.repeat_facts or turn == 0 else {}
        lite.write(frame(lite.spark, batch), path, "upsert", **facts)
        model.upsert(batch)
        states.append((model.rows(), batch))
    instants = layout.writes(path)
    assert len(instants) == 3
    for instant, (state, _) in zip(instants, states, strict=True):
        for engine in (lite, real):
            assert rows_of(engine.read(path, **{AS_OF: instant.requested})) == state, engine.name
    for engine in (lite, real):
        tail = engine.read(path, **{QUERY_TYPE: "incremental", BEGIN: instants[1].completed})
        assert rows_of(tail) == lines(states[2][1]), engine.name
        middle = {QUERY_TYPE: "incremental", BEGIN: instants[0].completed, END: instants[1].completed}
        assert rows_of(engine.read(path, **middle)) == lines(states[1][1]), engine.name


# Apache Hudi 1.2 cannot rewrite its own files with an array of structs of one field, hence two fields in `st.z`.
ALL_TYPES = """id string, ts long, dt string, b boolean, i int, f float, d double, m decimal(20,3), day date,
at timestamp, raw binary, arr array<string>, map map<string,int>,
st struct<x:int,y:string,z:array<struct<w:double,v:string>>>, nothing int"""


@VERSIONS
def test_all_column_types(lite: Engine, real: Engine, path: Path, version: int) -> None:
    schema = ALL_TYPES
    at = datetime.datetime(2026, 2, 3, 4, 5, 6, 789123)

    def row(i: int, ts: int) -> dict[str, object]:
        return {
            "id": f"k{i}", "ts": ts, "dt": f"d{i % 2}", "b": i % 2 == 0, "i": None if i % 3 else -i,
            "f": i / 4, "d": i / 7, "m": decimal.Decimal(i * 1001) / 1000, "day": at.date(),
            "at": at + datetime.timedelta(seconds=i), "raw": bytes([i, 0, 255]), "arr": [f"a{i}", "é"],
            "map": {"k": i}, "st": None if i == 3 else (i, f"s{i}", [(i * 2.5, None)]),
        }  # fmt: skip

    shape = Shape(version)
    lite.write(frame(lite.spark, [row(i, 1) for i in range(10)], schema), path, "upsert", **shape.options())
    once = rows_of(frame(lite.spark, [row(i, 1) for i in range(10)], schema))
    assert rows_of(real.read(path)) == once
    assert rows_of(lite.read(path)) == once
    real.write(frame(real.spark, [row(i, 2) for i in range(4)], schema), path, "upsert", **shape.options())
    facts = shape.options() if lite.repeat_facts else {}
    lite.write(frame(lite.spark, [row(i, 3) for i in range(3, 6)], schema), path, "upsert", **facts)
    final = [row(i, 2 if i < 3 else 3 if i < 6 else 1) for i in range(10)]
    expected = rows_of(frame(lite.spark, final, schema))
    assert rows_of(real.read(path)) == expected
    assert rows_of(lite.read(path)) == expected


@VERSIONS
def test_a_column_added_by_hudilite_is_there_for_hudi(lite: Engine, real: Engine, path: Path, version: int) -> None:
    wide = "id string, ts long, dt string, colour string, price double, extra int"
    shape = Shape(version)
    lite.write(frame(lite.spark, [record("a"), record("b")]), path, "upsert", **shape.options())
    facts = shape.options() if lite.repeat_facts else {}
    lite.write(frame(lite.spark, [{**record("b", 2), "extra": 7}], wide), path, "upsert", **facts)
    for engine in (lite, real):
        found = engine.read(path).select("id", "ts", "extra").orderBy("id").collect()
        assert [tuple(row) for row in found] == [("a", 1, None), ("b", 2, 7)], engine.name


@VERSIONS
def test_the_metadata_table_of_hudi_is_kept_up_with_its_statistics_and_hides_no_rows(
    lite: Engine, real: Engine, path: Path, version: int
) -> None:
    shape, model = Shape(version), Model()
    keep = {"hoodie.metadata.enable": "true"}
    batches = [[record(f"k{i}", turn, f"d{i % 3}") for i in range(turn * 4, turn * 4 + 10)] for turn in range(5)]
    for batch, engine in zip(batches, [real, lite, lite, real, lite], strict=True):
        facts = {**shape.options(), **keep} if engine.repeat_facts else {}
        engine.write(frame(engine.spark, batch), path, "upsert", **facts)
        model.upsert(batch)
        properties = (path / ".hoodie" / "hoodie.properties").read_text()
        listed = re.search(r"^hoodie\.table\.metadata\.partitions=(\S*)", properties, re.MULTILINE)
        assert listed is not None
        assert "column_stats,files" in listed[1], engine.name
        assert hudilite.table(lite.spark, str(path)).validate_metadata() == [], engine.name
        assert rows_of(real.read(path, **keep)) == model.rows()
        agree(path, model, lite)

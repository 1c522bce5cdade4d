"""Apache Hudi changes columns by schema-on-read, hudilite writes in between: both read the same rows each time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from engines import SELF_CHECK, Engine, Shape
from pyspark.sql import SparkSession
from rows import rows_of

import hudilite

BY_ID = {"hoodie.schema.on.read.enable": "true"}
# Spark's own catalog refuses what Hudi's can do.
ALTER = {
    **BY_ID,
    "hoodie.datasource.write.schema.allow.auto.evolution.column.drop": "true",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
}
# Hudi cannot read changed fields of nested columns with Spark's vectorized reader.
READS = {"spark.sql.parquet.enableVectorizedReader": "false"}
FIRST = "id string, ts long, dt string, colour string, price int, st struct<x:int,y:string>"

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="Apache Hudi alone takes no turns here")


@contextmanager
def settings(spark: SparkSession, values: dict[str, str]) -> Iterator[None]:
    """The session with these settings, which are taken back afterwards."""
    for key, value in values.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key in values:
            spark.conf.unset(key)


class Turns:
    """One table, the two engines and what the rows must be: by id, a dictionary of the present columns."""

    def __init__(self, lite: Engine, real: Engine, path: Path, version: int, kind: str) -> None:
        self.lite, self.real, self.path = lite, real, path
        extra = {"hoodie.datasource.write.table.type": kind, "hoodie.compact.inline": "false"}
        self.shape = Shape(version, extra=extra)
        self.rows: dict[str, dict[str, Any]] = {}
        self.schema = FIRST

    def write(self, engine: Engine, rows: list[dict[str, Any]], operation: str = "upsert") -> None:
        facts = {**self.shape.options(), **BY_ID} if engine is self.real or not self.rows else {}
        names = [part.split()[0] for part in split(self.schema)]
        frame = engine.spark.createDataFrame([tuple(row.get(name) for name in names) for row in rows], self.schema)
        engine.write(frame, self.path, operation, **facts)
        for row in rows:
            if operation == "delete":
                self.rows.pop(row["id"], None)
            else:
                self.rows[row["id"]] = {name: row.get(name) for name in names}

    def alter(
        self, change: str, schema: str, rows: Callable[[dict[str, Any]], dict[str, Any]], engine: Engine | None = None
    ) -> None:
        """A statement on the columns, Hudi's unless said, which `rows` does to the rows to be read from now on."""
        if engine is self.lite:
            engine.spark.sql(f"ALTER TABLE hudilite.`{self.path}` {change}")
        else:
            self.alter_by_hudi(change)
        self.schema = schema
        self.rows = {key: rows(row) for key, row in self.rows.items()}

    def alter_by_hudi(self, change: str) -> None:
        spark = self.real.spark
        with settings(spark, {**ALTER, "hoodie.write.auto.upgrade": "false", "hoodie.metadata.enable": "false"}):
            spark.sql(f"CREATE TABLE IF NOT EXISTS by_id USING hudi LOCATION '{self.path}'")
            try:
                spark.sql(f"ALTER TABLE by_id {change}")
            finally:
                spark.sql("DROP TABLE by_id")

    def check(self) -> None:
        expected = sorted(json.dumps(row, sort_keys=True) for row in self.rows.values())
        for engine, options in ((self.lite, {}), (self.real, BY_ID)):
            with settings(engine.spark, READS):
                assert rows_of(engine.read(self.path, **options)) == expected, engine.name


def split(schema: str) -> list[str]:
    """The columns of a schema, the commas inside of brackets left alone."""
    parts, depth = [""], 0
    for letter in schema:
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def renamed(row: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    return {new if name == old else name: value for name, value in row.items()}


@pytest.mark.parametrize(("version", "kind"), [(6, "MERGE_ON_READ"), (9, "COPY_ON_WRITE")])
def test_both_read_what_the_other_wrote_between_changes_of_columns(
    lite: Engine, real: Engine, path: Path, version: int, kind: str
) -> None:
    turns = Turns(lite, real, path, version, kind)

    def batch(ids: range, ts: int, **more: Any) -> list[dict[str, Any]]:
        return [
            {"id": f"k{i:03d}", "ts": ts, "dt": f"p{i % 2}", "price": i * ts, "st": {"x": i, "y": f"y{ts}"}, **more}
            for i in ids
        ]

    turns.write(real, batch(range(20), 1, colour="red"), "insert")
    turns.check()
    turns.alter(
        "RENAME COLUMN colour TO shade",
        FIRST.replace("colour", "shade"),
        lambda row: renamed(row, "colour", "shade"),
    )
    turns.check()
    turns.write(lite, batch(range(5, 25), 2, shade="green"))
    turns.check()
    turns.write(real, batch(range(10, 12), 3, shade="blue"))
    turns.check()
    turns.alter("ADD COLUMNS (note string)", turns.schema + ", note string", lambda row: {**row, "note": None})
    turns.write(lite, batch(range(3, 6), 4, shade="grey", note="lite"))
    turns.write(real, batch(range(6, 9), 5, shade="grey", note="real"))
    turns.check()
    turns.alter(
        "DROP COLUMN note",
        turns.schema.replace(", note string", ""),
        lambda row: {name: value for name, value in row.items() if name != "note"},
    )
    turns.write(lite, batch(range(1, 3), 6, shade="white"))
    turns.check()
    turns.alter("ADD COLUMNS (note string)", turns.schema + ", note string", lambda row: {**row, "note": None})
    turns.check()
    turns.alter(
        "ALTER COLUMN price TYPE bigint",
        turns.schema.replace("price int", "price bigint"),
        lambda row: row,
    )
    turns.write(lite, batch(range(30, 33), 7, shade="new", note="lite"), "insert")
    turns.write(lite, [{"id": "k000", "ts": 8, "dt": "p0"}, {"id": "k031", "ts": 8, "dt": "p1"}], "delete")
    turns.check()
    # hudilite adds a column of its own; Hudi goes on from there.
    turns.schema += ", extra struct<p:int,q:string>"
    turns.rows = {key: {**row, "extra": None} for key, row in turns.rows.items()}
    turns.write(lite, batch(range(2), 9, shade="s", extra={"p": 1, "q": "one"}))
    turns.check()
    turns.write(real, batch(range(1, 4), 10, shade="t", note="n", extra={"p": 2, "q": "two"}))
    turns.check()
    turns.alter(
        "RENAME COLUMN extra TO more",
        turns.schema.replace("extra", "more"),
        lambda row: renamed(row, "extra", "more"),
    )
    turns.write(lite, batch(range(4, 6), 11, shade="u", more={"p": 3, "q": "three"}))
    turns.check()
    # And columns that hudilite changes, where Hudi has done so before.
    turns.alter(
        "RENAME COLUMN shade TO tone", turns.schema.replace("shade", "tone"),
        lambda row: renamed(row, "shade", "tone"), lite,
    )  # fmt: skip
    turns.check()
    turns.write(real, batch(range(6, 8), 12, tone="v", note="n", more={"p": 4, "q": "four"}))
    turns.check()


@pytest.mark.parametrize(("version", "kind"), [(9, "MERGE_ON_READ"), (6, "COPY_ON_WRITE")])
def test_hudi_goes_on_where_hudilite_changes_columns_first(
    lite: Engine, real: Engine, path: Path, version: int, kind: str
) -> None:
    turns = Turns(lite, real, path, version, kind)
    rows = [
        {"id": f"k{i}", "ts": 1, "dt": f"p{i % 2}", "colour": f"c{i}", "price": i, "st": {"x": i, "y": "y"}}
        for i in range(6)
    ]
    turns.write(lite, rows, "insert")
    # As a write could have widened it: the columns have no ids yet, and files with the narrow type are there.
    turns.alter("ALTER COLUMN price TYPE bigint", FIRST.replace("price int", "price bigint"), lambda row: row, lite)
    turns.alter(
        "RENAME COLUMN colour TO shade", turns.schema.replace("colour", "shade"),
        lambda row: renamed(row, "colour", "shade"), lite,
    )  # fmt: skip
    turns.check()
    turns.alter("ALTER COLUMN price TYPE string", turns.schema.replace("price bigint", "price string"),
                lambda row: {**row, "price": str(row["price"])}, lite)  # fmt: skip
    turns.alter("RENAME COLUMN st.x TO z", turns.schema.replace("x:int", "z:int"),
                lambda row: {**row, "st": renamed(row["st"], "x", "z")}, lite)  # fmt: skip
    turns.check()
    changed = {"id": "k1", "ts": 2, "dt": "p1", "shade": "real", "price": "many", "st": {"z": 9, "y": "n"}}
    turns.write(real, [changed])
    turns.check()
    turns.write(lite, [{**changed, "id": "k2", "dt": "p0", "shade": "lite"}])
    turns.alter("DROP COLUMN shade", turns.schema.replace("shade string, ", ""),
                lambda row: {name: value for name, value in row.items() if name != "shade"})  # fmt: skip
    turns.check()


def test_hudi_knows_renamed_columns_after_hudilite_archived_writes_before_services(
    lite: Engine, real: Engine, path: Path
) -> None:
    turns = Turns(lite, real, path, 8, "MERGE_ON_READ")
    rows = [
        {"id": f"k{i}", "ts": 1, "dt": f"p{i % 2}", "colour": f"c{i}", "price": i, "st": {"x": i, "y": "y"}}
        for i in range(4)
    ]
    turns.write(real, rows, "insert")
    turns.alter(
        "RENAME COLUMN colour TO shade", FIRST.replace("colour", "shade"),
        lambda row: renamed(row, "colour", "shade"), lite,
    )  # fmt: skip
    turns.write(lite, [{**renamed(rows[0], "colour", "shade"), "ts": 2}])
    # Both services leave the files of p1 with the old name.
    table = hudilite.table(lite.spark, str(path))
    table.compact()
    table.cluster("id", partitions="p0")
    table.clean(retain=1)
    options = {"hoodie.keep.min.commits": "2", "hoodie.keep.max.commits": "3", "hoodie.clean.commits.retained": "1"}
    assert table.archive(options=options)
    turns.check()

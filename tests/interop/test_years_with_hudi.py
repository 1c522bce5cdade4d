"""Tables that live at random between hudilite and a release of Apache Hudi: rows, columns and services of both.

A life is a deck of turns in an order that a seed shuffles; after each turn both engines must show the rows of a
dictionary. The releases come one after the other, since each needs a JVM of its own.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import engines
import layout
import pytest
from engines import SELF_CHECK, Engine, Shape
from rows import lines, rows_of
from sessions import Sessions
from test_columns_by_id import ALTER, BY_ID, settings

import hudilite

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="Apache Hudi alone takes no turns here")

Row = dict[str, Any]
FIRST = {
    "id": "string", "ts": "bigint", "dt": "string", "colour": "string", "price": "int", "old": "string",
    "cost": "decimal(9,2)", "total": "decimal(18,3)",
}  # fmt: skip
#: Settings with which services run between turns only when a turn says so.
QUIET = {
    "hoodie.clean.automatic": "false", "hoodie.archive.automatic": "false", "hoodie.compact.inline": "false",
    "hoodie.clustering.inline": "false", "hoodie.parquet.small.file.limit": "0",
}  # fmt: skip
CLEAN = {"hoodie.clean.automatic": "true", "hoodie.clean.commits.retained": "1"}
ARCHIVE = {
    **CLEAN, "hoodie.archive.automatic": "true", "hoodie.keep.min.commits": "2", "hoodie.keep.max.commits": "3",
    "hoodie.commits.archival.batch": "1", "hoodie.timeline.compaction.batch.size": "2",
}  # fmt: skip
CLUSTER = {"hoodie.clustering.inline": "true", "hoodie.clustering.inline.max.commits": "1"}
COMPACT = {"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "1"}
#: Turns that a life with a release and table version does not take, and why.
NOT_TAKEN = {
    # Its clustering writes nulls for the values that a column had before it was renamed.
    ("0.15.0", 6): {"served by clustering"},
    # Each of its writes deletes the histories of columns that earlier ones left, so that nothing tells of the columns
    # once the last write is taken back: SCHEMA_HISTORY_MISSING. Its deletes have an int for an ordering value, and
    # its readers fail where a log has a row of the key after that.
    ("1.0.2", 8): {"mistake", "saved", "delete by hudi"},
}


class Life:
    """One table, and what its rows must be: by id, the values of the present columns."""

    def __init__(self, lite: Engine, real: Engine, path: Path, release: str, version: int, log: bool) -> None:
        self.lite, self.real, self.path, self.version, self.log = lite, real, path, version, log
        self.not_taken = NOT_TAKEN.get((release, version), set())
        kind = "MERGE_ON_READ" if log else "COPY_ON_WRITE"
        self.facts = Shape(version, extra={"hoodie.datasource.write.table.type": kind}).options()
        seed = f"{release}-{version}-{log}"
        self.random, self.now, self.told = random.Random(seed), 0, [seed]
        self.columns, self.rows, self.by_id = dict(FIRST), dict[str, Row](), False

    def live(self) -> None:
        """Every turn of the deck once."""
        self.write(self.either(), 30)
        for name, turn in self.deck():
            self.told.append(name)
            try:
                turn()
            except Exception as error:
                raise AssertionError(f"failed after {self.told}") from error
            self.check()
        assert layout.pending(self.path) == layout.leftovers(self.path) == []

    def deck(self) -> list[tuple[str, Callable[[], None]]]:
        """All turns that are taken, in the order of this life."""
        made: list[tuple[str, Callable[[], None]]] = [("saved", self.saved)]
        for turn in (self.write, self.delete, self.replace):
            made += [(f"{turn.__name__} by {engine.name}", partial(turn, engine)) for engine in (self.lite, self.real)]
        for turn in (self.grow, self.add, self.rename, self.drop, self.widen, self.mistake):
            engine = self.either()
            made.append((turn.__name__, partial(turn, engine)))
            self.told.append(f"{turn.__name__} is {engine.name}'s")
        kinds = ["clean", "archive", "cluster", *(["compact"] if self.log else [])]
        made += [(f"serve {kind}", partial(self.serve, kind)) for kind in kinds]
        own = {"cleaning": CLEAN, "archiving": ARCHIVE, "clustering": CLUSTER}
        own |= {"compaction": COMPACT} if self.log else {}
        made += [(f"served by {kind}", partial(self.write, self.real, **options)) for kind, options in own.items()]
        self.random.shuffle(made)
        return [turn for turn in made if turn[0] not in self.not_taken]

    def either(self) -> Engine:
        return self.random.choice((self.lite, self.real))

    @property
    def handle(self) -> hudilite.HudiliteTable:
        return hudilite.table(self.lite.spark, str(self.path))

    # ---- rows

    def write(self, engine: Engine, count: int = 8, **options: str) -> None:
        """An upsert of keys of which some are new."""
        self.now += 1
        ids = self.random.sample(range(40), count)
        rows = [
            {"id": f"k{i:02d}", "ts": self.now, "dt": f"p{i % 2}",
             **{name: self.value(ddl) for name, ddl in list(self.columns.items())[3:]}}
            for i in ids
        ]  # fmt: skip
        self.put(engine, rows, "upsert", **options)
        self.rows |= {row["id"]: row for row in rows}

    def value(self, ddl: str) -> Any:
        number = self.random.randint(-9, 9)
        if self.random.random() < 0.15:
            return None
        if ddl.startswith("decimal"):
            return Decimal(number * 37).scaleb(-int(ddl[-2]))
        return f"v{number}" if ddl == "string" else number

    def delete(self, engine: Engine) -> None:
        self.now += 1
        gone = self.random.sample(sorted(self.rows), 3)
        self.put(engine, [{**self.rows[key], "ts": self.now} for key in gone], "delete")
        for key in gone:
            del self.rows[key]

    def replace(self, engine: Engine) -> None:
        """A table of other columns in the place of this one."""
        plain = [name for name in self.columns if name not in ("id", "ts", "dt", "colour", "renamed", "price")]
        # Apache Hudi deletes the folder. In version 6 no column can go once they have ids.
        kept = plain if self.version == 6 and self.by_id and engine is self.lite else plain[1:] or plain
        left = [name for name in self.columns if name not in plain or name in kept]
        self.columns = {**{name: self.columns[name] for name in left}, f"anew{self.now}": "string"}
        self.rows, self.by_id = {}, self.by_id and engine is self.lite and kept == plain
        self.write(engine, 16, mode="overwrite")

    def put(self, engine: Engine, rows: list[Row], operation: str, **options: str) -> None:
        facts = {**self.facts, **BY_ID} if engine is self.real or not self.rows else {}
        schema = ", ".join(f"{name} {ddl}" for name, ddl in self.columns.items())
        frame = engine.spark.createDataFrame([tuple(row[name] for name in self.columns) for row in rows], schema)
        engine.write(frame.coalesce(1), self.path, operation, **{**facts, **QUIET, **options})

    # ---- columns

    def grow(self, engine: Engine) -> None:
        """A column more by the rows of a write."""
        self.have("grown", self.random.choice(("string", "bigint")))
        self.write(engine)

    def add(self, engine: Engine) -> None:
        self.alter(engine, "ADD COLUMNS (note string)")
        self.have("note", "string")

    def have(self, name: str, ddl: str) -> None:
        self.columns[name] = ddl
        self.rows = {key: {**row, name: None} for key, row in self.rows.items()}

    def rename(self, engine: Engine) -> None:
        old, new = "colour", "renamed"
        self.alter(engine, f"RENAME COLUMN {old} TO {new}")

        def renamed(of: Row) -> Row:
            return {new if name == old else name: value for name, value in of.items()}

        self.columns = renamed(self.columns)
        self.rows = {key: renamed(row) for key, row in self.rows.items()}

    def drop(self, engine: Engine) -> None:
        name = self.random.choice([n for n in self.columns if n not in ("id", "ts", "dt", "colour", "price")])
        self.alter(engine, f"DROP COLUMN {name}")
        del self.columns[name]
        self.rows = {key: {n: v for n, v in row.items() if n != name} for key, row in self.rows.items()}

    def widen(self, engine: Engine) -> None:
        # A type that grew before columns had ids is no longer known to Apache Hudi once it gives them.
        self.alter(engine if self.by_id else self.real, "ALTER COLUMN price TYPE bigint")
        self.columns["price"] = "bigint"

    def alter(self, engine: Engine, change: str) -> None:
        self.by_id |= engine is self.real or not change.startswith("ADD")
        if engine is self.lite:
            engine.spark.sql(f"ALTER TABLE hudilite.`{self.path}` {change}")
            return
        with settings(engine.spark, {**ALTER, "hoodie.write.auto.upgrade": "false", "hoodie.metadata.enable": "false"}):
            # Under the table's own name: Apache Hudi calls the types of decimals by it, and by another one its next
            # write does not know them.
            engine.spark.sql(f"CREATE TABLE IF NOT EXISTS trips USING hudi LOCATION '{self.path}'")
            try:
                engine.spark.sql(f"ALTER TABLE trips {change}")
            finally:
                engine.spark.sql("DROP TABLE trips")

    # ---- services

    def serve(self, service: str) -> None:
        """One of hudilite's own."""
        match service:
            case "clean":
                self.handle.clean(retain=1)
            case "archive":
                self.handle.archive(options=ARCHIVE)
            case "cluster":
                self.handle.cluster(self.random.choice((None, "id", ["dt", "ts"])))
            case "compact":
                self.handle.compact()

    def mistake(self, engine: Engine) -> None:
        """A write that is taken back."""
        before = copy.deepcopy(self.rows)
        self.write(engine)
        self.handle.rollback()
        self.rows = before

    def saved(self) -> None:
        """Back to a savepoint, over the writes of both."""
        saved, before = self.handle.savepoint(), copy.deepcopy(self.rows)
        self.write(self.real)
        self.write(self.lite)
        self.handle.restore(saved.instant)
        self.handle.delete_savepoint(saved.instant)
        self.rows = before

    def check(self) -> None:
        expected = lines(self.rows.values())
        shown = {"model": expected, "hudilite": [], "hudi": []}
        for engine, options in ((self.lite, {}), (self.real, BY_ID)):
            try:
                shown[engine.name] = rows_of(engine.read(self.path, **options))
            except Exception as error:
                shown[engine.name] = [str(error)[:300]]
        wrong = {name: sorted({*rows} ^ {*expected})[:4] for name, rows in shown.items() if rows != expected}
        assert not wrong, f"{wrong} after {self.told}"


@pytest.mark.parametrize(
    ("release", "version", "log"),
    [
        ("1.2.0", 9, True), ("1.2.0", 8, False),
        ("1.0.2", 8, True), ("1.0.2", 6, False),
        ("0.15.0", 6, True), ("0.15.0", 6, False),
    ],
)  # fmt: skip
def test_both_show_the_same_rows_all_their_lives(
    sessions: Sessions, path: Path, release: str, version: int, log: bool
) -> None:
    spark = sessions.get("interop" if release == "1.2.0" else f"interop-{release}")
    real = engines.hudi(spark, **{"hoodie.metadata.enable": "false"})
    Life(engines.hudilite(spark), real, path, release, version, log).live()

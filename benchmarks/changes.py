"""Big, wide and nested changes, and changes to base files that Hudi wrote: groups of workloads and their data."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from typing import Any

from data import COLUMNS, apply_upsert, trips
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from systems import Table, Unsupported
from workloads import Bench

TITLES = {
    "W13.load": "bulk_insert before the W13",
    "W13.again": "the same again in a warm process",
    "W13.half": "upsert 50 % of the keys, random ones",
    "W13.all": "upsert all keys",
    "W13.new": "upsert as many new keys as the table has",
    "W13.one.load": "bulk_insert into one file group",
    "W13.one": "upsert all keys of one file group",
    "W14.500.load": "bulk_insert, 500 columns",
    "W14.500": "upsert 200 rows, 500 columns",
    "W14.2000.load": "bulk_insert, 2,000 columns",
    "W14.2000": "upsert 200 rows, 2,000 columns",
    "W15.load": "bulk_insert, nested rows",
    "W15": "upsert 1 %, nested rows",
    "W15.all": "upsert all keys, nested rows",
    "W16": "upsert 1 % into base files that Hudi wrote",
    "W16.half": "upsert 50 % into base files that Hudi wrote",
    "W21.load": "bulk_insert before W21, the second of two tables",
    "W21.shuffled": "join of the two tables by their keys, Spark's switch for buckets off",
    "W21": "the same with the switch on",
}
WIDE_ROWS = 20_000  # at most


def wide(ids: DataFrame, version: int, columns: int) -> DataFrame:
    """Rows with `columns` columns in two partitions: key, ts, dt, then integers, doubles and short texts in turn."""

    def value(number: int) -> Column:
        bits = F.pmod(F.xxhash64("id", F.lit(number), F.lit(version)), F.lit(1_000_000))
        kinds = (bits.cast("int"), bits / 1000.0, F.concat(F.lit("v"), bits.cast("string")))
        return kinds[number % 3].alias(f"c{number:04d}")

    return ids.select(
        F.lpad(F.col("id").cast("string"), 20, "0").alias("key"),
        (F.col("id") + version * 1_000_000_000).alias("ts"),
        F.concat(F.lit("2024-01-0"), (F.col("id") % 2 + 1).cast("string")).alias("dt"),
        *(value(i) for i in range(columns - 3)),
    )


def nested(ids: DataFrame, version: int, rows: int) -> DataFrame:
    """The rows of `trips` as a struct, an array of structs and a map."""
    legs = F.array(*(F.struct(F.col("zone") + i, F.col("distance") * i, F.col("city")) for i in range(3)))
    kind = "array<struct<zone:int,distance:double,city:string>>"
    return trips(ids, version, rows).select(
        "key",
        "ts",
        "dt",
        F.struct("rider", "driver", F.struct("fare", "tip", "amount").alias("money")).alias("ride"),
        legs.cast(kind).alias("legs"),
        F.create_map(F.lit("note"), "note", F.lit("city"), "city").alias("tags"),
    )


def summed(frame: DataFrame) -> dict[str, Any]:
    """Like `checksum`, for other columns than those of `trips`: rows as JSON."""
    text = F.to_json(F.struct(*sorted(frame.columns)))
    row = frame.select(F.xxhash64(text).alias("h")).agg(F.count("*"), F.sum(F.col("h").cast("decimal(38,0)"))).first()
    assert row is not None
    return {"count": row[0], "sum": str(row[1])}


class Changes(Bench):
    """Groups of workloads that change much of a table, or tables of another shape."""

    warm = 0  # times that each change is made before it is timed

    def made(self, name: str, frame: DataFrame) -> DataFrame:
        """The frame as it was generated once."""
        path = os.path.join(self.data, name)
        if not os.path.exists(os.path.join(path, "_SUCCESS")):
            frame.write.mode("overwrite").parquet(path)
        return self.spark.read.parquet(path)

    def ids(self, first: int, last: int) -> DataFrame:
        return self.spark.range(first, last, 1, 4)

    def loaded_again(self, name: str, state: DataFrame) -> Table:
        other = self.table(name)
        self.system.create(self.spark, state, other)
        return other

    def load(self, workload: str, table: Table, frame: DataFrame) -> bool:
        return self.rec.step(workload, lambda _: self.system.create(self.spark, frame, table), table=table)

    def change(
        self,
        workload: str,
        table: Table,
        batch: DataFrame,
        state: DataFrame,
        again: Callable[[int], Table] | None = None,
    ) -> bool:
        """Upserts a batch, and compares all rows with those that it makes of `state`.

        Parameters
        ----------
        again
            Another table like `table` as it was before, for each of the untimed changes; by default `state` is loaded.
        """
        make = again or (lambda number: self.loaded_again(f"{table.name}_warm{number}", state))
        for number in range(self.warm):
            other = make(number)
            self.system.upsert(self.spark, batch, other)
            shutil.rmtree(other.path, ignore_errors=True)

        def write(_: int) -> None:
            self.system.upsert(self.spark, batch, table)

        expect = summed(apply_upsert(state, batch))
        columns = state.columns
        return self.rec.step(
            workload, write, table=table, expect=expect, found=lambda found: summed(found.select(columns))
        )

    def big(self) -> None:
        """Half of the keys, all of them, and as many new ones; each change to a table as it was loaded."""
        self.warm_up()
        rows = self.expect["base"]["count"]
        base = self.batch("base").select(COLUMNS)
        half = self.ids(0, rows).where(F.pmod(F.xxhash64("id", F.lit("half")), F.lit(2)) == 0)
        batches = {
            "W13.half": self.made("half", trips(half, 1, rows)),
            "W13.all": self.made("all", trips(self.ids(0, rows), 2, rows)),
            "W13.new": self.made("new", trips(self.ids(2 * rows, 3 * rows), 3, rows)),
        }
        for number, (workload, batch) in enumerate(batches.items()):
            table = self.table(f"big{number}")
            self.load("W13.load" if number == 0 else "W13.again", table, base)
            self.change(workload, table, batch, base)
            shutil.rmtree(table.path, ignore_errors=True)

    def one(self) -> None:
        """All keys of a table of one file."""
        self.warm_up()
        rows = self.expect["base"]["count"]
        day = F.lit("2024-01-01").alias("dt")
        columns = [day if name == "dt" else name for name in COLUMNS]
        base, batch = self.batch("base").select(columns), trips(self.ids(0, rows), 2, rows).select(columns)
        batch = self.made("one", batch)
        table = self.table("one")
        if self.load("W13.one.load", table, base.coalesce(1)):
            self.change("W13.one", table, batch, base.coalesce(1))

    def wide(self, columns: int) -> None:
        self.warm_up()
        rows = min(WIDE_ROWS, self.expect["base"]["count"])
        base = self.made(f"wide{columns}", wide(self.ids(0, rows), 0, columns))
        changed = self.ids(0, rows).where(F.col("id") % max(rows // 200, 1) == 7)
        batch = self.made(f"wide{columns}_upd", wide(changed, 1, columns).coalesce(1))
        table = self.table(f"wide{columns}")
        if self.load(f"W14.{columns}.load", table, base):
            self.change(f"W14.{columns}", table, batch, base)

    def wide500(self) -> None:
        """A table of 500 columns."""
        self.wide(500)

    def wide2000(self) -> None:
        """A table of 2,000 columns."""
        self.wide(2000)

    def nested(self) -> None:
        """Rows with structs, arrays of structs and maps."""
        self.warm_up()
        rows = self.expect["base"]["count"]
        base = self.made("nested", nested(self.ids(0, rows), 0, rows))
        few = self.made("nested_upd", nested(self.ids(0, rows).where("id % 100 = 7"), 1, rows))
        every = self.made("nested_all", nested(self.ids(0, rows), 2, rows))
        table = self.table("nested")
        if self.load("W15.load", table, base):
            self.change("W15", table, few, base)
            self.change("W15.all", table, every, base)

    def origin(self) -> None:
        """Not a measurement: the table of the base files that Hudi wrote, for `foreign`."""
        table = Table("hudi-written", self.data)
        shutil.rmtree(table.path, ignore_errors=True)
        self.system.create(self.spark, self.batch("base"), table)

    def foreign(self) -> None:
        """Changes to copies of a table that Hudi wrote; other formats change one of their own."""
        self.warm_up()
        rows = self.expect["base"]["count"]
        base = self.batch("base").select(COLUMNS)
        half = self.ids(0, rows).where(F.pmod(F.xxhash64("id", F.lit("half")), F.lit(2)) == 0)
        batches = {"W16": self.batch("upd1"), "W16.half": self.made("half", trips(half, 1, rows))}
        for number, (workload, batch) in enumerate(batches.items()):
            table = self.as_hudi_wrote(f"foreign{number}", base)
            self.change(
                workload,
                table,
                batch,
                base,
                lambda again, first=number: self.as_hudi_wrote(f"warm{first}_{again}", base),
            )

    def joined(self) -> None:
        """Two tables of the same keys joined by these, with exchanges and by buckets."""
        self.warm_up()
        base = self.batch("base").select(COLUMNS)
        tables = [self.table("left"), self.table("right")]
        self.system.create(self.spark, base, tables[0])
        if not self.load("W21.load", tables[1], base):
            return

        def join(_: int) -> None:
            left, right = (self.read(table).select("key", "fare", "ts") for table in tables)
            pairs = left.join(right, "key").agg(F.count("*"), F.sum(left["fare"] + right["fare"])).first()
            assert pairs is not None
            assert pairs[0] == self.expect["base"]["count"]

        self.spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
        for workload, switch in (("W21.shuffled", "false"), ("W21", "true")):
            self.spark.conf.set("spark.sql.sources.v2.bucketing.enabled", switch)
            join(0)  # compiled, untimed
            self.rec.step(workload, join, self.repeat)

    def as_hudi_wrote(self, name: str, base: DataFrame) -> Table:
        """A copy of the table that Hudi wrote, or the same rows where Hudi's tables are not read."""
        if not self.system.reads_hudi:
            return self.loaded_again(name, base)
        # The copy keeps the name of the table, which is among its facts.
        table = Table("hudi-written", os.path.join(self.root, name))
        shutil.rmtree(table.path, ignore_errors=True)
        written = os.path.join(self.data, table.name)
        if not os.path.exists(written):
            raise Unsupported("run the group 'origin' of the system 'hudi' first")
        shutil.copytree(written, table.path)
        return table


GROUPS = ["big", "one", "wide500", "wide2000", "nested", "origin", "foreign", "joined"]

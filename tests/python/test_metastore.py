"""Names in a Hive metastore that writes keep up: Spark reads them by hudilite, Hive finds columns and partitions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from sessions import runs_alone, with_metastore

SYNC = "hoodie.datasource.hive_sync"


def test_hive_finds_what_writes_register(tmp_path: Path) -> None:
    runs_alone(__file__, tmp_path)


class Metastore:
    """Rows that Hive itself finds, without Spark's properties."""

    def __init__(self, session: SparkSession) -> None:
        jvm: Any = session._jvm
        gateway: Any = session.sparkContext._gateway
        catalog = session._jsparkSession.sessionState().catalog().externalCatalog().unwrapped()
        client = catalog.client()
        (ask,) = [method for method in client.getClass().getDeclaredMethods() if method.getName() == "msClient"]
        ask.setAccessible(True)
        self.client = ask.invoke(client, gateway.new_array(jvm.java.lang.Object, 0))

    def columns(self, database: str, table: str) -> list[tuple[str, str]]:
        """Columns of the files, with their types, without Hudi's meta columns."""
        found = [(c.getName(), c.getType()) for c in self.client.getTable(database, table).getSd().getCols()]
        return [column for column in found if not column[0].startswith("_hoodie_")]

    def partitions(self, database: str, table: str) -> dict[str, str]:
        """Last folders of the partitions' places, by the names of the partitions."""
        found = self.client.listPartitionNames(database, table, -1)
        place = {name: self.client.getPartition(database, table, name).getSd().getLocation() for name in found}
        return {name: path.rsplit("/", 1)[1] for name, path in place.items()}

    def touched(self, database: str, table: str, name: str) -> str:
        """Time at which a partition was sent."""
        time: str = self.client.getPartition(database, table, name).getParameters().get("transient_lastDdlTime")
        return time

    def reader(self, database: str, table: str) -> str:
        """Hive's input format."""
        name: str = self.client.getTable(database, table).getSd().getInputFormat()
        return name.rsplit(".", 1)[1]


def options(table: str, partition: str, **more: str) -> dict[str, str]:
    """Options of a write of Hudi's with sync."""
    given = {
        "hoodie.table.name": table,
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.partitionpath.field": partition,
        f"{SYNC}.enable": "true",
        f"{SYNC}.mode": "hms",
        f"{SYNC}.database": "lake",
        f"{SYNC}.table": table,
    }
    return {**given, **{name.replace("__", "."): value for name, value in more.items()}}


def partitioned(spark: SparkSession, hive: Metastore, folder: Path) -> None:
    """Partitions and columns come and go."""
    path, given = str(folder / "trips"), options("trips", "Town")

    def save(rows: str, columns: str = "id, v, Town") -> None:
        frame = spark.sql(f"SELECT * FROM VALUES {rows} AS t({columns})")
        frame.write.format("hudilite").options(**given).mode("append").save(path)

    save("(1, 'a', 'oslo'), (2, 'b', 'rome')")
    assert hive.columns("lake", "trips") == [("id", "int"), ("v", "string")]
    assert hive.partitions("lake", "trips") == {"town=oslo": "oslo", "town=rome": "rome"}
    assert hive.reader("lake", "trips") == "HoodieParquetInputFormat"
    assert sorted(map(tuple, spark.table("lake.trips").collect())) == [(1, "a", "oslo"), (2, "b", "rome")]
    hive.client.dropPartition("lake", "trips", "town=oslo", False)
    save("(2, 'c', 'rome'), (3, 'd', 'bonn')")
    assert set(hive.partitions("lake", "trips")) == {"town=bonn", "town=rome"}, "only what changed is sent"
    save("(4, 'e', 'rome', named_struct('X', 1), timestamp_ntz'2024-01-01 00:00:00')", "id, v, Town, point, at")
    columns = hive.columns("lake", "trips")
    assert columns == [("id", "int"), ("v", "string"), ("point", "struct<X:int>"), ("at", "timestamp")], columns
    of_partition = hive.client.getPartition("lake", "trips", "town=rome").getSd().getCols()
    assert [c.getName() for c in of_partition][-2:] == ["point", "at"]
    spark.sql("ALTER TABLE lake.trips DROP PARTITION (town = 'bonn')")
    (synced,) = spark.sql(
        "CALL hudilite.system.hive_sync(table => 'lake.trips', sync_incremental => 'false')"
    ).collect()
    assert (synced.partitions_added, synced.partitions_dropped) == (1, 1), synced
    assert set(hive.partitions("lake", "trips")) == {"town=oslo", "town=rome"}
    assert spark.table("lake.trips").count() == 3
    spark.conf.set(f"{SYNC}.enable", "true")
    spark.sql("ALTER TABLE lake.trips ADD COLUMN late INT")
    assert [name for name, _ in hive.columns("lake", "trips")] == ["id", "v", "point", "at", "late"]
    spark.sql("ALTER TABLE lake.trips DROP PARTITION (town = 'oslo')")
    assert set(hive.partitions("lake", "trips")) == {"town=rome"}
    spark.sql("CALL hudilite.system.rollback_to_instant(table => 'lake.trips')")
    assert set(hive.partitions("lake", "trips")) == {"town=oslo", "town=rome"}
    spark.conf.unset(f"{SYNC}.enable")


def merged(spark: SparkSession, hive: Metastore, folder: Path) -> None:
    """A merge-on-read table without partitions has three names."""
    path = str(folder / "logged")
    given = options("logged", "", hoodie__datasource__write__table__type="MERGE_ON_READ")
    for value in ("a", "b"):
        frame = spark.sql(f"SELECT 1 AS id, '{value}' AS v")
        frame.write.format("hudilite").options(**given).mode("append").save(path)
    shown = {name: spark.table(f"lake.{name}").head()[1] for name in ("logged", "logged_ro", "logged_rt")}
    assert shown == {"logged": "b", "logged_ro": "a", "logged_rt": "b"}
    assert hive.reader("lake", "logged_ro") == "HoodieParquetInputFormat"
    assert hive.reader("lake", "logged_rt") == "HoodieParquetRealtimeInputFormat"
    assert hive.columns("lake", "logged") == [("id", "int"), ("v", "string")]
    for name in shown:
        spark.sql(f"DROP TABLE lake.{name}")
    assert spark.read.format("hudilite").load(path).count() == 1


if __name__ == "__main__":
    scratch = Path(sys.argv[1])
    running = with_metastore(scratch, {})
    metastore = Metastore(running)
    partitioned(running, metastore, scratch)
    merged(running, metastore, scratch)

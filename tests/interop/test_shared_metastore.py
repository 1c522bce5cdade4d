"""One Hive metastore for Apache Hudi's catalog and hudilite's: each lists, describes and drops what the other made."""

from __future__ import annotations

import sys
from pathlib import Path

from interop.bundle import hudi_bundle
from pyspark.sql import SparkSession
from sessions import HUDI_SETTINGS, runs_alone, with_metastore


def test_hudi_and_hudilite_share_a_metastore(tmp_path: Path) -> None:
    runs_alone(__file__, tmp_path)


def start(folder: Path) -> SparkSession:
    """A session with both connectors and a metastore of its own."""
    settings = {
        **HUDI_SETTINGS,
        "spark.jars": str(hudi_bundle()),
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
    }
    return with_metastore(folder, settings)


def rows(session: SparkSession, query: str) -> list[tuple[object, ...]]:
    """Rows of a query, in order of their texts."""
    return sorted((tuple(row) for row in session.sql(query).collect()), key=str)


def tables(session: SparkSession, of: str = "default") -> set[str]:
    """Names of the tables of a database."""
    return {row.tableName for row in session.sql(f"SHOW TABLES IN {of}").collect()}


def made_by_hudi(hudi: SparkSession, lite: SparkSession) -> None:
    """A table that Hudi's catalog created."""
    hudi.sql(
        "CREATE TABLE ByHudi (Id INT, v STRING, Day STRING) USING hudi PARTITIONED BY (Day) "
        "TBLPROPERTIES (primaryKey = 'Id', type = 'cow')"
    )
    hudi.sql("INSERT INTO byhudi VALUES (1, 'hudi', 'a'), (2, 'hudi', 'b')")
    assert tables(lite) == tables(hudi, "hudilite.default") == {"byhudi"}
    lite.sql("UPDATE byhudi SET v = 'hudilite' WHERE id = 1")
    hudi.sql("INSERT INTO hudilite.default.BYHUDI VALUES (3, 'hudilite', 'c')")
    hudi.sql("REFRESH TABLE byhudi")
    expected = [(1, "hudilite", "a"), (2, "hudi", "b"), (3, "hudilite", "c")]
    for session, name in [(hudi, "byhudi"), (lite, "byhudi"), (hudi, "hudilite.default.byhudi")]:
        assert rows(session, f"SELECT Id, v, Day FROM {name}") == expected, name
    assert rows(lite, "SHOW PARTITIONS byhudi") == [("Day=a",), ("Day=b",), ("Day=c",)]
    described = dict(row[:2] for row in rows(lite, "DESCRIBE EXTENDED byhudi"))
    assert described["Provider"] == "hudi" and described["Location"].endswith("/warehouse/byhudi")
    lite.sql("ALTER TABLE byhudi ADD COLUMN (extra STRING)")
    hudi.sql("REFRESH TABLE byhudi")
    assert rows(hudi, "SELECT Id, extra FROM byhudi WHERE Id = 1") == [(1, None)]
    lite.sql("DROP TABLE byhudi")
    assert tables(hudi) == set()


def made_by_hudilite(hudi: SparkSession, lite: SparkSession, folder: Path) -> None:
    """A table that hudilite's catalog created, with names and types that Hive does not have."""
    lite.sql(
        "CREATE TABLE ByLite (Id INT, Day STRING, tags MAP<STRING, INT>, Point STRUCT<X: INT>) USING hudilite "
        "PARTITIONED BY (Day) TBLPROPERTIES (primaryKey = 'Id') COMMENT 'shared'"
    )
    lite.sql("INSERT INTO bylite SELECT 1, map('k', 1), named_struct('X', 7), 'a'")
    lite.sql("ALTER TABLE bylite ADD COLUMN (Name STRING)")
    lite.sql("UPDATE bylite SET name = 'one'")
    assert rows(lite, "SELECT * FROM bylite") == [(1, {"k": 1}, (7,), "one", "a")]
    assert [row[0] for row in lite.sql("DESCRIBE bylite").collect()][:5] == ["Id", "tags", "Point", "Name", "Day"]
    lite.sql("CREATE TABLE chosen USING hudilite TBLPROPERTIES (primaryKey = 'Id') AS SELECT Id, Name FROM bylite")
    assert rows(lite, "SELECT * FROM chosen") == [(1, "one")]
    assert tables(hudi) == tables(lite) == {"bylite", "chosen"}
    assert [row[0] for row in hudi.sql("DESCRIBE bylite").collect()][:5] == ["Id", "tags", "Point", "Name", "Day"]
    location = folder / "warehouse" / "bylite"
    lite.sql(f"CREATE TABLE other USING hudilite LOCATION '{location}'")
    lite.sql("ALTER TABLE other RENAME TO another")
    assert tables(hudi) == {"another", "bylite", "chosen"}
    hudi.sql("DROP TABLE chosen")
    lite.sql("DROP TABLE another")
    assert tables(lite) == {"bylite"}
    assert location.is_dir()
    lite.sql("DROP TABLE bylite")
    assert not location.exists()


def kept_up_in_turns(hudi: SparkSession, lite: SparkSession, folder: Path) -> None:
    """Names of a table by path that either engine's writes keep up, in one metastore."""
    path, sync = str(folder / "trips"), "hoodie.datasource.hive_sync"
    given = {
        "hoodie.table.name": "trips",
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.partitionpath.field": "town",
        "hoodie.write.table.version": "9",
        "hoodie.metadata.enable": "false",
        f"{sync}.enable": "true",
        f"{sync}.mode": "hms",
        f"{sync}.table": "trips",
    }

    def save(session: SparkSession, engine: str, row: str) -> None:
        frame = session.sql(f"SELECT * FROM VALUES {row} AS t(id, v, town)")
        frame.write.format(engine).options(**given).mode("append").save(path)

    save(lite, "hudilite", "(1, 'a', 'oslo')")
    assert rows(hudi, "SELECT id, v, town FROM trips") == [(1, "a", "oslo")]
    save(hudi, "hudi", "(2, 'b', 'rome')")
    catalog = lite._jsparkSession.sessionState().catalog().externalCatalog()
    none = getattr(getattr(lite._jvm.scala, "None$"), "MODULE$")  # type: ignore[union-attr]

    def partitions() -> list[str]:
        text: str = catalog.listPartitionNames("default", "trips", none).mkString(" ")
        return sorted(text.split())

    assert partitions() == ["town=oslo", "town=rome"], "Hudi's sync goes on from hudilite's"
    save(lite, "hudilite", "(3, 'c', 'bonn')")
    assert partitions() == ["town=bonn", "town=oslo", "town=rome"], "and hudilite's from Hudi's"
    hudi.sql("REFRESH TABLE trips")
    for session in (hudi, lite):
        assert rows(session, "SELECT id FROM trips") == [(1,), (2,), (3,)]
    lite.sql("DROP TABLE trips")


if __name__ == "__main__":
    scratch = Path(sys.argv[1])
    first = start(scratch)
    second = first.newSession()
    second.conf.set("spark.sql.catalog.spark_catalog", "io.hudilite.spark.catalog.HudiliteSessionCatalog")
    made_by_hudi(first, second)
    made_by_hudilite(first, second, scratch)
    kept_up_in_turns(first, second, scratch)

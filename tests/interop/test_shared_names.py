"""Tables that Apache Hudi registered, by their names and through its own session catalog."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession


def test_a_table_of_hudi_is_read_and_written_by_its_name(spark: SparkSession, path: Path) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.hudi.catalog.HoodieCatalog")
    session.sql(
        "CREATE TABLE shared (id INT, v STRING, day STRING) USING hudi PARTITIONED BY (day) "
        f"TBLPROPERTIES (primaryKey = 'id', type = 'mor') LOCATION '{path}'"
    )
    try:
        session.sql("INSERT INTO shared VALUES (1, 'hudi', 'a'), (2, 'hudi', 'b')")
        session.sql("UPDATE hudilite.default.shared SET v = 'hudilite' WHERE id = 1")
        session.sql("INSERT INTO hudilite.default.shared VALUES (3, 'hudilite', 'b')")
        session.sql("REFRESH TABLE shared")
        expected = {(1, "hudilite", "a"), (2, "hudi", "b"), (3, "hudilite", "b")}
        for name in ("shared", "hudilite.default.shared"):
            assert {tuple(row) for row in session.sql(f"SELECT id, v, day FROM {name}").collect()} == expected, name
        assert "shared" in {row.tableName for row in session.sql("SHOW TABLES IN hudilite.default").collect()}
    finally:
        session.sql("DROP TABLE shared")


def rows(session: SparkSession, query: str) -> list[tuple[object, ...]]:
    """Rows of a query, in order of their texts."""
    return sorted((tuple(row) for row in session.sql(query).collect()), key=str)


def entry(session: SparkSession, name: str) -> dict[str, str]:
    """Entry of a table in the catalog without its name, place and time."""
    jvm: Any = session._jvm
    catalog = session._jsparkSession.sessionState().catalog()
    found = catalog.getTableMetadata(
        jvm.org.apache.spark.sql.catalyst.TableIdentifier(name, jvm.scala.Option.apply("default"))
    )
    kept = found.toLinkedHashMap()
    names = (
        "Provider",
        "Comment",
        "Serde Library",
        "InputFormat",
        "OutputFormat",
        "Partition Columns",
        "Schema",
        "Type",
    )
    facts = {key: str(kept.get(key)) for key in names}
    return facts | {
        key: found.properties().apply(key)
        for key in ("provider", "type", "primaryKey", "preCombineField", "orderingFields")
    }


@pytest.mark.parametrize("partitioned", [False, True])
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_a_table_made_here_for_hudi_is_one_of_its_own(spark: SparkSession, kind: str, partitioned: bool) -> None:
    """A table that hudilite's SQL makes `USING hudi`: Hudi's catalog has it as one of its own, and both write to it."""
    hudi, lite = spark.newSession(), spark.newSession()
    hudi.conf.set("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.hudi.catalog.HoodieCatalog")
    lite.conf.set("spark.sql.catalog.spark_catalog", "io.hudilite.spark.catalog.HudiliteSessionCatalog")
    by = "PARTITIONED BY (Day)" if partitioned else ""
    said = (
        f"(Id INT, Day STRING, v STRING, ts INT) USING hudi {by} "
        f"TBLPROPERTIES (primaryKey = 'Id', preCombineField = 'ts', type = '{kind}') COMMENT 'of both'"
    )
    lite.sql(f"CREATE TABLE both {said}")
    hudi.sql(f"CREATE TABLE theirs {said}")
    assert entry(hudi, "both") == entry(hudi, "theirs")
    hudi.sql("DROP TABLE theirs")
    lite.sql("INSERT INTO both (Id, Day, v, ts) VALUES (1, 'a', 'lite', 1), (2, 'b', 'lite', 1), (3, 'b', 'lite', 1)")
    hudi.sql("UPDATE both SET v = 'hudi', ts = 2 WHERE Id = 1")
    hudi.sql("DELETE FROM both WHERE Id = 2")
    hudi.sql(
        "MERGE INTO both t USING (SELECT 4 AS Id, 'a' AS Day, 'hudi' AS v, 1 AS ts) s ON t.Id = s.Id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    places = [row[0] for row in hudi.sql("DESCRIBE both").collect() if not row[0].startswith(("_hoodie", "#"))][:4]
    assert places == [row[0] for row in lite.sql("DESCRIBE both").collect()][:4]
    values = {"Id": "5", "Day": "'c'", "v": "'hudi'", "ts": "1"}
    hudi.sql(f"INSERT INTO both VALUES ({', '.join(values[place] for place in places)})")
    lite.sql("UPDATE both SET v = concat(v, ' and lite'), ts = 3 WHERE Id IN (1, 3)")
    hudi.sql("REFRESH TABLE both")
    expected = [(1, "a", "hudi and lite"), (3, "b", "lite and lite"), (4, "a", "hudi"), (5, "c", "hudi")]
    for session, name in [(hudi, "both"), (lite, "both"), (hudi, "hudilite.default.both")]:
        assert rows(session, f"SELECT Id, Day, v FROM {name}") == expected, (kind, partitioned, name)
    assert rows(hudi, "SELECT Id FROM both WHERE Day = 'b'") == [(3,)]
    if partitioned:
        assert len(rows(hudi, "SHOW PARTITIONS both")) == len(rows(lite, "SHOW PARTITIONS both")) == 3
    hudi.sql("DROP TABLE both")
    assert not lite.catalog.tableExists("both")


@pytest.mark.parametrize(
    "setting", [None, "hoodie.datasource.write.operation", "hoodie.spark.sql.insert.into.operation"]
)
def test_rows_that_make_a_table_or_have_no_keys_are_kept_as_hudi_keeps_them(
    spark: SparkSession, tmp_path: Path, setting: str | None
) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.hudi.catalog.HoodieCatalog")
    if setting:
        session.conf.set(setting, "upsert")
    query = "SELECT * FROM VALUES (1, 'a', 1), (1, 'b', 2), (2, 'c', 1) AS t(id, v, ts)"
    keys = "TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts')"
    try:
        session.sql(f"CREATE TABLE made USING hudi {keys} LOCATION '{tmp_path}/real' AS {query}")
        session.sql(f"CREATE TABLE keyless (id INT, v STRING) USING hudi LOCATION '{tmp_path}/real_keyless'")
        session.sql("INSERT INTO keyless VALUES (1, 'a'), (1, 'a')")
        session.sql(f"CREATE TABLE hudilite.`{tmp_path}/ours` USING hudilite {keys} AS {query}")
        session.sql(f"CREATE TABLE hudilite.`{tmp_path}/ours_keyless` (id INT, v STRING) USING hudilite")
        session.sql(f"INSERT INTO hudilite.`{tmp_path}/ours_keyless` VALUES (1, 'a'), (1, 'a')")
        expected = rows(session, "SELECT id, v FROM made")
        assert len(expected) == (2 if setting else 3)
        assert rows(session, f"SELECT id, v FROM hudilite.`{tmp_path}/ours`") == expected
        pairs = [(1, "a"), (1, "a")]
        assert rows(session, "SELECT id, v FROM keyless") == pairs
        assert rows(session, f"SELECT id, v FROM hudilite.`{tmp_path}/ours_keyless`") == pairs
    finally:
        for name in ("made", "keyless"):
            session.sql(f"DROP TABLE IF EXISTS {name}")

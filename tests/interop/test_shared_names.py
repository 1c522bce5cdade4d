"""Tables that Apache Hudi registered, by their names and through its own session catalog."""

from __future__ import annotations

from pathlib import Path

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

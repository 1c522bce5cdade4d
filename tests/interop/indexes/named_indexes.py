"""Indexes by their names, as either engine makes them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from py4j.java_gateway import JavaObject
from pyspark.sql import SparkSession


def table_of(spark: SparkSession, path: Path) -> JavaObject:
    """The table as Spark's catalog has it, since Hudi's extension takes statements on indexes for its own."""
    catalog = spark._jsparkSession.sessionState().catalogManager().catalog("hudilite")  # type: ignore[attr-defined]
    nowhere = spark._sc._gateway.new_array(spark._jvm.java.lang.String, 0)  # type: ignore
    return catalog.loadTable(spark._jvm.org.apache.spark.sql.connector.catalog.Identifier.of(nowhere, str(path)))  # type: ignore


def create_by_hudilite(spark: SparkSession, path: Path, name: str, column: str, options: dict[str, str]) -> None:
    expressions = spark._jvm.org.apache.spark.sql.connector.expressions  # type: ignore
    columns = spark._sc._gateway.new_array(expressions.NamedReference, 1)  # type: ignore
    columns[0] = expressions.Expressions.column(column)
    table_of(spark, path).createIndex(name, columns, {}, options)


def create_by_hudi(spark: SparkSession, path: Path, settings: dict[str, str], indexes: Iterable[str]) -> None:
    """`indexes`: each as `CREATE INDEX` has it behind the words, with `{t}` for the table."""
    held = {**settings, "hoodie.write.auto.upgrade": "false"}
    for key, value in held.items():
        spark.sql(f"SET {key}={value}")
    try:
        spark.sql(f"CREATE TABLE IF NOT EXISTS indexed_by_hudi USING hudi LOCATION '{path}'")
        for index in indexes:
            spark.sql(f"CREATE INDEX {index.format(t='indexed_by_hudi')}")
    finally:
        for key in held:
            spark.sql(f"RESET {key}")
        spark.sql("DROP TABLE IF EXISTS indexed_by_hudi")

"""A session that has hudilite's jar and no setting, as `spark-submit --jars` starts it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from sessions import SETTINGS, SPARK_LINE

from hudilite import jar

#: Neither hudilite's Python package nor its settings.
PROGRAM = """
from pyspark.sql import SparkSession

builder = SparkSession.builder.master("local[2]").config("spark.jars", {jar!r})
for name, value in {settings!r}.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")

def refused(statement):
    try:
        spark.sql(statement).collect()
    except Exception as error:
        assert len(str(error).splitlines()) == 1, error
        return str(error)
    raise AssertionError(statement)

FACTS = "USING hudilite TBLPROPERTIES (primaryKey = 'id')"
"""
SERVED = """
spark.sql(f"CREATE TABLE t (id INT, v STRING) {FACTS}")
spark.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
spark.sql("UPDATE t SET v = 'c' WHERE id = 1")
spark.sql(f"CREATE TABLE u {FACTS} AS SELECT id FROM t")
spark.table("t").write.format("hudilite").mode("append").saveAsTable("t")
assert sorted(map(tuple, spark.table("t").distinct().collect())) == [(1, "c"), (2, "b")]
assert spark.table("u").count() == 2
spark.sql("CREATE TABLE others (id INT) USING parquet")
spark.sql("INSERT INTO others VALUES (1)")
assert spark.table("others").count() == 1
for name in ("t", "u", "others"):
    spark.sql(f"DROP TABLE {name}")
spark.newSession().sql(f"CREATE TABLE t (id INT) {FACTS}")
spark.sql("DROP TABLE t")
"""
NOT_SERVED = """
spark.sql(f"CREATE TABLE t (id INT, v STRING) {FACTS}")
for statement in ("SELECT * FROM t", "INSERT INTO t VALUES (1, 'a')", "INSERT OVERWRITE t VALUES (1, 'a')"):
    said = refused(statement)
    assert said.startswith("[EXTENSION_NOT_LOADED]"), said
    assert "spark.sql.extensions=" in said and "spark.sql.catalog.spark_catalog=" in said, said
spark.sql("DROP TABLE t")
"""


def test_names_are_served_by_the_jar_alone_or_refused_with_what_is_missing(tmp_path: Path) -> None:
    settings = {**SETTINGS, "spark.sql.warehouse.dir": str(tmp_path / "warehouse")}
    program = PROGRAM.format(jar=jar(), settings=settings)
    program += SERVED if SPARK_LINE == "4" else NOT_SERVED
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr

"""Jobs that were written for Apache Hudi, and change nothing but the jars."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from sessions import SETTINGS

from hudilite import hudi_jar, jar

#: As Hudi's own pages start a session.
PROGRAM = """
from pyspark.sql import SparkSession

builder = SparkSession.builder.master("local[2]").config("spark.jars", {jars!r})
builder = builder.config("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
builder = builder.config("spark.kryo.registrator", "org.apache.spark.HoodieSparkKryoRegistrar")
builder = builder.config("spark.sql.extensions", "org.apache.spark.sql.hudi.HoodieSparkSessionExtension")
builder = builder.config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.hudi.catalog.HoodieCatalog")
for name, value in {settings!r}.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")

options = {{
    "hoodie.table.name": "rides",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.partitionpath.field": "town",
    "hoodie.datasource.write.precombine.field": "ts",
}}

def rows(*values):
    return spark.createDataFrame(values, "id INT, fare DOUBLE, ts LONG, town STRING")

def found(frame):
    return sorted((row["id"], row["fare"], row["town"]) for row in frame.collect())

for name in ("hudi", "org.apache.hudi"):
    path = {place!r} + "/" + name
    first = rows((1, 1.0, 1, "oslo"), (2, 2.0, 1, "rome"))
    first.write.format(name).options(**options).mode("overwrite").save(path)
    rows((1, 9.0, 2, "oslo"), (3, 3.0, 2, "rome")).write.format(name).options(**options).mode("append").save(path)
    rows((2, 2.0, 3, "rome")).write.format(name).options(**options).option(
        "hoodie.datasource.write.operation", "delete").mode("append").save(path)
    assert found(spark.read.format(name).load(path)) == [(1, 9.0, "oslo"), (3, 3.0, "rome")]

spark.sql('''CREATE TABLE rides (id INT, fare DOUBLE, ts BIGINT, town STRING) USING hudi
    TBLPROPERTIES (type = 'mor', primaryKey = 'id', preCombineField = 'ts') PARTITIONED BY (town)''')
spark.sql("INSERT INTO rides VALUES (1, 1.0, 1, 'oslo'), (2, 2.0, 1, 'rome')")
spark.sql("MERGE INTO rides t USING (SELECT 1 AS id, 5.0D AS fare, 2L AS ts, 'oslo' AS town) s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
spark.sql("DELETE FROM rides WHERE id = 2")
spark.sql("ALTER TABLE rides ADD COLUMNS (note STRING)")
assert found(spark.table("rides")) == [(1, 5.0, "oslo")]
assert "USING hudi" in spark.sql("SHOW CREATE TABLE rides").first()[0]

first = rows((1, 1.0, 1, "oslo"))
first.write.format("hudi").options(**options).partitionBy("town").mode("overwrite").saveAsTable("saved")
rows((1, 4.0, 2, "oslo")).write.format("hudi").option("hoodie.datasource.write.operation", "upsert").mode(
    "append").saveAsTable("saved")
assert found(spark.table("saved")) == [(1, 4.0, "oslo")]
provider = [row for row in spark.sql("DESCRIBE EXTENDED saved").collect() if row[0] == "Provider"]
assert provider[0][1] == "hudi", provider
for name in ("rides", "saved"):
    spark.sql("DROP TABLE " + name)
"""


def test_a_job_with_hudis_formats_and_settings_runs_with_other_jars_alone(tmp_path: Path) -> None:
    program = PROGRAM.format(
        jars=f"{jar()},{hudi_jar()}",
        settings={**SETTINGS, "spark.sql.warehouse.dir": str(tmp_path / "warehouse")},
        place=str(tmp_path),
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

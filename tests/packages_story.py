"""Program for tests/packages.sh: a write and a read with nothing of hudilite but the resolved artifact."""

from __future__ import annotations

import tempfile

from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
assert "io.hudilite" in spark.conf.get("spark.jars", ""), "the jar must come from --packages"
path = f"{tempfile.mkdtemp()}/t"
rows = spark.range(10).selectExpr("id", "id % 2 AS half", "1 AS ts")
keys = {"hoodie.table.name": "t", "hoodie.datasource.write.recordkey.field": "id"}
keys |= {"hoodie.datasource.write.partitionpath.field": "half", "hoodie.datasource.write.precombine.field": "ts"}
rows.write.format("hudilite").options(**keys).mode("overwrite").save(path)
rows.where("id < 5").withColumn("ts", rows["ts"] + 1).write.format("hudilite").mode("append").save(path)
found = spark.read.format("hudilite").load(path).selectExpr("count(*)", "sum(ts)").first()
assert tuple(found) == (10, 15), found
print(f"spark-submit --packages on Spark {spark.version}: ok")
spark.stop()

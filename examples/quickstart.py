"""The README's first lines: write a Hudi table, upsert into it, read it."""

from __future__ import annotations

import tempfile

import hudilite

path = f"{tempfile.mkdtemp()}/trips"
spark = hudilite.session(app_name="quickstart", master="local[2]")
keys = {"hoodie.datasource.write.recordkey.field": "id", "hoodie.datasource.write.precombine.field": "ts"}
trips = spark.createDataFrame([(1, "ann", 10.0, 1), (2, "bob", 7.5, 1)], "id int, rider string, fare double, ts int")
trips.write.format("hudilite").options(**keys).mode("overwrite").save(path)
changes = spark.createDataFrame([(2, "bob", 9.0, 2), (3, "cy", 4.0, 2)], trips.schema)
changes.write.format("hudilite").mode("append").save(path)  # an upsert; the table knows its keys
spark.read.format("hudilite").load(path).orderBy("id").show()

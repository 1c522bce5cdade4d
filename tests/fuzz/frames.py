"""Rows of a case as frames of Spark that lie in memory, and rows of Spark as they stand in a case."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession

from fuzz.kinds import kind, name
from fuzz.settings import FIXED, INTERPRETED, applied
from fuzz.tables import Column, Row

#: Without this Spark's rows hold times in a class that the farthest ones do not fit into.
ALL_TIMES = {"spark.sql.datetime.java8API.enabled": "true"}


class Frames:
    """Makes frames: values that Python cannot hold never pass through it, and no query computes them again."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.jvm = spark._jvm

    def of(self, columns: Sequence[Column], rows: Sequence[Row]) -> DataFrame:
        """The rows in memory, as a `LocalRelation`; a missing column is null."""
        with applied(self.spark, {**FIXED, **ALL_TIMES, **INTERPRETED}):
            carriers = ",".join(f"{name(column)} {kind(ddl).carrier}" for column, ddl in columns)
            values = [f"{kind(ddl).decode(f'r.{name(column)}')} AS {name(column)}" for column, ddl in columns]
            parsed = self.lines(rows).selectExpr(f"from_json(j, '{carriers}') AS r").selectExpr(*values)
            collected = parsed._jdf.collectAsList()
            local = self.spark._jsparkSession.createDataFrame(collected, parsed._jdf.schema())
        return DataFrame(local, self.spark)

    def lines(self, rows: Sequence[Row]) -> DataFrame:
        """A line of JSON for each row."""
        text = "\n".join(json.dumps(row) for row in rows)
        lines = self.jvm.org.apache.hadoop.util.StringUtils.getStringCollection(text, "\n")
        made = self.spark._jsparkSession.createDataset(lines, self.jvm.org.apache.spark.sql.Encoders.STRING())
        return DataFrame(made.toDF(), self.spark).withColumnRenamed("value", "j")

    def read(self, frame: DataFrame, columns: Sequence[Column]) -> list[Row]:
        """The rows of a frame as a case holds them."""
        with applied(self.spark, FIXED):
            encoded = ", ".join(f"{kind(ddl).encode(name(column))} AS {name(column)}" for column, ddl in columns)
            shown = frame.selectExpr(f"to_json(struct({encoded}), map('ignoreNullFields', 'false')) AS j")
            return [json.loads(row[0]) for row in shown.collect()]

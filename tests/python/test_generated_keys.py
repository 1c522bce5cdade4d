"""Tables without record keys, written by DataFrames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import layout
from pyspark import TaskContext
from pyspark.sql import SparkSession


def test_rows_of_a_task_that_is_run_again_are_there_once_and_under_its_keys(spark: SparkSession, path: Path) -> None:
    def failing_once(rows: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """The rows, behind which the first attempt of one task fails."""
        yield from rows
        context = TaskContext.get()
        assert context is not None
        if context.partitionId() == 1 and context.attemptNumber() == 0:
            raise RuntimeError("fails once")

    numbers = [(i, f"p{i % 2}") for i in range(40)]
    rows = spark.sparkContext.parallelize(numbers, 4).mapPartitions(failing_once).toDF("id int, p string")
    rows.write.format("hudilite").mode("append").save(str(path))

    found = spark.read.format("hudilite").load(str(path)).select("id", "p", "_hoodie_record_key").collect()
    assert sorted((row[0], row[1]) for row in found) == numbers
    (instant,) = {row[2].split("_")[0] for row in found}
    # Each task of the write has the rows of one slice, which it numbers as they come.
    assert {row[2]: row[0] for row in found} == {
        f"{instant}_{task}_{1000000000 + n}": 10 * task + n for task in range(4) for n in range(10)
    }
    assert not layout.strays(path)
    assert not layout.leftovers(path)

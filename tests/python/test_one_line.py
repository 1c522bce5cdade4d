"""Text for a user when a task, a commit or a procedure fails: hudilite's line, and no trace of Java."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import layout
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import hudilite

pytestmark = pytest.mark.each_spark

KEYS = {
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.precombine.field": "v",
}


def save(spark: SparkSession, path: Path, rows: str) -> None:
    frame = spark.sql(f"SELECT * FROM VALUES {rows} AS t(id, v)")
    frame.write.format("hudilite").options(**KEYS).mode("append").save(str(path))


def one_line(condition: str, call: Callable[[], object]) -> PySparkException:
    with pytest.raises(PySparkException) as caught:
        call()
    text = str(caught.value)
    assert text.startswith(f"[{condition}]") and len(text.splitlines()) == 1, text
    assert hudilite.condition_of(caught.value) == condition
    assert getattr(caught.value, "getCondition", caught.value.getErrorClass)() == condition
    return caught.value


def test_a_row_that_breaks_a_rule_is_told_in_one_line(spark: SparkSession, path: Path) -> None:
    save(spark, path, "('a', 1), ('b', 1)")
    told = one_line("NULL_RECORD_KEY", lambda: save(spark, path, "(NULL, 2)"))
    assert told.getMessageParameters() == {"fields": "id"}
    assert told.getSqlState() in str(told)
    assert sorted(spark.read.format("hudilite").load(str(path)).select("id", "v").collect()) == [("a", 1), ("b", 1)]


def failures(spark: SparkSession, call: Callable[[], object]) -> int:
    """How many attempts of tasks failed in the jobs of the call."""
    context: Any = spark.sparkContext
    context.setJobGroup("failures", "attempts are counted")
    try:
        tracker, known = context.statusTracker(), context.statusTracker().getJobIdsForGroup("failures")
        call()
        context._jsc.sc().listenerBus().waitUntilEmpty()
        jobs = [tracker.getJobInfo(job) for job in set(tracker.getJobIdsForGroup("failures")) - set(known)]
        stages = {stage for job in jobs for stage in job.stageIds}
        return sum(found.numFailedTasks for found in map(tracker.getStageInfo, stages) if found is not None)
    finally:
        for name in ("spark.jobGroup.id", "spark.job.description"):
            context.setLocalProperty(name, None)


def test_a_row_that_breaks_a_rule_fails_one_attempt_of_its_task(spark: SparkSession, path: Path) -> None:
    partitioned = {**KEYS, "hoodie.datasource.write.partitionpath.field": "p"}

    def write(rows: str, **options: str) -> None:
        frame = spark.sql(f"SELECT * FROM VALUES {rows} AS t(id, v, p)").repartition(2)
        frame.write.format("hudilite").options(**{**partitioned, **options}).mode("append").save(str(path))

    def refuses(condition: str, call: Callable[[], object]) -> None:
        assert failures(spark, lambda: one_line(condition, call)) == 1

    operation = "hoodie.datasource.write.operation"
    write("('a', 1, 'x'), ('b', 1, 'y')")
    for name in ("upsert", "insert", "bulk_insert", "insert_overwrite"):
        refuses("NULL_RECORD_KEY", lambda: write("('c', 2, 'x'), (NULL, 2, 'x')", **{operation: name}))  # noqa: B023
    refuses("ILLEGAL_PARTITION_PATH", lambda: write("('c', 2, 'x'), ('d', 2, '..')"))
    update = f"UPDATE hudilite.`{path}` SET id = concat(id, 'c') WHERE id = 'a'"
    refuses("RECORD_KEY_CHANGED", lambda: spark.sql(update))
    assert spark.read.format("hudilite").load(str(path)).select("id", "v").orderBy("id").collect() == [
        ("a", 1),
        ("b", 1),
    ]


def test_what_a_source_raises_itself_is_tried_again(spark: SparkSession, path: Path) -> None:
    rows = spark.range(1).selectExpr("CAST(raise_error(concat('spilt', id)) AS STRING) id", "1 v")

    def call() -> None:
        with pytest.raises(Exception, match="spilt"):
            rows.write.format("hudilite").options(**KEYS).mode("append").save(str(path))

    assert failures(spark, call) == 2


def test_a_write_that_lost_is_told_in_one_line(spark: SparkSession, path: Path) -> None:
    save(spark, path, "('a', 1), ('b', 1)")
    started, go_on = path.parent / "started", path.parent / "go_on"

    def slowly(row: tuple[str, int]) -> tuple[str, int]:
        started.touch()
        while not go_on.exists():
            time.sleep(0.05)
        return row

    slow = spark.sparkContext.parallelize([("a", 2)], 1).map(slowly)
    failed: list[BaseException] = []

    def write() -> None:
        try:
            writer = spark.createDataFrame(slow, "id string, v int").write.format("hudilite").options(**KEYS)
            one_line("COMMIT_CONFLICT", lambda: writer.mode("append").save(str(path)))
        except BaseException as error:
            failed.append(error)

    first = threading.Thread(target=write)
    first.start()
    while not started.exists() and first.is_alive():
        time.sleep(0.05)
    save(spark, path, "('a', 3)")
    go_on.touch()
    first.join()
    assert not failed, failed


def test_a_damaged_file_is_told_in_one_line_by_queries_and_procedures(spark: SparkSession, path: Path) -> None:
    save(spark, path, "('a', 1), ('b', 1)")
    (file,) = layout.data_files(path)
    file.with_name(f".{file.name}.crc").unlink()
    file.write_bytes(file.read_bytes()[:-4] + b"what")
    rows = spark.read.format("hudilite").load(str(path))
    one_line("CORRUPT_FILE", rows.collect)
    one_line("CORRUPT_FILE", rows.orderBy("v").collect)
    one_line("CORRUPT_FILE", lambda: spark.sql(f"CALL hudilite.system.run_clustering(path => '{path}', order => 'v')"))

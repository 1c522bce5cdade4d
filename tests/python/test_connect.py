"""Spark Connect: a session without a JVM does all that a classic one does, and says the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conditions import fails_with
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from sessions import SPARK_LINE

import hudilite
from hudilite import NoExtension, driver

pytestmark = pytest.mark.each_spark

ODD = "a b `c` 'd' \"e\" ü,=;%41 \\n :x ?"
STILL = {
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.partitionpath.field": "p",
    "hoodie.datasource.write.precombine.field": "v",
    "hoodie.compact.inline": "false",
    "hoodie.clean.automatic": "false",
    "hoodie.archive.automatic": "false",
    "hoodie.parquet.small.file.limit": "0",
}
MERGE_ON_READ = {"hoodie.datasource.write.table.type": "MERGE_ON_READ"}
# Differences between two lives of one table: instants, ids, tokens of tasks, sizes, times, and its place.
UNLIKE = {
    r"(bytes|seconds|milliseconds|epoch_milliseconds)=[\d.e-]+": r"\1=N",
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(-\d+)?[\w.-]*": "FILE",
    r"\d{17}": "INSTANT",
    r"\d+ of \d+ s since": "N s since",
}


def write(spark: SparkSession, path: str, start: int, end: int, v: int, **options: str) -> None:
    rows = spark.range(start, end, 1, 1).selectExpr("concat('k', id) id", "concat('p', id % 2) p", f"{v}L v")
    rows.write.format("hudilite").options(**STILL).options(**options).mode("append").save(path)


def life(spark: SparkSession, folder: Path) -> Iterator[Any]:
    """All that a table object does, on a table of each type, and what it answers."""
    path = str(folder / f"mor {ODD}")
    table = hudilite.table(spark, path)
    write(spark, path, 0, 6, 1, **MERGE_ON_READ)
    write(spark, path, 0, 3, 2, **MERGE_ON_READ)
    seen: list[tuple[int, int]] = []
    yield table.schedule_compaction(dry_run=True), table.schedule_compaction(if_due=True)
    plan = table.schedule_compaction(options={"hoodie.compaction.strategy": "UnBounded"})
    assert plan is not None and plan.instant is not None
    yield plan, plan.read_bytes > 0, table.compact(dry_run=True), table.compact(plan.instant, dry_run=True)
    yield table.services()
    yield table.compact(plan.instant, progress=lambda *told: seen.append(told)), seen[-1]
    yield table.compact(), table.compact(kind="log", dry_run=True)
    yield table.timeline(), table.history(), table.history(limit=1), table.files()
    yield table.indexes(), table.advise()
    yield sorted(table.rows().collect()), sorted(table.changes(table.history()[-1].completion_time or "").collect())

    path = str(folder / f"cow {ODD}")
    table = hudilite.table(spark, path)
    for v in range(3):
        write(spark, path, v, v + 6, v)
    first, saved = table.history()[-1].time, table.savepoint(comment=" it's 'ours' ")
    yield saved, table.savepoints(), int(table.rows(as_of=first).count())
    yield table.cluster(["v", "id"], "zorder", dry_run=True), table.schedule_clustering("v", partitions="p0")
    clustered = table.cluster(progress=lambda *told: seen.append(told))
    yield clustered.replaced, sorted(f.rows for f in clustered.files), clustered.instants, seen[-1]
    yield table.clean("KEEP_LATEST_FILE_VERSIONS", 1, dry_run=True), table.archive(dry_run=True)
    yield table.delete_partition(["p0"], dry_run=True), table.expire_partitions(5, dry_run=True)
    yield table.delete_partition("p0"), table.rollback(dry_run=True), table.rollback()
    yield table.restore(saved.instant, dry_run=True), table.restore(saved.instant)
    table.delete_savepoint(saved.instant)
    yield table.savepoints(), table.clean("KEEP_LATEST_FILE_VERSIONS", 1), table.archive(), table.doctor(fix=True)
    yield table.wait_for_services(1.0)


def alike(answers: Iterator[Any], folder: Path) -> list[str]:
    texts = [repr(answer).replace(str(folder), "HERE") for answer in answers]
    for pattern, replacement in UNLIKE.items():
        texts = [re.sub(pattern, replacement, text) for text in texts]
    return texts


def test_a_table_object_does_and_says_the_same_as_in_a_classic_session(
    connect: SparkSession, spark: SparkSession, tmp_path: Path
) -> None:
    with pytest.raises(Exception, match=r"_jvm|JVM|not supported"):
        _ = connect._jvm
    remote = alike(life(connect, tmp_path / "connect"), tmp_path / "connect")
    local = alike(life(spark, tmp_path / "classic"), tmp_path / "classic")
    for told, expected in zip(remote, local, strict=True):
        assert told == expected


def test_errors_have_their_condition(connect: SparkSession, tmp_path: Path) -> None:
    table = hudilite.table(connect, str(tmp_path / "nothing"))
    calls: list[Callable[[], object]] = [
        table.history,
        table.files,
        table.compact,
        table.doctor,
        table.savepoints,
        lambda: table.rows().count(),
    ]
    for call in calls:
        with fails_with("TABLE_NOT_FOUND"):
            call()
    write(connect, table.path, 0, 2, 1)
    damaged = hudilite.table(connect, str(tmp_path / "damaged"))
    write(connect, damaged.path, 0, 2, 1)
    for file in Path(damaged.path).glob("*/*.parquet"):
        file.with_name(f".{file.name}.crc").unlink()
        file.write_bytes(file.read_bytes()[:-4] + b"what")
    refused: dict[str, Callable[[], object]] = {
        "UNKNOWN_OPTION": lambda: connect.read.format("hudilite").option("as.of.instnt", "1").load(table.path).count(),
        "NULL_RECORD_KEY": lambda: connect.sql(f"INSERT INTO hudilite.`{table.path}` VALUES (NULL, 'p0', 1)"),
        "CORRUPT_FILE": damaged.rows().collect,
        "COMPACTION_NOT_POSSIBLE": table.compact,
        "INVALID_OPTION_VALUE": lambda: table.clean(retain=0),
        "PARTITION_NOT_FOUND": lambda: table.delete_partition("no"),
        "ROLLBACK_NOT_POSSIBLE": lambda: table.rollback("20200101000000000"),
    }
    for condition, call in refused.items():
        with pytest.raises(Exception) as caught:
            call()
        one_line(condition, caught.value)


def one_line(condition: str, error: Any) -> None:
    assert isinstance(error, PySparkException) and hudilite.condition_of(error) == condition
    text = str(error)
    assert text.startswith(f"[{condition}]") and len(text.splitlines()) == 1, text
    assert getattr(error, "getCondition", error.getErrorClass)() == condition
    assert all(value in text for value in error.getMessageParameters().values())
    assert text.endswith(f"SQLSTATE: {error.getSqlState()}")


def test_an_error_of_another_s_is_told_as_spark_tells_it(connect: SparkSession) -> None:
    with pytest.raises(PySparkException, match="TABLE_OR_VIEW_NOT_FOUND") as caught:
        connect.sql("SELECT * FROM nothing_of_that_name").collect()
    assert hudilite.condition_of(caught.value) is None


def test_statements_and_frames_read_and_write(connect: SparkSession, tmp_path: Path) -> None:
    from pyspark.sql.connect import functions as f

    def rows(query: str) -> list[tuple[Any, ...]]:
        return sorted(tuple(row) for row in connect.sql(query).collect())

    options = {"primaryKey": "id", "preCombineField": "v", "hoodie.clean.automatic": "false"}
    source = connect.sql("SELECT 'a' id, 1L v, 'x' p UNION ALL SELECT 'b', 1L, 'y'")
    source.write.format("hudilite").options(**options).partitionBy("p").saveAsTable("connected")
    connect.sql("INSERT INTO connected VALUES ('c', 1L, 'x')")
    newer = connect.sql("SELECT 'a' id, 2L v, 'x' p UNION ALL SELECT 'd', 2L, 'x'")
    if SPARK_LINE == "4":
        merge = newer.alias("s").mergeInto("connected", f.expr("connected.id = s.id"))
        merge.whenMatched().updateAll().whenNotMatched().insertAll().merge()
    else:
        newer.createOrReplaceTempView("newer")
        connect.sql(
            "MERGE INTO connected t USING newer s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )
    expected = [("a", 2, "x"), ("b", 1, "y"), ("c", 1, "x"), ("d", 2, "x")]
    assert rows("SELECT id, v, p FROM connected") == expected
    connect.sql("UPDATE connected SET v = 3L WHERE id = 'b'")
    connect.sql("DELETE FROM connected WHERE id = 'c'")
    connect.sql("SELECT 'e' id, 1L v, 'z' p").writeTo("connected").append()
    assert rows("SELECT id, v FROM connected") == [("a", 2), ("b", 3), ("d", 2), ("e", 1)]
    table = hudilite.table(connect, "connected")
    assert Path(table.path.removeprefix("file:")).is_dir() and table.rows().columns == ["id", "v", "p"]
    commits = table.history()
    assert commits[0].rows == 1 and len(commits) == 6
    oldest = commits[-1].time
    assert rows(f"SELECT id FROM connected VERSION AS OF '{oldest}'") == [("a",), ("b",)]
    assert connect.read.option("as.of.instant", oldest).table("connected").count() == 2
    assert rows("SELECT count(*) FROM hudilite.default.connected.history") == [(6,)]
    assert connect.read.table("hudilite.default.connected.files").where("kind = 'base'").count() == len(table.files())
    changed = "SELECT id FROM hudi_table_changes('connected', 'latest_state', :begin)"
    assert connect.sql(changed, args={"begin": commits[1].completion_time}).collect()[0]["id"] == "e"
    made = tmp_path / "made `by` path"
    quoted = str(made).replace("`", "``")
    newer.writeTo(f"hudilite.`{quoted}`").options(**{**options, "primaryKey": "id"}).createOrReplace()
    assert hudilite.table(connect, str(made)).rows().count() == 2
    connect.sql("DROP TABLE connected PURGE")
    assert not Path(table.path.removeprefix("file:")).exists()


def test_a_service_that_is_interrupted_leaves_its_plan(connect: SparkSession, tmp_path: Path) -> None:
    table = hudilite.table(connect, str(tmp_path / "t"))
    write(connect, table.path, 0, 6, 1, **MERGE_ON_READ)
    write(connect, table.path, 0, 6, 2, **MERGE_ON_READ)

    def fails(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        table.compact(progress=fails)
    table.compact()
    assert [i.action for i in table.timeline()].count("commit") == 1
    assert {row["v"] for row in table.rows().collect()} == {2}


def test_a_server_without_hudilite_is_told_of(connect: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "CATALOG", "hudilite_elsewhere")
    monkeypatch.setattr(driver, "FUNCTION", "hudilite_elsewhere")
    table = hudilite.table(connect, "/nothing")
    for call in (table.history, table.compact, table.doctor):
        with pytest.raises(NoExtension, match=r"spark\.jars.*spark\.sql\.extensions=") as caught:
            call()
        assert "\n" not in str(caught.value)
        assert hudilite.condition_of(caught.value) == "EXTENSION_NOT_LOADED"

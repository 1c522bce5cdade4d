"""Changes of rows by the table object, in Delta Lake's words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conditions import fails_with
from engines import SELF_CHECK
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudilite
from hudilite import HudiliteTable

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="they are hudilite's")

ODD = "a b.`c` 'd' \"e\" ü,=;%41 :x ?"
NAMES = ["id", "select", "Order", "_x", "v"]
SCHEMA = "id int, " + ", ".join(f"`{name}` string" for name in NAMES[1:])


def odd(spark: SparkSession, folder: Path) -> HudiliteTable:
    """A table of three rows, all of whose names are odd."""
    place = folder / ODD / "t"
    rows = spark.createDataFrame([(n, "a", "c", "e", "g") for n in (1, 2, 3)], SCHEMA)
    key = {"hoodie.datasource.write.recordkey.field": "id"}
    rows.write.format("hudilite").options(**key).mode("append").save(str(place))
    return hudilite.table(spark, str(place))


def held(table: HudiliteTable) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in table.to_df().select(*NAMES).collect())


def changed_by_all_clauses(spark: SparkSession, folder: Path) -> None:
    """Changes of a table and of a source with odd names, by text."""
    table = odd(spark, folder)
    source = spark.createDataFrame([(1, "x"), (4, "y")], "id int, `n.n` string").alias("s 's'")
    (
        table.alias("t.`t`")
        .merge(source, "`t.``t```.id = `s 's'`.id")
        .whenMatchedUpdate("`t.``t```.`select` = 'never'", {"v": "'no'"})
        .whenMatchedUpdate(set={"select": "`s 's'`.`n.n`", "ORDER": "concat(`order`, ', d = 1') -- all"})
        .whenNotMatchedInsert("`n.n` = 'y'", {"id": "`s 's'`.id", "select": "`n.n`", "_x": "'--'"})
        .whenNotMatchedBySourceUpdate("`t.``t```.id = 2", {"V": "upper(v)"})
        .whenNotMatchedBySourceDelete()
        .execute()
    )
    assert held(table) == [
        (1, "x", "c, d = 1", "e", "g"),
        (2, "a", "c", "e", "G"),
        (4, "y", None, "--", None),
    ]
    table.update("id > 1 -- and more", {"_x": "'it\\'s'"})
    table.delete("id = 2")
    assert held(table) == [(1, "x", "c, d = 1", "e", "g"), (4, "y", None, "it's", None)]
    table.upsert(spark.createDataFrame([(4, "new", "", "", ""), (5, "new", "", "", "")], SCHEMA))
    table.insert(spark.createDataFrame([(6, "inserted", "", "", "")], SCHEMA))
    assert [row[:2] for row in held(table)] == [(1, "x"), (4, "new"), (5, "new"), (6, "inserted")]
    table.update(set={"select": "NULL"})
    assert {row[1] for row in held(table)} == {None}
    table.delete()
    assert held(table) == []
    assert not [view for view in spark.sql("SHOW VIEWS").collect() if "hudilite" in view.viewName]


@pytest.mark.each_spark
def test_rows_are_changed_whatever_the_names_are(spark: SparkSession, tmp_path: Path) -> None:
    changed_by_all_clauses(spark, tmp_path)


def test_a_session_of_spark_connect_changes_rows_alike(connect: SparkSession, tmp_path: Path) -> None:
    changed_by_all_clauses(connect, tmp_path)
    table = odd(connect, tmp_path / "other")
    with pytest.raises(ValueError, match=r"INVALID_OPTION_VALUE.*write it in SQL"):
        table.delete(table.to_df()["id"] == 1)


def test_a_table_of_the_catalog_is_changed_by_its_name(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql(
        f"CREATE TABLE named_trips (id INT, v STRING) USING hudilite LOCATION '{tmp_path / 'named'}' "
        "TBLPROPERTIES (primaryKey = 'id')"
    )
    try:
        spark.sql("INSERT INTO named_trips VALUES (1, 'a'), (2, 'b')")
        table = hudilite.table(spark, "named_trips")
        table.merge(table.to_df().where("id = 1"), "target.id = source.id").whenMatchedDelete().execute()
        assert spark.table("named_trips").collect() == [(2, "b")]
    finally:
        spark.sql("DROP TABLE named_trips")


@pytest.mark.each_spark
def test_columns_of_a_classic_session_are_as_good_as_text(spark: SparkSession, tmp_path: Path) -> None:
    table = odd(spark, tmp_path)
    one = (F.col("id") == F.lit(1)) & F.col("`select`").isin("a", "it's")
    table.update(one, {"ORDER": F.concat(F.col("`order`"), F.lit("\\'")), "select": F.lit(None).cast("string")})
    source = spark.createDataFrame([(3,)], "id int").alias("s")
    merge = table.alias("t").merge(source, F.col("t.id") == F.col("s.id"))
    merge.whenMatchedDelete(F.col("t.v").like("g%")).execute()
    assert [row[:3] for row in held(table)] == [(1, None, "c\\'"), (2, "a", "c")]
    twice = F.udf(lambda v: v * 2, "int")
    with pytest.raises(ValueError, match=r"INVALID_OPTION_VALUE.*register it"):
        table.delete(twice("id") == 2)


def test_a_source_is_evaluated_once(spark: SparkSession, tmp_path: Path) -> None:
    table = odd(spark, tmp_path)
    seen = spark.sparkContext.accumulator(0)

    def noted(key: int) -> tuple[int, str]:
        seen.add(1)
        return key, "new"

    source = spark.createDataFrame(spark.sparkContext.parallelize(range(1, 5), 2).map(noted), "id int, v string")
    merge = table.merge(source, "target.id = source.id").whenMatchedUpdate(set={"select": "source.v"})
    merge.whenNotMatchedInsert(values={"id": "source.id", "select": "source.v"}).execute()
    assert [row[:2] for row in held(table)] == [(n, "new") for n in range(1, 5)]
    assert seen.value == 4


@pytest.mark.parametrize(
    "call",
    [
        lambda table, rows: table.delete(""),
        lambda table, rows: table.update("id = 1", {}),
        lambda table, rows: table.update("id = 1"),
        lambda table, rows: table.update(set={"no such (column)": "1"}),
        lambda table, rows: table.update(set={"": "1"}),
        lambda table, rows: table.update(set={"id": " "}),
        lambda table, rows: table.alias(""),
        lambda table, rows: table.merge(rows, "target.id = source.id").execute(),
        lambda table, rows: table.merge(rows, "true").whenNotMatchedInsert(values={}),
        lambda table, rows: table.vacuum(0),
        lambda table, rows: table.optimize().executeZOrderBy(),
    ],
)
def test_arguments_that_mean_nothing_are_refused(spark: SparkSession, golden_root: Path, call: Any) -> None:
    table = hudilite.table(spark, str(golden_root / "cow-basic-v9" / "table"))
    with fails_with("INVALID_OPTION_VALUE"):
        call(table, table.to_df())


@pytest.mark.parametrize(
    "call",
    [
        lambda table: table.delete(5),
        lambda table: table.update(set={"id": 1}),
        lambda table: table.upsert([1]),
        lambda table: table.merge("rows", "true"),
        lambda table: table.vacuum(0.5),
    ],
)
def test_arguments_of_other_types_are_refused(spark: SparkSession, golden_root: Path, call: Any) -> None:
    with pytest.raises(TypeError, match="INVALID_OPTION_VALUE"):
        call(hudilite.table(spark, str(golden_root / "cow-basic-v9" / "table")))


def test_a_batch_of_a_stream_that_comes_again_is_written_once(spark: SparkSession, tmp_path: Path) -> None:
    table = odd(spark, tmp_path)

    def batch(rows: DataFrame, number: int) -> None:
        table.upsert(rows, options={"txnAppId": "stream", "txnVersion": str(number)})

    rows = spark.createDataFrame([(9, "once", "", "", "")], SCHEMA)
    batch(rows, 0)
    batch(rows.withColumn("v", F.lit("again")), 0)
    assert held(table)[-1] == (9, "once", "", "", "")
    batch(rows.withColumn("v", F.lit("next")), 1)
    assert held(table)[-1][-1] == "next"
    assert [commit.metadata.get("txnVersion") for commit in table.history()] == ["1", "0", None]


def test_maintenance_runs_what_is_due_and_tells_what_failed(spark: SparkSession, tmp_path: Path) -> None:
    table = odd(spark, tmp_path)
    asked = {"hoodie.clustering.inline.max.commits": "1", "hoodie.clustering.plan.strategy.sort.columns": "no_such"}
    done = table.maintain(options=asked)
    assert [(each.service, each.outcome) for each in done.services] == [
        ("clustering", "failed"),
        ("cleaning", "not due"),
        ("archiving", "not due"),
    ]
    (failed,) = done.failed
    assert failed.condition is not None and failed.condition in failed.reason and failed.result is None
    for n in range(3):
        table.update(set={"select": f"'{n}'"})
    done = table.maintain(options={"hoodie.clean.commits.retained": "1", "hoodie.clustering.inline.max.commits": "100"})
    assert done.ran == ("cleaning",)
    (cleaned,) = [each.result for each in done.services if each.service == "cleaning"]
    assert isinstance(cleaned, hudilite.CleanResult) and cleaned.files > 0

"""Partition columns that files do not hold: Apache Hudi and hudilite take their values from the paths of partitions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from engines import (
    AS_OF,
    BEGIN,
    HIVE_STYLE,
    KEY_GENERATOR,
    ORDERING,
    PARTITION,
    QUERY_TYPE,
    RECORD_KEY,
    SELF_CHECK,
    URL_ENCODE,
    Engine,
)
from pyspark.sql import DataFrame, SparkSession

from hudilite import condition_of

DROP = "hoodie.datasource.write.drop.partition.columns"
FACTS = {RECORD_KEY: "id", ORDERING: "ts", PARTITION: "p", "hoodie.table.name": "t", DROP: "true"}
SCHEMA = "id string, ts long, p string, v string"
COMPLEX = "org.apache.hudi.keygen.ComplexKeyGenerator"

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about both engines")


def rows(engine: Engine, path: Path, where: str = "true", **options: str) -> list[tuple[Any, ...]]:
    """Rows as the engine reads them, by names: both put the dropped columns last."""
    frame = engine.read(path, **options).where(where)
    columns = [name for name in frame.columns if not name.startswith("_hoodie")]
    return [tuple(columns), *sorted((tuple(row) for row in frame.select(*columns).collect()), key=str)]


def batch(spark: SparkSession, values: list[Any], v: str, schema: str = SCHEMA) -> DataFrame:
    return spark.createDataFrame([(f"k{i}", i, p, v) for i, p in enumerate(values)], schema)


@pytest.mark.parametrize("encoded", [True, False])
def test_odd_texts_are_read_as_hudi_reads_them_from_paths(
    lite: Engine, real: Engine, path: Path, encoded: bool
) -> None:
    spark = lite.spark
    values = ["a", "b c", "a%2Fb", "default", "__HIVE_DEFAULT_PARTITION__", "q=z", "null", "größe", "a%b", "", None]
    values += ["007", "x/y"]
    facts = {**FACTS, HIVE_STYLE: str(encoded).lower(), URL_ENCODE: str(encoded).lower()}
    real.write(batch(spark, values, "old"), path, **facts)
    first = spark.sql(f"SELECT max(_hoodie_commit_time) FROM hudilite.`{path}`").collect()[0][0]
    real.write(batch(spark, values[:2], "new"), path, **facts)
    assert rows(lite, path) == rows(real, path)
    assert rows(lite, path, **{AS_OF: first}) == rows(real, path, **{AS_OF: first})
    # Hudi's own incremental reads show escapes as they stand in the path, unlike its snapshots.
    changed = {QUERY_TYPE: "incremental", BEGIN: first}
    plain = "instr(_hoodie_partition_path, '%') = 0"
    assert rows(lite, path, plain, **changed) == rows(real, path, plain, **changed)
    assert set(rows(lite, path, **changed)) <= set(rows(lite, path))
    table = lite.read(path)
    shown = {row.id: row.p for row in table.collect()}
    for key, value in shown.items():
        found = table.where(table.p.eqNullSafe(value)).select("id").collect()
        assert key in {row.id for row in found}, value
        assert {row.id for row in found} == {k for k, v in shown.items() if v == value}
    assert table.where("p > 'a' AND p < 'c'").count() == sum(v is not None and "a" < v < "c" for v in shown.values())
    counted = table.selectExpr("count(*)", "count(p)", "count(distinct p)", "max(p)").collect()[0]
    there = [v for v in shown.values() if v is not None]
    assert tuple(counted) == (len(values), len(there), len(set(there)), max(there, key=lambda v: v.encode()))
    assert [row.p for row in table.select("p").where("id = 'k0'").collect()] == [shown["k0"]]


def test_columns_whose_values_no_path_tells_are_refused_by_name(lite: Engine, real: Engine, path: Path) -> None:
    facts = {**FACTS, PARTITION: "p,q", KEY_GENERATOR: COMPLEX}
    schema = "id string, ts long, p string, v string, q string"
    made = [("k0", 1, "1", "a", "x"), ("k1", 1, "1", "a", "x/y"), ("k2", 1, None, "a", "z")]
    real.write(lite.spark.createDataFrame(made, schema), path, **facts)
    with pytest.raises(Exception) as raised:
        rows(lite, path)
    assert condition_of(raised.value) == "UNSUPPORTED_TABLE_FEATURE"
    assert "1/x/y" in str(raised.value)
    table = lite.read(path)
    assert [tuple(row) for row in table.where("p IS NULL").select("id", "p", "q").collect()] == [("k2", None, "z")]
    assert table.select("id").count() == 3
    with pytest.raises(Exception, match=r"UNSUPPORTED_TABLE_FEATURE.*1/x/y"):
        table.selectExpr("count(p)", "count(q)").collect()


def test_logs_of_a_table_with_declared_types_are_read(lite: Engine, path: Path) -> None:
    spark = lite.spark
    spark.sql(f"""CREATE TABLE dropped_mor (id INT, v STRING, ts BIGINT, p INT) USING hudi PARTITIONED BY (p)
        TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts', type = 'mor', '{DROP}' = 'true') LOCATION '{path}'""")
    try:
        spark.sql("INSERT INTO dropped_mor VALUES (1, 'a', 1, 10), (2, 'b', 1, 20)")
        spark.sql("UPDATE dropped_mor SET v = 'A' WHERE id = 1")
        spark.sql("""MERGE INTO dropped_mor t USING (SELECT 2 AS id, 'M' AS v, 5L AS ts, 20 AS p
            UNION ALL SELECT 3, 'N', 5L, 10) s ON t.id = s.id
            WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""")
        expected = sorted(tuple(row) for row in spark.sql("SELECT id, v, ts, p FROM dropped_mor").collect())
    finally:
        spark.sql("DROP TABLE dropped_mor")
    assert list(path.glob("**/.*.log.*"))
    assert rows(lite, path) == [("id", "v", "ts", "p"), *expected]
    assert rows(lite, path)[1:] == [(1, "A", 1, 10), (2, "M", 5, 20), (3, "N", 5, 10)]
    table = lite.read(path)
    assert [row.id for row in table.where("p >= 20").collect()] == [2]
    assert tuple(table.selectExpr("min(p)", "max(p)", "count(p)").collect()[0]) == (10, 20, 3)


@pytest.mark.parametrize(("version", "first"), [(6, "hudi"), (9, "hudilite")])
def test_both_write_to_a_table_by_turns(lite: Engine, real: Engine, path: Path, version: int, first: str) -> None:
    """Hudi's deletes and clusterings put texts of the column into files, which nobody reads."""
    facts = {**FACTS, "hoodie.write.table.version": str(version), HIVE_STYLE: "true"}
    schema = SCHEMA.replace("p string", "p int")
    lines: dict[str, tuple[Any, ...]] = {}

    def write(engine: Engine, made: list[tuple[Any, ...]], operation: str = "upsert") -> None:
        engine.write(lite.spark.createDataFrame(made, schema), path, operation, **facts)
        for row in made:
            lines.pop(row[0], None)
        lines.update({} if operation == "delete" else {row[0]: row for row in made})
        for reader in (lite, real):
            found = {(r.id, r.ts, None if r.p is None else int(r.p), r.v) for r in reader.read(path).collect()}
            assert found == set(lines.values()), reader.name

    engines = [lite, real] if first == "hudilite" else [real, lite]
    write(engines[0], [("k0", 1, 1, "a"), ("k1", 1, 2, "b"), ("k2", 1, None, "c"), ("k3", 1, 1, "d")])
    write(engines[1], [("k0", 2, 1, "A"), ("k4", 2, 3, "e")])
    write(engines[0], [("k1", 2, 2, "B")])
    write(real, [("k3", 3, 1, "d")], "delete")
    assert {field.dataType.typeName() for field in lite.read(path).schema if field.name == "p"} == {
        "string" if first == "hudi" else "integer"
    }
    write(lite, [("k0", 4, 1, "again"), ("k5", 4, 1, "f")])
    lite.spark.sql(f"UPDATE hudilite.`{path}` SET v = 'u' WHERE p = 2")
    lines["k1"] = ("k1", 2, 2, "u")
    write(lite, [("k2", 4, None, "c")], "delete")
    write(real, [("k6", 5, 3, "g")], "insert")


def test_hudi_reads_logs_of_hudilite(lite: Engine, real: Engine, path: Path) -> None:
    facts = {**FACTS, "hoodie.datasource.write.table.type": "MERGE_ON_READ", "hoodie.compact.inline": "false"}
    values = ["a", "b c", None, "x/y"]
    lite.write(batch(lite.spark, values, "old"), path, **facts)
    changed = batch(lite.spark, values, "new").where("id <> 'k0'")
    lite.write(changed, path, **{"hoodie.compact.inline": "false"})
    lite.spark.sql(f"DELETE FROM hudilite.`{path}` WHERE p = 'x/y'")
    assert list(path.glob("**/.*.log.*"))
    expected = [("k0", 0, "old", "a"), ("k1", 1, "new", "b c"), ("k2", 2, "new", None)]
    assert rows(lite, path)[1:] == rows(real, path)[1:] == expected
    lite.spark.sql(f"CALL hudilite.system.run_compaction(op => 'run', path => '{path}')")
    assert rows(lite, path)[1:] == rows(real, path)[1:] == expected

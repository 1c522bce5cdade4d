"""SQL statements on a path, through the connector's own catalog."""

from __future__ import annotations

from pathlib import Path

import layout
import pytest
from conditions import fails_with
from engines import SELF_CHECK, Engine, Shape, frame, record
from rows import rows_of
from test_write_and_read import Story, days

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="Apache Hudi has no path catalog")


@pytest.fixture
def story(lite: Engine, path: Path) -> Story:
    """A table of twelve rows."""
    story = Story(lite, path, Shape())
    story.upsert(days(range(12), 1))
    return story


def name(story: Story) -> str:
    return f"hudilite.`{story.path}`"


def test_select(story: Story) -> None:
    found = story.engine.spark.sql(f"SELECT id, price FROM {name(story)} WHERE dt = '2026-01-02' ORDER BY id")
    assert [row["id"] for row in found.collect()] == ["k001", "k004", "k007", "k010"]
    count = story.engine.spark.sql(f"SELECT count(*), max(_hoodie_record_key) FROM {name(story)}").first()
    assert count is not None and tuple(count) == (12, "k011")


def test_merge_on_the_key(story: Story) -> None:
    spark = story.engine.spark
    batch = days(range(9, 15), 2)
    frame(spark, batch).createOrReplaceTempView("batch")
    spark.sql(f"""MERGE INTO {name(story)} t USING batch s ON t.id = s.id AND t.dt = s.dt
                  WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""")
    story.model.upsert(batch)
    story.check()


def test_merge_with_conditions_and_a_delete(story: Story) -> None:
    spark = story.engine.spark
    batch = [record("k000", 2, "2026-01-01", "gone"), record("k001", 2, "2026-01-02", "blue"), record("n", 2)]
    frame(spark, batch).createOrReplaceTempView("batch")
    spark.sql(f"""MERGE INTO {name(story)} t USING batch s ON t.id = s.id AND t.dt = s.dt
                  WHEN MATCHED AND s.colour = 'gone' THEN DELETE
                  WHEN MATCHED THEN UPDATE SET colour = s.colour, ts = s.ts
                  WHEN NOT MATCHED AND s.colour <> 'red' THEN INSERT *""")
    held = story.model.held
    del held[("k000", "2026-01-01")]
    held[("k001", "2026-01-02")] |= {"colour": "blue", "ts": 2}
    story.check()


def test_merge_on_a_column_that_is_no_key(story: Story) -> None:
    spark = story.engine.spark
    spark.createDataFrame([(3.1, "violet")], "price double, colour string").createOrReplaceTempView("batch")
    spark.sql(f"""MERGE INTO {name(story)} t USING batch s ON t.price = s.price
                  WHEN MATCHED THEN UPDATE SET colour = s.colour""")
    story.model.held[("k003", "2026-01-01")]["colour"] = "violet"
    story.check()


def test_update(story: Story) -> None:
    story.engine.spark.sql(f"UPDATE {name(story)} SET colour = upper(colour), price = price + 1 WHERE id < 'k004'")
    for row in story.model.held.values():
        if row["id"] < "k004":
            row |= {"colour": "RED", "price": row["price"] + 1}
    story.check()
    assert len(layout.writes(story.path)) == 2


def test_update_of_the_partition_column_moves_rows(story: Story) -> None:
    story.engine.spark.sql(f"UPDATE {name(story)} SET dt = '2027-07-07' WHERE id = 'k005'")
    found = story.engine.read(story.path).where("id = 'k005'").select("_hoodie_partition_path", "dt").collect()
    assert [tuple(row) for row in found] == [("2027-07-07", "2027-07-07")]
    assert story.engine.read(story.path).count() == 12


def test_delete(story: Story) -> None:
    story.engine.spark.sql(f"DELETE FROM {name(story)} WHERE price > 5 AND dt <> '2026-01-03'")
    story.model.delete([r for r in list(story.model.held.values()) if r["price"] > 5 and r["dt"] != "2026-01-03"])
    story.check()


def test_delete_of_a_partition_and_of_nothing(story: Story) -> None:
    story.engine.spark.sql(f"DELETE FROM {name(story)} WHERE dt = '2026-01-01'")
    story.model.delete_partitions("2026-01-01")
    story.check()
    story.engine.spark.sql(f"DELETE FROM {name(story)} WHERE id = 'nobody'")
    story.check()


def test_insert_into(story: Story) -> None:
    story.engine.spark.sql(f"INSERT INTO {name(story)} VALUES ('n1', 1, '2026-01-09', 'red', 1.0D)")
    story.model.upsert([record("n1", 1, "2026-01-09")])
    story.check()


def test_a_dataframe_and_a_statement_see_each_other(story: Story) -> None:
    spark = story.engine.spark
    spark.sql(f"UPDATE {name(story)} SET ts = 5 WHERE id = 'k002'")
    story.model.held[("k002", "2026-01-03")]["ts"] = 5
    story.upsert([record("k002", 4, "2026-01-03", "late"), record("k003", 4, "2026-01-01", "blue")])
    assert rows_of(spark.sql(f"SELECT * FROM {name(story)}")) == story.model.rows()


def test_a_join_with_a_small_table_on_the_key(story: Story) -> None:
    spark = story.engine.spark
    spark.createDataFrame([("k003",), ("k007",), ("x",)], "id string").createOrReplaceTempView("wanted")
    found = spark.sql(f"SELECT t.id FROM {name(story)} t JOIN wanted USING (id) ORDER BY 1").collect()
    assert [row["id"] for row in found] == ["k003", "k007"]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM {}",
        "DESCRIBE {}",
        "SELECT * FROM {} VERSION AS OF '20990101000000000'",
        "SELECT * FROM {} TIMESTAMP AS OF '2099-01-01'",
        "UPDATE {} SET price = 0",
        "DELETE FROM {} WHERE id = 'k001'",
        "INSERT INTO {} VALUES ('n1', 1, '2026-01-09', 'red', 1.0D)",
        "MERGE INTO {0} t USING (SELECT 'k001' AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE",
    ],
)
def test_a_statement_may_be_the_first_of_its_session(story: Story, statement: str) -> None:
    story.engine.spark.newSession().sql(statement.format(name(story))).collect()


def test_a_setting_of_the_session_that_nobody_knows_is_refused_by_name(story: Story) -> None:
    session = story.engine.spark.newSession()
    session.sql("SET spark.datasource.hudilite.xyz=1").collect()
    for statement in ("SELECT * FROM {}", "UPDATE {} SET price = 0", "DELETE FROM {}"):
        with fails_with("UNKNOWN_OPTION", "xyz"):
            session.sql(statement.format(name(story))).collect()
    story.check()


@pytest.mark.parametrize(
    "statement", ["DROP TABLE {}", "ALTER TABLE {} REPLACE COLUMNS (x INT)", "COMMENT ON TABLE {} IS 'c'"]
)
def test_a_statement_without_effect_is_refused_in_one_line(story: Story, statement: str) -> None:
    with pytest.raises(Exception, match=r"STATEMENT_NOT_SUPPORTED\]") as caught:
        story.engine.spark.sql(statement.format(name(story)))
    assert len(str(caught.value).strip().splitlines()) == 1
    story.check()

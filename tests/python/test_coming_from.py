"""Code of hudilite in docs/coming-from.md runs, line by line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import hudilite

PAGE = (Path(__file__).parent.parent.parent / "docs" / "coming-from.md").read_text()


def test_every_block_runs_one_after_the_other(spark: SparkSession, tmp_path: Path) -> None:
    blocks = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
    assert {kind for kind, _ in blocks} == {"sql", "python"}
    names: dict[str, Any] = {"spark": spark, "hudilite": hudilite}
    rows: dict[str, list[Any]] = {}
    for kind, text in blocks:
        here = text.replace("/tmp/", f"{tmp_path}/")
        if kind == "python":
            exec(compile(here, "coming-from.md", "exec"), names)
            continue
        for statement in filter(None, map(str.strip, here.split(";"))):
            rows[statement] = spark.sql(statement).collect()
            if "MERGE INTO" in statement:
                assert {(r.id, r.price) for r in spark.table("orders").collect()} == {(1, 10.0), (2, 9.0), (3, 5.0)}
            if "DELETE FROM" in statement:
                assert {(r.id, r.price) for r in spark.table("orders").collect()} == {(1, 10.0), (2, 8.0)}
            if "REPLACE WHERE" in statement:
                assert {(r.id, r.day) for r in spark.table("orders").collect()} == {(5, "mon"), (6, "tue")}
    assert all(rows[statement] for statement in rows if statement.startswith("SELECT"))
    assert not spark.catalog.tableExists("orders")
    assert [r.id for r in names["table"].rows().collect()] == [3]


def test_each_topic_names_all_three_and_shows_ours() -> None:
    topics = PAGE.split("\n## ")[1:-1]
    assert len(topics) == 14
    for topic in topics:
        assert "```" in topic and all(f"{name}" in topic for name in ("Delta", "Iceberg", "Hudi")), topic[:40]

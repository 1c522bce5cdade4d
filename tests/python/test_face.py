"""The view of a table in a notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import hudilite


class Balanced(HTMLParser):
    """Text of a piece of HTML, whose elements must be closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.said: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def test_it_says_what_the_table_is_and_what_was_done(spark: SparkSession, golden_root: Path) -> None:
    table = hudilite.table(spark, str(golden_root / "mor-logs-v8" / "table"))
    said = Balanced(table._repr_html_()).said
    newest = table.history(1)[0]
    for text in ("mor_logs", table.path, "merge-on-read, version 8", "id", "ts", "dt", newest.time, newest.operation):
        assert text in said
    held = said[said.index("holds") + 1]
    assert "7 base files and 18 log files, 3 partitions" in held


def test_it_runs_no_job_and_needs_no_extra_package(
    spark: SparkSession, golden_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("pyarrow", "fastavro", "matplotlib"):
        monkeypatch.setitem(sys.modules, package, None)
    context = spark.sparkContext
    context.setJobGroup("face", "a look at a table")
    try:
        html = hudilite.table(spark, str(golden_root / "cow-basic-v9" / "table"))._repr_html_()
        assert context.statusTracker().getJobIdsForGroup("face") == []
        spark.range(1).count()
        assert context.statusTracker().getJobIdsForGroup("face"), "jobs of the group are seen"
    finally:
        context._jsc.clearJobGroup()  # type: ignore[union-attr]
    assert "DELETE" in Balanced(html).said


def test_names_are_text(spark: SparkSession, tmp_path: Path) -> None:
    path = f"{tmp_path}/a`b&'<i>x"
    rows = spark.createDataFrame([(1, "a")], "id int, v string")
    keys = {"hoodie.table.name": "<script>1</script>", "hoodie.datasource.write.recordkey.field": "id"}
    rows.write.format("hudilite").options(**keys).save(path)
    html = hudilite.table(spark, path)._repr_html_()
    assert "<script" not in html and "<i>" not in html
    assert {"<script>1</script>", path} <= set(Balanced(html).said)


def test_it_never_raises(spark: SparkSession, golden_copy: Callable[[str], Path], tmp_path: Path) -> None:
    damaged = golden_copy("cow-basic-v9")
    (damaged / ".hoodie" / "hoodie.properties").write_text("hoodie.table.name=t\nhoodie.table.checksum=1\n")
    for path in (f"{tmp_path}/<none>", str(damaged)):
        said = [text for text in Balanced(hudilite.table(spark, path)._repr_html_()).said if text.strip()]
        assert path in said and len(said) > 1, "it says why"
        assert not [text for text in said if "\n" in text], "without a trace"


def test_a_table_without_commits_says_so(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql(f"CREATE TABLE hudilite.`{tmp_path}/new` (id INT) TBLPROPERTIES (primaryKey = 'id')")
    said = Balanced(hudilite.table(spark, f"{tmp_path}/new")._repr_html_()).said
    assert "No commits yet." in said and "0 bytes in 0 base files" in said

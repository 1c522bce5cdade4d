"""What the README shows is what is run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import hudilite

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text()


def test_the_quickstart_is_the_example_but_for_its_path() -> None:
    block = re.search(r"## Quickstart.*?```python\n(.*?)```", README, re.DOTALL)
    assert block
    example = (ROOT / "examples" / "quickstart.py").read_text()
    shown = block[1].replace('path = "/tmp/trips"', 'path = f"{tempfile.mkdtemp()}/trips"')
    assert shown in example


def test_every_python_example_runs_as_it_stands_one_after_the_other(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert "hudilite.session" in blocks[0], "the quickstart comes first, and the others go on from it"
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block.replace('"/tmp/', f'"{tmp_path}/'), "README.md", "exec"), names)
    assert names["spark"].sparkContext is spark.sparkContext
    assert [c.operation for c in hudilite.table(spark, f"{tmp_path}/logged_trips").history(1)] == ["COMPACT"]
    assert (names["newest"].inserts, names["newest"].updates, names["first"].inserts) == (1, 1, 2)
    assert "|  2|  bob| 9.0|  2|" in capsys.readouterr().out


def test_the_readme_is_short_and_names_this_version() -> None:
    assert len(README.splitlines()) <= 240
    assert f"hudilite-spark-4_2.13:{hudilite.__version__}" in README


def test_links_lead_to_files_that_exist() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    for page in pages:
        for link in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text()):
            assert link.startswith("http") or (page.parent / link).exists(), f"{page}: {link}"

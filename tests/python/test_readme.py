"""Examples of the README and the guide run, and pages and comments begin sentences with their subjects."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import sentences
from pyspark.sql import SparkSession

import hudilite

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text()
GUIDE = (ROOT / "docs" / "guide.md").read_text()
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
PAGES += sorted(page for folder in ("docs", "benchmarks") for page in (ROOT / folder).rglob("*.md"))


def test_the_quickstart_is_the_example_but_for_its_path() -> None:
    block = re.search(r"## Quickstart.*?```python\n(.*?)```", README, re.DOTALL)
    assert block
    example = (ROOT / "examples" / "quickstart.py").read_text()
    shown = block[1].replace('path = "/tmp/trips"', 'path = f"{tempfile.mkdtemp()}/trips"')
    assert shown in example


def test_every_example_of_readme_and_guide_runs_as_it_stands_one_after_the_other(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = re.findall(r"```(\w+)\n(.*?)```", README + GUIDE, re.DOTALL)
    assert {kind for kind, _ in blocks} == {"python", "sql", "sh"}
    first = next(block for kind, block in blocks if kind == "python")
    assert "hudilite.session" in first, "the quickstart comes first, and the others go on from it"
    names: dict[str, Any] = {}
    for kind, block in blocks:
        here = block.replace("/tmp/", f"{tmp_path}/")
        if kind == "python":
            exec(compile(here, "README.md", "exec"), names)
        elif kind == "sql":
            for statement in filter(None, map(str.strip, here.split(";"))):
                rows = spark.sql(statement).collect()
                assert rows or not statement.startswith("SELECT"), statement
    assert names["spark"].sparkContext is spark.sparkContext
    assert [c.operation for c in hudilite.table(spark, f"{tmp_path}/logged_trips").history(1)] == ["COMPACT"]
    assert (names["newest"].inserts, names["newest"].updates, names["first"].inserts) == (1, 1, 2)
    assert "|  2|  bob| 9.0|  2|" in capsys.readouterr().out


def test_the_readme_is_short_and_has_the_command_that_ci_runs() -> None:
    assert len(README.splitlines()) <= 120
    assert "\nmake test " in README and "make --no-print-directory test" in (ROOT / ".ci" / "run").read_text()
    assert f"hudilite-spark-4_2.13:{hudilite.__version__}" in GUIDE


def test_the_readme_has_the_figures_of_the_benchmark() -> None:
    results = (ROOT / "benchmarks" / "results.md").read_text()
    for workload, figures in re.findall(r"^\| `(W\w+)`:[^|]*\|(.*)\|$", README, re.MULTILINE):
        shown = re.findall(r"\d+\.\d+", figures)
        measured = re.findall(rf"^\| {workload} \|.*$", results, re.MULTILINE)
        # Behind those of plain Parquet.
        last = [re.findall(r"\*\*([\d.]+)\*\*", row)[-len(shown) :] for row in measured]
        assert shown and shown in last, workload


def test_links_lead_to_files_and_headings_that_exist() -> None:
    for page in PAGES:
        for link, heading in re.findall(r"\]\(([^)#]*?)(?:#([^)]*))?\)", page.read_text()):
            if not link.startswith("http"):
                target = page.parent / link if link else page
                assert target.exists(), f"{page}: {link}"
                assert not heading or heading in headings(target), f"{page}: {link}#{heading}"


def test_classes_that_pages_name_are_there() -> None:
    folders = [ROOT / "jvm" / module / "src" / "main" / "scala" for module in ("core", "spark")]
    named = {name for page in PAGES for name in re.findall(r"\b(io\.hudilite(?:\.\w+)+)`", page.read_text())}
    for name in named:
        places = [folder.joinpath(*name.split(".")) for folder in folders]
        assert any(place.is_dir() or place.with_suffix(".scala").is_file() for place in places), name


def headings(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_sentences_begin_with_their_subject(page: Path) -> None:
    assert not list(sentences.refused(sentences.of_page(page.read_text())))


def test_sentences_of_docstrings_and_comments_begin_with_their_subject() -> None:
    folders = (ROOT / name for name in ("python", "tests", "examples", "benchmarks"))
    sources = [*(ROOT / "jvm").glob("*.py"), *(source for folder in folders for source in folder.rglob("*.py"))]
    # Its comments are the texts of options, which are declared in Scala.
    sources.remove(ROOT / "python" / "hudilite" / "options.py")
    found = {source: list(sentences.refused(sentences.of_python(source.read_text()))) for source in sources}
    assert not {str(source.relative_to(ROOT)): refused for source, refused in found.items() if refused}

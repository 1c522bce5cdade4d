"""Statements that users of Apache Hudi type: each gives what it must, or the one line that says why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from sessions import Sessions

import hudilite
from statements.footprint import ordered
from statements.known.of_hudi import BEFORE, STORIES
from statements.known.of_hudi.step import Do, Place, Step
from statements.runner import OURS, first_line


@pytest.fixture(scope="module")
def main(sessions: Sessions, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The session of all stories' sessions, with a database for their names."""
    spark = sessions.get("connect")
    spark.sql(f"CREATE DATABASE of_hudi LOCATION '{tmp_path_factory.mktemp('of_hudi')}'")
    yield spark
    spark.sql("DROP DATABASE of_hudi CASCADE")


@pytest.mark.parametrize("number", range(len(STORIES)), ids=[story.name for story in STORIES])
def test_story(main: SparkSession, tmp_path: Path, number: int) -> None:
    story = STORIES[number]
    spark = main.newSession()
    spark.sql("USE of_hudi")
    at = Place(spark, f"t{number}", str(tmp_path / "p"))
    for statement in story.setup:
        _answer(at, statement)
    for step in story.steps:
        _check(at, step)


def _check(at: Place, step: Step) -> None:
    try:
        answer: Any = None
        for statement in [step.do] if isinstance(step.do, str) or callable(step.do) else step.do:
            answer = _answer(at, statement)
        if step.then:
            answer = _answer(at, step.then)
    except Exception as error:
        assert step.error, f"{step.names}: {error}"
        line = first_line(error)
        assert step.error in OURS and hudilite.condition_of(error) == step.error, (step.names, str(error))
        assert len(str(error).strip().splitlines()) == 1 and step.says.lower() in line.lower(), (step.names, str(error))
        return
    assert not step.error, f"{step.names} was done"
    if isinstance(step.rows, int):
        assert len(answer) == step.rows, (step.names, answer)
    else:
        wanted = [row if isinstance(row, tuple) else (row,) for row in step.rows or ()]
        assert ordered(answer) == ordered(wanted), (step.names, answer)


def _answer(at: Place, do: Do) -> Any:
    done = do(at) if callable(do) else at.spark.sql(at.said(do))
    return [tuple(row) for row in done.collect()] if hasattr(done, "collect") else done


def classes() -> Counter[str]:
    """How many of the names are as expected, refused, or otherwise."""
    found: Counter[str] = Counter()
    for step in (step for story in STORIES for step in story.steps):
        kind = "as expected" if step.is_as_expected else "refused" if step.error else "otherwise"
        found[kind] += len(set(step.names.split()) - BEFORE)
    return found


def test_the_page_for_movers_tells_how_many_are_as_expected() -> None:
    page = (Path(__file__).parents[2] / "docs" / "coming-from.md").read_text()
    names = [name for story in STORIES for step in story.steps for name in step.names.split()]
    assert len(set(names)) == len(names) == 156 + len(BEFORE)
    found = classes()
    assert found["otherwise"] == 1, found
    assert f"{413 + found['as expected']} of 647" in " ".join(page.split()), found

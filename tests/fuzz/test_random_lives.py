"""Tables live at random, and every answer is the one of plain Spark on the rows that a model says are there.

`make fuzz SEED=… MINUTES=…` goes on with other lives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

from fuzz.chosen import KINDS, LIVES, Chosen
from fuzz.compared import Difference
from fuzz.life import Life
from fuzz.settings import COMPILED, applied
from fuzz.shrink import report
from fuzz.state import DELETED
from fuzz.steps import Author, Case, Step
from fuzz.tables import Row, Wish

#: Each Spark lives others.
SEED = f"spark-{pyspark.__version__}"
#: Queries whose answers are compared, however many rows they give. CI lives on two Sparks.
LEAST_COMPARISONS = 1_000
SHRINKING_SECONDS = 20


@pytest.fixture(autouse=True)
def compiled(spark: SparkSession) -> Iterator[None]:
    """Random queries are compiled on every Spark, where a case does not say otherwise."""
    with applied(spark, COMPILED):
        yield


@pytest.fixture(scope="module")
def lived() -> Iterator[list[Life]]:
    """The lives so far."""
    yield []


@pytest.mark.parametrize("chosen", LIVES, ids=lambda chosen: chosen.name)
def test_every_answer_is_the_one_of_plain_spark_in_the_life_of(
    chosen: Chosen, lived: list[Life], spark: SparkSession, tmp_path: Path
) -> None:
    case = chosen.case(SEED)
    life = Life(spark, case, tmp_path / "life")
    try:
        life.live()
    except Difference as difference:
        pytest.fail(report(spark, case, difference, tmp_path / "shrink", SHRINKING_SECONDS), pytrace=False)
    lived.append(life)


def repeating(author: Author) -> list[Step]:
    """A key twice in a base file, a log beside it, and then a change of that key."""
    first = author.write("insert", 1)
    spec, columns = author.spec, first["columns"]
    same = {DELETED, spec.ordering, *spec.partition}
    row = {name: None if name == DELETED else value for name, value in first["rows"][0].items()}
    fresh = author.pools.row(columns, fresh_key=True)
    other = {name: row[name] if name in same else value for name, value in fresh.items()}
    rows: tuple[list[Row], ...] = ([row, row, other], [other], [row])
    operations = ("insert", "upsert", "upsert")
    return [
        {**first, "operation": operation, "rows": written, "options": dict(spec.always), "slices": 0}
        for operation, written in zip(operations, rows, strict=True)
    ]


def test_a_life_goes_on_behind_a_change_that_a_repeated_key_stops(spark: SparkSession, tmp_path: Path) -> None:
    wish = Wish(version=9, log=True, index="SIMPLE", partitions=1, event_time=True, blocks="avro")
    author = Author(f"{SEED}-repeated", wish=wish)
    life = Life(spark, Case(author.seed, author.spec, repeating(author)), tmp_path / "life")
    life.live()
    assert dict(life.done) == {"insert": 1, "upsert": 2, "repeated key": 1}


def test_these_lives_are_of_all_kinds(lived: list[Life], capsys: pytest.CaptureFixture[str]) -> None:
    if len(lived) < len(LIVES):
        pytest.skip("not all of them were lived")
    done = sum((life.done for life in lived), Counter[str]())
    comparisons = sum(life.comparisons for life in lived)
    moved = sum(life.state.moved for life in lived)
    with capsys.disabled():
        print(
            f"{comparisons} queries compared with plain Spark {pyspark.__version__}, {moved} rows moved, {dict(done)}"
        )
    assert set(done) >= KINDS
    assert moved > 0
    assert comparisons >= LEAST_COMPARISONS

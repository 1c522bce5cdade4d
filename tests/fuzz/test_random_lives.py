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
from fuzz.shrink import report

#: Each Spark lives others.
SEED = f"spark-{pyspark.__version__}"
#: Queries whose answers are compared, however many rows they give. CI lives on two Sparks.
LEAST_COMPARISONS = 1_000
SHRINKING_SECONDS = 20


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

"""Tables live at random, and every answer is the one of plain Spark on the rows that a model says are there.

`make fuzz SEED=… MINUTES=…` goes on with other lives.
"""

from __future__ import annotations

from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

from fuzz.life import Difference, Life
from fuzz.shrink import report
from fuzz.steps import Author

#: Each Spark lives others.
SEED = f"spark-{pyspark.__version__}"
LIVES = 1
#: CI lives on two Sparks.
LEAST_COMPARISONS = 1_000
SHRINKING_SECONDS = 60


def test_every_answer_in_random_lives_is_the_one_of_plain_spark(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    comparisons = 0
    for number in range(LIVES):
        case = Author(f"{SEED}-{number}").case(changes=7, asks=1)
        life = Life(spark, case, tmp_path / f"life{number}")
        try:
            life.live()
        except Difference as difference:
            pytest.fail(report(spark, case, difference, tmp_path / "shrink", SHRINKING_SECONDS), pytrace=False)
        comparisons += life.comparisons
    with capsys.disabled():
        print(f"{comparisons} comparisons with plain Spark {pyspark.__version__}")
    assert comparisons >= LEAST_COMPARISONS

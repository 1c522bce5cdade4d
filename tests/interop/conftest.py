"""Fixtures of the tests that run Apache Hudi and hudilite side by side in one JVM."""

from __future__ import annotations

import pytest
from engines import SELF_CHECK, Engine, hudi, hudilite
from pyspark.sql import SparkSession
from sessions import SPARK_LINE, Sessions

RELEASES = ("1.2.0", "1.0.2", "0.15.0")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips the folder where Apache Hudi's bundle does not run, and puts the tests of each release together, since one
    needs a JVM of its own."""
    own = [number for number, item in enumerate(items) if "interop" in item.path.parts]
    if SPARK_LINE != "3.5":
        reason = pytest.mark.skip(reason="Apache Hudi's bundle needs PySpark 3.5")
        for number in own:
            items[number].add_marker(reason)
    for number, item in zip(own, sorted((items[number] for number in own), key=_release), strict=True):
        items[number] = item


def _release(item: pytest.Item) -> int:
    """Place of the release that the test asks for, the newest where it names none."""
    case = getattr(item, "callspec", None)
    return RELEASES.index(case.params.get("release", RELEASES[0])) if case else 0


@pytest.fixture
def spark(sessions: Sessions) -> SparkSession:
    """A local session with both connectors."""
    return sessions.get("interop")


@pytest.fixture
def lite(spark: SparkSession) -> Engine:
    """The connector under test."""
    return hudi(spark) if SELF_CHECK else hudilite(spark)


@pytest.fixture
def real(spark: SparkSession) -> Engine:
    """The real Apache Hudi with its metadata table off."""
    return hudi(spark, **{"hoodie.metadata.enable": "false"})

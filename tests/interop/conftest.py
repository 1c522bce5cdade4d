"""Fixtures of the tests that run Apache Hudi and hudilite side by side in one JVM."""

from __future__ import annotations

import pytest
from engines import SELF_CHECK, Engine, hudi, hudilite
from pyspark.sql import SparkSession
from sessions import SPARK_LINE, Sessions


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips the folder where Apache Hudi's bundle does not run."""
    if SPARK_LINE != "3.5":
        reason = pytest.mark.skip(reason="Apache Hudi's bundle needs PySpark 3.5")
        for item in items:
            if "interop" in item.path.parts:
                item.add_marker(reason)


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

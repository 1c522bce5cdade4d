"""The way into the JVM of Spark's driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def service(spark: SparkSession, name: str) -> Any | None:
    """Return the object ``name`` of ``io.hudilite.spark.service``; None through Spark Connect, which has none."""
    try:
        jvm: Any = spark._jvm
    except Exception:  # what a Spark Connect session raises differs between versions
        return None
    return None if jvm is None else getattr(jvm.io.hudilite.spark.service, name)


def session(spark: SparkSession) -> Any:
    """Return the session as the JVM knows it."""
    return spark._jsparkSession

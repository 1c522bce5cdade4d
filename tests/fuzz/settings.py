"""Settings of a session that may change how a query runs, and never what it returns."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import SparkSession

POOLS: dict[str, tuple[str, ...]] = {
    "spark.sql.caseSensitive": ("true",),
    "spark.sql.ansi.enabled": ("true", "false"),
    "spark.sql.parquet.enableVectorizedReader": ("false", "false"),
    "spark.sql.parquet.enableNestedColumnVectorizedReader": ("false",),
    "spark.sql.parquet.columnarReaderBatchSize": ("1", "2", "7"),
    "spark.sql.columnVector.offheap.enabled": ("true",),
    "spark.sql.parquet.filterPushdown": ("false",),
    "spark.sql.parquet.aggregatePushdown": ("true",),
    "spark.sql.adaptive.enabled": ("false",),
    "spark.sql.session.timeZone": ("America/New_York", "Asia/Kolkata", "Pacific/Apia"),
    "spark.sql.shuffle.partitions": ("1", "5"),
    "spark.sql.exchange.reuse": ("false",),
    "spark.sql.autoBroadcastJoinThreshold": ("-1",),
    "spark.sql.join.preferSortMergeJoin": ("false",),
    "spark.sql.codegen.wholeStage": ("false",),
    "spark.sql.codegen.factoryMode": ("NO_CODEGEN",),
    "spark.sql.optimizer.nestedSchemaPruning.enabled": ("false",),
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": ("false",),
    "spark.sql.optimizer.dynamicPartitionPruning.reuseBroadcastOnly": ("false",),
    "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold": ("0",),
    "spark.sql.optimizer.runtime.rowLevelOperationGroupFilter.enabled": ("false",),
    "spark.sql.inMemoryColumnarStorage.batchSize": ("3",),
    "spark.sql.datetime.java8API.enabled": ("true",),
    "spark.sql.files.maxPartitionBytes": ("1000",),
    "spark.sql.limit.scaleUpFactor": ("2",),
}
COMPILED = {"spark.sql.codegen.factoryMode": "FALLBACK"}
#: Settings with which the overflow of one condition in a query of many does not fail all.
TOGETHER = {"spark.sql.ansi.enabled": "false"}
#: Settings with which a query of few rows is not compiled, nor planned again when a part of it is done.
INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "1",
}  # fmt: skip
CHEAP = {**TOGETHER, **INTERPRETED}
#: Settings that the making of a case rests on; no case changes them.
FIXED = {"spark.sql.session.timeZone": "UTC", "spark.sql.caseSensitive": "false", "spark.sql.ansi.enabled": "true"}


def random_settings(rng: random.Random, most: int = 4) -> dict[str, str]:
    """A few settings; often none."""
    if rng.random() < 0.3:
        return {}
    return {key: rng.choice(POOLS[key]) for key in rng.sample(sorted(POOLS), rng.randint(1, most))}


@contextmanager
def applied(spark: SparkSession, settings: dict[str, str]) -> Iterator[None]:
    """The session with these settings, which are as before afterwards."""
    before = {key: spark.conf.get(key, None) for key in settings}
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, old in before.items():
            if old is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, old)

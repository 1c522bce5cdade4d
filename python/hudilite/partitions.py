"""Partitions that are dropped: what went, and the calls into the JVM."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hudilite import driver, running

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class DroppedPartition:
    """A partition whose rows are gone.

    Attributes
    ----------
    partition
        Its path below the table.
    file_groups
        Number of file groups that went.
    """

    partition: str
    file_groups: int


@dataclass(frozen=True)
class DroppedPartitions:
    """Partitions that were dropped, or would be.

    Attributes
    ----------
    instant
        The write that took them out; ``None`` for a dry run, and when there was nothing to do.
    partitions
        By their paths.
    """

    instant: str | None
    partitions: tuple[DroppedPartition, ...]


def delete(
    spark: SparkSession, path: str, options: Mapping[str, str], partitions: Sequence[str], dry_run: bool
) -> DroppedPartitions:
    """See :meth:`hudilite.tables.HudiliteTable.delete_partition`."""
    return _read(_jvm(spark).deletePartition(driver.session(spark), path, dict(options), list(partitions), dry_run))


def expire(spark: SparkSession, path: str, options: Mapping[str, str], dry_run: bool) -> DroppedPartitions:
    """See :meth:`hudilite.tables.HudiliteTable.expire_partitions`."""
    return _read(_jvm(spark).expirePartitions(driver.session(spark), path, dict(options), dry_run))


def _read(text: str) -> DroppedPartitions:
    done = json.loads(text)
    return DroppedPartitions(done["instant"], tuple(DroppedPartition(**p) for p in done["partitions"]))


def _jvm(spark: SparkSession) -> Any:
    return running.jvm(
        spark, "PartitionServices", "A service", ", or write with hoodie.datasource.write.operation=delete_partition"
    )

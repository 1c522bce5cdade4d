"""Partitions that are dropped: what went, and the calls that drop them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hudilite import driver, running

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from hudilite.running import Progress


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
    spark: SparkSession,
    path: str,
    options: Mapping[str, str],
    partitions: Sequence[str],
    dry_run: bool,
    progress: Progress | bool | None,
) -> DroppedPartitions:
    """See :meth:`hudilite.tables.HudiliteTable.delete_partition`."""

    def call() -> DroppedPartitions:
        return _read(
            driver.call(spark, "drop_partition", path, partition=list(partitions), options=options, dry_run=dry_run)
        )

    return running.step(progress, "delete partition", call, _count, dry_run)


def expire(
    spark: SparkSession, path: str, options: Mapping[str, str], dry_run: bool, progress: Progress | bool | None
) -> DroppedPartitions:
    """See :meth:`hudilite.tables.HudiliteTable.expire_partitions`."""

    def call() -> DroppedPartitions:
        return _read(driver.call(spark, "expire_partitions", path, options=options, dry_run=dry_run))

    return running.step(progress, "expire partitions", call, _count, dry_run)


def _count(dropped: DroppedPartitions) -> int:
    return len(dropped.partitions)


def _read(rows: list[dict[str, Any]]) -> DroppedPartitions:
    instants = [row["instant"] for row in rows]
    gone = tuple(DroppedPartition(row["partition"], row["file_groups"]) for row in rows)
    return DroppedPartitions(instants[0] if instants else None, gone)

"""Clustering of tables: plans, what running them did, and the calls that run them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hudilite import driver, running
from hudilite.arguments import invalid

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from hudilite.running import Progress

#: How rows are laid out by columns: one after the other, or along a curve that keeps rows together that are alike.
Layout = Literal["linear", "zorder", "hilbert"]

_PROCEDURE = "run_clustering"


@dataclass(frozen=True)
class Call:
    """What a call asks for; what is ``None`` is as the options say."""

    sort_by: tuple[str, ...] | None
    layout: Layout | None
    partitions: tuple[str, ...] | None
    target_bytes: int | None
    buckets: int | None = None

    @property
    def arguments(self) -> dict[str, Any]:
        """Those of the procedure."""
        return {
            "order": self.sort_by,
            "order_strategy": self.layout,
            "selected_partitions": self.partitions,
            "target_bytes": self.target_bytes,
            "buckets": self.buckets,
        }


@dataclass(frozen=True)
class PlannedGroup:
    """File groups of one partition that are written again together.

    Attributes
    ----------
    partition
        Its path; empty for an unpartitioned table.
    file_ids
        The file groups.
    bytes
        What reading them takes.
    outputs
        About the number of files that come of them.
    """

    partition: str
    file_ids: tuple[str, ...]
    bytes: int
    outputs: int


@dataclass(frozen=True)
class ClusteringPlan:
    """What one clustering takes.

    Attributes
    ----------
    instant
        Its instant; ``None`` for a dry run of a plan that is not in the timeline.
    sort_by
        Columns that lay the rows out; none when files are put together as they are.
    groups
        What is written again together.
    """

    instant: str | None
    sort_by: tuple[str, ...]
    groups: tuple[PlannedGroup, ...]

    @property
    def bytes(self) -> int:
        """What reading all groups takes."""
        return sum(group.bytes for group in self.groups)


@dataclass(frozen=True)
class ClusteredFile:
    """A base file that a clustering wrote; ``path`` is below the table's base path."""

    partition: str
    file_id: str
    path: str
    rows: int
    bytes: int


@dataclass(frozen=True)
class ClusteringResult:
    """What ``cluster`` did.

    Attributes
    ----------
    instants
        The clusterings that were run; empty when there was nothing to cluster.
    replaced
        Number of file groups that were written again.
    files
        The files that took their place.
    seconds
        Time that it took altogether.
    """

    instants: tuple[str, ...]
    replaced: int
    files: tuple[ClusteredFile, ...]
    seconds: float


def called(
    sort_by: str | Sequence[str] | None,
    layout: Layout | None,
    partitions: str | Sequence[str] | None,
    target_bytes: int | None,
    buckets: int | None = None,
) -> Call:
    """Return the arguments of a call; one that makes no sense raises ``ValueError``."""
    if target_bytes is not None and target_bytes < 1:
        raise invalid("target_bytes", target_bytes, "it is 1 or more")
    return Call(_names(sort_by), layout, _names(partitions), target_bytes, buckets)


def schedule(
    spark: SparkSession,
    path: str,
    options: Mapping[str, str],
    call: Call,
    dry_run: bool,
    progress: Progress | bool | None = None,
) -> ClusteringPlan | None:
    """Plan a clustering; see :meth:`hudilite.tables.HudiliteTable.schedule_clustering`."""

    def made() -> list[ClusteringPlan]:
        return _plans(
            driver.call(spark, _PROCEDURE, path, op="schedule", options=options, dry_run=dry_run, **call.arguments)
        )

    plans = running.step(progress, "schedule", made, _groups, dry_run)
    return plans[0] if plans else None


def _groups(plans: list[ClusteringPlan]) -> int:
    return sum(len(plan.groups) for plan in plans)


def preview(
    spark: SparkSession, path: str, options: Mapping[str, str], instant: str | None, call: Call
) -> list[ClusteringPlan]:
    """Say what :func:`run` would run."""
    return _plans(
        driver.call(spark, _PROCEDURE, path, instants=instant, options=options, dry_run=True, **call.arguments)
    )


def run(
    spark: SparkSession,
    path: str,
    options: Mapping[str, str],
    instant: str | None,
    call: Call,
    progress: Progress | bool | None,
) -> ClusteringResult:
    """Run pending clusterings, or plan and run one; see :meth:`hudilite.tables.HudiliteTable.cluster`."""
    begun = time.monotonic()
    done, reported = running.run(spark, _PROCEDURE, path, progress, instants=instant, options=options, **call.arguments)
    files = tuple(ClusteredFile(**file) for row in done for file in row["files"])
    reported.ended(len(files))
    instants = tuple(row["timestamp"] for row in done)
    return ClusteringResult(instants, sum(row["replaced"] for row in done), files, time.monotonic() - begun)


def _names(given: str | Sequence[str] | None) -> tuple[str, ...] | None:
    return (given,) if isinstance(given, str) else None if given is None else tuple(given)


def _plans(rows: list[dict[str, Any]]) -> list[ClusteringPlan]:
    return [
        ClusteringPlan(
            row["timestamp"],
            tuple(row["sort_by"]),
            tuple(PlannedGroup(**{**g, "file_ids": tuple(g["file_ids"])}) for g in row["groups"]),
        )
        for row in rows
    ]

"""Clustering of tables: plans, what running them did, and the calls into the JVM."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hudilite import driver, running

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from hudilite.running import Progress

#: How rows are laid out by columns: one after the other, or along a curve that keeps rows together that are alike.
Layout = Literal["linear", "zorder", "hilbert"]


@dataclass(frozen=True)
class Call:
    """What a call asks for; what is ``None`` is as the options say."""

    sort_by: tuple[str, ...] | None
    layout: Layout | None
    partitions: tuple[str, ...] | None
    target_bytes: int | None


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
) -> Call:
    """Return the arguments of a call; one that makes no sense raises ``ValueError``."""
    if target_bytes is not None and target_bytes < 1:
        raise ValueError(
            f"[INVALID_OPTION_VALUE] The value '{target_bytes}' of target_bytes is not valid: it is 1 or more."
        )
    return Call(_names(sort_by), layout, _names(partitions), target_bytes)


def schedule(
    spark: SparkSession, path: str, options: Mapping[str, str], call: Call, dry_run: bool
) -> ClusteringPlan | None:
    """Plan a clustering; see :meth:`hudilite.tables.HudiliteTable.schedule_clustering`."""
    jvm = _jvm(spark)
    plans = _plans(jvm.schedule(driver.session(spark), path, dict(options), _call(jvm, call), dry_run))
    return plans[0] if plans else None


def preview(
    spark: SparkSession, path: str, options: Mapping[str, str], instant: str | None, call: Call
) -> list[ClusteringPlan]:
    """Say what :func:`run` would run."""
    jvm = _jvm(spark)
    return _plans(jvm.preview(driver.session(spark), path, dict(options), instant or "", _call(jvm, call)))


def run(
    spark: SparkSession,
    path: str,
    options: Mapping[str, str],
    instant: str | None,
    call: Call,
    progress: Progress | None,
) -> ClusteringResult:
    """Run pending clusterings, or plan and run one; see :meth:`hudilite.tables.HudiliteTable.cluster`."""
    begun = time.monotonic()
    jvm = _jvm(spark)
    clustering = jvm.start(driver.session(spark), path, dict(options), instant or "", _call(jvm, call))
    reported = running.wait(clustering, progress)
    finished: list[dict[str, Any]] = json.loads(jvm.result(clustering))
    files = tuple(ClusteredFile(**file) for one in finished for file in one["files"])
    running.report(progress, len(files), max(int(clustering.total()), len(files)), reported)
    replaced = sum(int(one["replaced"]) for one in finished)
    return ClusteringResult(tuple(str(c["instant"]) for c in finished), replaced, files, time.monotonic() - begun)


def _names(given: str | Sequence[str] | None) -> tuple[str, ...] | None:
    return (given,) if isinstance(given, str) else None if given is None else tuple(given)


def _call(jvm: Any, call: Call) -> Any:
    sort_by = None if call.sort_by is None else list(call.sort_by)
    partitions = None if call.partitions is None else list(call.partitions)
    return jvm.call(sort_by, call.layout or "", partitions, call.target_bytes or 0)


def _plans(text: str) -> list[ClusteringPlan]:
    return [
        ClusteringPlan(
            plan["instant"],
            tuple(plan["sort_by"]),
            tuple(PlannedGroup(**{**g, "file_ids": tuple(g["file_ids"])}) for g in plan["groups"]),
        )
        for plan in json.loads(text)
    ]


def _jvm(spark: SparkSession) -> Any:
    return running.jvm(spark, "PythonClusterings", "Clustering", ", or set hoodie.clustering.inline on writes")

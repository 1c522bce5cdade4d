"""Cleaning of tables: what would go, what went, and the calls that delete it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from hudilite import driver, running
from hudilite.arguments import invalid

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from hudilite.running import Progress

#: What stays: the states at the latest commits, those of some hours, or the latest versions of each file group.
Policy = Literal["KEEP_LATEST_COMMITS", "KEEP_LATEST_BY_HOURS", "KEEP_LATEST_FILE_VERSIONS"]

POLICY = "hoodie.clean.policy"
_PROCEDURE = "run_clean"
_RETAINED = {
    "KEEP_LATEST_COMMITS": "hoodie.clean.commits.retained",
    "KEEP_LATEST_BY_HOURS": "hoodie.clean.hours.retained",
    "KEEP_LATEST_FILE_VERSIONS": "hoodie.clean.fileversions.retained",
}


@dataclass(frozen=True)
class CleanPlan:
    """What a cleaning would delete.

    Attributes
    ----------
    policy
        Name of the policy.
    earliest_retained
        First instant whose state stays whole; empty when nothing is old enough, or the policy goes by file versions.
    files
        Paths below the table's base path, those first that are planned already.
    """

    policy: str
    earliest_retained: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class CleanedPartition:
    """What a cleaning did in one partition.

    Attributes
    ----------
    partition
        Its path; empty for an unpartitioned table.
    files, failed
        Names of the files that went, and of those that could not be deleted.
    removed
        Its folder went, too, for nothing was left in it.
    """

    partition: str
    files: tuple[str, ...]
    failed: tuple[str, ...]
    removed: bool


@dataclass(frozen=True)
class CleanResult:
    """What ``clean`` did.

    Attributes
    ----------
    instants
        The cleanings that were run; empty when nothing had to go.
    partitions
        What went, by partition.
    seconds
        Time that it took altogether.
    """

    instants: tuple[str, ...]
    partitions: tuple[CleanedPartition, ...]
    seconds: float

    @property
    def files(self) -> int:
        """Number of files that went."""
        return sum(len(partition.files) for partition in self.partitions)


def chosen(options: Mapping[str, str] | None, policy: str | None, retain: int | None) -> dict[str, str]:
    """Options with the policy and its number, checked: an unknown policy raises ``ValueError``."""
    if policy is not None and policy.upper() not in _RETAINED:
        known = ", ".join(get_args(Policy))
        raise invalid("policy", policy, f"it is one of {known}")
    name = policy.upper() if policy else None
    found = {**(options or {}), **({POLICY: name} if name else {})}
    if retain is not None:
        found[_RETAINED[name or "KEEP_LATEST_COMMITS"]] = str(retain)
    return found


def preview(spark: SparkSession, path: str, options: Mapping[str, str]) -> CleanPlan:
    """Say what :func:`run` would delete."""
    # What is planned and not ended goes first, and the plan that would be made follows.
    *planned, plan = driver.call(spark, _PROCEDURE, path, options=options, dry_run=True)
    files = dict.fromkeys(file for row in (*planned, plan) for file in row["files"])
    return CleanPlan(plan["policy"], plan["earliest_commit_to_retain"] or "", tuple(files))


def run(spark: SparkSession, path: str, options: Mapping[str, str], progress: Progress | bool | None) -> CleanResult:
    """Run what is planned, then plan and run a cleaning; see :meth:`hudilite.tables.HudiliteTable.clean`."""
    begun = time.monotonic()
    done, reported = running.run(spark, _PROCEDURE, path, progress, options=options)
    partitions = tuple(
        CleanedPartition(p["partition"], tuple(p["files"]), tuple(p["failed"]), p["removed"])
        for row in done
        for p in row["partitions"]
    )
    reported.ended(sum(len(p.files) for p in partitions))
    return CleanResult(tuple(row["start_clean_time"] for row in done), partitions, time.monotonic() - begun)

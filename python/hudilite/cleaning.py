"""Cleaning of tables: plans and results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["CleanPlan", "CleanResult", "CleanedPartition", "Policy"]


#: States that stay: those at the latest commits, those of some hours, or the latest versions of each file group.
Policy = Literal["KEEP_LATEST_COMMITS", "KEEP_LATEST_BY_HOURS", "KEEP_LATEST_FILE_VERSIONS"]


def __dir__() -> list[str]:
    """Public names."""
    return __all__


@dataclass(frozen=True)
class CleanPlan:
    """Files that a cleaning would delete.

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
    """Result of a cleaning in one partition.

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
    """Result of ``clean``.

    Attributes
    ----------
    instants
        The cleanings that were run; empty when nothing had to go.
    partitions
        Files that went, by partition.
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

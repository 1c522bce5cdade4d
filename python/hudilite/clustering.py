"""Clustering of tables: plans and results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["ClusteredFile", "ClusteringPlan", "ClusteringResult", "Layout", "PlannedGroup"]


#: How rows are laid out by columns: one after the other, or along a curve that keeps rows together that are alike.
Layout = Literal["linear", "zorder", "hilbert"]


def __dir__() -> list[str]:
    """Public names."""
    return __all__


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
        Bytes that they have to read.
    outputs
        About the number of files that come of them.
    """

    partition: str
    file_ids: tuple[str, ...]
    bytes: int
    outputs: int


@dataclass(frozen=True)
class ClusteringPlan:
    """File groups and layout of one clustering.

    Attributes
    ----------
    instant
        Its instant; ``None`` for a dry run of a plan that is not in the timeline.
    sort_by
        Columns that lay the rows out; none when files are put together as they are.
    groups
        File slices that are written again together.
    """

    instant: str | None
    sort_by: tuple[str, ...]
    groups: tuple[PlannedGroup, ...]

    @property
    def bytes(self) -> int:
        """Bytes that all groups have to read."""
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
    """Result of ``cluster``.

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

"""Partitions that are dropped."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DroppedPartition", "DroppedPartitions"]


def __dir__() -> list[str]:
    """Public names."""
    return __all__


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

"""Compaction of merge-on-read tables: plans and results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["CompactedGroup", "CompactionPlan", "CompactionResult", "Kind", "PlannedSlice"]


#: Result of the log files of a file slice: its next ``base`` file, or few ``log`` blocks in the place of many.
Kind = Literal["base", "log"]


def __dir__() -> list[str]:
    """Public names."""
    return __all__


@dataclass(frozen=True)
class PlannedSlice:
    """A file slice that a compaction takes.

    Attributes
    ----------
    partition, file_id
        The file group.
    base_instant
        Instant of the slice.
    base_file
        Name of its base file; ``None`` when it has log files only.
    log_files
        Names of the log files that are merged.
    base_bytes, log_bytes
        Bytes to read.
    """

    partition: str
    file_id: str
    base_instant: str
    base_file: str | None
    log_files: tuple[str, ...]
    base_bytes: int
    log_bytes: int


@dataclass(frozen=True)
class CompactionPlan:
    """File slices of one compaction.

    Attributes
    ----------
    instant
        Its instant; ``None`` for a dry run of a plan that is not in the timeline.
    strategy
        Name of the strategy that chose; empty when the plan was made before, and for log files.
    slices
        The file slices.
    kind
        ``base`` when their next base files are made, ``log`` when their log files are folded.
    """

    instant: str | None
    strategy: str
    slices: tuple[PlannedSlice, ...]
    kind: Kind = "base"

    @property
    def read_bytes(self) -> int:
        """Bytes of the files that running it reads: a base file is left alone when log files are folded."""
        return sum((s.base_bytes if self.kind == "base" else 0) + s.log_bytes for s in self.slices)

    @property
    def write_bytes(self) -> int:
        """About the bytes that running it writes: those of the base files, else at most those of the log files."""
        return sum((s.base_bytes if self.kind == "base" else 0) or s.log_bytes for s in self.slices)


@dataclass(frozen=True)
class CompactedGroup:
    """Result of a compaction in one file group. A group has several results when several log files were written.

    Attributes
    ----------
    path
        The new base or log file, below the table's base path; ``bytes`` is its size and ``rows`` what it holds.
    previous_base_file
        Name of the base file that it replaces; a log file replaces none.
    inserted, updated, deleted
        Rows that came from the log files, that they replaced, and that they removed; of a log file the rows and the
        deleted keys that it holds.
    log_files, log_bytes, log_records
        Merged log files; told once for each file group.
    milliseconds
        Time that its task took.
    """

    partition: str
    file_id: str
    path: str
    previous_base_file: str | None
    rows: int
    inserted: int
    updated: int
    deleted: int
    bytes: int
    log_files: int
    log_bytes: int
    log_records: int
    milliseconds: int


@dataclass(frozen=True)
class CompactionResult:
    """Result of ``compact``.

    Attributes
    ----------
    instants
        The compactions that were run; empty when there was nothing to compact.
    groups
        Their file groups.
    seconds
        Time that it took altogether.
    """

    instants: tuple[str, ...]
    groups: tuple[CompactedGroup, ...]
    seconds: float

"""Facts about a table for its report, from a session or without one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from hudilite.indexes import Advice
from hudilite.inspect.groups import FileGroup
from hudilite.inspect.instants import Commit, Instant


@dataclass(frozen=True)
class KeyRange:
    """Smallest and largest record key of a base file."""

    partition: str
    file_id: str
    rows: int
    min_key: str
    max_key: str


@dataclass(frozen=True)
class Partition:
    """Contents of one partition.

    Attributes
    ----------
    path
        Below the table; empty in a table without partitions.
    groups
        Its file groups.
    """

    path: str
    groups: tuple[FileGroup, ...]

    @cached_property
    def base_sizes(self) -> list[int]:
        """Sizes of the base files in bytes, the smallest first."""
        return sorted(g.base_bytes for g in self.groups if g.base_file)

    @cached_property
    def base_bytes(self) -> int:
        """Bytes of the base files."""
        return sum(g.base_bytes for g in self.groups)

    @cached_property
    def log_bytes(self) -> int:
        """Bytes of the log files."""
        return sum(g.log_bytes for g in self.groups)

    @cached_property
    def log_files(self) -> int:
        """Number of log files."""
        return sum(g.log_files for g in self.groups)


@dataclass(frozen=True)
class Facts:
    """A table at one moment.

    Attributes
    ----------
    path
        Its base path.
    properties
        The table's properties.
    timeline
        The instants of the active timeline, oldest first.
    commits
        The completed writes in it, oldest first.
    groups
        The file groups of the newest snapshot.
    key_ranges
        Of the base files whose footers were read.
    ranges_left_out
        Why there are base files whose footers were not read; empty when there are none.
    columns
        Names and types of the columns; their spelling of types is Spark's, or nearly so.
    index
        The index that fits; ``None`` without a session, since tasks ask the bloom filters.
    """

    path: str
    properties: Mapping[str, str]
    timeline: Sequence[Instant]
    commits: Sequence[Commit]
    groups: Sequence[FileGroup]
    key_ranges: Sequence[KeyRange]
    ranges_left_out: str
    columns: Sequence[tuple[str, str]] = field(default=(), compare=False)
    index: Advice | None = field(default=None, compare=False)

    @property
    def name(self) -> str:
        """The table's name."""
        return self.properties.get("hoodie.table.name") or self.path

    @property
    def is_logged(self) -> bool:
        """True when writes go to log files."""
        return self.properties.get("hoodie.table.type") == "MERGE_ON_READ"

    @property
    def is_partitioned(self) -> bool:
        """True when there are partitions besides the table itself."""
        return bool(self.properties.get("hoodie.table.partition.fields"))

    @cached_property
    def is_bucketed(self) -> bool:
        """True when file groups are buckets, whose ids begin with eight digits."""
        return bool(self.groups) and all(g.file_id[:8].isdigit() and len(g.file_id) > 8 for g in self.groups)

    @cached_property
    def partitions(self) -> list[Partition]:
        """The partitions with files, by path."""
        found: dict[str, list[FileGroup]] = defaultdict(list)
        for group in self.groups:
            found[group.partition].append(group)
        return [Partition(path, tuple(found[path])) for path in sorted(found)]

    @cached_property
    def base_bytes(self) -> int:
        """Bytes of all base files."""
        return sum(p.base_bytes for p in self.partitions)

    @cached_property
    def log_bytes(self) -> int:
        """Bytes of all log files."""
        return sum(p.log_bytes for p in self.partitions)

    @cached_property
    def pending(self) -> list[Instant]:
        """Instants that are not completed, oldest first."""
        return [i for i in self.timeline if i.state != "completed"]

    @cached_property
    def savepoints(self) -> list[Instant]:
        """Completed savepoints, oldest first."""
        return [i for i in self.timeline if i.action == "savepoint" and i.state == "completed"]

    @cached_property
    def ranges_by_partition(self) -> dict[str, list[KeyRange]]:
        """Key ranges by partition, in the order of their smallest keys."""
        found: dict[str, list[KeyRange]] = defaultdict(list)
        for one in sorted(self.key_ranges, key=lambda r: (r.min_key, r.max_key)):
            found[one.partition].append(one)
        return found


def depth(ranges: Sequence[KeyRange]) -> float:
    """How many files may hold a key, for the key of a row picked at random: 1.0 when no two ranges meet.

    A file is asked for the keys of the others as far as their range lies in its own, which is judged by the smallest
    and largest keys alone.
    """
    rows = sum(r.rows for r in ranges)
    if not rows:
        return float(bool(ranges))
    weighed = 0.0
    for one in ranges:
        ends = [sum(o.min_key <= key <= o.max_key for o in ranges) for key in (one.min_key, one.max_key)]
        weighed += one.rows * sum(ends) / len(ends)
    return weighed / rows

"""Findings about tables that are not as they should be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["DifferenceKind", "Finding", "FindingKind", "MetadataDifference"]


#: Kinds of damage that may be found.
FindingKind = Literal[
    "DAMAGED_PROPERTIES",
    "DAMAGED_INSTANT",
    "DEAD_WRITER",
    "UNKNOWN_WRITER",
    "UNFINISHED_ACTION",
    "RESTORED_CLUSTERING",
    "LEFT_TRACES",
    "LEFT_LOCK",
    "UNMARKED_PARTITION",
    "LATE_COMMIT",
    "MISSING_FILES",
    "STRAY_FILES",
    "WRONG_METADATA",
    "REPEATED_KEYS",
    "MISPLACED_KEYS",
]


def __dir__() -> list[str]:
    """Public names."""
    return __all__


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with a table.

    Attributes
    ----------
    kind
        The kind of damage.
    subject
        The instant, or the path below the table.
    what
        Description: the damage, since when it is there, and its harm.
    advice
        Effect of mending; or the decision that is yours, and how to carry it out.
    mendable, mended
        True when it can be mended without harm, and when it was mended.
    reason
        Reason why it was not mended, where that was asked for; else empty.
    """

    kind: FindingKind
    subject: str
    what: str
    advice: str
    mendable: bool
    mended: bool
    reason: str


#: Kinds of differences between a metadata table and the files of its table.
DifferenceKind = Literal[
    "NOT_TRUSTED",
    "PARTITION",
    "FILE",
    "FILE_SIZE",
    "COLUMN_STATISTICS",
    "VALUE_COUNT",
    "NULL_COUNT",
    "COLUMN_BYTES",
    "MINIMUM",
    "MAXIMUM",
    "PARTITION_BOUNDS",
    "BLOOM_FILTER",
    "RECORD_PLACE",
]


@dataclass(frozen=True)
class MetadataDifference:
    """Something that the metadata table of Apache Hudi says otherwise than the files, or does not say.

    Attributes
    ----------
    kind
        The kind of difference.
    partition
        Path of the partition of the table.
    file
        Name of the file; of ``NOT_TRUSTED``, the partition of the metadata table that cannot be used.
    column
        Name of the column, of statistics.
    expected
        Value as the files have it; empty where there is no such thing.
    found
        Value as the metadata table has it; empty where it does not say.
    """

    kind: DifferenceKind
    partition: str
    file: str
    column: str
    expected: str
    found: str

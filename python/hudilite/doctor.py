"""Findings about tables that are not as they should be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
    "REPEATED_KEYS",
    "MISPLACED_KEYS",
]


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with a table.

    Attributes
    ----------
    kind
        What kind of thing it is.
    subject
        The instant, or the path below the table.
    what
        What it is, since when, and what harm it does.
    advice
        What mending does, or what is yours to decide, and how.
    mendable, mended
        Whether it can be mended without harm, and whether that was done.
    reason
        Why it was not mended, where that was asked for; else empty.
    """

    kind: FindingKind
    subject: str
    what: str
    advice: str
    mendable: bool
    mended: bool
    reason: str

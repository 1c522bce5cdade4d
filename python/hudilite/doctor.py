"""What is wrong with a table: findings, and the call that finds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hudilite import driver, running

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from hudilite.running import Progress

#: What may be wrong.
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


def examine(
    spark: SparkSession, path: str, options: Mapping[str, str], fix: bool, deep: bool, progress: Progress | bool | None
) -> list[Finding]:
    """See :meth:`hudilite.tables.HudiliteTable.doctor`."""

    def call() -> list[Finding]:
        found = driver.call(spark, "doctor", path, options=options, fix=fix, deep=deep)
        return [Finding(**row) for row in found]

    return running.step(progress, "doctor", call, len)

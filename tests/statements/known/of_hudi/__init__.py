"""Statements that users of Apache Hudi type, from its pages and suites.

Of 647 that were tried once, 413 did what their readers expect. Of the others 156 were listed by names: they are all here, and
each step says what it gives now.
"""

from __future__ import annotations

from statements.known.of_hudi import calls, ddl, dml, frames, quick
from statements.known.of_hudi.step import Story

STORIES: list[Story] = [story for group in (quick, ddl, dml, frames, calls) for story in group.STORIES]
#: Steps of the stories that were as expected before.
BEFORE = frozenset(
    (
        "suite-delete-without-key-cow-2",
        "suite-delete-without-key-cow-partitioned-1",
        "suite-delete-without-key-cow-partitioned-2",
        "suite-delete-without-key-mor-partitioned-1",
        "suite-delete-without-key-mor-partitioned-2",
        "suite-insert-columns-cow-4",
        "suite-insert-columns-cow-partitioned-5",
        "suite-insert-columns-mor-partitioned-3",
        "suite-insert-overwrite-cow-6",
        "suite-insert-partitions-cow-3",
        "suite-insert-partitions-mor-1",
        "suite-update-without-key-cow-2",
        "suite-update-without-key-cow-partitioned-2",
        "suite-update-without-key-mor-3",
        "suite-update-without-key-mor-partitioned-3",
        "create_metadata_table",
    )
)

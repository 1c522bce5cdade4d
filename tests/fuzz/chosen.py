"""The lives of CI: tables of chosen sorts, and steps of which each kind comes at least once.

What is not chosen is random, by a seed that never changes: CI must not fail by chance. `make fuzz` lives others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fuzz.steps import Author, Case
from fuzz.tables import Wish


@dataclass(frozen=True)
class Chosen:
    """A life; `steps` are kinds as `Author.of_kind` knows them."""

    name: str
    wish: Wish
    steps: Sequence[str]

    def case(self, seed: str) -> Case:
        return Author(f"{seed}-{self.name}", wish=self.wish).chosen(self.steps)


LIVES = (
    Chosen(
        "rewritten files of version 9 with bloom filters",
        Wish(version=9, log=False, index="BLOOM", partitions=2, nested=True),
        ("insert", "merge", "move", "upsert", "cluster", "delete_partition", "remove", "past", "changes"),
    ),
    Chosen(
        "buckets in logs of version 9",
        Wish(version=9, log=True, index="BUCKET", partitions=1, blocks="parquet"),
        ("upsert", "upsert", "merge", "fold", "compact", "update", "delete"),
    ),
    Chosen(
        "rewritten buckets of version 8",
        Wish(version=8, log=False, index="BUCKET", partitions=0, event_time=True),
        ("insert", "upsert", "remove", "restore", "insert into"),
    ),
)
#: What the lives of a Spark have done at the end, by the names that `Life.done` counts.
KINDS = {
    "upsert", "insert", "delete", "delete_partition", "update", "remove", "merge", "insert into",
    "compact", "fold", "cluster", "restore",
}  # fmt: skip

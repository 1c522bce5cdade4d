"""The lives of CI: tables of chosen sorts, and steps of which each kind comes at least once.

The rest is random, by a seed that never changes: CI must not fail by chance. `make fuzz` lives others.
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
        "logs of version 9 with avro blocks",
        Wish(version=9, log=True, index="SIMPLE", partitions=1, event_time=True, blocks="avro"),
        ("bulk_insert", "upsert", "merge", "fold", "move", "compact", "update", "delete", "past", "changes"),
    ),
    Chosen(
        "logs of version 8 with parquet blocks and nested rows",
        Wish(version=8, log=True, index="BLOOM", partitions=1, nested=True, event_time=False, blocks="parquet"),
        ("insert", "upsert", "remove", "evolve", "merge", "plan", "revive", "upsert", "compact", "insert into"),
    ),
    Chosen(
        "logs of version 6 with a global index",
        Wish(version=6, log=True, index="GLOBAL_SIMPLE", partitions=1, event_time=True, blocks="avro"),
        ("upsert", "upsert", "update", "compact", "move", "revive", "insert_overwrite", "merge"),
    ),
    Chosen(
        "rewritten files of version 9 with bloom filters",
        Wish(version=9, log=False, index="BLOOM", partitions=2, nested=True),
        ("insert", "merge", "move", "upsert", "cluster", "delete_partition", "remove", "past", "changes"),
    ),
    Chosen(
        "decimals in logs of version 9 and in base files of other writers",
        Wish(version=9, log=True, index="BLOOM", partitions=1, event_time=True, decimals=True),
        ("bulk_insert", "store", "upsert", "update", "merge", "store", "remove", "compact", "upsert", "past"),
    ),
    Chosen(
        "decimals in files of version 6 that are rewritten from those of other writers",
        Wish(version=6, log=False, index="SIMPLE", partitions=1, decimals=True),
        ("insert", "store", "upsert", "store", "merge", "cluster", "store", "evolve", "past", "changes"),
    ),
    Chosen(
        "rewritten files of version 6 that are cleaned and archived",
        Wish(version=6, log=False, index="GLOBAL_BLOOM", partitions=1, event_time=False),
        ("bulk_insert", "upsert", "move", "clean", "evolve", "insert_overwrite_table", "archive"),
    ),
    Chosen(
        "logs of version 9 that another process writes, too, while services run",
        Wish(version=9, log=True, index="SIMPLE", partitions=1, event_time=True, blocks="avro"),
        ("bulk_insert", "upsert", "held beside services", "held beside writes", "compact", "past", "changes"),
    ),
    Chosen(
        "buckets in logs of version 9",
        Wish(version=9, log=True, index="BUCKET", partitions=1, blocks="parquet"),
        ("upsert", "upsert", "misdeal", "merge", "fold", "compact", "update", "misdeal", "delete"),
    ),
    Chosen(
        "logs of version 9 without record keys",
        Wish(version=9, log=True, index="SIMPLE", partitions=1, event_time=True, generated=True),
        ("bulk_insert", "merge", "update", "fold", "move", "insert", "compact", "remove"),
    ),
    Chosen(
        "rewritten buckets of version 8",
        Wish(version=8, log=False, index="BUCKET", partitions=0, event_time=True),
        ("insert", "upsert", "misdeal", "remove", "restore", "insert into", "replace", "upsert", "merge"),
    ),
    Chosen(
        "logs of version 9 whose rows complete each other",
        Wish(version=9, log=True, index="SIMPLE", partitions=1, event_time=True, partial=True),
        ("bulk_insert", "upsert", "merge", "fold", "update", "compact", "upsert", "replace", "upsert"),
    ),
    Chosen(
        "logs of version 9 without partition columns in files",
        Wish(version=9, log=True, index="SIMPLE", partitions=2, event_time=True, dropped=True),
        ("bulk_insert", "upsert", "merge", "move", "fold", "cluster", "insert_overwrite", "compact", "evolve", "past"),
    ),
)
#: Kinds of steps that the lives of a Spark have taken at the end, by the names that `Life.done` counts.
KINDS = {
    "upsert", "insert", "bulk_insert", "delete", "insert_overwrite", "insert_overwrite_table", "delete_partition",
    "update", "remove", "merge", "insert into", "compact", "fold", "plan", "cluster", "clean", "archive", "restore",
    "held", "misdeal", "store", "replace",
}  # fmt: skip

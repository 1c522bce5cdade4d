"""Indexes of a table: those that are there, and those that fit it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Advice", "FilesProbed", "IndexCost", "IndexName", "IndexPlace", "TableIndex"]

#: Kinds of index that :meth:`hudilite.tables.HudiliteTable.advise` chooses from, values of ``hoodie.index.type``.
IndexName = Literal["SIMPLE", "GLOBAL_SIMPLE", "BLOOM", "GLOBAL_BLOOM", "BUCKET"]
#: Places where an index lies.
IndexPlace = Literal["metadata table", "footers", "file ids"]


def __dir__() -> list[str]:
    """Public names."""
    return __all__


@dataclass(frozen=True)
class FilesProbed:
    """Files that lookups open, as the footers let expect.

    Attributes
    ----------
    key
        For the key of a row picked at random.
    last_upsert
        For an upsert like the newest one; ``None`` where none of the newest commits is one.
    """

    key: float
    last_upsert: float | None


@dataclass(frozen=True)
class Advice:
    """The index, number of buckets and size of files that fit a table (docs/indexes.md).

    Attributes
    ----------
    index
        Value of ``hoodie.index.type``.
    buckets
        Number of buckets of a partition, should the table have a bucket index; ``None`` where it can have none.
    file_bytes
        Size of a base file.
    files_probed
        Number of files that this index opens.
    false_positives
        Share of absent keys that the written bloom filters take for present ones, measured with keys that are not in
        the file; ``None`` where no footer that was read has a filter.
    files_read
        Number of footers that this was reckoned from.
    files
        Number of base files of the table.
    why
        The reason with its numbers, in one sentence.
    """

    index: IndexName
    buckets: int | None
    file_bytes: int
    files_probed: FilesProbed
    false_positives: float | None
    files_read: int
    files: int
    why: str


@dataclass(frozen=True)
class IndexCost:
    """Bytes that a write of the metadata table wrote into one index.

    Attributes
    ----------
    instant
        The write, with the instant of the commit that it belongs to, or one of its own.
    bytes
        Bytes written.
    """

    instant: str
    bytes: int


@dataclass(frozen=True)
class TableIndex:
    """An index of a table.

    Attributes
    ----------
    name
        Name of the partition of the metadata table, ``bloom_filters_of_footers``, or ``buckets``.
    kind
        ``files``, ``column_stats``, ``partition_stats``, ``bloom_filters``, ``record_index``, ``secondary_index``,
        ``expression_index`` or ``bucket``.
    columns
        Columns that it is of, where that is written down.
    place
        Where it lies.
    files
        Number of its file groups, of base files with a filter, or of file groups that are buckets.
    files_read
        Number of files that were looked into; of footers, the other numbers are reckoned from these.
    bytes
        Its size.
    entries
        Number of its records, of the keys in the filters, or of the buckets of a partition; ``None`` where that is not
        known.
    maintained
        The newest write that it knows of.
    commits
        Cost of the newest writes of the metadata table, the newest first; empty where the index has no files of its
        own.
    problem
        Reason why it cannot be used; empty where it can.
    """

    name: str
    kind: str
    columns: tuple[str, ...]
    place: IndexPlace
    files: int
    files_read: int
    bytes: int
    entries: int | None
    maintained: str | None
    commits: tuple[IndexCost, ...]
    problem: str

"""The base files of a table's newest snapshot."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from hudilite.inspect.folder import Folder, relative
from hudilite.inspect.instants import WRITES, Committed, Instant, instants, metadata
from hudilite.inspect.partitions import discover

# docs/format.md, "Base files": <file id>_<write token>_<instant>.parquet
_BASE_FILE = re.compile(r"([a-zA-Z0-9-]+)_([a-zA-Z0-9-]+)_([0-9]+)\.parquet")
_MIN_KEY, _MAX_KEY = b"hoodie_min_record_key", b"hoodie_max_record_key"


@dataclass(frozen=True)
class DataFile:
    """A base file that the newest snapshot reads.

    Attributes
    ----------
    partition
        Partition path, empty in a table without partitions.
    file_id
        The file group.
    instant
        The instant that wrote the file.
    rows
        Rows in it (source: the parquet footer).
    bytes
        Its size.
    min_key, max_key
        Smallest and largest record key (source: the footer keys ``hoodie_min_record_key`` and
        ``hoodie_max_record_key``); None in a file without them.
    name
        File name.
    """

    partition: str
    file_id: str
    instant: str
    rows: int
    bytes: int
    min_key: str | None
    max_key: str | None
    name: str


def files(path: str) -> list[DataFile]:
    """Base files of the newest snapshot, sorted by partition and file group.

    Log files of merge-on-read tables are not listed.

    Raises
    ------
    NoTable
        When ``path`` holds no Hudi table.

    Examples
    --------
    >>> [(file.partition, file.rows) for file in hudilite.inspect.files(path)]
    [('day=mon', 2), ('day=tue', 1)]
    """
    folder = Folder(path)
    timeline = instants(folder)
    return [described(folder, *found) for found in sorted(_newest(folder, timeline))]


def _newest(folder: Folder, timeline: list[Instant]) -> list[tuple[str, str, str, str, int]]:
    """Partition, file id, instant, name and size of the newest committed base file of each live file group."""
    committed = Committed(timeline)
    gone = replaced(folder, timeline)
    newest: dict[tuple[str, str], tuple[str, str, str, str, int]] = {}
    for file in listed(folder, timeline, discover(folder)):
        partition, file_id, instant, _, _ = file
        key = (partition, file_id)
        if instant in committed and key not in gone and (key not in newest or newest[key][2] <= instant):
            newest[key] = file
    return list(newest.values())


def listed(
    folder: Folder, timeline: list[Instant], listing: dict[str, list[Any]]
) -> list[tuple[str, str, str, str, int]]:
    """Partition, file id, instant, name and size of all base files of a listing, old and uncommitted ones, too."""
    found = [
        (partition, *match.group(1, 3), entry.base_name, entry.size)
        for partition, entries in listing.items()
        for entry in entries
        if entry.is_file and (match := _BASE_FILE.fullmatch(entry.base_name))
    ]
    return _without_strays(folder, timeline, found)


def _without_strays(
    folder: Folder, timeline: list[Instant], found: list[tuple[str, str, str, str, int]]
) -> list[tuple[str, str, str, str, int]]:
    """Of two base files of one instant in a file group, which only a retried task leaves, the commit named one."""
    count = Counter(file[:3] for file in found)
    doubtful = {instant for (_, _, instant), times in count.items() if times > 1}
    named: dict[str, set[str]] = {}
    for instant in timeline:
        if instant.time in doubtful and instant.state == "completed" and instant.action in WRITES:
            stats = (metadata(folder, instant).get("partitionToWriteStats") or {}).values()
            named[instant.time] = {relative(stat.get("path") or "") for of_partition in stats for stat in of_partition}
    return [
        file for file in found if file[2] not in named or f"{file[0]}/{file[3]}".removeprefix("/") in named[file[2]]
    ]


def replaced(folder: Folder, timeline: list[Instant]) -> set[tuple[str, str]]:
    """Partition and file id of the file groups that completed replacecommits have replaced."""
    gone: set[tuple[str, str]] = set()
    for instant in timeline:
        if instant.action == "replacecommit" and instant.state == "completed":
            for partition, ids in (metadata(folder, instant).get("partitionToReplaceFileIds") or {}).items():
                gone.update((relative(partition), file_id) for file_id in ids)
    return gone


def described(folder: Folder, partition: str, file_id: str, instant: str, name: str, size: int) -> DataFile:
    """The base file with what its footer says."""
    from pyarrow import parquet

    location = folder.full(f"{partition}/{name}" if partition else name)
    footer = parquet.read_metadata(location, filesystem=folder.filesystem)
    notes = footer.metadata or {}
    smallest, largest = (notes[key].decode() if key in notes else None for key in (_MIN_KEY, _MAX_KEY))
    return DataFile(partition, file_id, instant, footer.num_rows, size, smallest, largest, name)

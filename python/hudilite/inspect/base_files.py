"""The base files of a table's newest snapshot."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hudilite.inspect.folder import Folder
from hudilite.inspect.instants import Instant, instants, metadata

# docs/format.md, "Base files": <file id>_<write token>_<instant>.parquet
_BASE_FILE = re.compile(r"([a-zA-Z0-9-]+)_([a-zA-Z0-9-]+)_(\d+)\.parquet")
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
    """
    folder = Folder(path)
    timeline = instants(folder)
    return [_described(folder, *found) for found in sorted(_newest(folder, timeline))]


def _newest(folder: Folder, timeline: list[Instant]) -> list[tuple[str, str, str, str, int]]:
    """Partition, file id, instant, name and size of the newest committed base file of each live file group."""
    committed = {i.time for i in timeline if i.state == "completed"}
    writes = [i for i in timeline if i.action in ("commit", "deltacommit", "replacecommit")]
    archived_before = writes[0].time if writes else ""
    replaced = _replaced(folder, timeline)
    newest: dict[tuple[str, str], tuple[str, str, str, str, int]] = {}
    base = folder.full("")
    for entry in folder.children("", recursive=True):
        match = _BASE_FILE.fullmatch(entry.base_name)
        partition = entry.path[len(base) :].rpartition("/")[0].strip("/")
        if not match or partition.startswith(".hoodie"):
            continue
        file_id, _, instant = match.groups()
        key = (partition, file_id)
        visible = (instant in committed or instant < archived_before) and key not in replaced
        if visible and (key not in newest or newest[key][2] < instant):
            newest[key] = (partition, file_id, instant, entry.base_name, entry.size)
    return list(newest.values())


def _replaced(folder: Folder, timeline: list[Instant]) -> set[tuple[str, str]]:
    """Partition and file id of the file groups that completed replacecommits have replaced."""
    gone: set[tuple[str, str]] = set()
    for instant in timeline:
        if instant.action == "replacecommit" and instant.state == "completed":
            for partition, ids in (metadata(folder, instant).get("partitionToReplaceFileIds") or {}).items():
                gone.update((partition, file_id) for file_id in ids)
    return gone


def _described(folder: Folder, partition: str, file_id: str, instant: str, name: str, size: int) -> DataFile:
    from pyarrow import parquet

    location = folder.full(f"{partition}/{name}" if partition else name)
    footer = parquet.read_metadata(location, filesystem=folder.filesystem)
    notes = footer.metadata or {}
    smallest, largest = (notes[key].decode() if key in notes else None for key in (_MIN_KEY, _MAX_KEY))
    return DataFile(partition, file_id, instant, footer.num_rows, size, smallest, largest, name)

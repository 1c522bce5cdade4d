"""The active timeline of a table: its instants, and what each completed write did."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timezone
from typing import Any

from hudilite.errors import told
from hudilite.inspect.damage import DamagedTable
from hudilite.inspect.folder import Folder

# docs/format.md, "Timeline": T.action[.state], completed since version 8 T_C.action.
_NAME = re.compile(r"([0-9]+)(?:_([0-9]+))?\.(\w+)(?:\.(requested|inflight))?")
_OTHER_ACTIONS = {"clean", "rollback", "restore", "savepoint", "indexing", "schemacommit"}
_COMPLETES_AS = {"compaction": "commit", "logcompaction": "deltacommit", "clustering": "replacecommit"}
_STATES = ("requested", "inflight", "completed")
WRITES = ("commit", "deltacommit", "replacecommit")


@dataclass(frozen=True)
class Instant:
    """One action on the timeline.

    Attributes
    ----------
    time
        When it was requested, ``yyyyMMddHHmmssSSS`` in the table's time zone.
    action
        Its completed name, such as ``commit`` or ``clean``.
    state
        ``requested``, ``inflight`` or ``completed``.
    completion_time
        When it completed, written like ``time``; None in version 6 and for pending instants.
    file
        Name of its file in the timeline folder.
    """

    time: str
    action: str
    state: str
    completion_time: str | None
    file: str


@dataclass(frozen=True)
class Commit:
    """A completed write: its instant and the totals of its write statistics.

    Attributes
    ----------
    time, completion_time, action
        As in :class:`Instant`.
    operation
        ``UPSERT``, ``BULK_INSERT`` and so on.
    partitions, files
        How many were written to.
    rows
        Rows in the files it wrote, rows that were only carried over included.
    inserts, updates, deletes
        Rows that changed; a clustering changes none.
    bytes
        Size of the files it wrote.
    replaced
        File groups that it replaced.
    metadata
        Entries that its writer gave it (``hoodie.datasource.write.commitmeta.key.prefix``), and those of other
        programs, such as the checkpoints of a streamer.
    """

    time: str
    completion_time: str | None
    action: str
    operation: str
    partitions: int
    files: int
    rows: int
    inserts: int
    updates: int
    deletes: int
    bytes: int
    replaced: int
    metadata: Mapping[str, str] = field(default_factory=dict, hash=False)


def timeline(path: str) -> list[Instant]:
    """All instants of the active timeline, oldest first, each in its newest state.

    Raises
    ------
    NoTable
        When ``path`` holds no Hudi table.

    Examples
    --------
    >>> [instant.state for instant in hudilite.inspect.timeline(path)]
    ['completed', 'completed']
    """
    return instants(Folder(path))


def history(path: str, limit: int | None = None) -> list[Commit]:
    """Completed writes of the active timeline with what they did, newest first.

    Parameters
    ----------
    path
        Base path or URI of the table.
    limit
        How many of them; all by default.

    Raises
    ------
    NoTable
        When ``path`` holds no Hudi table.

    Examples
    --------
    >>> [(commit.operation, commit.inserts, commit.updates) for commit in hudilite.inspect.history(path)]
    [('UPSERT', 0, 1), ('UPSERT', 3, 0)]
    """
    folder = Folder(path)
    return commits(folder, instants(folder), limit)


def commits(folder: Folder, timeline: list[Instant], limit: int | None = None) -> list[Commit]:
    """The completed writes of a timeline with what they did, newest first; no more than ``limit`` of them are read."""
    writes = [i for i in reversed(timeline) if i.state == "completed" and i.action in WRITES]
    return [_commit(i, metadata(folder, i)) for i in writes[:limit]]


def instants(folder: Folder) -> list[Instant]:
    """See :func:`timeline`."""
    found = [_instant(entry, folder) for entry in folder.children(folder.timeline_path) if entry.is_file]
    states = [instant for instant in found if instant is not None]
    late = _late(folder, states)
    return _newest([instant for instant in states if instant not in late])


def _newest(states: list[Instant]) -> list[Instant]:
    """Each action once, in its highest state."""
    newest: dict[tuple[str, str], Instant] = {}
    for instant in states:
        key = (instant.time, instant.action)
        if key not in newest or _STATES.index(newest[key].state) < _STATES.index(instant.state):
            newest[key] = instant
    return sorted(newest.values(), key=lambda i: (i.time, i.action))


def _late(folder: Folder, states: list[Instant]) -> list[Instant]:
    """Writes that completed after others had taken them back, which never count (docs/format.md, "Late writes")."""
    names = {instant.file for instant in states}
    taken_back: set[str] = set()
    for instant in states:
        if instant.state == "completed" and instant.action in ("rollback", "restore"):
            taken_back |= _targets(folder, instant, names)
    named = [i for i in states if i.state == "completed" and i.action in WRITES and i.time in taken_back]
    files = {(i.time, i.action, i.state) for i in states}
    return [i for i in named if _is_late(i, metadata(folder, i), files)]


def _is_late(write: Instant, content: dict[str, Any], files: set[tuple[str, str, str]]) -> bool:
    """Return true if a write that was taken back does not count. A planned service counts when it was run again since.

    A rollback leaves the request of a compaction or clustering.
    """
    operation = content.get("operationType")
    if not content.get("compacted") and operation not in ("COMPACT", "LOG_COMPACT", "CLUSTER"):
        return True
    if (write.time, write.action, "inflight") in files:
        return False
    return operation == "LOG_COMPACT" or (write.time, write.action, "requested") in files


def _targets(folder: Folder, undoing: Instant, names: set[str]) -> set[str]:
    """Times of what a completed rollback or restore took back; none where its file does not say."""
    # A restore says in its plan alone what was pending, too.
    name = undoing.file if undoing.action == "rollback" else f"{undoing.time}.restore.requested"
    content = folder.read(f"{folder.timeline_path}/{name}") if name in names else b""
    if not content.startswith(b"Obj\x01"):
        return set()
    try:
        record = avro_record(content)
    except (ValueError, EOFError, IndexError, StopIteration):  # damaged, of which the doctor tells
        return set()
    named = record.get("instantsRollback") or record.get("instantsToRollback") or []
    return {i["commitTime"] for i in named} or set(record.get("commitsRollback") or [])


class Committed:
    """Which writes count for a reader, by their requested times.

    Parameters
    ----------
    timeline
        All instants of the active timeline.
    """

    def __init__(self, timeline: list[Instant]) -> None:
        writes = [i for i in timeline if i.action in WRITES]
        self._completed = {i.time for i in writes if i.state == "completed"}
        self._pending = {i.time for i in writes if i.state != "completed"}
        # Archiving leaves savepointed writes behind, so the active timeline begins after those.
        savepointed = {i.time for i in timeline if i.action == "savepoint"}
        first = next((i for i in writes if i.time not in savepointed), writes[0] if writes else None)
        self._begins = first.time if first else ""

    def __contains__(self, time: str) -> bool:
        return time in self._completed or (time < self._begins and time not in self._pending)


def metadata(folder: Folder, instant: Instant) -> dict[str, Any]:
    """Commit metadata of a completed write: JSON in version 6, an Avro file with one record since version 8."""
    content = folder.read(f"{folder.timeline_path}/{instant.file}")
    if not content.startswith(b"Obj\x01"):
        return dict(json.loads(content)) if content.strip() else {}
    return avro_record(content)


def avro_record(content: bytes) -> dict[str, Any]:
    """The one record of an Avro file."""
    try:
        import fastavro
    except ImportError as e:
        what = "Reading a timeline without Spark"
        raise ImportError(told("PACKAGE_NOT_INSTALLED", what=what, package="fastavro", extra="cli")) from e
    record: Any = next(fastavro.reader(io.BytesIO(content)))
    return dict(record)


def _instant(entry: Any, folder: Folder) -> Instant | None:
    """The state that one file shows, unless it is no timeline file or a crash's leftover."""
    match = _NAME.fullmatch(entry.base_name)
    if not match:
        return None
    time, completed_at, action, state = match.groups()
    if action == "inflight":  # an inflight commit names no action: T.inflight
        action, state = "commit", "inflight"
    if action not in {*WRITES, *_COMPLETES_AS, *_OTHER_ACTIONS}:
        return None
    for text in (time, completed_at):
        if text is not None and not _is_of_timeline(text):
            raise DamagedTable(
                f"[CORRUPT_FILE] The file {entry.path} is damaged: {text} in its name is not the time of an instant."
            )
    if state is not None or folder.version < 8:
        legal = completed_at is None
    else:  # a table that was upgraded keeps names without completion times
        completed_at, legal = completed_at or _written_at(entry, folder), True
    # A write whose completed file is empty was never acknowledged.
    if not legal or (state is None and entry.size == 0 and action in WRITES):
        return None
    return Instant(time, _COMPLETES_AS.get(action, action), state or "completed", completed_at, entry.base_name)


def _is_of_timeline(text: str) -> bool:
    """Return true for a time of the calendar, or one of Hudi's before all times."""
    if len(text) not in (14, 17) or text.startswith("0000"):
        return len(text) in (14, 17)
    month, day, *clock = (int(text[at : at + 2]) for at in range(4, 14, 2))
    return 1 <= month <= 12 and 1 <= day <= 31 and all(n < most for n, most in zip(clock, (24, 60, 60), strict=True))


def _written_at(entry: Any, folder: Folder) -> str:
    in_utc = folder.properties.get("hoodie.table.timeline.timezone", "").strip().upper() == "UTC"
    moment = entry.mtime.astimezone(timezone.utc if in_utc else None)
    return f"{moment:%Y%m%d%H%M%S}{moment.microsecond // 1000:03d}"


def _commit(instant: Instant, content: dict[str, Any]) -> Commit:
    by_partition: dict[str, list[dict[str, Any]]] = content.get("partitionToWriteStats") or {}
    stats = [stat for of_partition in by_partition.values() for stat in of_partition]

    def total(field: str) -> int:
        return sum(stat.get(field) or 0 for stat in stats)

    def changed(name: str) -> int:
        # A clustering counts each row that it moves as an insert.
        return 0 if content.get("operationType") == "CLUSTER" else total(name)

    return Commit(
        time=instant.time,
        completion_time=instant.completion_time,
        action=instant.action,
        operation=content.get("operationType") or "UNKNOWN",
        partitions=len(by_partition),
        files=len(stats),
        rows=total("numWrites"),
        inserts=changed("numInserts"),
        updates=changed("numUpdateWrites"),
        deletes=changed("numDeletes"),
        bytes=total("fileSizeInBytes"),
        replaced=sum(len(ids) for ids in (content.get("partitionToReplaceFileIds") or {}).values()),
        metadata=_of_programs(content.get("extraMetadata") or {}),
    )


def _of_programs(extra: Mapping[str, str | None]) -> dict[str, str]:
    """Entries but those that describe the table."""
    own = {"schema", "latest_schema"}
    return {
        name: text
        for name, text in sorted(extra.items())
        if text is not None and name not in own and not name.startswith("hudilite.")
    }

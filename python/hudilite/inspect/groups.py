"""The file groups of a table with their newest file slices."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any

from hudilite.inspect import base_files
from hudilite.inspect.folder import Folder, relative
from hudilite.inspect.instants import Committed, Instant, avro_record
from hudilite.inspect.partitions import discover

# docs/format.md, "Log files": .<file id>_<time>.log.<version>_<write token>; change data ends with .cdc.
_LOG_FILE = re.compile(r"\.([^._]+)_([^.]*)\.log\.(\d+)(?:_(\d+-\d+-\d+))?")
_COMPLETION_TIMES = 8


@dataclass(frozen=True)
class FileGroup:
    """A file group with its newest file slice.

    Attributes
    ----------
    partition
        Partition path, empty in a table without partitions.
    file_id
        The file group.
    instant
        Base instant of the slice.
    base_file
        Name of its base file; None when it has log files only.
    base_bytes
        Size of the base file.
    log_files, log_bytes
        How many log files lie on top, and their size.
    """

    partition: str
    file_id: str
    instant: str
    base_file: str | None
    base_bytes: int
    log_files: int
    log_bytes: int


@dataclass(frozen=True)
class _Log:
    time: str
    version: int
    token: str
    bytes: int


def groups(folder: Folder, timeline: list[Instant]) -> list[FileGroup]:
    """File groups of the newest snapshot, sorted by partition and file group.

    A log file that a retried task left behind in a table of version 8 or 9 is counted, which the JVM's readers, who ask
    the commit, do not.

    Parameters
    ----------
    folder
        The table.
    timeline
        Its instants.
    """
    listing = discover(folder)
    committed = Committed(timeline)
    gone = base_files.replaced(folder, timeline)
    compacting = _pending_compactions(folder, timeline)
    completed_at = {i.time: i.completion_time for i in timeline if i.completion_time}
    bases: dict[tuple[str, str], dict[str, FileGroup]] = defaultdict(dict)
    for partition, file_id, instant, name, length in base_files.listed(folder, timeline, listing):
        if instant in committed:
            found = FileGroup(partition, file_id, instant, name, length, 0, 0)
            bases[partition, file_id][instant] = found
    logs = _logs(listing)
    newest = []
    for key in sorted({*bases, *logs} - gone):
        of_group = sorted(logs.get(key, ()), key=lambda log: (log.time, log.version, log.token))
        pending = compacting.get(key)
        instants = {*bases[key], *([pending] if pending else [])}
        if folder.version < _COMPLETION_TIMES:
            by_slice = _by_base_instant(of_group)
        else:
            of_group = [log for log in of_group if log.time in committed]
            by_slice = _by_completion(of_group, instants, completed_at)
        visible = sorted(instants | {time for time in by_slice if time in committed}, reverse=True)
        slices = [
            _with_logs(bases[key].get(time, FileGroup(*key, time, None, 0, 0, 0)), by_slice.get(time, []))
            for time in visible
        ]
        newest += [s for s in _joined(slices, pending) if s.base_file or s.log_files][:1]
    return newest


def _logs(listing: dict[str, list[Any]]) -> dict[tuple[str, str], list[_Log]]:
    found: dict[tuple[str, str], list[_Log]] = defaultdict(list)
    for partition, entries in listing.items():
        for entry in entries:
            if entry.is_file and (match := _LOG_FILE.fullmatch(entry.base_name)):
                file_id, time, version, token = match.groups()
                found[partition, file_id].append(_Log(time, int(version), token or "", entry.size))
    return found


def _by_base_instant(logs: list[_Log]) -> dict[str, list[_Log]]:
    """Before version 8 the name of a log file carries the base instant of its slice."""
    found: dict[str, list[_Log]] = defaultdict(list)
    for log in logs:
        found[log.time].append(log)
    return found


def _by_completion(logs: list[_Log], known: set[str], completed_at: dict[str, str]) -> dict[str, list[_Log]]:
    """From version 8 on a log file belongs to the newest slice that began before its delta commit completed."""
    begun = set(known)
    found: dict[str, list[_Log]] = defaultdict(list)
    for log in logs:
        completed = completed_at.get(log.time, log.time)
        key = max((time for time in begun if time <= completed), default=log.time)
        begun.add(key)
        found[key].append(log)
    return found


def _with_logs(group: FileGroup, logs: list[_Log]) -> FileGroup:
    return replace(
        group, log_files=group.log_files + len(logs), log_bytes=group.log_bytes + sum(log.bytes for log in logs)
    )


def _joined(slices: list[FileGroup], pending: str | None) -> list[FileGroup]:
    """Until a compaction completes its input and what was logged since are one slice."""
    if len(slices) < 2 or slices[0].instant != pending or slices[0].base_file:
        return slices
    first, second, *older = slices
    both = replace(second, log_files=first.log_files + second.log_files, log_bytes=first.log_bytes + second.log_bytes)
    return [both, *older]


def _pending_compactions(folder: Folder, timeline: list[Instant]) -> dict[tuple[str, str], str]:
    """Partition and file id of the file groups that a planned compaction takes, with its instant."""
    found = {}
    for instant in timeline:
        if instant.state != "completed" and ".compaction." in instant.file:
            plan = avro_record(folder.read(f"{folder.timeline_path}/{instant.time}.compaction.requested"))
            for operation in plan.get("operations") or ():
                found[relative(operation.get("partitionPath") or ""), operation["fileId"]] = instant.time
    return found

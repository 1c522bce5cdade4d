"""Contents of a table's folder, read without either connector: instants, data files, strays."""

from __future__ import annotations

import datetime
import hashlib
import re
import time
from dataclasses import dataclass
from pathlib import Path

COMPLETED = re.compile(r"^(\d{14,17})(?:_(\d{14,17}))?\.(commit|deltacommit|replacecommit)$")
PENDING = re.compile(r"^(\d{14,17})(?:\.(\w+))?\.(requested|inflight)$")
LOG_FILE = re.compile(r"^\.(?P<id>[^_]+)_(?P<time>\d{14,17})\.log\.(?P<number>\d+)_(?P<token>[^.]+)$")
BLOCK = re.compile(rb"#HUDI#.{8}\x00\x00\x00\x01(.{4})", re.DOTALL)
# A header of row positions, as Base64 of a bitmap of one part or of none.
POSITIONS = re.compile(rb"\x00\x00\x00\x05.{4}(AQAAAAAAAAA|AAAAAAAAAAA=)", re.DOTALL)
BASE_FILE = re.compile(r"^(?P<id>[^_]+)_(?P<token>[^_]+)_(?P<instant>\d{14,17})\.parquet$")


@dataclass(frozen=True, order=True)
class Instant:
    """A completed write."""

    requested: str
    completed: str  # equal to `requested` in table version 6, which has no completion times
    action: str


def timeline_folder(table: Path) -> Path:
    """Where the active timeline is: table versions 8 and 9 keep it one level deeper, where the properties say.

    A table that is just being made may have no properties yet.
    """
    properties = table / ".hoodie" / "hoodie.properties"
    text = properties.read_text() if properties.is_file() else ""
    said = re.search(r"^hoodie\.timeline\.path=(.+)$", text, re.MULTILINE)
    inner = table / ".hoodie" / (said[1].strip() if said else "timeline")
    return inner if inner.is_dir() else table / ".hoodie"


def writes(table: Path) -> list[Instant]:
    """Completed commits and replace commits, oldest first."""
    found = (COMPLETED.match(entry.name) for entry in timeline_folder(table).iterdir())
    return sorted(Instant(m[1], m[2] or m[1], m[3]) for m in found if m)


def pending(table: Path) -> list[str]:
    """Times of writes that began and did not complete."""
    names = [entry.name for entry in timeline_folder(table).iterdir()]
    done = {name.split(".")[0].split("_")[0] for name in names if not name.endswith((".requested", ".inflight"))}
    return sorted({m[1] for m in map(PENDING.match, names) if m} - done)


def base_files(table: Path) -> list[Path]:
    """All base files of the table, of every instant."""
    return sorted(file for file in table.rglob("*.parquet") if ".hoodie" not in file.relative_to(table).parts)


def log_files(table: Path) -> list[Path]:
    """All log files of a merge-on-read table."""
    found = (file for file in table.rglob(".*.log.*") if ".hoodie" not in file.relative_to(table).parts)
    return sorted(file for file in found if LOG_FILE.match(file.name))


def data_files(table: Path) -> list[Path]:
    """Base and log files."""
    return sorted([*base_files(table), *log_files(table)])


def block_types(table: Path) -> set[int]:
    """Types of the blocks of all log files: 1 deletes, 3 Avro, 5 Parquet."""
    return {int.from_bytes(kind, "big") for file in log_files(table) for kind in BLOCK.findall(file.read_bytes())}


def positions(table: Path) -> set[str]:
    """Statements of log blocks about the base file: they replace rows of it, or it has none of their keys."""
    found = {text for file in log_files(table) for text in POSITIONS.findall(file.read_bytes())}
    return {"no rows" if text.endswith(b"=") else "rows" for text in found}


def instant_of(file: Path) -> str:
    """The instant in a base file's name."""
    found = BASE_FILE.match(file.name)
    assert found, f"{file} is not named like a base file"
    return found["instant"]


def file_groups(table: Path) -> set[str]:
    """File ids of all base files."""
    return {file.name.split("_")[0] for file in base_files(table)}


def strays(table: Path) -> list[Path]:
    """Base files whose instant never completed."""
    done = {instant.requested for instant in writes(table)}
    return [file for file in base_files(table) if instant_of(file) not in done]


def leftovers(table: Path) -> list[Path]:
    """Markers, heartbeats and owner files."""
    folders = (table / ".hoodie" / name for name in (".temp", ".heartbeat", ".hudilite"))
    return sorted(entry for folder in folders for entry in folder.rglob("*") if entry.is_file())


def is_tidy(table: Path) -> bool:
    """No stray and no leftover, at the latest in a minute: Spark does not wait for the tasks of a write that failed."""
    deadline = time.monotonic() + 60
    while (untidy := [*strays(table), *leftovers(table)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not untidy


def fingerprint(table: Path) -> dict[str, str]:
    """Relative path and digest of every file but Hadoop's checksums: equal if nothing was touched."""
    files = (entry for entry in table.rglob("*") if entry.is_file() and entry.suffix != ".crc")
    return {str(file.relative_to(table)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def aged(table: Path, hours_apart: float) -> None:
    """Moves a table's instants into the past, the newest by no time and each one before by so many hours more.

    They stand in names and in the metadata, Avro's included, as texts of seventeen digits.
    """
    folder, form = timeline_folder(table), "%Y%m%d%H%M%S%f"
    by_request: dict[str, set[str]] = {}
    for entry in folder.iterdir():
        if times := re.match(r"^(\d{17})(?:_(\d{17}))?\.\w+", entry.name):
            by_request.setdefault(times[1], set()).update(t for t in times.groups() if t)
    moved: dict[str, str] = {}
    for age, request in enumerate(sorted(by_request, reverse=True)):
        for old in by_request[request]:
            then = datetime.datetime.strptime(old + "000", form) - datetime.timedelta(hours=hours_apart * age)
            moved[old] = then.strftime(form)[:17]
    name, content = re.compile("|".join(moved)), re.compile("|".join(moved).encode())
    for file in [entry for entry in table.rglob("*") if entry.is_file()]:
        if file.suffix == ".crc":
            file.unlink()
            continue
        if file.suffix != ".parquet":
            file.write_bytes(content.sub(lambda found: moved[found[0].decode()].encode(), file.read_bytes()))
        file.rename(file.with_name(name.sub(lambda found: moved[found[0]], file.name)))

"""A table's folder on any file system that pyarrow knows, and its properties."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hudilite.errors import told
from hudilite.inspect import links
from hudilite.inspect.damage import DamagedTable


class NoTable(ValueError):
    """The path holds no Hudi table."""


@dataclass(frozen=True)
class Folder:
    """The base folder of a table.

    Attributes
    ----------
    path
        Base path as the caller wrote it: a local path or a URI such as ``s3://bucket/table``.
    """

    path: str

    @cached_property
    def _located(self) -> tuple[Any, str]:
        try:
            from pyarrow import fs
        except ImportError as e:
            what = "Reading a table without Spark"
            raise ImportError(told("PACKAGE_NOT_INSTALLED", what=what, package="pyarrow", extra="cli")) from e
        if "://" in self.path or self.path.startswith("file:"):
            filesystem, base = fs.FileSystem.from_uri(self.path)
        else:
            from pathlib import Path

            filesystem, base = fs.LocalFileSystem(), str(Path(self.path).resolve())
        return filesystem, base.rstrip("/")

    @property
    def filesystem(self) -> Any:
        """The ``pyarrow.fs.FileSystem`` that holds the table."""
        return self._located[0]

    def full(self, relative: str) -> str:
        """Path on :attr:`filesystem` of something inside the table."""
        base = self._located[1]
        return f"{base}/{relative}" if relative else base

    def read(self, relative: str) -> bytes:
        """All bytes of a file."""
        with self.filesystem.open_input_stream(self.full(relative)) as stream:
            return bytes(stream.read())

    def children(self, relative: str) -> list[Any]:
        """Entries of a folder as ``pyarrow.fs.FileInfo``; none when the folder is absent.

        Raises
        ------
        DamagedTable
            When a folder or file in it is a symbolic link that leads nowhere or back to the table.
        """
        from pyarrow import fs

        folder = self.full(relative)
        found = list(self.filesystem.get_file_info(fs.FileSelector(folder, allow_not_found=True)))
        if isinstance(self.filesystem, fs.LocalFileSystem):
            for entry in found:
                if entry.type != fs.FileType.File:
                    links.check(self.full(""), folder, entry.path)
        return found

    @cached_property
    def properties(self) -> dict[str, str]:
        """The table's properties (source: ``.hoodie/hoodie.properties``, else its backup).

        Raises
        ------
        NoTable
            When there is neither of the two files.
        DamagedTable
            When neither is whole.
        """
        reason = None
        for name in ("hoodie.properties", "hoodie.properties.backup"):
            try:
                found = parse_properties(self.read(f".hoodie/{name}").decode("latin-1"))
            except FileNotFoundError:
                continue
            flaw = _flaw(found)
            if flaw is None:
                return found
            reason = reason or flaw
        if reason is None:
            raise NoTable(
                f"[TABLE_NOT_FOUND] There is no Hudi table at {self.path}: it has no .hoodie/hoodie.properties."
            )
        raise DamagedTable(
            f"[CORRUPT_TABLE_PROPERTIES] The table configuration {self.full('.hoodie/hoodie.properties')} "
            f"cannot be used: {reason}."
        )

    @property
    def version(self) -> int:
        """Table version: 6, 8 or 9."""
        return int(self.properties.get("hoodie.table.version", "0"))

    @property
    def timeline_path(self) -> str:
        """Folder of the active timeline, inside the table."""
        if self.version < 8:
            return ".hoodie"
        path = self.properties.get("hoodie.timeline.path") or "timeline"
        if not is_normal(path) or ":" in path:
            raise DamagedTable(
                f"[CORRUPT_TABLE_PROPERTIES] The table configuration of {self.path} cannot be used: "
                f"hoodie.timeline.path is '{path}'."
            )
        return f".hoodie/{path}"


def is_normal(path: str) -> bool:
    """Return true for a path below the table in the one form in which paths are compared (docs/format.md, "Paths")."""
    return not path or ("\0" not in path and not {"", ".", ".."} & set(path.split("/")))


def relative(path: str) -> str:
    """The path in its one form.

    Raises
    ------
    DamagedTable
        When it leads out of the table.
    """
    levels = [level for level in path.split("/") if level not in ("", ".")]
    if ".." in levels or "\0" in path:
        raise DamagedTable(f"[CORRUPT_FILE] The path '{path}' in a file of the table leads out of the table.")
    return "/".join(levels)


def _flaw(properties: dict[str, str]) -> str | None:
    """Reason why these are not the properties of a whole file."""
    name = properties.get("hoodie.table.name")
    checksum = properties.get("hoodie.table.checksum")
    if not name:
        return "it has no hoodie.table.name"
    if checksum is None:
        return None if "hoodie.table.version" in properties else "it has no hoodie.table.version"
    expected = str(zlib.crc32(f"{properties.get('hoodie.database.name', '')}.{name}".encode()))
    return None if checksum.strip() == expected else f"its checksum is {checksum}, not {expected}"


def parse_properties(text: str) -> dict[str, str]:
    """Keys and values of a Java properties file."""
    found = {}
    for line in _logical_lines(text):
        match = _KEY.match(line)
        key = match.group(0) if match else ""
        value = _SEPARATOR.sub("", line[len(key) :], count=1)
        found[_unescaped(key)] = _unescaped(value)
    return found


# A key ends at the first '=', ':' or blank without a backslash before it.
_KEY = re.compile(r"(?:\\.|[^\\=: \t\f])*")
_SEPARATOR = re.compile(r"[ \t\f]*[=:]?[ \t\f]*")


def _logical_lines(text: str) -> Iterator[str]:
    """Lines without comments, each with those that a backslash at its end adds to it."""
    pending = ""
    for natural in re.split(r"\r\n|\n|\r", text):
        line = natural.lstrip(" \t\f")
        if not pending and (not line or line[0] in "#!"):
            continue
        pending += line
        backslashes = len(pending) - len(pending.rstrip("\\"))
        if backslashes % 2:
            pending = pending[:-1]
        else:
            yield pending
            pending = ""
    if pending:
        yield pending


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_plain, text)


_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)


def _plain(match: re.Match[str]) -> str:
    code, letter = match.groups()
    return chr(int(code, 16)) if code else {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}.get(letter, letter)

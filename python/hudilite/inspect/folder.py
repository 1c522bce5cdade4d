"""A table's folder on any file system that pyarrow knows, and its properties."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any


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
            raise ImportError("Reading a table without Spark needs pyarrow: pip install 'hudilite[cli]'") from e
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

    def children(self, relative: str, recursive: bool = False) -> list[Any]:
        """Entries of a folder as ``pyarrow.fs.FileInfo``; none when the folder is absent."""
        from pyarrow import fs

        selector = fs.FileSelector(self.full(relative), allow_not_found=True, recursive=recursive)
        return list(self.filesystem.get_file_info(selector))

    @cached_property
    def properties(self) -> dict[str, str]:
        """The table's properties (source: ``.hoodie/hoodie.properties``, else its backup).

        Raises
        ------
        NoTable
            When there is neither of the two files.
        """
        for name in ("hoodie.properties", "hoodie.properties.backup"):
            try:
                text = self.read(f".hoodie/{name}").decode("utf-8")
            except FileNotFoundError:
                continue
            return parse_properties(text)
        raise NoTable(f"There is no Hudi table at {self.path}: it has no .hoodie/hoodie.properties.")

    @property
    def version(self) -> int:
        """Table version: 6, 8 or 9."""
        return int(self.properties.get("hoodie.table.version", "0"))

    @property
    def timeline_path(self) -> str:
        """Folder of the active timeline, inside the table."""
        if self.version < 8:
            return ".hoodie"
        return f".hoodie/{self.properties.get('hoodie.timeline.path', 'timeline')}"


def parse_properties(text: str) -> dict[str, str]:
    """Keys and values of a Java properties file without continuation lines, as Hudi writes them."""
    found = {}
    for line in text.splitlines():
        stripped = line.strip()
        if stripped and stripped[0] not in "#!":
            key, _, value = stripped.partition("=")
            found[_unescaped(key.strip())] = _unescaped(value.strip())
    return found


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    parts = text.split("\\")
    plain = parts[0]
    rest = iter(parts[1:])
    for part in rest:
        if part.startswith("u"):
            plain += chr(int(part[1:5], 16)) + part[5:]
        elif part:
            plain += {"t": "\t", "n": "\n", "r": "\r"}.get(part[0], part[0]) + part[1:]
        else:
            plain += "\\" + next(rest, "")
    return plain

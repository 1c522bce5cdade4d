"""The partitions of a table, found by their markers."""

from __future__ import annotations

from typing import Any

from hudilite.inspect.folder import Folder

_TABLE_FOLDER = ".hoodie"
_MARKER = ".hoodie_partition_metadata"


def discover(folder: Folder) -> dict[str, list[Any]]:
    """Every partition path with the entries of its folder, as ``pyarrow.fs.FileInfo``.

    A folder is a partition when it holds the marker, wherever it lies: in the table's own folder, below another
    partition or below a name that begins with a dot. Each folder is listed once.
    """
    found: dict[str, list[Any]] = {}
    level = [""]
    while level:
        below: list[str] = []
        for path in level:
            entries = folder.children(path)
            marked = any(e.is_file and e.base_name.startswith(_MARKER) for e in entries)
            if marked:
                found[path] = entries
            # A table's folder below its root is that of another table, unless the marker says that it is a partition.
            if marked or path.rpartition("/")[2] != _TABLE_FOLDER:
                names = [e.base_name for e in entries if not e.is_file and (path or e.base_name != _TABLE_FOLDER)]
                below += [f"{path}/{name}" if path else name for name in names]
        level = below
    return found

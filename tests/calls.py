"""Requests to the storage for reading a table without a JVM, counted below pyarrow.

Spark's requests are counted in Scala: `CountingFileSystem` and `StorageBudgetSuite`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pyarrow import fs

from hudilite.inspect.folder import Folder

#: Methods of a file system, and the kind of request that each one is.
KINDS = {
    "get_file_info": "head", "get_file_info_selector": "list", "open_input_stream": "get", "open_input_file": "get",
    "open_output_stream": "put", "open_append_stream": "put", "create_dir": "mkdir", "delete_file": "delete",
    "delete_dir": "delete", "delete_dir_contents": "delete", "delete_root_dir_contents": "delete", "move": "rename",
    "copy_file": "rename",
}  # fmt: skip


def _counted(method: str, kind: str) -> Callable[..., Any]:
    # The selector has a method of its own in a handler, and shares one in a file system.
    target = "get_file_info" if method == "get_file_info_selector" else method

    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        self.calls[kind] += 1
        return getattr(self.inner, target)(*arguments, **named)

    return call


def _init(self: Any, inner: fs.FileSystem, calls: Counter[str]) -> None:
    self.inner, self.calls = inner, calls


_Handler: Any = type(
    "_Handler",
    (fs.FileSystemHandler,),
    {
        "__init__": _init,
        "get_type_name": lambda self: "counting",
        "normalize_path": lambda self, path: self.inner.normalize_path(path),
        **{method: _counted(method, kind) for method, kind in KINDS.items()},
    },
)


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Counts requests for the files of tables by kind while the block runs."""
    calls: Counter[str] = Counter()

    def filesystem(folder: Folder) -> fs.FileSystem:
        return fs.PyFileSystem(_Handler(folder._located[0], calls))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Folder, "filesystem", property(filesystem))
        yield calls

"""Reads a table's timeline and files with pyarrow and fastavro alone, and its rows by hudi-rs: no Spark, no JVM."""

from __future__ import annotations

from hudilite.inspect.base_files import DataFile, files
from hudilite.inspect.damage import DamagedTable
from hudilite.inspect.folder import NoTable
from hudilite.inspect.instants import Commit, Instant, history, timeline
from hudilite.inspect.snapshot import to_arrow, to_pandas

__all__ = [
    "Commit",
    "DamagedTable",
    "DataFile",
    "Instant",
    "NoTable",
    "files",
    "history",
    "timeline",
    "to_arrow",
    "to_pandas",
]


def __dir__() -> list[str]:
    """Public names; the modules are hudilite's own."""
    return __all__

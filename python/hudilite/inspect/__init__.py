"""Reads a table's timeline and files with pyarrow and fastavro alone: no Spark, no JVM."""

from __future__ import annotations

from hudilite.inspect.base_files import DataFile, files
from hudilite.inspect.damage import DamagedTable
from hudilite.inspect.folder import NoTable
from hudilite.inspect.instants import Commit, Instant, history, timeline

__all__ = ["Commit", "DamagedTable", "DataFile", "Instant", "NoTable", "files", "history", "timeline"]


def __dir__() -> list[str]:
    """Public names; the modules are hudilite's own."""
    return __all__

"""Reads a table's timeline and files with pyarrow and fastavro alone: no Spark, no JVM."""

from __future__ import annotations

from hudilite.inspect.files import DataFile, files
from hudilite.inspect.timeline import Commit, Instant, history, timeline

__all__ = ["Commit", "DataFile", "Instant", "files", "history", "timeline"]

"""Rows of a table by hudi-rs: no Spark, no JVM."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from hudilite.errors import told
from hudilite.inspect.folder import Folder
from hudilite.inspect.groups import groups
from hudilite.inspect.instants import WRITES, instants, metadata

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_META = (
    "_hoodie_commit_time",
    "_hoodie_commit_seqno",
    "_hoodie_record_key",
    "_hoodie_partition_path",
    "_hoodie_file_name",
)


def to_arrow(path: str) -> pa.Table:
    """All rows of the newest snapshot, read by hudi-rs in this process.

    A table that hudi-rs would read wrong is refused, and so is one of which that cannot be told: one whose columns were
    renamed or dropped by ALTER TABLE, whose old files have other names, and one with log files, which hudi-rs does not
    always merge as Hudi does. Compact it before, or read it by a session.

    Parameters
    ----------
    path
        Base path or URI of the table.

    Raises
    ------
    NoTable
        When ``path`` holds no Hudi table.
    NotImplementedError
        With the condition ``STATEMENT_NOT_SUPPORTED``, for a table that hudi-rs would read wrong.
    ImportError
        When the extra ``arrow`` is not installed.

    Examples
    --------
    >>> compacted = trips.compact()
    >>> hudilite.inspect.to_arrow(path).column_names
    ['id', 'day', 'fare', 'ts']
    """
    _needs("hudi", "pyarrow", extra="arrow")
    import hudi
    import pyarrow

    _check(path)
    table: Any = hudi.HudiTableBuilder.from_base_uri(path).build()
    batches = table.read()
    found = pyarrow.Table.from_batches(batches) if batches else table.get_schema().empty_table()
    return found.drop_columns([name for name in found.column_names if name in _META])


def to_pandas(path: str) -> pd.DataFrame:
    """All rows of the newest snapshot, read by hudi-rs in this process; see :func:`to_arrow`.

    Parameters
    ----------
    path
        Base path or URI of the table.

    Examples
    --------
    >>> compacted = trips.compact()
    >>> int(hudilite.inspect.to_pandas(path)["id"].sum())
    6
    """
    _needs("hudi", "pyarrow", "pandas", extra="pandas")
    return to_arrow(path).to_pandas()


def _needs(*packages: str, extra: str) -> None:
    """Fail before anything is read."""
    for package in packages:
        if find_spec(package) is None:
            what = "Reading rows without Spark"
            raise ImportError(told("PACKAGE_NOT_INSTALLED", what=what, package=package, extra=extra))


def _check(path: str) -> None:
    folder = Folder(path)
    timeline = instants(folder)
    newest = next((i for i in reversed(timeline) if i.state == "completed" and i.action in WRITES), None)
    if newest and (metadata(folder, newest).get("extraMetadata") or {}).get("latest_schema"):
        raise _refused(path, "ALTER TABLE has changed its columns, and hudi-rs reads old files by new names")
    if any(group.log_files for group in groups(folder, timeline)):
        raise _refused(path, "it has log files, which hudi-rs does not always merge as Hudi does; compact it before")


def _refused(path: str, reason: str) -> Exception:
    said = f"{reason}, or read it by a session" if "before" in reason else f"{reason}; read it by a session"
    return NotImplementedError(told("STATEMENT_NOT_SUPPORTED", statement="inspect.to_arrow", path=path, reason=said))

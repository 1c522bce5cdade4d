"""One HTML page about a table, complete in itself."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from hudilite.errors import told

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from hudilite.report.facts import Facts


def of_table(spark: SparkSession, path: str, file: str | PathLike[str] | None = None) -> str:
    """See :meth:`hudilite.tables.HudiliteTable.report`."""
    from hudilite.report import sources

    _needs_matplotlib()
    return _written(sources.with_spark(spark, path), file)


def of_path(path: str, file: str | PathLike[str] | None = None) -> str:
    """Return the page about the table at ``path``, read with pyarrow and fastavro alone.

    Parameters
    ----------
    path
        Base path or URI.
    file
        Where to write it; then the answer is this path.

    Raises
    ------
    NoTable
        When there is no Hudi table.
    """
    from hudilite.report import sources

    _needs_matplotlib()
    return _written(sources.without_spark(path), file)


def _needs_matplotlib() -> None:
    """Fail before anything is read."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as e:
        raise ImportError(told("PACKAGE_NOT_INSTALLED", what="A report", package="matplotlib", extra="report")) from e


def _written(facts: Facts, file: str | PathLike[str] | None) -> str:
    from hudilite.report import page

    text = page.html(facts)
    if file is None:
        return text
    Path(file).write_text(text, encoding="utf-8")
    return str(file)

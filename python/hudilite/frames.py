"""Rows of a session in the tables of other libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hudilite.errors import told

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame


def arrow(rows: DataFrame) -> pa.Table:
    """All rows as a table of Arrow."""
    _needs("pyarrow", "A table of Arrow")
    if hasattr(rows, "toArrow"):  # Spark 4
        return rows.toArrow()
    import pyarrow
    from pyspark.sql.pandas.types import to_arrow_schema

    plain: Any = rows
    if hasattr(plain, "_collect_as_arrow"):
        batches = plain._collect_as_arrow()
        return pyarrow.Table.from_batches(batches, batches[0].schema if batches else to_arrow_schema(rows.schema))
    return plain._session.client.to_table(plain._plan.to_proto(plain._session.client))[0]  # Spark Connect


def pandas(rows: DataFrame) -> pd.DataFrame:
    """All rows as a DataFrame of pandas."""
    _needs("pandas", "A DataFrame of pandas")
    return rows.toPandas()


def _needs(package: str, what: str) -> None:
    """Fail before anything is read."""
    from importlib.util import find_spec

    if find_spec(package) is None:
        extra = "arrow" if package == "pyarrow" else "pandas"
        raise ImportError(told("PACKAGE_NOT_INSTALLED", what=what, package=package, extra=extra))

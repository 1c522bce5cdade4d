"""The way to Spark's driver: SQL, which a classic session and one of Spark Connect both speak."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

CATALOG = "hudilite"
FUNCTION = "hudilite_metadata"
_NOT_FOUND = ("CATALOG_NOT_FOUND", "UNRESOLVED_ROUTINE", "UNRESOLVABLE_TABLE_VALUED_FUNCTION")
#: What Spark 3.5 says to CALL when no extension has taught it that.
_NO_CALL = "Syntax error at or near 'CALL'"


class NoExtension(RuntimeError):
    """The Spark that a session talks to does not know hudilite."""


def is_connect(spark: SparkSession) -> bool:
    """Whether it is a session of Spark Connect."""
    return type(spark).__module__.startswith("pyspark.sql.connect.")


def call(spark: SparkSession, procedure: str, path: str | None, **arguments: Any) -> list[dict[str, Any]]:
    """Rows that a procedure answers with (docs/procedures.md).

    Parameters
    ----------
    spark
        A session of either kind.
    procedure
        Its name.
    path
        Base path of the table; ``None`` for a procedure that works on none.
    **arguments
        By their names; ``None`` leaves one out. A list or mapping is passed as JSON, so that nothing in it is lost.

    Returns
    -------
    list[dict[str, Any]]
        Columns by name, nested ones as dictionaries and lists.

    Raises
    ------
    NoExtension
        When Spark does not know hudilite.
    """
    given = {"path": path, **arguments}
    values = {name: _value(value) for name, value in given.items() if value is not None}
    # Names of their own, for those of arguments may be words that SQL reserves.
    passed = ", ".join(f"`{name}` => :a{at}" for at, name in enumerate(values))
    statement = f"CALL {CATALOG}.system.{procedure}({passed})"
    found = _rows(spark, statement, {f"a{at}": value for at, value in enumerate(values.values())})
    return [row.asDict(recursive=True) for row in found]


def metadata(
    spark: SparkSession,
    path: str,
    name: str,
    columns: Sequence[str] = ("*",),
    where: str = "true",
    limit: int | None = None,
) -> list[dict[str, Any]]:
    """Rows of a metadata table of the table at ``path``, in its order; ``where`` is a condition in SQL."""
    top = "" if limit is None else f" LIMIT {int(limit)}"
    statement = f"SELECT {', '.join(columns)} FROM {FUNCTION}(:a0, :a1) WHERE {where}{top}"
    found = _rows(spark, statement, {"a0": _with_slash(path), "a1": name})
    return [row.asDict(recursive=True) for row in found]


def _rows(spark: SparkSession, statement: str, values: dict[str, Any]) -> list[Row]:
    try:
        return spark.sql(statement, args=values).collect()
    except Exception as e:
        text = str(e)
        if _NO_CALL in text or ("hudilite" in text and any(f"[{name}" in text for name in _NOT_FOUND)):
            raise NoExtension(
                "[EXTENSION_NOT_LOADED] Spark does not know hudilite: start it, or its Connect server, with hudilite's "
                "jar in spark.jars and spark.sql.extensions=io.hudilite.spark.HudiliteExtensions (README.md, Spark "
                "Connect). SQLSTATE: 55000"
            ) from e
        raise


def _value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return json.dumps({str(k): str(v) for k, v in value.items()})
    if isinstance(value, Sequence) and not isinstance(value, str):
        return json.dumps([str(v) for v in value])
    return value


def _with_slash(path: str) -> str:
    """A path as SQL tells it from a name: by a slash that no backtick precedes."""
    return path if "/" in path.partition("`")[0] else f"./{path}"

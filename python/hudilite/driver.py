"""The way to Spark's driver: SQL, which a classic session and one of Spark Connect both speak."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CATALOG = "hudilite"
FUNCTION = "hudilite_metadata"
_NOT_FOUND = ("CATALOG_NOT_FOUND", "UNRESOLVED_ROUTINE", "UNRESOLVABLE_TABLE_VALUED_FUNCTION")
#: Texts that are between quotes what they are, whatever the session's settings: a backslash may or may not escape, and
#: `${...}` may be another text.
_PLAIN = re.compile(r"[^'\\$]*")
#: Error of Spark 3.5 for CALL when no extension has taught it that, and of Spark 4.0 when there is no such catalog.
_NO_CALL = ("Syntax error at or near 'CALL'", "does not support procedures")


class NoExtension(RuntimeError):
    """The Spark that a session talks to does not know hudilite."""


def is_connect(spark: SparkSession) -> bool:
    """Return true for a session of Spark Connect."""
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
        Columns by name, nested ones as dictionaries and tuples.

    Raises
    ------
    NoExtension
        When Spark does not know hudilite.
    """
    given = {"path": path, **arguments}
    values = {name: _value(value) for name, value in given.items() if value is not None}
    # Between backticks, for names of arguments may be words that SQL reserves. Values are literals, for Spark 4.0 runs
    # no CALL that has markers of parameters and leaves arguments out.
    passed = ", ".join(f"`{name}` => {literal(value)}" for name, value in values.items())
    return _rows(spark, f"CALL {CATALOG}.system.{procedure}({passed})")


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
    table = f"{FUNCTION}({literal(with_slash(path))}, {literal(name)})"
    return _rows(spark, f"SELECT {', '.join(columns)} FROM {table} WHERE {where}{top}")


def literal(value: str | bool | Integral | None) -> str:
    """A value as SQL writes it, which means the same whatever the settings of the session.

    Raises
    ------
    TypeError
        When it is neither a text nor a boolean nor a whole number nor ``None``.
    """
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, Integral):
        return str(int(value))
    if not isinstance(value, str):
        raise TypeError(f"{value!r} cannot be passed to a procedure")
    return f"'{value}'" if _PLAIN.fullmatch(value) else f"CAST(X'{value.encode().hex()}' AS STRING)"


def _rows(spark: SparkSession, statement: str) -> list[dict[str, Any]]:
    try:
        return [_plain(row) for row in spark.sql(statement).collect()]
    except Exception as e:
        text = str(e)
        if any(said in text for said in _NO_CALL) or (
            "hudilite" in text and any(f"[{name}" in text for name in _NOT_FOUND)
        ):
            raise NoExtension(
                "[EXTENSION_NOT_LOADED] Spark does not know hudilite: start it, or its Connect server, with hudilite's "
                "jar in spark.jars and spark.sql.extensions=io.hudilite.spark.HudiliteExtensions (docs/guide.md, "
                "Spark Connect). SQLSTATE: 55000"
            ) from e
        raise


def _plain(value: Any) -> Any:
    """Rows as dictionaries, and arrays as tuples."""
    if hasattr(value, "asDict"):
        return {name: _plain(inner) for name, inner in value.asDict().items()}
    if isinstance(value, dict):  # of a map, whose order is Java's
        return dict(sorted(value.items()))
    return tuple(map(_plain, value)) if isinstance(value, list) else value


def _value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return json.dumps({str(k): str(v) for k, v in value.items()})
    if isinstance(value, Sequence) and not isinstance(value, str):
        return json.dumps([str(v) for v in value])
    return value


def with_slash(path: str) -> str:
    """A path as SQL tells it from a name: by a slash that no backtick precedes."""
    return path if "/" in path.partition("`")[0] else f"./{path}"

"""Names, conditions and values as SQL writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hudilite.arguments import invalid
from hudilite.driver import with_slash

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: A column, or a field of one, as SQL takes it without more: words or names in backticks, with dots between.
_REFERENCE = re.compile(r"(?:\w+|`(?:[^`]|``)+`)(?:\.(?:\w+|`(?:[^`]|``)+`))*")
_OF_PROGRAMS = re.compile(r"UDF|UDAF|UserDefined|Python|Invoke|Aggregator")


def quoted(name: str) -> str:
    """A name between backticks."""
    return "`" + name.replace("`", "``") + "`"


def table_at(path: str) -> str:
    """The table at a path, as statements name it."""
    return f"hudilite.{quoted(with_slash(path))}"


def column_named(name: str, known: Sequence[str], argument: str) -> str:
    """A column that is assigned to: one of the known ones, however it is spelt, else a field or one behind an alias."""
    if name in known or [name.lower()] == [each for each in map(str.lower, known) if each == name.lower()]:
        return quoted(name)
    if not _REFERENCE.fullmatch(name):
        raise invalid(argument, name, "it names no column; put names with dots or blanks between backticks")
    return name


def expression(value: str | Column, argument: str, names: Callable[[], DataFrame]) -> str:
    """A condition or value in SQL.

    Parameters
    ----------
    value
        A text, or a column, whose text is that of the expression that Spark makes of it.
    argument
        Name of the argument that has it.
    names
        Makes rows whose columns have the names that a column may have.

    Raises
    ------
    ValueError
        With the condition ``INVALID_OPTION_VALUE``, for an empty text, and for a column that SQL cannot write.
    """
    if isinstance(value, str):
        if not value.strip():
            raise invalid(argument, value, "it must be an expression in SQL")
        # Nothing in it ends the expression: neither a comma nor a comment to the end of the line.
        return value if value.strip().upper() == "DEFAULT" else f"({value}\n)" if "--" in value else f"({value})"
    if not hasattr(value, "_jc"):
        raise invalid(argument, value, "a column of Spark Connect has no text; write it in SQL")
    analyzed: Any = names().select(value.alias(argument))._jdf.queryExecution().analyzed()
    tree = analyzed.projectList().apply(0).child()
    if any(_OF_PROGRAMS.search(str(node.getClass().getSimpleName())) for node in _nodes(tree)):
        raise invalid(argument, value, "a function of a program has no text; register it, and write it in SQL")
    return f"({tree.sql()})"


def _nodes(tree: Any) -> Iterator[Any]:
    yield tree
    children = tree.children()
    for at in range(children.size()):
        yield from _nodes(children.apply(at))


def alias_of(frame: DataFrame) -> str | None:
    """The name that ``alias`` gave a DataFrame last."""
    plan: Any = getattr(frame, "_plan", None)
    if plan is not None:  # of Spark Connect
        name = getattr(plan, "_alias", None)
        return name if isinstance(name, str) else None
    java: Any = frame._jdf.queryExecution().logical()
    is_alias = str(java.getClass().getSimpleName()) == "SubqueryAlias"
    return str(java.alias()) if is_alias else None

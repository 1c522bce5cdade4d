"""Conditions of hudilite's errors: that of an exception, and the texts of those that Python raises."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from hudilite.conditions import CONDITIONS

_BRACKETED = re.compile(r"\[([A-Z][A-Z0-9_]+)\]")
_PARAMETER = re.compile(r"<([A-Za-z]+)>")
_PERHAPS = re.compile(r"\{([^{}]*<([A-Za-z]+)>[^{}]*)\}")  # said where the parameter has a value


@dataclass(frozen=True)
class Told:
    """An error of hudilite's as a text tells it: its condition, all that it says, and the values in that."""

    condition: str
    text: str
    parameters: dict[str, str]


def condition_of(error: BaseException) -> str | None:
    """Name of hudilite's condition that ``error`` reports, such as ``UNKNOWN_OPTION``.

    It is found in the text, so it works for errors of the driver, of executors, through Spark Connect and of Python. Of
    an error that was raised while another one was handled it looks at that one, too, as Python's traceback does.

    Parameters
    ----------
    error
        Any exception, usually one that PySpark raised.

    Returns
    -------
    str or None
        The name as docs/errors.md lists it; None when the error is not one of hudilite's.

    Examples
    --------
    >>> try:
    ...     spark.read.format("hudilite").option("hodie.x", "1").load(path)
    ... except Exception as e:
    ...     print(hudilite.condition_of(e))
    UNKNOWN_OPTION
    """
    seen: BaseException | None = error
    passed: set[int] = set()
    while seen is not None and id(seen) not in passed:
        passed.add(id(seen))
        for name in _BRACKETED.findall(f"{seen} {getattr(seen, 'java_exception', '')}"):
            if name in CONDITIONS:
                return str(name)
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    return None


def told(condition: str, **values: object) -> str:
    """The text of an error of a condition, as Spark's driver would tell it."""
    text = _PERHAPS.sub(lambda m: m[1] if m[2] in values else "", _template(condition))
    return _PARAMETER.sub(lambda m: str(values.get(m[1], m[0])), text)


def read(text: str) -> Told | None:
    """The first error of hudilite's that is told somewhere in a text, as among what Spark says of a job that failed."""
    for found in _BRACKETED.finditer(text):
        if found[1] in CONDITIONS and (all_said := _pattern(found[1]).match(text, found.start())):
            values = {name: value for name, value in all_said.groupdict().items() if value is not None}
            return Told(found[1], all_said[0], values)
    return None


def _template(condition: str) -> str:
    message, action, state = CONDITIONS[condition]
    return f"[{condition}] {message} {action} SQLSTATE: {state}"


@cache
def _pattern(condition: str) -> re.Pattern[str]:
    """Pattern of a condition's text. A parameter that the text names twice has one value."""
    seen: set[str] = set()

    def value(name: str) -> str:
        if name in seen:
            return f"(?P={name})"
        seen.add(name)
        return f"(?P<{name}>.*?)"

    parts = re.split(r"([{}]|<[A-Za-z]+>)", _template(condition))
    meant = {"{": "(?:", "}": ")?"}
    spelt = (meant.get(p) or (value(p[1:-1]) if _PARAMETER.fullmatch(p) else re.escape(p)) for p in parts)
    return re.compile("".join(spelt), re.DOTALL)

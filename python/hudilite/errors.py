"""Conditions of hudilite's errors: which one an exception stands for, and the texts of those that Python raises."""

from __future__ import annotations

import re

from hudilite.conditions import CONDITIONS

_BRACKETED = re.compile(r"\[([A-Z][A-Z0-9_]+)\]")
_PERHAPS = re.compile(r"\{([^{}]*<([A-Za-z]+)>[^{}]*)\}")  # said where the parameter has a value


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
    message, action, state = CONDITIONS[condition]
    text = f"[{condition}] {message} {action} SQLSTATE: {state}"
    text = _PERHAPS.sub(lambda m: m[1] if m[2] in values else "", text)
    return re.sub("<([A-Za-z]+)>", lambda m: str(values.get(m[1], m[0])), text)

"""Which condition of hudilite an exception stands for."""

from __future__ import annotations

import json
import re
import zipfile
from functools import cache
from pathlib import Path

_BRACKETED = re.compile(r"\[([A-Z][A-Z0-9_]+)\]")


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
    known = conditions()
    seen: BaseException | None = error
    passed: set[int] = set()
    while seen is not None and id(seen) not in passed:
        passed.add(id(seen))
        for name in _BRACKETED.findall(f"{seen} {getattr(seen, 'java_exception', '')}"):
            if name in known:
                return str(name)
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    return None


@cache
def conditions() -> frozenset[str]:
    """Names of all conditions, from the declarations that the package's jars carry."""
    for path in sorted((Path(__file__).parent / "jars").glob("*.jar")):
        with zipfile.ZipFile(path) as jar:
            return frozenset(json.loads(jar.read("hudilite/error-conditions.json")))
    return frozenset()
